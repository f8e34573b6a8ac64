//! Where every transmission is answered by itself, as Interests are: by Data, or by a Nack.
//!
//! Only for numbered transmissions ([`AckFormat::Numbered`](crate::AckFormat)).

use crate::Sender;
use crate::sender::recovery::Recovery;
use crate::wire::{Ack, Block};
use narrows_units::{Span, Time};
use narrows_wire::Ecn;

/// The Data that answers a transmission.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The transmission: 0 for the first that left, and so on.
    pub packet: u64,
    /// The segment that it carried.
    pub segment: u64,
    /// Its segment had been sent before, and the answer does not tell to which transmission it is:
    /// it shows no round trip (Karn and Partridge, SIGCOMM 1987).
    pub ambiguous: bool,
    /// It was marked for congestion on its way.
    pub marked: bool,
}

impl Sender {
    /// A transmission is answered: its segment is delivered. Returns the round trip that this
    /// shows, if it does.
    pub fn on_answer(&mut self, now: Time, answer: &Answer) -> Option<Span> {
        let Sender { conn, recovery, .. } = self;
        conn.begin_event();
        let Recovery::Numbered(numbered) = recovery else { return None };
        // Though the transmission be forgotten as lost.
        numbered.stream.deliver(answer.segment);
        let (mut ect0, mut ect1, mut ce) = conn.ecn_seen;
        match conn.decision.ecn {
            Ecn::NotEct => {}
            _ if answer.marked => ce = ce.wrapping_add(1),
            Ecn::Ect1 => ect1 = ect1.wrapping_add(1),
            Ecn::Ect0 | Ecn::Ce => ect0 = ect0.wrapping_add(1),
        }
        let window =
            conn.transport.receive_window.map_or(0, |bytes| bytes.get() / conn.transport.mss.get());
        let ack = Ack {
            next: numbered.stream.una(),
            window: window as u32,
            ect0,
            ect1,
            ce,
            ece: answer.marked,
            blocks: [Block { start: answer.packet, end: answer.packet + 1 }].into_iter().collect(),
            ..Ack::default()
        };
        numbered.on_ack(conn, now, &ack, !answer.ambiguous)
    }

    /// A transmission is refused: it is lost, and its segment is to be sent again.
    pub fn on_nack(&mut self, now: Time, packet: u64) {
        let Sender { conn, recovery, .. } = self;
        // A refusal makes the sender wait: transmissions that did not leave by then are not
        // late.
        conn.pacer.end_burst();
        conn.begin_event();
        let Recovery::Numbered(numbered) = recovery else { return };
        let mut event = conn.event(now);
        let refused = conn.find_lost(|board, lost| {
            board.lose(packet).map(|slot| lost(numbered.stream.repeat(packet), slot))
        });
        if refused.is_some() {
            numbered.after_event(conn, None, &mut event);
        }
    }
}
