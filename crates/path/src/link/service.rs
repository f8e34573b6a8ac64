//! When a packet has left: the transmitter's arithmetic for constant and recorded rates, for
//! outages, and over changes.

use crate::link::steps::{Step, Steps};
use crate::link::trace::OPPORTUNITY;
use crate::link::transmissions::InService;
use crate::work::{BYTE, whole_bytes};
use crate::{RateSource, Trace};
use narrows_units::{Bytes, Rate, Span, Time};

/// A transmitter: serves packets one after another.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Server {
    /// When the latest packet has left, rounded up to a nanosecond.
    free_at: Time,
    /// Work gained by rounding up the departure of the latest packet: bit-nanoseconds, less than a
    /// constant rate; of other rates 0. It is carried to the next packet of the same busy period,
    /// so that the long-run rate is exact.
    spare: u64,
    work: Work,
    supply: Box<Supply>,
}

/// Where the rate of a transmitter comes from.
#[derive(Clone, Debug)]
struct Supply {
    source: RateSource,
    /// An outage: it sends nothing.
    down: bool,
    /// Its capacity over time, if that has changed.
    changes: Option<Steps>,
}

#[derive(Clone, Debug)]
enum Work {
    None,
    Constant(Constant),
    /// Sends nothing: the work left of the packet in transmission, boxed lest it align the whole.
    Stopped {
        left: Box<u128>,
    },
    Opportunities(Box<Cursor>),
    Steps(Box<Level>),
}

impl Work {
    fn new(source: &RateSource, down: bool) -> Work {
        match source {
            _ if down => Work::Stopped { left: Box::default() },
            RateSource::Unlimited => Work::None,
            RateSource::Constant(Rate::ZERO) => Work::Stopped { left: Box::default() },
            RateSource::Constant(rate) => Work::Constant(Constant::new(*rate)),
            RateSource::Trace { trace, .. } => match **trace {
                Trace::Opportunities { .. } => Work::Opportunities(Box::default()),
                Trace::Steps(_) => Work::Steps(Box::default()),
            },
        }
    }
}

impl Server {
    pub(crate) fn new(source: RateSource) -> Server {
        let work = Work::new(&source, false);
        Server {
            free_at: Time::ZERO,
            spare: 0,
            work,
            supply: Box::new(Supply { source, down: false, changes: None }),
        }
    }

    /// The amount that could be sent from the start up to `until`; `None` if unlimited.
    pub(crate) fn capacity(&self, until: Time) -> Option<Bytes> {
        self.supply.work(until).map(whole_bytes)
    }

    /// The rate at `now`; of a trace its mean over the `window` before. `None` if unlimited.
    pub(crate) fn rate(&self, now: Time, window: Span) -> Option<Rate> {
        match &self.supply.source {
            RateSource::Unlimited => None,
            RateSource::Constant(rate) => Some(*rate),
            RateSource::Trace { trace, .. } => {
                Some(Rate::of(trace.capacity(now) - trace.capacity(now - window), window))
            }
        }
    }

    /// True if it sends at all, at a constant rate or at once.
    pub(crate) fn looks_ahead(&self) -> bool {
        matches!(self.work, Work::None | Work::Constant(_))
    }

    /// All that it was given has left by `at`.
    #[inline]
    pub(crate) fn is_free(&self, at: Time) -> bool {
        at >= self.free_at
    }

    /// True if sending takes it time.
    pub(crate) fn is_limited(&self) -> bool {
        !matches!(self.work, Work::None)
    }

    /// Work gained by rounding up the departure of the latest packet.
    #[inline]
    pub(crate) fn spare(&self) -> u64 {
        self.spare
    }

    /// Serves a packet of `size` that arrived at `arrived`, at once or when the packet before it
    /// has left. Returns when it has left.
    #[inline(always)]
    pub(crate) fn serve(&mut self, arrived: Time, size: Bytes) -> Time {
        let idle = self.is_free(arrived);
        let start = arrived.max(self.free_at);
        self.free_at = match &mut self.work {
            Work::Constant(constant) => {
                let (quotient, remainder) = constant.divide(size.get());
                let spare = if idle { 0 } else { self.spare };
                let up = remainder > spare;
                self.spare = spare + if up { constant.rate } else { 0 } - remainder;
                start + Span::from_nanos(quotient + u64::from(up))
            }
            Work::None => start,
            _ => self.serve_unsteadily(idle, arrived, size),
        };
        self.free_at
    }

    /// Slow path of a rate that is recorded or zero.
    #[inline(never)]
    fn serve_unsteadily(&mut self, idle: bool, arrived: Time, size: Bytes) -> Time {
        match &mut self.work {
            Work::None | Work::Constant(_) => unreachable!("a steady rate"),
            Work::Stopped { left } => {
                if idle {
                    **left = size.get() as u128 * BYTE;
                }
                Time::NEVER
            }
            Work::Opportunities(cursor) => match &self.supply.source {
                RateSource::Trace { trace, .. } => {
                    cursor.serve(trace, idle.then_some(arrived), size)
                }
                _ => unreachable!("a cursor without a trace"),
            },
            Work::Steps(level) => match &self.supply.source {
                RateSource::Trace { trace, .. } => {
                    level.serve(trace, idle.then_some(arrived), size)
                }
                _ => unreachable!("steps without a trace"),
            },
        }
    }

    /// Work left at `t` of the packet in transmission, behind which others are already served.
    pub(crate) fn left(&self, t: Time, first: &InService) -> u128 {
        let InService { transmission, behind, .. } = *first;
        match &self.work {
            Work::None => 0,
            Work::Stopped { left } => **left,
            Work::Constant(constant) => {
                u128::from(transmission.departure.since(t).as_nanos()) * u128::from(constant.rate)
                    - u128::from(transmission.spare)
            }
            Work::Opportunities(cursor) => match &self.supply.source {
                RateSource::Trace { trace, .. } => {
                    cursor.served(trace) - behind as u128 * BYTE - trace.work(t)
                }
                _ => unreachable!("a cursor without a trace"),
            },
            Work::Steps(level) => {
                level.served - behind as u128 * BYTE - self.supply.work(t).unwrap_or(0)
            }
        }
    }

    /// Whole bytes that are not sent by `t` of `left` work. All that is sent and all that could be
    /// are rounded alike, so that the one never grows by more than the other.
    pub(crate) fn bytes_left(&self, t: Time, left: u128) -> u64 {
        let done = self.supply.work(t).unwrap_or(0);
        (whole_bytes(done + left) - whole_bytes(done)).get()
    }

    /// From `t` on it sends at `rate`.
    ///
    /// # Panics
    ///
    /// If its rate comes from a trace.
    pub(crate) fn set_rate(&mut self, t: Time, rate: Rate) {
        self.change(t, |supply| supply.source = RateSource::Constant(rate));
    }

    /// From `t` on it sends nothing, or sends again.
    ///
    /// # Panics
    ///
    /// If its rate comes from a trace.
    pub(crate) fn set_down(&mut self, t: Time, down: bool) {
        self.change(t, |supply| supply.down = down);
    }

    fn change(&mut self, t: Time, change: impl FnOnce(&mut Supply)) {
        self.supply.change(t, change);
        self.work = Work::new(&self.supply.source, self.supply.down);
        self.spare = 0;
    }

    /// Goes on at `t`, after a change, with the packet in transmission, of which `left` is left:
    /// when it leaves.
    pub(crate) fn resume(&mut self, t: Time, left: u128) -> Time {
        self.free_at = match &mut self.work {
            Work::Constant(constant) => {
                let rate = constant.rate as u128;
                let took = left.div_ceil(rate);
                self.spare = (took * rate - left) as u64;
                t + Span::from_nanos(took as u64)
            }
            Work::Stopped { left: kept } => {
                **kept = left;
                Time::NEVER
            }
            Work::None | Work::Opportunities(_) | Work::Steps(_) => t,
        };
        self.free_at
    }
}

impl Supply {
    /// The work that could be done from the start up to `until`; `None` if it is not limited.
    fn work(&self, until: Time) -> Option<u128> {
        match (&self.source, &self.changes) {
            (RateSource::Constant(_), Some(changes)) => Some(changes.work(until)),
            (source, _) => source.work(until),
        }
    }

    fn effective(&self) -> Rate {
        match self.source {
            RateSource::Constant(rate) if !self.down => rate,
            _ => Rate::ZERO,
        }
    }

    fn change(&mut self, t: Time, change: impl FnOnce(&mut Supply)) {
        assert!(
            !matches!(self.source, RateSource::Trace { .. }),
            "a recorded rate does not change"
        );
        let old = self.effective();
        change(self);
        let new = self.effective();
        self.changes.get_or_insert_with(|| Steps::new([(Time::ZERO, old)])).push(t, new);
    }
}

/// A constant rate. Departures are rounded up to a nanosecond.
#[derive(Clone, Debug)]
#[repr(C)]
struct Constant {
    /// Quotient and remainder of the latest sizes: two kinds of packets make up nearly all traffic.
    memo: [(u64, u64, u64); 2],
    rate: u64,
}

impl Constant {
    fn new(rate: Rate) -> Constant {
        Constant { memo: [(0, 0, 0); 2], rate: rate.as_bps() }
    }

    #[inline(always)]
    fn divide(&mut self, size: u64) -> (u64, u64) {
        let (known, quotient, remainder) = self.memo[0];
        if known == size { (quotient, remainder) } else { self.divide_anew(size) }
    }

    #[inline(never)]
    fn divide_anew(&mut self, size: u64) -> (u64, u64) {
        self.memo.swap(0, 1);
        if self.memo[0].0 == size {
            return (self.memo[0].1, self.memo[0].2);
        }
        let work = size * 8_000_000_000;
        self.memo[0] = (size, work / self.rate, work % self.rate);
        (self.memo[0].1, self.memo[0].2)
    }
}

/// A place among delivery opportunities.
#[derive(Clone, Debug, Default)]
struct Cursor {
    /// How often the trace has begun again.
    round: u64,
    /// The next opportunity of this round.
    next: usize,
    /// Bytes left of the opportunity in use, and its instant.
    credit: u64,
    instant: Time,
}

impl Cursor {
    /// Work that could be done until the latest packet has left.
    fn served(&self, trace: &Trace) -> u128 {
        let Trace::Opportunities { at, .. } = trace else {
            unreachable!("opportunities of another trace")
        };
        let passed = self.round as u128 * at.len() as u128 + self.next as u128;
        (passed * OPPORTUNITY.get() as u128 - self.credit as u128) * BYTE
    }

    /// The instant at which a packet has left. `idle_until`: the queue was empty until then, so
    /// that everything up to it went unused.
    fn serve(&mut self, trace: &Trace, idle_until: Option<Time>, size: Bytes) -> Time {
        let Trace::Opportunities { at, period } = trace else {
            unreachable!("opportunities of another trace")
        };
        if let Some(until) = idle_until {
            self.credit = 0;
            let round = until.as_nanos() / period.as_nanos();
            let within = until.as_nanos() % period.as_nanos();
            let next = at.partition_point(|time| time.as_nanos() <= within);
            if (round, next) > (self.round, self.next) {
                (self.round, self.next) = (round, next);
            }
        }
        let mut left = size.get();
        while left > self.credit {
            left -= self.credit;
            if self.next == at.len() {
                self.round += 1;
                self.next = 0;
            }
            self.instant =
                Time::from_nanos(self.round * period.as_nanos() + at[self.next].as_nanos());
            self.next += 1;
            self.credit = OPPORTUNITY.get();
        }
        self.credit -= left;
        self.instant
    }
}

/// A place among rates that change in steps.
#[derive(Clone, Debug, Default)]
struct Level {
    /// The step in use.
    step: usize,
    /// The work possible until the latest packet has left, to the bit.
    served: u128,
}

impl Level {
    /// When a packet has left. `idle_until`: the queue was empty until then.
    fn serve(&mut self, trace: &Trace, idle_until: Option<Time>, size: Bytes) -> Time {
        let Trace::Steps(steps) = trace else { unreachable!("steps of another trace") };
        if let Some(until) = idle_until {
            self.step += steps.with_ends(self.step).take_while(|(_, end)| *end <= until).count();
            self.served = steps.at(self.step).work(until);
        }
        self.served += size.get() as u128 * BYTE;
        self.step += steps
            .with_ends(self.step)
            .take_while(|(step, end)| *end < Time::NEVER && step.work(*end) < self.served)
            .count();
        let Step { from, rate, before } = *steps.at(self.step);
        if rate.is_zero() {
            return Time::NEVER;
        }
        let took = (self.served - before).div_ceil(rate.as_bps() as u128);
        from + Span::from_nanos(u64::try_from(took).unwrap_or(u64::MAX))
    }
}
