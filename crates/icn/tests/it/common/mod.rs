//! A consumer, and networks that answer it after a fixed time.

#![allow(dead_code)]

use narrows_icn::{
    AnyConsumer, Class, ConsumerSetup, Content, Data, Hint, HintForm, Interest, Interned,
    InternedContent, Method, Nack, NackReason, Packet, Route,
};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Rates;
use std::collections::VecDeque;

pub const CONTENT: InternedContent = InternedContent { prefix: 1, content: 0 };

pub fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

pub fn setup() -> ConsumerSetup {
    ConsumerSetup {
        seed: 1,
        interest: Bytes::new(100),
        data: Bytes::new(1000),
        lifetime: Span::from_secs(4),
        form: HintForm::Hashes,
        catch_up: Span::ZERO,
    }
}

pub fn consumer(name: &str, segments: Option<u64>) -> AnyConsumer<InternedContent> {
    let method = Method::Rates(name.parse().unwrap());
    AnyConsumer::new(&method, &setup(), CONTENT, segments, Time::ZERO).unwrap()
}

/// One that a congestion controller drives.
pub fn window(controller: &str, segments: Option<u64>) -> AnyConsumer<InternedContent> {
    let method = Method::Window(controller.parse().unwrap());
    AnyConsumer::new(&method, &setup(), CONTENT, segments, Time::ZERO).unwrap()
}

/// Rates in thousand bits per second.
pub fn kbps(primary: u64, secondary: u64) -> Rates {
    Rates { primary: Rate::from_kbps(primary), secondary: Rate::from_kbps(secondary) }
}

/// Data of 1000 B for an Interest, by a path with these rates.
pub fn data(interest: &Interest<Interned>, path: u64, rates: Rates) -> Packet<Interned> {
    Packet::from(Data {
        name: interest.name,
        freshness: Span::ZERO,
        rates,
        route: Route { id: path, hint: Hint::None, limit: 0 },
        marked: false,
        no_cache: false,
        size: Bytes::new(1000),
        token: (),
        body: (),
    })
}

pub fn nack(interest: &Interest<Interned>, reason: NackReason, rates: Rates) -> Packet<Interned> {
    Packet::from(Nack { interest: interest.clone(), reason, rates, route: Route::default() })
}

/// The path that an Interest names, in networks that tell them apart by hashes.
pub fn path_of(interest: &Interest<Interned>) -> Option<u64> {
    match interest.steer.hint {
        Hint::Hash(path) => Some(path),
        _ => None,
    }
}

pub fn segment_of(interest: &Interest<Interned>) -> u64 {
    CONTENT.segment(&interest.name).unwrap()
}

/// Runs a consumer until `end` in a network that answers each Interest after `rtt` with what
/// `answer` says, if it says anything. Returns what was sent, and when.
pub fn run(
    consumer: &mut AnyConsumer<InternedContent>,
    (from, end): (Time, Time),
    rtt: Span,
    mut answer: impl FnMut(Time, &Interest<Interned>) -> Option<Packet<Interned>>,
) -> Vec<(Time, Interest<Interned>)> {
    let mut sent = Vec::new();
    let mut under_way: VecDeque<(Time, Packet<Interned>)> = VecDeque::new();
    let mut now = from;
    consumer.poll(now);
    loop {
        while let Some(interest) = consumer.interest() {
            under_way.extend(answer(now, &interest).map(|packet| (now + rtt, packet)));
            sent.push((now, interest));
        }
        let arrival = under_way.front().map_or(Time::NEVER, |(at, _)| *at);
        let due = consumer.due().unwrap_or(Time::NEVER);
        assert!(due > now || due == Time::NEVER, "nothing to do at {now}, yet due at {due}");
        now = arrival.min(due);
        if now > end {
            return sent;
        }
        if arrival <= now {
            consumer.handle(now, &under_way.pop_front().unwrap().1);
        } else {
            consumer.poll(now);
        }
    }
}

/// How many Interests of `class` there are.
pub fn of_class(sent: &[(Time, Interest<Interned>)], class: Class) -> usize {
    sent.iter().filter(|(_, interest)| interest.class == class).count()
}
