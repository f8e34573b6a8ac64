//! The treatment of packets that have crossed a link before they are delivered: jitter, reordering,
//! aggregation, changes of the ECN field.

use super::crossing::{Crossing, pop_arrived};
use super::{EcnField, Packet};
use narrows_units::{Random, Rate, Span, Time};
use std::collections::VecDeque;

/// Extra delay of each packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Jitter {
    /// How it is distributed.
    pub spread: JitterDist,
    /// Packets may overtake each other. Without it one that would is delivered with the one before
    /// it, as RFC 8868, section 4.5, wants.
    pub reorders: bool,
}

/// A distribution of extra delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JitterDist {
    /// No extra delay.
    #[default]
    None,
    /// Uniform from zero to this.
    Uniform(Span),
    /// Normal with this standard deviation, truncated at three of them on either side of the mean
    /// (RFC 8868, section 4.5). A packet cannot come before it has crossed, so the mean is three
    /// standard deviations.
    Normal(Span),
    /// Wi-Fi beside others on its channel, as draft-huitema-ccwg-c4-test has it (section "Handling
    /// of High Jitter Environments"), with this nominal average: short deferrals for each packet,
    /// and beyond an average of 1 ms series of retransmissions for some.
    Wifi(Span),
}

/// Deferrals of a packet, and the time that each takes; the last is a part of it.
const DEFERRALS: f64 = 1.0;
const DEFERRAL: Span = Span::from_millis(1);
/// Retransmissions of a packet that is retransmitted at all, and the time that each takes.
const RETRANSMISSIONS: f64 = 12.0;
const RETRANSMISSION: Span = Span::from_micros(7_500);
/// Average at which every packet is retransmitted.
const WORST_WIFI: Span = Span::from_millis(91);

impl Jitter {
    /// Wi-Fi with this nominal average, at most [`Jitter::MOST_WIFI`].
    pub fn wifi(average: Span) -> Jitter {
        let spread = if average.is_zero() { JitterDist::None } else { JitterDist::Wifi(average) };
        Jitter { spread, reorders: false }
    }

    /// Largest nominal average of Wi-Fi: the one at which every packet is retransmitted.
    pub const MOST_WIFI: Span = WORST_WIFI;

    /// Uniform from zero to `most`, without overtaking.
    pub fn uniform(most: Span) -> Jitter {
        Jitter {
            spread: if most.is_zero() { JitterDist::None } else { JitterDist::Uniform(most) },
            reorders: false,
        }
    }
}

/// Some packets are late and overtaken by others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reorder {
    /// The probability that a packet is, independently.
    pub share: f64,
    /// How much later it is delivered.
    pub delay: Span,
}

/// How a link spreads its deliveries, and what it does to the packets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Delivery {
    /// Extra delay of each packet.
    pub jitter: Jitter,
    /// Extra delay of some packets.
    pub reorder: Reorder,
    /// Deliveries come in bursts, one in each such interval: what comes between two waits for the
    /// next, as with the grants of a cable network or the frames of a wireless one. Zero for none.
    pub aggregate: Span,
    /// The rate at which the packets of a burst come one after another: the medium's, or the rate
    /// of the wire behind it. `None` for all at once.
    pub burst_rate: Option<Rate>,
    /// The fate of the ECN field.
    pub ecn: EcnField,
}

impl Delivery {
    /// True if it leaves all packets as they come.
    pub(crate) fn is_plain(&self) -> bool {
        self.jitter.spread == JitterDist::None
            && self.reorder.share == 0.0
            && self.aggregate.is_zero()
            && self.ecn == EcnField::Keep
    }
}

/// The far end of a link that does not deliver packets as they come.
#[derive(Clone, Debug)]
pub(crate) struct FarEnd<P> {
    delivery: Delivery,
    jitter: Random,
    reorder: Random,
    /// Where in its interval a burst comes, as a share of 2^64.
    phase: u64,
    /// Packets that have crossed; their arrivals are the times of their delivery, which ascend.
    held: VecDeque<Crossing<P>>,
    /// The latest delivery of those that nobody overtakes.
    latest: Time,
    /// When the latest burst began, and when its last packet has come.
    burst: (Time, Time),
}

impl<P: Packet> FarEnd<P> {
    /// `stream` gives a random stream for each of its draws.
    pub(crate) fn new(delivery: Delivery, stream: impl Fn(&str) -> Random) -> FarEnd<P> {
        let phase = stream("aggregate").bits();
        FarEnd {
            delivery,
            jitter: stream("jitter"),
            reorder: stream("reorder"),
            phase,
            held: VecDeque::new(),
            latest: Time::ZERO,
            burst: (Time::ZERO, Time::ZERO),
        }
    }

    pub(crate) fn delivery(&self) -> Delivery {
        self.delivery
    }

    /// Spreads what crosses from now on otherwise; the random draws go on.
    pub(crate) fn set_delivery(&mut self, delivery: Delivery) {
        if delivery.aggregate != self.delivery.aggregate && !self.held.is_empty() {
            // The latest packet keeps its burst, and none overtakes it.
            self.latest = self.burst(self.latest, self.delivery.aggregate).max(self.burst.1);
        }
        self.delivery = delivery;
    }

    /// A packet has crossed the link at `at`. Calls come in time order.
    pub(crate) fn take(&mut self, at: Time, packet: P) {
        let Delivery { jitter, reorder, aggregate, burst_rate, ecn: _ } = self.delivery;
        let mut time = at + self.extra(jitter.spread);
        if !jitter.reorders {
            time = time.max(self.latest);
            self.latest = time;
        }
        if reorder.share > 0.0 && self.reorder.chance(reorder.share) {
            time += reorder.delay;
        }
        let burst = self.burst(time, aggregate);
        let time = match burst_rate.filter(|_| !aggregate.is_zero()) {
            Some(rate) => self.space(burst, rate.time_for(packet.size())),
            None => burst,
        };
        let place = self
            .held
            .iter()
            .rposition(|other| other.arrival <= time)
            .map_or(0, |before| before + 1);
        self.held.insert(place, Crossing { packet, arrival: time });
    }

    fn extra(&mut self, spread: JitterDist) -> Span {
        match spread {
            JitterDist::None => Span::ZERO,
            JitterDist::Uniform(most) => self.jitter.span_below(most + Span::from_nanos(1)),
            JitterDist::Normal(deviation) => loop {
                let draw = self.jitter.normal();
                if (-3.0..=3.0).contains(&draw) {
                    break Span::from_secs_f64(deviation.as_secs_f64() * (3.0 + draw));
                }
            },
            JitterDist::Wifi(average) => self.wifi(average),
        }
    }

    /// `N1` · 1 ms less a part of one of them, and for a share of the packets `N2` · 7.5 ms.
    fn wifi(&mut self, average: Span) -> Span {
        let deferrals = self.jitter.poisson(DEFERRALS);
        let mut extra = DEFERRAL * deferrals;
        if deferrals > 0 {
            extra = extra.saturating_sub(self.jitter.span_below(DEFERRAL));
        }
        let share = average.saturating_sub(DEFERRAL).as_secs_f64()
            / (WORST_WIFI.saturating_sub(DEFERRAL)).as_secs_f64();
        if share > 0.0 && self.jitter.chance(share) {
            extra += RETRANSMISSION * self.jitter.poisson(RETRANSMISSIONS);
        }
        extra
    }

    /// The first burst at or after `time`.
    fn burst(&self, time: Time, interval: Span) -> Time {
        let interval = interval.as_nanos();
        if interval == 0 || time == Time::NEVER {
            return time;
        }
        let phase = ((self.phase as u128 * interval as u128) >> 64) as u64;
        let after = (time.as_nanos() + interval - phase) % interval;
        if after == 0 { time } else { time + Span::from_nanos(interval - after) }
    }

    /// Delivery of a packet that takes so long, in the burst that begins at `burst`. Packets of one
    /// burst follow each other; one that overtakes a packet of a later burst comes as its own burst
    /// begins.
    fn space(&mut self, burst: Time, takes: Span) -> Time {
        if burst == Time::NEVER || burst < self.burst.0 {
            return burst;
        }
        self.burst = (burst, burst.max(self.burst.1) + takes);
        self.burst.1
    }

    /// When the next packet is delivered.
    pub(crate) fn due(&self) -> Option<Time> {
        self.held.front().map(|first| first.arrival)
    }

    /// Takes all that has crossed `wire` by `now`. Returns the packets in the order of their
    /// delivery, the first as it is delivered if that is by `now`.
    #[inline(never)]
    pub(crate) fn ready(
        &mut self,
        wire: &mut VecDeque<Crossing<P>>,
        now: Time,
    ) -> &mut VecDeque<Crossing<P>> {
        while let Some((arrival, packet)) = pop_arrived(wire, now) {
            self.take(arrival, packet);
        }
        if let Some(first) = self.held.front_mut().filter(|first| first.arrival <= now) {
            self.delivery.ecn.rewrite(&mut first.packet);
        }
        &mut self.held
    }

    /// Packets that have crossed and are not delivered.
    pub(crate) fn held(&self) -> usize {
        self.held.len()
    }
}
