//! Recorded capacity: mahimahi delivery opportunities, and rates that change in steps.

use super::steps::Steps;
use crate::work::{BYTE, whole_bytes, work};
use narrows_units::{Bytes, Rate, Span, Time};
use thiserror::Error;

/// Bytes that one delivery opportunity can carry.
pub(crate) const OPPORTUNITY: Bytes = Bytes::new(1500);

/// Capacity over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trace {
    /// Delivery opportunities (the format of mahimahi's `mm-link`): at each instant up to 1500
    /// bytes leave. Several packets may share an opportunity, a packet may span several, and what
    /// finds an empty queue is lost.
    Opportunities {
        /// Instants within one period, ascending, at most `period`.
        at: Vec<Time>,
        /// After this time it repeats: the last instant of the file.
        period: Span,
    },
    /// Rates that change in steps.
    Steps(Steps),
}

/// Text that is not a trace.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {problem}; {remedy}")]
pub struct TraceError {
    /// The line, from 1.
    pub line: usize,
    /// The defect.
    pub problem: String,
    /// The remedy.
    pub remedy: &'static str,
}

const MAHIMAHI: &str = "each line is the millisecond of one 1500-byte delivery opportunity, ascending, for example 0, 3, 3, 17; \
                        or a time in seconds and a rate in Mbit/s, for example 12.5,48";
const STEPS: &str = "each line is a time in seconds and a rate in Mbit/s, ascending from 0, with a comma or a tab between them, for example 12.5,48";

impl Trace {
    /// Reads either format: lines of two values are steps of time and rate, others are delivery
    /// opportunities.
    ///
    /// # Errors
    /// The first line that is in neither format.
    pub fn parse(text: &str) -> Result<Trace, TraceError> {
        match content(text).next() {
            Some((_, line)) if pair(line).is_some() => Trace::parse_steps(text),
            _ => Trace::parse_opportunities(text),
        }
    }

    /// Reads mahimahi's format. Empty lines and lines that begin with `#` are passed over.
    pub fn parse_opportunities(text: &str) -> Result<Trace, TraceError> {
        let mut at: Vec<Time> = Vec::new();
        for (line, content) in content(text) {
            let fail = |problem: String| TraceError { line, problem, remedy: MAHIMAHI };
            let ms: u64 = content.parse().map_err(|_| {
                fail(format!("\"{content}\" is not a whole number of milliseconds"))
            })?;
            let time = Time::from_nanos(
                ms.checked_mul(1_000_000).ok_or_else(|| fail(format!("{ms} ms is too late")))?,
            );
            if at.last().is_some_and(|last| *last > time) {
                return Err(fail(format!("{ms} ms comes after a later line")));
            }
            at.push(time);
        }
        let line = text.lines().count().max(1);
        let fail =
            |problem: &str| TraceError { line, problem: problem.to_owned(), remedy: MAHIMAHI };
        let last = *at.last().ok_or_else(|| fail("the trace is empty"))?;
        if last == Time::ZERO {
            return Err(fail("the trace ends at 0 ms, so it has no length"));
        }
        Ok(Trace::Opportunities { at, period: last.since(Time::ZERO) })
    }

    /// Reads lines of seconds and Mbit/s with a comma, a tab or spaces between them, ascending from
    /// zero; the last rate holds for ever. Numbers may have an exponent, as `numpy.savetxt` writes
    /// them. A first line of words is a heading; it is skipped, as are empty lines and lines that
    /// begin with `#`.
    ///
    /// # Errors
    /// The first line that is not of this form, or a trace without capacity.
    pub fn parse_steps(text: &str) -> Result<Trace, TraceError> {
        let mut steps: Vec<(Time, Rate)> = Vec::new();
        for (index, (line, content)) in content(text).enumerate() {
            let fail = |problem: String| TraceError { line, problem, remedy: STEPS };
            let (time, rate) =
                pair(content).ok_or_else(|| fail(format!("\"{content}\" has no comma")))?;
            if index == 0 && time.starts_with(|c: char| c.is_alphabetic()) {
                continue;
            }
            // To the nanosecond and to the bit per second, the finest that a simulation knows.
            let seconds: Option<Span> =
                plain(time, 9).and_then(|number| format!("{number} s").parse().ok());
            let seconds =
                seconds.ok_or_else(|| fail(format!("\"{time}\" is not a time in seconds")))?;
            let mbps: Option<Rate> =
                plain(rate, 6).and_then(|number| format!("{number} Mbit/s").parse().ok());
            let rate = mbps.ok_or_else(|| fail(format!("\"{rate}\" is not a rate in Mbit/s")))?;
            let time = Time::ZERO + seconds;
            match steps.last() {
                None if time != Time::ZERO => {
                    return Err(fail(format!("the first time is {seconds}, not 0")));
                }
                Some((last, _)) if *last >= time => {
                    return Err(fail(format!("{seconds} does not come after the line before")));
                }
                _ => steps.push((time, rate)),
            }
        }
        let line = text.lines().count().max(1);
        let fail = |problem: &str| TraceError { line, problem: problem.to_owned(), remedy: STEPS };
        if steps.iter().all(|(_, rate)| rate.is_zero()) {
            return Err(fail(if steps.is_empty() {
                "the trace is empty"
            } else {
                "every rate is zero"
            }));
        }
        Ok(Trace::Steps(Steps::new(steps)))
    }

    /// The amount that the trace could carry from the start up to and including `until`.
    pub fn capacity(&self, until: Time) -> Bytes {
        whole_bytes(self.work(until))
    }

    /// The capacity as work of a transmitter.
    pub(crate) fn work(&self, until: Time) -> u128 {
        match self {
            Trace::Opportunities { at, period } => {
                let rounds = until.as_nanos() / period.as_nanos();
                let within = until.as_nanos() % period.as_nanos();
                let now = at.partition_point(|time| time.as_nanos() <= within);
                (rounds as u128 * at.len() as u128 + now as u128) * OPPORTUNITY.get() as u128 * BYTE
            }
            Trace::Steps(steps) => steps.work(until),
        }
    }

    /// When it could have carried `bytes` since `from`, where opportunities at `from` count as
    /// well; [`Time::NEVER`] if it ends before.
    pub fn carried_by(&self, from: Time, bytes: Bytes) -> Time {
        if bytes == Bytes::ZERO {
            return from;
        }
        match self {
            Trace::Opportunities { at, period } => {
                // A round has the instants after its beginning up to its end, and those at its
                // beginning, which is the end of the one before.
                let round = from.as_nanos().saturating_sub(1) / period.as_nanos();
                let within = from.as_nanos() - round * period.as_nanos();
                let first = at.partition_point(|time| time.as_nanos() < within) as u64;
                let last = first + bytes.get().div_ceil(OPPORTUNITY.get()) - 1;
                let rounds = round.saturating_add(last / at.len() as u64);
                Time::from_nanos(rounds.saturating_mul(period.as_nanos()))
                    + at[(last % at.len() as u64) as usize].since(Time::ZERO)
            }
            Trace::Steps(steps) => {
                let mut from = from;
                let mut left = bytes.get() as u128 * BYTE;
                for (step, end) in steps.with_ends(steps.place(from).unwrap_or(0)) {
                    let possible = work(step.rate, end.since(from));
                    if possible >= left {
                        return from
                            + Span::from_nanos(left.div_ceil(step.rate.as_bps() as u128) as u64);
                    }
                    (from, left) = (end, left - possible);
                }
                Time::NEVER
            }
        }
    }

    /// The mean rate in the long run: over one period of delivery opportunities, or over the first
    /// `run` of steps.
    pub fn long_run_rate(&self, run: Span) -> Rate {
        match self {
            Trace::Opportunities { at, period } => Rate::of(OPPORTUNITY * at.len() as u64, *period),
            Trace::Steps(_) => Rate::of(self.capacity(Time::ZERO + run), run),
        }
    }
}

/// The two values of a line, with a comma, a tab or spaces between them.
fn pair(line: &str) -> Option<(&str, &str)> {
    let (first, second) = line.split_once(',').or_else(|| line.split_once(char::is_whitespace))?;
    Some((first.trim(), second.trim()))
}

/// A number without its exponent and with `places` decimals, the last one rounded half up:
/// `1.25e+1` is `12.500000` with six. None if the text is not a number, is negative, or has an
/// exponent beyond -30 to 30 (ours).
fn plain(number: &str, places: usize) -> Option<String> {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent: i32 = exponent.parse().ok().filter(|exponent| (-30..=30).contains(exponent))?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let zeros = "0".repeat(exponent.unsigned_abs() as usize);
    let digits = if exponent < 0 {
        format!("{zeros}{whole}{fraction}")
    } else {
        format!("{whole}{fraction}{zeros}")
    };
    let point = if exponent < 0 { whole.len() } else { whole.len() + zeros.len() };
    if whole.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let kept: String = digits.chars().chain(std::iter::repeat('0')).take(point + places).collect();
    let up = digits.as_bytes().get(point + places).is_some_and(|digit| *digit >= b'5');
    let parts = kept.parse::<u128>().ok()?.checked_add(u128::from(up))?;
    let one = 10u128.pow(places as u32);
    Some(format!("{}.{:0places$}", parts / one, parts % one))
}

fn content(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.trim_start_matches('\u{feff}')
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RateSource;
    use crate::link::service::Server;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn trace() -> impl Strategy<Value = Trace> {
        let opportunities = (proptest::collection::vec(0u64..20, 0..10), 1u64..30);
        let steps = (0u64..3, proptest::collection::vec((1u64..20, 0u64..30), 0..8));
        prop_oneof![
            opportunities.prop_map(|(mut ms, last)| {
                ms.push(last);
                ms.sort_unstable();
                Trace::Opportunities {
                    period: Span::from_millis(ms[ms.len() - 1]),
                    at: ms.into_iter().map(|ms| Time::ZERO + Span::from_millis(ms)).collect(),
                }
            }),
            steps.prop_map(|(first, later)| {
                let mut steps = vec![(Time::ZERO, Rate::from_mbps(first))];
                for (gap, mbps) in later {
                    steps.push((
                        steps[steps.len() - 1].0 + Span::from_millis(gap),
                        Rate::from_bps(mbps * 999_983),
                    ));
                }
                Trace::Steps(Steps::new(steps))
            }),
        ]
    }

    /// Instants near those of the traces, and others.
    fn instant() -> impl Strategy<Value = Time> {
        prop_oneof![
            (0u64..200, 0u64..3)
                .prop_map(|(ms, near)| Time::from_nanos((ms * 1_000_000 + near).saturating_sub(1))),
            (0u64..200_000_000).prop_map(Time::from_nanos),
        ]
    }

    proptest! {
        #[test]
        fn carried_by_is_when_the_work_is_done(trace in trace(), from in instant(), bytes in 1u64..40_000) {
            let by = trace.carried_by(from, Bytes::new(bytes));
            // Capacity before `from`: opportunities at `from` come after it.
            let before = match &trace {
                Trace::Opportunities { .. } if from == Time::ZERO => 0,
                Trace::Opportunities { .. } => trace.work(from - Span::from_nanos(1)),
                Trace::Steps(_) => trace.work(from),
            };
            let enough = |until: Time| trace.work(until) - before >= bytes as u128 * BYTE;
            prop_assert!(by >= from);
            prop_assert!(by == Time::NEVER || enough(by), "too soon: {:?}", by);
            prop_assert!(by == from || !enough(by - Span::from_nanos(1)), "too late: {:?}", by);
        }

        #[test]
        fn carried_by_is_when_a_link_has_sent_packets(trace in trace(), from in instant(), sizes in proptest::collection::vec(1u64..2_000, 1..30)) {
            let mut server = Server::new(RateSource::trace(Arc::new(trace.clone()), Span::from_secs(1)));
            let sent = sizes.iter().map(|size| server.serve(from, Bytes::new(*size))).last().unwrap_or(from);
            // A link sends nothing at the instant at which it gets a packet.
            let open = match trace {
                Trace::Opportunities { .. } => from + Span::from_nanos(1),
                Trace::Steps(_) => from,
            };
            prop_assert_eq!(trace.carried_by(open, Bytes::new(sizes.iter().sum())), sent);
        }
    }
}
