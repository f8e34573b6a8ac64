//! Rates by hand: in Mbit/s, on a link of 10 Mbit/s with a mean round trip of 100 ms and a tick in
//! each, unless something else is said.

mod closed;
mod dual;
mod guards;
mod single;

use crate::queue::testing::near;
use crate::{AnyRateLaw, LawSetup, Observed, RateLaw};
use narrows_units::{Bytes, Rate, Span};
use narrows_wire::Rates;

const D: Span = Span::from_millis(100);
/// 0.1 packets of 1000 B in 100 ms.
const FLOOR: f64 = 0.008;

fn made(text: &str) -> AnyRateLaw {
    AnyRateLaw::new(&text.parse().expect("a law"), &LawSetup { capacity: Rate::from_mbps(10) })
}

/// An interval in which primary and secondary Interests asked for `arrivals`, after which as much
/// waits as `drain` carries in a round trip.
fn seen(arrivals: [f64; 2], drain: f64) -> Observed {
    let bits = |mbps: f64| mbps * 1e6 * 0.1;
    Observed {
        dt: D,
        arrivals: arrivals.map(bits),
        queue: bits(drain),
        rtt: Some(D),
        packet: Bytes::new(1000),
    }
}

/// The primary rate after an interval of primary Interests.
fn tick(law: &mut AnyRateLaw, arrivals: f64, drain: f64) -> f64 {
    law.tick(&seen([arrivals, 0.0], drain));
    state(law, "rate_mbps")
}

/// The state that a law tells of itself.
fn state(law: &AnyRateLaw, name: &str) -> f64 {
    let mut found = None;
    law.inspect(&mut |known, value| found = if known == name { Some(value) } else { found });
    found.unwrap_or_else(|| panic!("{name} is not named"))
}

fn mbps(rates: Rates) -> [f64; 2] {
    [rates.primary.as_mbps(), rates.secondary.as_mbps()]
}
