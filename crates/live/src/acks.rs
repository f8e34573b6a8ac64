//! Samples the kernel's state of connections at each acknowledgement.

use crate::clock::Clock;
use crate::error::LiveError;
use crate::host::{Host, INFINITE_SSTHRESH};
use crate::plan::{FIRST_PORT, port};
use narrows_kernel::{Acknowledgement, Acknowledgements};
use narrows_measure::AckSample;
use narrows_units::{Rate, Span};
use std::time::Duration;

/// Longest time until a stop is noticed.
const MAX_WAIT: Duration = Duration::from_millis(20);

/// Samples of connections at their acknowledgements.
#[derive(Clone, Debug, Default)]
pub struct Acks {
    /// Samples in the order of the acknowledgements.
    pub samples: Vec<AckSample>,
    /// Number of samples that are missing because the machine was too busy to read them.
    pub missed: u64,
}

/// Listens to the connections of some flows.
pub struct Listener {
    tracer: Acknowledgements,
    flows: Vec<usize>,
    samples: Vec<AckSample>,
}

impl Listener {
    /// Listens to these flows, given by their numbers in the scenario.
    pub fn new(hosts: &[Host], flows: Vec<usize>) -> Result<Listener, LiveError> {
        let networks =
            hosts.iter().map(|host| host.namespace.inode()).collect::<Result<Vec<_>, _>>();
        let networks = networks.map_err(LiveError::system(
            "a network namespace has no number",
            "see `narrows doctor`",
        ))?;
        let last = flows.iter().max().map_or(0, |last| last + 1);
        let tracer = Acknowledgements::of(&networks, FIRST_PORT..port(last))?;
        Ok(Listener { tracer, flows, samples: Vec::new() })
    }

    /// Gathers samples as long as `go_on` returns true.
    pub fn run(&mut self, clock: Clock, go_on: &dyn Fn() -> bool) {
        let Listener { tracer, flows, samples } = self;
        let mut more = true;
        while more {
            // Read also the samples that came up to the stop.
            more = go_on();
            tracer.read(if more { MAX_WAIT } else { Duration::ZERO }, |seen| {
                let flow = usize::from(seen.peer - FIRST_PORT);
                if flows.contains(&flow) {
                    samples.push(sample(&seen, flow, clock));
                }
            });
        }
    }

    /// Returns the samples.
    pub fn finish(self) -> Acks {
        Acks { missed: self.tracer.lost(), samples: self.samples }
    }
}

fn sample(seen: &Acknowledgement, flow: usize, clock: Clock) -> AckSample {
    let bits = |bytes: u64| Rate::from_bps(bytes.saturating_mul(8));
    let known = |micros: u32| (micros > 0).then(|| Span::from_micros(micros.into()));
    let delivered = u64::from(seen.rate_delivered) * u64::from(seen.mss) * 1_000_000;
    AckSample {
        at: clock.at(seen.at),
        flow,
        connection: seen.port,
        cwnd: seen.cwnd.into(),
        ssthresh: (seen.ssthresh < INFINITE_SSTHRESH).then(|| seen.ssthresh.into()),
        in_flight: seen.in_flight,
        srtt: known(seen.srtt),
        rtt: known(seen.rtt),
        pacing: (seen.pacing_status != 0).then(|| bits(seen.pacing_rate)),
        delivery: (seen.rate_interval > 0).then(|| bits(delivered / u64::from(seen.rate_interval))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_units::Time;

    #[test]
    fn rates_are_of_payload_and_what_is_not_known_is_left_out() {
        let seen = Acknowledgement {
            cwnd: 10,
            ssthresh: u32::MAX >> 1,
            mss: 1448,
            rate_delivered: 20,
            rate_interval: 28_960,
            ..Default::default()
        };
        let told = sample(&seen, 3, Clock::start());
        assert_eq!(
            (told.flow, told.cwnd, told.ssthresh, told.srtt, told.pacing),
            (3, 10.0, None, None, None)
        );
        // 20 segments of 1448 B in 28.96 ms are 1 MB/s.
        assert_eq!(told.delivery, Some(Rate::from_mbps(8)));
        assert_eq!(told.at, Time::ZERO, "what was before the run counts as its beginning");
    }
}
