//! As a simulator does it: virtual time that stops at every event, positions in segments.

use super::{DELAY, HEADERS, MSS, Seen, dropped};
use narrows_scenario::Scenario;
use narrows_traffic::{Action, Application, LISTED, Ledger, Message};
use narrows_units::{Bytes, Span, Time};
use std::collections::VecDeque;

/// An event at a time, in the order in which it was scheduled.
enum Event {
    Delivered { connection: usize, payload: u64 },
    Datagram { number: u64 },
    Request { connection: usize },
}

#[derive(Default)]
struct Connection {
    ledger: Ledger,
    /// Payload of segments that are written and not sent.
    unsent: VecDeque<u64>,
    flooding: bool,
    last: bool,
    /// Segments written and sent, of a flood those sent, and those delivered.
    written: u64,
    next: u64,
}

struct World {
    now: Time,
    link_free: Time,
    events: Vec<(Time, Event)>,
    connections: Vec<Connection>,
    datagrams: u64,
    room: u64,
    written: u64,
    delivered: u64,
}

impl World {
    /// A packet begins to cross the link: when it is over.
    fn cross(&mut self, payload: u64) -> Time {
        self.link_free = self.link_free.max(self.now) + Span::from_micros(payload + HEADERS);
        self.link_free + DELAY
    }

    /// Sends a segment if the link is free: of the oldest connection that has one.
    fn send(&mut self) {
        while self.link_free <= self.now {
            let ready =
                |connection: &Connection| connection.flooding || !connection.unsent.is_empty();
            let Some(index) = self.connections.iter().position(ready) else { return };
            let connection = &mut self.connections[index];
            let payload = connection.unsent.pop_front().unwrap_or_else(|| {
                connection.written += 1;
                self.written += MSS;
                MSS
            });
            let at = self.cross(payload);
            self.events.push((at, Event::Delivered { connection: index, payload }));
        }
    }

    fn write(&mut self, application: &mut Application, index: usize, message: Message, last: bool) {
        let size = message.size.get();
        let connection = &mut self.connections[index];
        connection
            .unsent
            .extend((0..size.div_ceil(MSS)).map(|segment| MSS.min(size - segment * MSS)));
        connection.written += size.div_ceil(MSS);
        connection.last = last;
        self.written += size;
        application.expect(&mut connection.ledger, message, connection.written);
    }

    fn send_datagrams(&mut self, application: &mut Application, message: Message) {
        let packets = message.size.get().div_ceil(MSS);
        application.expect(&mut self.connections[0].ledger, message, self.datagrams + packets);
        for index in 0..packets {
            let at = self.cross(MSS.min(message.size.get() - index * MSS));
            self.events.push((at, Event::Datagram { number: self.datagrams }));
            self.datagrams += 1;
        }
    }

    fn obey(&mut self, application: &mut Application, action: Action, tcp: bool) {
        let own = &mut self.connections[0];
        match action {
            Action::Flood => own.flooding = true,
            Action::Cut { start } => {
                own.flooding = false;
                let size = Bytes::new(MSS * (own.written - own.ledger.end()));
                application.expect(&mut own.ledger, Message { start, size }, own.written);
                application.delivered(self.now, &mut own.ledger, own.next, &mut self.room);
            }
            Action::Write { message, last } if tcp => self.write(application, 0, message, last),
            Action::Write { message, .. } => self.send_datagrams(application, message),
            Action::Open { message, .. } => {
                self.connections.push(Connection::default());
                self.write(application, self.connections.len() - 1, message, true);
            }
            Action::Ask { size, seed } => {
                let connection = seed.map_or(0, |_| self.connections.len());
                self.connections.extend(seed.map(|_| Connection::default()));
                let arrives = self.now + Span::from_micros(size.get() + HEADERS) + DELAY;
                self.events.push((arrives, Event::Request { connection }));
            }
            Action::Stop => {
                own.flooding = false;
                own.written -= own.unsent.len() as u64;
                self.written -= own.unsent.drain(..).sum::<u64>();
            }
        }
    }

    fn happen(&mut self, application: &mut Application, event: Event) {
        match event {
            Event::Delivered { connection: index, payload } => {
                let connection = &mut self.connections[index];
                connection.next += 1;
                self.delivered += payload;
                if connection.ledger.awaits(connection.next) {
                    application.delivered(
                        self.now,
                        &mut connection.ledger,
                        connection.next,
                        &mut self.room,
                    );
                }
                if index == 0 && connection.last && connection.next == connection.written {
                    application.finish(self.now);
                }
            }
            Event::Datagram { number } => {
                application.datagram(
                    self.now,
                    &mut self.connections[0].ledger,
                    number,
                    !dropped(number),
                    &mut self.room,
                );
            }
            Event::Request { connection } => {
                if let Some(response) = application.answer() {
                    self.write(application, connection, response, application.reopens());
                }
            }
        }
    }
}

pub fn run(scenario: &Scenario) -> Seen {
    let flow = &scenario.flows[0];
    let mut application = Application::new(scenario, flow);
    let end = Time::ZERO + scenario.duration;
    let mut world = World {
        now: Time::ZERO,
        link_free: Time::ZERO,
        events: Vec::new(),
        connections: vec![Connection::default()],
        datagrams: 0,
        room: LISTED,
        written: 0,
        delivered: 0,
    };
    let mut actions = Vec::new();
    loop {
        let first = world
            .events
            .iter()
            .enumerate()
            .min_by_key(|(place, (at, _))| (*at, *place))
            .map(|(place, (at, _))| (*at, place));
        let link = if world.link_free > world.now { world.link_free } else { Time::NEVER };
        world.now = application.due().min(first.map_or(Time::NEVER, |(at, _)| at)).min(link);
        if world.now > end {
            break;
        }
        if let Some((_, place)) = first.filter(|(at, _)| *at == world.now) {
            let (_, event) = world.events.remove(place);
            world.happen(&mut application, event);
        }
        while let Some(action) = application.act(world.now) {
            actions.push(action);
            world.obey(&mut application, action, flow.controller.is_some());
        }
        world.send();
    }
    Seen {
        actions,
        delivered: world.delivered,
        written: world.written,
        finished_at: application.finished_at(),
        completed: application.completed(),
        transfers: application.into_transfers(end, &world.connections[0].ledger),
    }
}
