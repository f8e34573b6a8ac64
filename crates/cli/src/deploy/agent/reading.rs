//! Numbers that the agent reads of the program, and lines about single connections.

use narrows_deploy::trial::Traffic;
use narrows_kernel::KernelError;
use narrows_kernel::deployment::{CLASSES, Counts, Deployment, Record, class_ends, name_text};
use narrows_measure::Histogram;
use narrows_units::Span;
use std::fmt::Write as _;

/// Heads of the file of kept connections.
pub const HEADS: &str = "cookie,period,age_s,arm,state,controller,bytes_acked,bytes_sent,bytes_retransmitted,busy_s,timeouts,rtt_min_us,srtt_us,rtt_max_us,rtts\n";

/// Counts of the control and of treated connections at a time.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    counts: [Counts; 2],
    round_trips: [Vec<u64>; 2],
}

impl Reading {
    /// Reads the counts of both arms.
    pub fn of(deployment: &Deployment) -> Result<Reading, KernelError> {
        let [control, treated, _] = deployment.counts()?;
        let trips = |arm| deployment.round_trips(arm);
        Ok(Reading { counts: [control, treated], round_trips: [trips(0)?, trips(1)?] })
    }

    /// Returns the connections that an arm got from now until a later reading.
    pub fn assigned_until(&self, now: &Reading, arm: usize) -> u64 {
        now.counts[arm].assigned - self.counts[arm].assigned
    }

    /// Returns the traffic of an arm from now until a later reading.
    pub fn until(&self, now: &Reading, arm: usize) -> Traffic {
        let (old, new) = (&self.counts[arm], &now.counts[arm]);
        let trips = (0..CLASSES)
            .map(|class| now.round_trips[arm][class].saturating_sub(self.round_trips[arm][class]));
        Traffic {
            round_trips: histogram(&trips.collect::<Vec<_>>()),
            acked: new.acked - old.acked,
            sent: new.sent - old.sent,
            again: new.again - old.again,
        }
    }
}
/// Returns round trips by their classes, each in the middle of its class.
pub fn histogram(classes: &[u64]) -> Histogram {
    let middle = |class: usize| {
        let (low, high) = class_ends(class);
        Span::from_nanos(500 * (low + high))
    };
    let counts: Vec<(Span, u64)> = classes
        .iter()
        .enumerate()
        .map(|(class, count)| (middle(class), *count))
        .filter(|(_, count)| *count > 0)
        .collect();
    let ends = [counts.first(), counts.last()].map(|own| own.map_or(Span::ZERO, |own| own.0));
    let sum =
        counts.iter().map(|(own, count)| u128::from(own.as_nanos()) * u128::from(*count)).sum();
    if counts.is_empty() {
        return Histogram::new();
    }
    Histogram::restore(counts, sum, ends[0], ends[1])
}

/// True if the record of a connection is kept, by a draw from its cookie.
pub fn is_kept(cookie: u64, share: f64) -> bool {
    // Fibonacci hashing: cookies are numbers in a row.
    let drawn = cookie.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (drawn as f64) < share * 4_294_967_296.0
}

/// Adds the line of a connection.
pub fn line(lines: &mut String, own: &Record) {
    let arm = ["control", "treatment", "rest"].get(own.arm as usize).unwrap_or(&"rest");
    let _ = writeln!(
        lines,
        "{},{},{:.3},{arm},{},{},{},{},{},{:.6},{},{},{},{},{}",
        own.cookie,
        own.period,
        own.age_ns as f64 / 1e9,
        own.state,
        name_text(own.name),
        own.bytes_acked,
        own.bytes_sent,
        own.bytes_retrans,
        own.busy_us as f64 / 1e6,
        own.timeouts,
        own.rtt_min,
        own.srtt,
        own.rtt_max,
        own.rtts
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_connections_are_a_share() {
        for (share, expected) in [(0.0, 0), (1.0, 10_000)] {
            assert_eq!((1..=10_000).filter(|own| is_kept(*own, share)).count(), expected);
        }
        let kept = (1..=10_000).filter(|own| is_kept(*own, 0.1)).count();
        assert!((950..=1050).contains(&kept), "{kept}");
    }

    #[test]
    fn round_trips_are_in_the_middle_of_their_classes() {
        let mut classes = [0; CLASSES];
        // Of 16 to 18 us and of 64 to 72 us.
        (classes[0], classes[16]) = (3, 1);
        let own = histogram(&classes);
        assert_eq!(own.count(), 4);
        assert_eq!(own.mean(), Some(Span::from_nanos((3 * 17_000 + 68_000) / 4)));
        assert_eq!(histogram(&[0; CLASSES]).count(), 0);
    }
}
