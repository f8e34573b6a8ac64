//! What the agent reads of the program: records of connections, and the traffic of periods.

use super::Agent;
use narrows_deploy::trial::{Closed, Traffic};
use narrows_kernel::deployment::{CLASSES, Counts, Record, class_ends, name_text};
use narrows_measure::Histogram;
use narrows_units::Span;
use narrows_workbench::Failure;
use std::fmt::Write as _;

/// Heads of the file of kept connections.
pub const HEADS: &str = "cookie,period,age_s,arm,state,controller,bytes_acked,bytes_sent,bytes_retransmitted,busy_s,timeouts,rtt_min_us,srtt_us,rtt_max_us,rtts\n";

/// Counts of the control and of treated connections at a time.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    counts: [Counts; 2],
    round_trips: [Vec<u64>; 2],
}

impl Agent {
    /// Reads the records of closed connections.
    pub(super) fn read(&mut self) {
        let (trial, completion) = (&mut self.trial, &mut self.completion);
        let (keep, lines) = (self.experiment.result.keep, &mut self.lines);
        self.deployment.read(|own| {
            if is_kept(own.cookie, keep) {
                line(lines, &own);
            }
            // The rest is neither arm.
            if own.arm > 1 {
                return;
            }
            let busy = Span::from_nanos(own.busy_us.saturating_mul(1000));
            completion[own.arm as usize].record(busy);
            trial.close(&Closed {
                period: own.period as usize,
                age: Span::from_nanos(own.age_ns),
                treated: own.arm == 1,
                bytes: own.bytes_acked,
                busy,
                timeouts: own.timeouts.into(),
            });
        });
    }

    /// Takes the traffic of both arms at both ends of the part of a period that counts.
    pub(super) fn watch(&mut self, place: usize, age: Span) -> Result<(), Failure> {
        let (period, burn_in, burn_out) = self.trial.timing();
        if let Some((own, before)) = self.before.take_if(|(own, _)| *own != place) {
            // Without a part that does not count, the end of a period is seen in the next one.
            let is_next = burn_out == Span::ZERO && own + 1 == place && age < period / 10;
            if is_next {
                self.close(own, &before)?;
            } else {
                // The agent stood still over the end of the period.
                self.trial.void(own);
            }
        }
        if place >= self.trial.slots().len() {
            return Ok(());
        }
        let counts = age >= burn_in && age < period - burn_out;
        if counts && self.before.is_none() && self.watched != Some(place) {
            self.before = Some((place, self.reading()?));
        } else if !counts && let Some((own, before)) = self.before.take() {
            self.close(own, &before)?;
        }
        Ok(())
    }

    /// Takes the traffic of a period since its counted part began.
    fn close(&mut self, period: usize, before: &Reading) -> Result<(), Failure> {
        let now = self.reading()?;
        let both = [0, 1].map(|arm| traffic(before, &now, arm));
        self.trial.traffic(period, &both);
        let assigned = [0, 1].map(|arm| now.counts[arm].assigned - before.counts[arm].assigned);
        self.balance.add(self.trial.slots()[period], assigned);
        self.watched = Some(period);
        Ok(())
    }

    fn reading(&self) -> Result<Reading, Failure> {
        let [control, treated, _] = self.deployment.counts()?;
        let trips = |arm| self.deployment.round_trips(arm);
        Ok(Reading { counts: [control, treated], round_trips: [trips(0)?, trips(1)?] })
    }
}

fn traffic(before: &Reading, now: &Reading, arm: usize) -> Traffic {
    let (old, new) = (&before.counts[arm], &now.counts[arm]);
    let trips = (0..CLASSES)
        .map(|class| now.round_trips[arm][class].saturating_sub(before.round_trips[arm][class]));
    Traffic {
        round_trips: histogram(&trips.collect::<Vec<_>>()),
        acked: new.acked - old.acked,
        sent: new.sent - old.sent,
        again: new.again - old.again,
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
fn is_kept(cookie: u64, share: f64) -> bool {
    // Fibonacci hashing: cookies are numbers in a row.
    let drawn = cookie.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (drawn as f64) < share * 4_294_967_296.0
}

fn line(lines: &mut String, own: &Record) {
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
