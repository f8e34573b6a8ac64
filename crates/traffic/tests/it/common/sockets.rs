//! As sockets do it: a clock that is looked at late and irregularly, positions in bytes, buffers
//! that take what they have room for, reads of odd sizes.

use super::{DELAY, MSS, Seen, dropped};
use narrows_scenario::Scenario;
use narrows_traffic::{Action, Application, LISTED, Ledger, Message};
use narrows_units::{Bytes, Random, Span, Time};
use std::collections::VecDeque;

/// The size of a send buffer.
const BUFFER: u64 = 40_000;

#[derive(Default)]
struct Socket {
    ledger: Ledger,
    /// Bytes that the application wrote and the socket has not taken.
    backlog: u64,
    flooding: bool,
    last: bool,
    /// Bytes of the stream that the socket took, that left it, and that were read at the far end.
    taken: u64,
    left: u64,
    read: u64,
    /// Bytes on their way, and when they are there.
    way: VecDeque<(Time, u64)>,
}

impl Socket {
    fn fill(&mut self) {
        let room = BUFFER - (self.taken - self.left);
        let count = if self.flooding { room } else { room.min(self.backlog) };
        self.backlog -= count.min(self.backlog);
        self.taken += count;
    }

    fn write(&mut self, application: &mut Application, message: Message, last: bool) {
        self.backlog += message.size.get();
        self.last = last;
        application.expect(&mut self.ledger, message, self.taken + self.backlog);
    }
}

/// The first that is there by now.
fn arrived(way: &mut VecDeque<(Time, u64)>, now: Time) -> Option<(Time, u64)> {
    if way.front()?.0 <= now { way.pop_front() } else { None }
}

pub fn run(scenario: &Scenario, seed: u64) -> Seen {
    let flow = &scenario.flows[0];
    let tcp = flow.controller.is_some();
    let mut application = Application::new(scenario, flow);
    let mut random = Random::stream(seed, "sockets");
    let mut sockets = vec![Socket::default()];
    let mut datagrams: VecDeque<(Time, u64)> = VecDeque::new();
    let mut request = (Time::NEVER, 0);
    let mut sent = 0;
    let mut room = LISTED;
    let mut now = Time::ZERO;
    let end = Time::ZERO + scenario.duration;
    let mut actions = Vec::new();
    while now <= end {
        while let Some(action) = application.act(now) {
            actions.push(action);
            let own = &mut sockets[0];
            match action {
                Action::Flood => own.flooding = true,
                Action::Cut { start } => {
                    own.flooding = false;
                    let size = Bytes::new(own.taken - own.ledger.end());
                    application.expect(&mut own.ledger, Message { start, size }, own.taken);
                    application.delivered(now, &mut own.ledger, own.read, &mut room);
                }
                Action::Write { message, last } if tcp => {
                    own.write(&mut application, message, last)
                }
                Action::Write { message, .. } => {
                    let packets = message.size.get().div_ceil(MSS);
                    application.expect(&mut own.ledger, message, sent + packets);
                    datagrams.extend((sent..sent + packets).map(|number| (now + DELAY, number)));
                    sent += packets;
                }
                Action::Open { message, .. } => {
                    let mut socket = Socket::default();
                    socket.write(&mut application, message, true);
                    sockets.push(socket);
                }
                Action::Ask { seed, .. } => {
                    request = (now + DELAY, seed.map_or(0, |_| sockets.len()));
                    sockets.extend(seed.map(|_| Socket::default()));
                }
                Action::Stop => (own.flooding, own.backlog) = (false, 0),
            }
        }
        // Somebody else had the processor.
        let pause = if random.chance(0.02) {
            Span::from_millis(80)
        } else {
            Span::from_micros(50 + random.below(1_950))
        };
        let mut carried = pause.as_micros();
        now += pause;
        for (index, socket) in sockets.iter_mut().enumerate() {
            socket.fill();
            let count = carried.min(socket.taken - socket.left);
            carried -= count;
            socket.left += count;
            socket.way.push_back((now + DELAY, count));
            while let Some((_, count)) = arrived(&mut socket.way, now) {
                let piece = random.below(count + 1);
                for piece in [piece, count - piece] {
                    socket.read += piece;
                    if socket.ledger.awaits(socket.read) {
                        application.delivered(now, &mut socket.ledger, socket.read, &mut room);
                    }
                }
            }
            if index == 0 && socket.last && socket.backlog == 0 && socket.read == socket.taken {
                application.finish(now);
            }
        }
        while let Some((_, number)) = arrived(&mut datagrams, now) {
            application.datagram(now, &mut sockets[0].ledger, number, !dropped(number), &mut room);
        }
        if request.0 <= now {
            request.0 = Time::NEVER;
            if let Some(response) = application.answer() {
                let last = application.reopens();
                sockets[request.1].write(&mut application, response, last);
            }
        }
    }
    Seen {
        actions,
        delivered: sockets.iter().map(|socket| socket.read).sum(),
        written: sockets.iter().map(|socket| socket.taken + socket.backlog).sum(),
        finished_at: application.finished_at(),
        completed: application.completed(),
        transfers: application.into_transfers(end, &sockets[0].ledger),
    }
}
