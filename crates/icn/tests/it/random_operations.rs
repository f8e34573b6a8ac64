//! Consumers in networks that do anything.

use crate::common::{CONTENT, data, nack, segment_of, setup};
use narrows_icn::{AnyConsumer, Interest, Interned, InternedContent, Method, NackReason, Packet};
use narrows_units::{Rate, Span, Time};
use narrows_wire::Rates;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The next event. Interests are chosen by their number, modulo how many have been sent.
#[derive(Clone, Debug)]
enum Event {
    /// Time passes.
    Wait(Span),
    /// Time passes, and the consumer is not looked at until something arrives.
    Sleep(Span),
    /// The consumer is looked at when it wants to be.
    Due,
    /// Data for an Interest, which may have been answered before.
    Data { interest: usize, path: u64, rates: Rates },
    /// An Interest returns as a Nack.
    Nack { interest: usize, reason: NackReason, rates: Rates },
    /// Unsolicited Data.
    Foreign(u32),
}

fn rate() -> impl Strategy<Value = Rate> {
    prop_oneof![
        8 => (10_000u64..20_000_000).prop_map(Rate::from_bps),
        1 => Just(Rate::ZERO),
        1 => Just(Rate::from_bps(u64::MAX)),
    ]
}

fn rates() -> impl Strategy<Value = Rates> {
    (rate(), rate()).prop_map(|(primary, secondary)| Rates { primary, secondary })
}

fn event() -> impl Strategy<Value = Event> {
    let reason = prop::sample::select(vec![
        NackReason::Congestion,
        NackReason::Congestion,
        NackReason::Duplicate,
        NackReason::NoRoute,
        NackReason::InvalidLabel,
        NackReason::Unknown,
    ]);
    prop_oneof![
        2 => (0u64..300_000).prop_map(|us| Event::Wait(Span::from_micros(us))),
        1 => (0u64..3_000_000).prop_map(|us| Event::Sleep(Span::from_micros(us))),
        4 => Just(Event::Due),
        5 => (any::<usize>(), 0u64..4, rates()).prop_map(|(interest, path, rates)| Event::Data { interest, path, rates }),
        2 => (any::<usize>(), reason, rates()).prop_map(|(interest, reason, rates)| Event::Nack { interest, reason, rates }),
        1 => any::<u32>().prop_map(Event::Foreign),
    ]
}

fn method() -> impl Strategy<Value = Method> {
    let rates = [
        "mircc",
        "mircc?strict=true&hold=0",
        "single",
        "single?multipath=false",
        "best-subflow",
        "total-per-subflow",
    ];
    let controllers = ["newreno", "newreno?ecn", "cubic", "bbr", "allegro", "pcc-vivace"];
    prop_oneof![
        prop::sample::select(rates.to_vec()).prop_map(|name| Method::Rates(name.parse().unwrap())),
        prop::sample::select(controllers.to_vec())
            .prop_map(|name| Method::Window(name.parse().unwrap())),
    ]
}

/// A consumer, what it has sent, and which segments it must have counted.
struct Rig {
    consumer: AnyConsumer<InternedContent>,
    now: Time,
    sent: Vec<Interest<Interned>>,
    come: BTreeSet<u64>,
    windowed: bool,
}

/// Interests that one event may release; more would be a consumer that never stops.
const MOST: usize = 10_000;

impl Rig {
    fn drain(&mut self) -> Result<(), TestCaseError> {
        let before = self.sent.len();
        while let Some(interest) = self.consumer.interest() {
            self.sent.push(interest);
            prop_assert!(self.sent.len() < before + MOST);
        }
        let asked: BTreeSet<u64> = self.sent.iter().map(segment_of).collect();
        // A window counts Interests, of which there may be several for a segment; who follows rates
        // has given up all but the latest.
        let most = if self.windowed { self.sent.len() } else { asked.len() - self.come.len() };
        prop_assert!(self.consumer.in_flight() <= most);
        let counters = self.consumer.counters();
        let interests = counters.interests.primary + counters.interests.secondary;
        prop_assert_eq!(interests, self.sent.len() as u64);
        prop_assert_eq!(interests - counters.retransmissions, asked.len() as u64);
        prop_assert_eq!(
            counters.data.primary + counters.data.secondary,
            self.come.len() as u64,
            "each segment once"
        );
        prop_assert_eq!(counters.goodput.get(), 1000 * self.come.len() as u64);
        Ok(())
    }

    fn handle(&mut self, packet: Packet<Interned>) -> Result<(), TestCaseError> {
        if let Packet::Data(data) = &packet
            && let Some(interest) = self.sent.iter().find(|interest| interest.name == data.name)
        {
            self.come.insert(segment_of(interest));
        }
        self.consumer.handle(self.now, &packet);
        self.drain()
    }

    fn poll(&mut self) -> Result<(), TestCaseError> {
        self.consumer.poll(self.now);
        self.drain()?;
        prop_assert!(
            self.consumer.due().is_none_or(|due| due > self.now),
            "nothing is left to do at once"
        );
        prop_assert!(
            self.consumer.due().is_some() || self.consumer.finished(),
            "it never waits for ever"
        );
        Ok(())
    }

    fn happen(&mut self, event: &Event) -> Result<(), TestCaseError> {
        let any = |index: usize| self.sent.get(index % self.sent.len().max(1)).cloned();
        match *event {
            Event::Wait(span) => {
                self.now += span;
                self.poll()
            }
            Event::Sleep(span) => {
                self.now += span;
                Ok(())
            }
            Event::Due => {
                self.now = self.consumer.due().unwrap_or(self.now).max(self.now);
                self.poll()
            }
            Event::Data { interest, path, rates } => {
                any(interest).map_or(Ok(()), |interest| self.handle(data(&interest, path, rates)))
            }
            Event::Nack { interest, reason, rates } => {
                any(interest).map_or(Ok(()), |interest| self.handle(nack(&interest, reason, rates)))
            }
            Event::Foreign(segment) => any(0).map_or(Ok(()), |interest| {
                let name = Interned::segment(1, 1, segment);
                self.handle(data(&Interest { name, ..interest }, 7, Rates::UNLIMITED))
            }),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn each_segment_comes_once_and_all_of_them_once_the_network_is_good(
        method in method(),
        segments in 1u64..200,
        events in prop::collection::vec(event(), 0..150),
    ) {
        let consumer = AnyConsumer::new(&method, &setup(), CONTENT, Some(segments), Time::ZERO).unwrap();
        let mut rig = Rig { consumer, now: Time::ZERO, sent: Vec::new(), come: BTreeSet::new(), windowed: matches!(method, Method::Window(_)) };
        rig.poll()?;
        for event in &events {
            rig.happen(event)?;
        }
        // Now every Interest sent from here on is answered after 30 ms.
        let rates = Rates { primary: Rate::from_mbps(2), secondary: Rate::from_mbps(1) };
        let mut answered = rig.sent.len();
        let mut under_way = std::collections::VecDeque::new();
        for _ in 0..20_000 {
            if rig.consumer.finished() {
                break;
            }
            under_way.extend((answered..rig.sent.len()).map(|index| (rig.now + Span::from_millis(30), index)));
            answered = rig.sent.len();
            let arrival = under_way.front().map_or(Time::NEVER, |(at, _)| *at);
            let due = rig.consumer.due().unwrap_or(Time::NEVER);
            rig.now = rig.now.max(arrival.min(due));
            match under_way.front() {
                Some(&(at, index)) if at <= rig.now => {
                    under_way.pop_front();
                    rig.handle(data(&rig.sent[index].clone(), 1, rates))?;
                }
                _ => rig.poll()?,
            }
        }
        prop_assert!(rig.consumer.finished());
        prop_assert_eq!(rig.come.len() as u64, segments);
        prop_assert!(rig.consumer.due().is_none() && rig.consumer.interest().is_none());
    }
}
