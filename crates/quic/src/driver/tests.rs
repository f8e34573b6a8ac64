//! A driver under calls that libraries make, and under calls that they never make.

use super::*;
use crate::accepted::Stack;
use narrows_control::ENTRIES;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::time::Duration;

fn driver(name: &str) -> (Driver, Instant) {
    let recipe = Recipe::new(name, Stack::Noq).unwrap().seed(1);
    let now = Instant::now();
    (Driver::new(&recipe, now, 1200), now)
}

/// The unit is the packet: a larger MTU makes window and rate larger in bytes, by as much.
#[test]
fn windows_and_rates_follow_the_mtu() {
    let (mut copa, now) = driver("copa");
    assert_eq!((copa.window(), copa.initial_window()), (12_000, 12_000));
    // Copa paces when a round trip is known.
    copa.on_sent(now, 0, 1200);
    let later = now + Duration::from_millis(50);
    copa.on_ack(later, now, Some(0), false);
    copa.on_end_acks(later, 0);
    let (window, pacing) = (copa.window(), copa.pacing().expect("a rate"));
    copa.set_mtu(1452);
    let ratio = |new: u64, old: u64| new as f64 / old as f64;
    assert!((ratio(copa.window(), window) - 1.21).abs() < 0.001);
    assert!((ratio(copa.pacing().unwrap(), pacing) - 1.21).abs() < 0.001);
}

/// Losses of one recovery reduce once, however many batches the library tells of, and a spurious
/// reduction is taken back.
#[test]
fn losses_of_one_recovery_reduce_once() {
    let (mut cubic, now) = driver("cubic");
    (0..10).for_each(|packet| cubic.on_sent(now, packet, 1200));
    let later = now + Duration::from_millis(30);
    let lose = |cubic: &mut Driver, packet: u64| {
        cubic.on_ack(later, now, Some(packet + 1), false);
        cubic.on_end_acks(later, 1200 * (9 - packet));
        cubic.on_lost(packet);
        cubic.on_congestion(later, now, false, Congestion::Loss);
        cubic.window()
    };
    let before = cubic.window();
    let first = lose(&mut cubic, 0);
    assert!(first < before, "{first} after {before}");
    let second = lose(&mut cubic, 2);
    assert!(second >= first, "{second} after {first}");
    cubic.on_spurious();
    cubic.on_ack(later, now, Some(5), false);
    cubic.on_end_acks(later, 1200 * 5);
    assert!(cubic.window() >= before, "{} after {before}", cubic.window());
}

/// Packets that the library forgets without a call do not stay in flight.
#[test]
fn forgotten_packets_leave() {
    let (mut cubic, now) = driver("cubic");
    (0..10).for_each(|packet| cubic.on_sent(now, packet, 1200));
    let later = now + Duration::from_millis(30);
    cubic.on_ack(later, now, Some(9), false);
    // Five packets of a number space that is gone.
    cubic.on_end_acks(later, 1200 * 4);
    assert_eq!((cubic.flight.packets, cubic.flight.una()), (4, 5));
}

/// Rates are samples of what was delivered in a round trip: a packet each millisecond.
#[test]
fn rates_are_those_of_delivery() {
    let (mut bbr, base) = driver("bbr");
    let at = |ms: u64| base + Duration::from_millis(ms);
    for ms in 0..200u64 {
        bbr.on_sent(at(ms), ms, 1200);
        if let Some(packet) = ms.checked_sub(10) {
            bbr.on_ack(at(ms), at(packet), Some(packet), false);
            bbr.on_end_acks(at(ms), 1200 * 10);
        }
    }
    let mut bandwidth = 0.0;
    bbr.controller().inspect(&mut |name, value| {
        if name == "bandwidth_packets_s" {
            bandwidth = value;
        }
    });
    assert!((bandwidth - 1_000.0).abs() < 10.0, "{bandwidth} packets/s");
}

/// One call of a library.
#[derive(Clone, Debug)]
enum Call {
    Send {
        wait: u32,
        bytes: u16,
    },
    /// Acknowledges the packet that is so many back, known or not.
    Ack {
        wait: u32,
        back: u64,
        app_limited: bool,
    },
    End {
        in_flight: u64,
    },
    Lose {
        back: u64,
    },
    Congestion {
        sent_ago: u32,
        persistent: bool,
        mark: bool,
    },
    LoseBytes {
        bytes: u64,
    },
    Spurious,
    Limited,
    Mtu(u16),
    /// The clock goes back.
    Back(u32),
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        6 => (0..5_000_000u32, any::<u16>()).prop_map(|(wait, bytes)| Call::Send { wait, bytes }),
        6 => (0..5_000_000u32, 0..40u64, any::<bool>())
            .prop_map(|(wait, back, app_limited)| Call::Ack { wait, back, app_limited }),
        5 => prop_oneof![Just(u64::MAX), 0..100_000u64]
            .prop_map(|in_flight| Call::End { in_flight }),
        2 => (0..40u64).prop_map(|back| Call::Lose { back }),
        1 => (any::<u32>(), prop::bool::weighted(0.1), any::<bool>())
            .prop_map(|(sent_ago, persistent, mark)| Call::Congestion { sent_ago, persistent, mark }),
        1 => (0..10_000u64).prop_map(|bytes| Call::LoseBytes { bytes }),
        1 => Just(Call::Spurious),
        1 => Just(Call::Limited),
        1 => (1..10_000u16).prop_map(Call::Mtu),
        1 => any::<u32>().prop_map(Call::Back),
    ]
}

fn obeys(recipe: &Recipe, calls: &[Call]) {
    let base = Instant::now() + Duration::from_secs(10);
    let mut now = base;
    let mut driver = Driver::new(recipe, base, 1200);
    let mut sent: Vec<Instant> = Vec::new();
    for call in calls {
        match *call {
            Call::Send { wait, bytes } => {
                now += Duration::from_nanos(wait.into());
                driver.on_sent(now, sent.len() as u64, bytes.into());
                sent.push(now);
            }
            Call::Ack { wait, back, app_limited } => {
                now += Duration::from_nanos(wait.into());
                let packet = (sent.len() as u64).wrapping_sub(back);
                let at = sent.get(packet as usize).copied().unwrap_or(now);
                driver.on_ack(now, at, Some(packet), app_limited);
            }
            Call::End { in_flight } => driver.on_end_acks(now, in_flight),
            Call::Lose { back } => driver.on_lost((sent.len() as u64).wrapping_sub(back)),
            Call::Congestion { sent_ago, persistent, mark } => {
                let reason = if mark { Congestion::Mark } else { Congestion::Loss };
                let at = now - Duration::from_nanos(sent_ago.into());
                driver.on_congestion(now, at, persistent, reason);
            }
            Call::LoseBytes { bytes } => driver.on_lost_bytes(now, bytes),
            Call::Spurious => driver.on_spurious(),
            Call::Limited => driver.on_window_limited(),
            Call::Mtu(mtu) => driver.set_mtu(mtu),
            Call::Back(by) => now -= Duration::from_nanos((by % 5_000_000).into()),
        }
        assert!(driver.window() >= LEAST_WINDOW * driver.mtu, "{driver:?}");
        let (kept, open) = (driver.flight.kept(), driver.flight.packets as usize);
        assert!(kept <= 2 * open + 17, "{kept} kept of {open} in flight");
    }
}

/// More than a million random calls, 100 for each connection.
#[test]
fn no_order_of_calls_brings_a_controller_down() {
    let mut carried = 0;
    for entry in ENTRIES {
        let Ok(recipe) = Recipe::new(entry.name, Stack::Noq) else { continue };
        carried += 1;
        let recipe = recipe.seed(1);
        let mut runner = TestRunner::new(Config { cases: 600, ..Config::default() });
        let result = runner.run(&prop::collection::vec(call(), 100), |calls| {
            obeys(&recipe, &calls);
            Ok(())
        });
        if let Err(error) = result {
            panic!("{}: {error}", entry.name);
        }
    }
    assert!(carried >= 17, "{carried} controllers");
}
