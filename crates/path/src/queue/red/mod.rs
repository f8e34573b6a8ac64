//! RED: drops or marks arrivals with a probability that follows the average queue.

#[cfg(test)]
mod tests;

use crate::queue::buffer::Buffer;
use crate::queue::ticks::Ticks;
use crate::{
    Backlog, Discipline, DisciplineEntry, DisciplineSetup, DropReason, Fate, Limit, Packet, Queued,
    Verdicts,
};
use narrows_params::{Param, Params};
use narrows_units::{Random, Rate, Span, Time};
use narrows_wire::Ecn;

/// The registry line.
pub(crate) static ENTRY: DisciplineEntry = DisciplineEntry {
    name: "red",
    summary: "random early detection: drops or marks arrivals by the average queue; gentle and adaptive forms",
    source: "Floyd and Jacobson 1993; Floyd, Gummadi and Shenker 2001 (adaptive); RFC 3168; ns-2 queue/red.cc (automatic values)",
    offers: &[],
    params: &[
        MIN.spec,
        MAX.spec,
        PERCENT.spec,
        MAX_P.spec,
        WEIGHT.spec,
        RTT.spec,
        TARGET.spec,
        MEAN_PACKET.spec,
        GENTLE.spec,
        ADAPTIVE.spec,
        CLASSIC.spec,
        BYTE_MODE.spec,
        ECN.spec,
        MARK_LIMIT.spec,
        HARDDROP.spec,
    ],
};

const MIN: Param<f64> = Param::number(
    "min",
    0.0,
    (0.0, 1e6),
    "",
    "least average with drops or marks, in `unit`; 0: half of the departures in `target`, at least 5 packets",
);
const MAX: Param<f64> = Param::number(
    "max",
    0.0,
    (0.0, 1e6),
    "",
    "average at which the probability is `max_p`, at least min, in `unit`; 0: three times min",
);
const PERCENT: Param<bool> = Param::choice(
    "unit",
    "packets",
    &[("packets", false), ("percent", true)],
    "unit of min and max: packets of mean size, or percent of the buffer",
);
const MAX_P: Param<f64> = Param::number(
    "max_p",
    0.1,
    (0.0, 1.0),
    "",
    "probability at max; initial value with adaptive=true",
);
const WEIGHT: Param<f64> = Param::number(
    "weight",
    0.0,
    (0.0, 1.0),
    "",
    "weight of an arrival in the average; 0: 1 - exp(-1 / (10 `rtt` in packets))",
);
const RTT: Param<f64> = Param::number(
    "rtt",
    0.0,
    (0.0, 100_000.0),
    "ms",
    "round trip for the weight; 0: three times link delay plus packet time, at least 100 ms",
);
const TARGET: Param<f64> =
    Param::number("target", 5.0, (0.01, 10_000.0), "ms", "delay for the automatic min");
const MEAN_PACKET: Param<f64> =
    Param::number("mean_packet", 1500.0, (1.0, 65_535.0), "B", "packet size for min and max");
const GENTLE: Param<bool> = Param::flag(
    "gentle",
    true,
    "above max the probability rises to 1 at twice max; otherwise 1 at once",
);
const ADAPTIVE: Param<bool> = Param::flag(
    "adaptive",
    false,
    "adapt max_p every 0.5 s to hold the average between 0.4 and 0.6 of the way from min to max",
);
const CLASSIC: Param<bool> = Param::choice(
    "spread",
    "wait",
    &[("wait", false), ("classic", true)],
    "spacing of drops: none within 1/p packets, then one within as many (ns-2); or uniform within 1/p",
);
const BYTE_MODE: Param<bool> =
    Param::flag("byte_mode", true, "count in bytes; small packets are dropped less");
const ECN: Param<bool> = Param::flag(
    "ecn",
    true,
    "mark ECN-capable packets instead of dropping them (RFC 3168), except where all are dropped",
);
const MARK_LIMIT: Param<f64> = Param::number(
    "mark_limit",
    1.0,
    (0.0, 1.0),
    "",
    "probability from which ECN-capable packets are dropped too (ns-2: 0.1)",
);

const HARDDROP: Param<bool> = Param::flag(
    "harddrop",
    true,
    "drop ECN-capable packets too where all are dropped (RFC 3168 section 7, ns-2; harddrop of tc, UseHardDrop of ns-3); false: mark them",
);

/// Time between adaptations.
const ADAPT_EVERY: Span = Span::from_millis(500);

/// A queue under RED.
#[derive(Clone, Debug)]
pub struct Red<P> {
    queue: Buffer<P>,
    settings: Settings,
    rate: Option<Rate>,
    values: Values,
    max_p: f64,
    ticks: Option<Ticks>,
    random: Random,
    /// The average queue in packets.
    average: f64,
    /// Packets since the latest drop or mark, in byte mode counted in mean sizes; -1 below min.
    count: f64,
    /// Since when the transmitter has had nothing to send.
    idle: Option<Time>,
}

#[derive(Clone, Debug)]
struct Settings {
    min: f64,
    max: f64,
    /// Min and max are percent of the buffer.
    of_buffer: bool,
    weight: f64,
    /// Seconds; 0 for the automatic value.
    rtt: f64,
    /// The link's, in seconds.
    delay: f64,
    target: f64,
    mean_packet: f64,
    gentle: bool,
    classic: bool,
    byte_mode: bool,
    ecn: bool,
    mark_limit: f64,
    harddrop: bool,
}

/// Values that follow from the settings and the link's rate.
#[derive(Clone, Copy, Debug)]
struct Values {
    min: f64,
    max: f64,
    weight: f64,
    /// Packets of mean size that the link sends per second.
    packets_per_second: f64,
}

impl<P: Packet> Red<P> {
    /// An empty queue.
    pub fn new(setup: &DisciplineSetup, params: &Params) -> Red<P> {
        let settings = Settings {
            min: params.get(&MIN),
            max: params.get(&MAX),
            of_buffer: params.get(&PERCENT),
            weight: params.get(&WEIGHT),
            rtt: params.get(&RTT) / 1e3,
            delay: setup.delay.as_secs_f64(),
            target: params.get(&TARGET) / 1e3,
            mean_packet: params.get(&MEAN_PACKET),
            gentle: params.get(&GENTLE),
            classic: params.get(&CLASSIC),
            byte_mode: params.get(&BYTE_MODE),
            ecn: params.get(&ECN),
            mark_limit: params.get(&MARK_LIMIT),
            harddrop: params.get(&HARDDROP),
        };
        Red {
            queue: Buffer::new(setup.limit),
            rate: setup.rate,
            values: Values::new(&settings, setup.rate, setup.limit),
            settings,
            max_p: params.get(&MAX_P),
            ticks: params.get(&ADAPTIVE).then(|| Ticks::new(ADAPT_EVERY)),
            random: setup.random.clone(),
            average: 0.0,
            count: -1.0,
            idle: Some(Time::ZERO),
        }
    }

    fn update(&mut self, now: Time) {
        while let Some(tick) = self.ticks.as_mut().and_then(|ticks| ticks.due(now)) {
            self.decay_until(tick);
            self.adapt();
        }
    }

    /// Adaptive RED: additive increase and multiplicative decrease of `max_p`.
    fn adapt(&mut self) {
        let Values { min, max, packets_per_second, .. } = self.values;
        let part = 0.4 * (max - min);
        // The window in 1000-byte packets that a flow of 100 ms has alone.
        let window = packets_per_second * self.settings.mean_packet / 1000.0 * 0.1;
        let least = (1.0 / window).min(0.01);
        if self.average < min + part && self.max_p > least {
            self.max_p = (self.max_p * 0.9).max(least);
        } else if self.average > max - part && self.max_p < 0.5 {
            self.max_p = (self.max_p + (self.max_p / 4.0).min(0.01)).min(0.5);
        }
    }

    /// The average after an arrival at `now`; the time without packets counts as so many arrivals
    /// at an empty queue.
    fn average_in(&mut self, now: Time) {
        self.decay_until(now);
        self.idle = None;
        let queue = if self.settings.byte_mode {
            self.queue.bytes().get() as f64 / self.settings.mean_packet
        } else {
            self.queue.packets() as f64
        };
        self.average += self.values.weight * (queue - self.average);
    }

    /// If the transmitter is idle, packets of mean size could have left until `now`.
    fn decay_until(&mut self, now: Time) {
        if let Some(since) = &mut self.idle {
            let idle = now.since(std::mem::replace(since, now));
            self.average *= libm::pow(
                1.0 - self.values.weight,
                idle.as_secs_f64() * self.values.packets_per_second,
            );
        }
    }

    /// The probability by the average alone, and whether everything is dropped.
    fn base_probability(&self) -> f64 {
        let Values { min, max, .. } = self.values;
        let average = self.average;
        let max_p = self.max_p;
        if average < min {
            0.0
        } else if average < max {
            max_p * (average - min) / (max - min)
        } else if self.settings.gentle && average < 2.0 * max {
            max_p + (1.0 - max_p) * (average - max) / max
        } else {
            1.0
        }
    }

    /// True if ECN-capable packets are marked at this base probability. A lower `mark_limit` holds
    /// whatever `harddrop` says.
    fn marks(&self, base: f64) -> bool {
        let Settings { ecn, mark_limit, harddrop, .. } = self.settings;
        ecn && (base < mark_limit || !harddrop && mark_limit >= 1.0)
    }

    /// The probability for this packet, spread over those since the latest drop or mark.
    fn spread(&self, base: f64, size: f64) -> f64 {
        let product = self.count * base;
        let spread = match self.settings.classic {
            true if product < 1.0 => base / (1.0 - product),
            false if product < 1.0 => 0.0,
            false if product < 2.0 => base / (2.0 - product),
            // Due, whatever its size.
            _ => return 1.0,
        };
        if self.settings.byte_mode { spread * size / self.settings.mean_packet } else { spread }
    }
}

impl Values {
    fn new(settings: &Settings, rate: Option<Rate>, limit: Limit) -> Values {
        // No queue forms where packets leave at once.
        let bytes = rate.map_or(f64::MAX, |rate| rate.bytes_per_sec());
        let packets_per_second = bytes / settings.mean_packet;
        let automatic = |value: f64, otherwise: f64| if value == 0.0 { otherwise } else { value };
        let unit = match limit {
            _ if !settings.of_buffer => 1.0,
            Limit::None => f64::MAX,
            Limit::Bytes(bytes) => bytes.get() as f64 / settings.mean_packet / 100.0,
            Limit::Packets(packets) => packets as f64 / 100.0,
        };
        let min =
            automatic(settings.min * unit, (settings.target * packets_per_second / 2.0).max(5.0));
        // Three packet times are three packets, also at a rate of zero.
        let per_rtt = match settings.rtt {
            0.0 => {
                (3.0 * (settings.delay * packets_per_second + 1.0)).max(0.1 * packets_per_second)
            }
            rtt => rtt * packets_per_second,
        };
        Values {
            min,
            max: automatic(settings.max * unit, 3.0 * min).max(min),
            weight: automatic(settings.weight, -libm::expm1(-1.0 / (10.0 * per_rtt))),
            packets_per_second,
        }
    }
}

impl<P: Packet> Discipline<P> for Red<P> {
    fn enqueue(&mut self, now: Time, mut packet: P, _verdicts: &mut Verdicts<P>) -> Fate {
        self.update(now);
        self.average_in(now);
        if !self.queue.admits(packet.size()) {
            self.count = 0.0;
            return Fate::Dropped(DropReason::Full);
        }
        let base = self.base_probability();
        let size = packet.size().get() as f64;
        if base == 0.0 {
            self.count = -1.0;
        } else {
            self.count +=
                if self.settings.byte_mode { size / self.settings.mean_packet } else { 1.0 };
        }
        let acts = base >= 1.0 || (base > 0.0 && self.random.chance(self.spread(base, size)));
        if acts {
            self.count = 0.0;
            if !self.marks(base) || packet.ecn() == Ecn::NotEct {
                return Fate::Dropped(DropReason::Early);
            }
            packet.set_ecn(Ecn::Ce);
        }
        self.queue.push(now, packet);
        if acts { Fate::Marked } else { Fate::Queued }
    }

    fn dequeue(&mut self, now: Time, _verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        self.update(now);
        let head = self.queue.pop();
        if head.is_none() {
            self.idle.get_or_insert(now);
        }
        head
    }

    fn backlog(&self) -> &Backlog {
        self.queue.backlog()
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        self.queue.backlog_mut()
    }

    fn set_rate(&mut self, now: Time, rate: Option<Rate>) {
        self.update(now);
        self.decay_until(now);
        self.rate = rate;
        self.values = Values::new(&self.settings, rate, self.queue.backlog().limit());
    }

    fn set_limit(&mut self, limit: Limit) {
        self.queue.backlog_mut().set_limit(limit);
        self.values = Values::new(&self.settings, self.rate, limit);
    }
}
