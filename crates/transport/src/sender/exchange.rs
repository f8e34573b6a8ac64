//! Where every transmission is answered by itself, as Interests are: by what was asked for, or by a refusal.
//!
//! Only for numbered transmissions ([`AckFormat::Numbered`](crate::AckFormat)).

use super::Sender;
use super::ack::describe_lost;
use crate::wire::{Ack, Block};
use narrows_units::{Span, Time};
use narrows_wire::Ecn;

/// What answers a transmission.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The transmission: 0 for the first that left, and so on.
    pub packet: u64,
    /// The segment that it carried.
    pub segment: u64,
    /// Its segment had been sent before, and the answer does not tell to which transmission it is: it shows no round trip (Karn and Partridge, SIGCOMM 1987).
    pub ambiguous: bool,
    /// It was marked for congestion on its way.
    pub marked: bool,
}

impl Sender {
    /// A transmission is answered: its segment is delivered. Returns the round trip that this shows, if it does.
    pub fn on_answer(&mut self, now: Time, answer: &Answer) -> Option<Span> {
        self.acked.clear();
        self.lost.clear();
        let mut stream = self.stream.take()?;
        // Though the transmission be forgotten as lost.
        stream.deliver(answer.segment);
        let (mut ect0, mut ect1, mut ce) = self.ecn_seen;
        match self.decision.ecn {
            Ecn::NotEct => {}
            _ if answer.marked => ce = ce.wrapping_add(1),
            Ecn::Ect1 => ect1 = ect1.wrapping_add(1),
            Ecn::Ect0 | Ecn::Ce => ect0 = ect0.wrapping_add(1),
        }
        let window = self.transport.receive_window.map_or(0, |bytes| bytes.get() / self.transport.mss.get());
        let ack = Ack { next: stream.una(), window: window as u32, ect0, ect1, ce, ece: answer.marked, ..Ack::default() };
        let block = Block { start: answer.packet, end: answer.packet + 1 };
        self.on_numbered_ack(now, &ack, &[block], !answer.ambiguous, stream)
    }

    /// A transmission is refused: it is lost, and its segment is to be sent again.
    pub fn on_refusal(&mut self, now: Time, packet: u64) {
        // Whoever refuses makes the sender wait: what it did not send by then is not late.
        self.pacer.end_burst();
        self.acked.clear();
        self.lost.clear();
        let Some(mut stream) = self.stream.take() else { return };
        let in_flight_before = self.board.in_flight();
        match self.board.refuse(packet) {
            Some(slot) => {
                self.lost.push(describe_lost(stream.repeat(packet), &slot, &self.short, self.transport.mss));
                self.after_numbered_event(now, None, in_flight_before, None, false, stream);
            }
            None => self.stream = Some(stream),
        }
    }
}
