//! A controller that is asked once per round trip: it paces at a little more than what arrives while the queue is short, at less once it is long.

use narrows::control::{Basis, Build, Built, ByInterval, Entry, Fault, Interval, Policy, Setting};
use narrows::params::{Need, Param, Params};
use narrows::units::{Bytes, Rate, Span};

/// The line of the registry: `paced`, `"paced?gain=1.1"`.
pub static ENTRY: Entry = Entry {
    name: "paced",
    kernel: None,
    summary: "paces at a little more than what arrives, at less once the queue is long",
    source: "the example of this repository",
    basis: Basis::Delay,
    needs: &[Need::Pacing],
    numbered: false,
    params: &[GAIN.spec, TARGET.spec],
    build: Build::Function(|setup, params| {
        Ok(Built::new(ByInterval::new(setup, Paced::new(params))))
    }),
};

const GAIN: Param<f64> = Param::number(
    "gain",
    1.05,
    (1.0, 2.0),
    "",
    "rate over that of deliveries while the queue is short",
);
const TARGET: Param<Span> =
    Param::millis("target", 10.0, (0.1, 1000.0), "queueing delay above which the queue is long");

/// The rate over that of deliveries while the queue is long, and the least rate in Mbit/s.
const YIELD: f64 = 0.9;
const LEAST: f64 = 0.1;

struct Paced {
    gain: f64,
    target: Span,
}

impl Paced {
    fn new(params: &Params) -> Paced {
        Paced { gain: params.get(&GAIN), target: params.get(&TARGET) }
    }
}

impl Policy for Paced {
    fn decide(&mut self, interval: &Interval) -> Result<Option<Setting>, Fault> {
        let is_long = interval.rtt.is_some_and(|(mean, _)| mean > interval.least_rtt + self.target);
        let delivered =
            Rate::of(Bytes::new(interval.delivered * interval.packet.get()), interval.length)
                .as_mbps();
        let rate = f64::max(delivered * if is_long { YIELD } else { self.gain }, LEAST);
        Ok(Some(Setting { window: None, pacing: Some(Rate::from_bps((1e6 * rate) as u64)) }))
    }
}
