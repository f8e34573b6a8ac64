//! The load factor of a link: what arrived, and part of what keeps waiting, over what it is meant
//! to carry.

use super::integer::Integer;
use super::target::Target;
use super::told::Load;
use narrows_units::{Rate, Span, Time};
use narrows_wire::LoadCode;

/// Weight of a period's mean in the persistent queue.
const QUEUE_GAIN: f64 = 0.25;
/// With the slip of the ns-2 module the period's mean counts by a 16th and nothing is remembered.
const SLIPPED_GAIN: f64 = 1.0 / 16.0;

/// Measures one period after another.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    kappa_q: f64,
    target: Target,
    /// The ns-2 module's whole percents and its slip.
    ns2: bool,
    /// Bytes that arrived in this period.
    arrived: f64,
    /// Sum and number of this period's queue samples, in bytes.
    samples: (f64, u32),
    /// Bytes that keep waiting.
    persistent: f64,
    capacity: Capacity,
    load: Load,
    /// The arithmetic of the kernel's router in the place of this one.
    integer: Option<Integer>,
}

impl Meter {
    pub(super) fn new(kappa_q: f64, target: Target, ns2: bool, rate: Option<Rate>) -> Meter {
        Meter {
            kappa_q,
            target,
            ns2,
            arrived: 0.0,
            samples: (0.0, 0),
            persistent: 0.0,
            capacity: Capacity::new(rate),
            load: Load { code: LoadCode::Low, hundredths: 0 },
            integer: None,
        }
    }

    /// One that computes as the kernel's router does.
    pub(super) fn integer(gamma: f64, kappa_q: f64, rate: Option<Rate>) -> Meter {
        Meter {
            integer: Some(Integer::new(gamma, kappa_q)),
            ..Meter::new(kappa_q, Target::Fixed(gamma), false, rate)
        }
    }

    /// The load of the latest complete period.
    #[inline]
    pub(super) fn load(&self) -> Load {
        self.load
    }

    #[inline]
    pub(super) fn arrive(&mut self, bytes: u64) {
        if let Some(integer) = &mut self.integer {
            return integer.arrive(bytes);
        }
        self.arrived += bytes as f64;
    }

    pub(super) fn sample(&mut self, queue: u64) {
        if let Some(integer) = &mut self.integer {
            return integer.sample(queue);
        }
        self.samples.0 += queue as f64;
        self.samples.1 += 1;
    }

    pub(super) fn set_rate(&mut self, now: Time, rate: Option<Rate>) {
        self.capacity.set_rate(now, rate);
    }

    /// Bytes that the link could carry since it was last asked.
    pub(super) fn capacity(&mut self, now: Time) -> f64 {
        self.capacity.take(now)
    }

    /// Forgets what came before the first period.
    pub(super) fn begin(&mut self) {
        self.arrived = 0.0;
        self.samples = (0.0, 0);
        if let Some(integer) = &mut self.integer {
            integer.begin();
        }
    }

    /// A period ends in which `capacity` bytes could be carried.
    pub(super) fn end(&mut self, capacity: f64) {
        if let Some(integer) = &mut self.integer {
            self.load = integer.end(capacity);
            return;
        }
        let (sum, count) = std::mem::take(&mut self.samples);
        let mean = if count == 0 { 0.0 } else { sum / count as f64 };
        self.persistent = if self.ns2 {
            SLIPPED_GAIN * mean
        } else {
            self.persistent + QUEUE_GAIN * (mean - self.persistent)
        };
        let arrived = std::mem::take(&mut self.arrived);
        let load = if capacity > 0.0 {
            self.target.learn(arrived / capacity, self.capacity.rate);
            (arrived + self.kappa_q * self.persistent) / (self.target.get() * capacity)
        } else {
            f64::INFINITY
        };
        self.load = if self.ns2 { in_percent(load) } else { exact(load) };
    }
}

/// By the load itself.
fn exact(load: f64) -> Load {
    let code = match load {
        load if load < 0.8 => LoadCode::Low,
        load if load < 1.0 => LoadCode::High,
        _ => LoadCode::Overload,
    };
    Load { code, hundredths: libm::round(100.0 * load) as u8 }
}

/// In whole percents and one more.
fn in_percent(load: f64) -> Load {
    let percent = libm::floor(100.0 * load) + 1.0;
    Load { hundredths: percent as u8, ..exact(percent / 100.0) }
}

/// The capacity of the link.
#[derive(Clone, Debug)]
struct Capacity {
    rate: Option<Rate>,
    since: Time,
    /// Bytes from the period's beginning to `since`.
    before: f64,
}

impl Capacity {
    fn new(rate: Option<Rate>) -> Capacity {
        Capacity { rate, since: Time::ZERO, before: 0.0 }
    }

    fn at(&self, now: Time) -> f64 {
        let rate = self.rate.map_or(f64::INFINITY, |rate| rate.bytes_per_sec());
        let span: Span = now.since(self.since);
        if span.is_zero() { self.before } else { self.before + rate * span.as_secs_f64() }
    }

    fn set_rate(&mut self, now: Time, rate: Option<Rate>) {
        self.before = self.at(now);
        (self.since, self.rate) = (now, rate);
    }

    /// Bytes that could have been sent since it was last asked.
    fn take(&mut self, now: Time) -> f64 {
        let bytes = self.at(now);
        (self.since, self.before) = (now, 0.0);
        bytes
    }
}
