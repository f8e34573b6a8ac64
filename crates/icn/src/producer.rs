//! Producers, which answer Interests.

use crate::name::Name;
use crate::packet::{Data, Packet};
use crate::route::Route;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Rates;
use std::collections::VecDeque;

/// Answers every Interest under a prefix with Data of one size, with unlimited rates (MIRCC,
/// section 3.1) and an empty path (section 4.3.1).
#[derive(Clone, Debug)]
pub struct Producer<N: Name> {
    setup: ProducerSetup<N>,
    waiting: VecDeque<(Time, Data<N>)>,
    answered: u64,
    foreign: u64,
}

/// The configuration of a producer.
#[derive(Clone, Debug)]
pub struct ProducerSetup<N> {
    /// The prefix that it serves.
    pub prefix: N,
    /// Size of Data on the wire.
    pub data: Bytes,
    /// The time for which caches treat its Data as fresh.
    pub freshness: Span,
    /// The delay of every answer.
    pub delay: Span,
}

impl<N: Name> Producer<N> {
    /// A producer without pending answers.
    pub fn new(setup: ProducerSetup<N>) -> Producer<N> {
        Producer { setup, waiting: VecDeque::new(), answered: 0, foreign: 0 }
    }

    /// A packet arrives. It is counted as foreign and dropped unless it is an Interest under the
    /// prefix.
    pub fn handle(&mut self, now: Time, packet: &Packet<N>) {
        match packet {
            Packet::Interest(interest) if interest.name.has_prefix(&self.setup.prefix) => {
                self.waiting.push_back((now + self.setup.delay, self.answer(&interest.name)));
            }
            _ => self.foreign += 1,
        }
    }

    /// When the next Data leaves; `None` if none is pending.
    pub fn due(&self) -> Option<Time> {
        self.waiting.front().map(|(at, _)| *at)
    }

    /// The next Data to send at `now`; `None` if there is no more.
    pub fn data(&mut self, now: Time) -> Option<Data<N>> {
        if self.due()? > now {
            return None;
        }
        self.answered += 1;
        self.waiting.pop_front().map(|(_, data)| data)
    }

    /// Data sent.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// Packets dropped because they were no Interests under its prefix.
    pub fn foreign(&self) -> u64 {
        self.foreign
    }

    fn answer(&self, name: &N) -> Data<N> {
        Data {
            name: name.clone(),
            freshness: self.setup.freshness,
            rates: Rates::UNLIMITED,
            route: Route::default(),
            marked: false,
            no_cache: false,
            size: self.setup.data,
            token: Default::default(),
            body: N::Body::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interned::Interned;
    use crate::packet::{Class, Interest};
    use crate::route::{Hint, Steer};

    fn interest(name: Interned, hint: Hint) -> Interest<Interned> {
        Interest {
            name,
            can_be_prefix: false,
            must_be_fresh: false,
            nonce: 1,
            lifetime: Span::from_secs(4),
            hop_limit: 255,
            class: Class::Primary,
            srtt: Span::ZERO,
            steer: Steer { hint, strict: false },
            size: Bytes::new(100),
            via: None,
            token: (),
            body: (),
        }
    }

    #[test]
    fn answers_its_prefix_after_its_delay() {
        let at = |ms| Time::ZERO + Span::from_millis(ms);
        let setup = ProducerSetup {
            prefix: Interned::prefix(1),
            data: Bytes::new(1000),
            freshness: Span::ZERO,
            delay: Span::from_millis(2),
        };
        let mut producer = Producer::new(setup);
        producer.handle(at(1), &Packet::from(interest(Interned::segment(2, 0, 0), Hint::None)));
        assert_eq!((producer.due(), producer.foreign()), (None, 1));
        producer.handle(at(1), &Packet::from(interest(Interned::segment(1, 0, 7), Hint::Hash(9))));
        producer.handle(at(2), &Packet::from(interest(Interned::segment(1, 0, 8), Hint::None)));
        assert_eq!(producer.due(), Some(at(3)));
        assert!(producer.data(at(2)).is_none());
        let first = producer.data(at(3)).unwrap();
        assert_eq!(
            (first.name, first.size, first.rates),
            (Interned::segment(1, 0, 7), Bytes::new(1000), Rates::UNLIMITED)
        );
        assert_eq!(first.route, Route::default());
        assert!(producer.data(at(3)).is_none());
        assert_eq!(producer.data(at(4)).unwrap().name, Interned::segment(1, 0, 8));
        assert_eq!((producer.answered(), producer.due()), (2, None));
    }
}
