//! A face: one end of a link, or the connection to an application of this node.

use super::counters::FaceCounters;
use super::meter::{IncomingRate, MeanSize};
use super::pit::EntryId;
use super::rate_calculator::RateCalculator;
use super::shaper::{Link, Offer, Shaper, ShaperConfig};
use crate::name::Name;
use crate::packet::{Class, Interest};
use narrows_path::{AnyRateLaw, LawChoice, LawSetup, RateLaw};
use narrows_units::{Bytes, Random, Rate, Time};
use narrows_wire::Rates;

/// The configuration of a face.
#[derive(Clone, Debug)]
pub struct FaceConfig {
    /// Capacity of the link towards the node, which carries the Data that this node's Interests fetch. `None`: unknown or unlimited; the
    /// face then has no rate law.
    pub capacity_in: Option<Rate>,
    /// Capacity of the link away from the node, which carries this node's Interests and the Data that answers the neighbour's. `None`:
    /// unknown or unlimited.
    pub capacity_out: Option<Rate>,
    /// Its path label, 1 to 4095, unique among the faces of the node.
    pub label: u16,
    /// The law that computes the rates stamped into Data that arrives here; `None` stamps none.
    pub law: Option<LawChoice>,
    /// The Interest shaper; `None` sends Interests at once.
    pub shaper: Option<ShaperConfig>,
    /// The neighbour understands rates, classes and paths. Otherwise the node strips them from packets to and from it.
    pub rates: bool,
    /// An application of this node is on the other side: the paths of its Data begin here.
    pub application: bool,
}

/// The present state of a face.
#[derive(Clone, Copy, Debug)]
pub struct FaceState<'a> {
    /// Rates stamped into Data that arrives here; `None` without a law.
    pub rates: Option<Rates>,
    /// Its law, for inspection.
    pub law: Option<&'a AnyRateLaw>,
    /// Data requested in the law's last interval, in bit/s: primary and secondary. Zero without a law.
    pub arrivals: [f64; 2],
    /// Interests waiting in the shaper.
    pub waiting: usize,
    /// Size of the Data that they will fetch.
    pub waiting_data: Bytes,
    /// Pending Interests that arrived on this face.
    pub pending: usize,
    /// Its counters.
    pub counters: &'a FaceCounters,
}

/// An Interest that waits in a shaper, and its PIT entry.
#[derive(Clone, Debug)]
pub(crate) struct Held<N: Name> {
    pub(crate) entry: EntryId,
    pub(crate) interest: Box<Interest<N>>,
}

/// What the rate of a shaper depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Measured {
    /// In and out.
    capacities: [Option<Rate>; 2],
    /// Mean sizes of Interests in and out and of Data in and out.
    sizes: [f64; 4],
    /// Interests that arrive, in bit/s.
    incoming: f64,
}

impl Measured {
    /// The rate at which Interests may leave, in bit/s.
    fn shaped(&self, headroom: f64) -> f64 {
        let [inward, out] = self.capacities.map(|rate| rate.map_or(f64::INFINITY, |rate| rate.as_bps() as f64));
        let [interest_in, interest_out, data_in, data_out] = self.sizes;
        Link { out, inward, r1: data_in / interest_out, r2: data_out / interest_in }.rate(self.incoming, headroom)
    }
}

/// Packet sizes in bytes assumed before the first packet (`ShaperNetDeviceFace`).
const ASSUMED_INTEREST: f64 = 40.0;
const ASSUMED_DATA: f64 = 1100.0;

#[derive(Clone, Debug)]
pub(crate) struct Face<N: Name> {
    pub(crate) label: u16,
    pub(crate) rates: bool,
    pub(crate) application: bool,
    /// Pending Interests that arrived on this face.
    pub(crate) pending: usize,
    pub(crate) counters: FaceCounters,
    pub(crate) rate_calculator: Option<RateCalculator>,
    pub(crate) shaper: Option<Shaper<Held<N>>>,
    capacity_in: Option<Rate>,
    capacity_out: Option<Rate>,
    shaped_capacity: bool,
    incoming: IncomingRate,
    /// The latest rate of the shaper, and what it was computed from.
    shaped: (Measured, f64),
    interest_in: MeanSize,
    interest_out: MeanSize,
    data_in: MeanSize,
    data_out: MeanSize,
}

impl<N: Name> Face<N> {
    pub(crate) fn new(now: Time, config: &FaceConfig, shaped_capacity: bool, phases: &mut Random) -> Face<N> {
        let known = config.capacity_in.is_some() || config.capacity_out.is_some();
        let rate_calculator = config.law.as_ref().zip(config.capacity_in).map(|(choice, capacity)| {
            let law = AnyRateLaw::new(choice, &LawSetup { capacity });
            let first = now + phases.span_below(law.interval());
            RateCalculator::new(now, law, first)
        });
        Face {
            label: config.label,
            rates: config.rates,
            application: config.application,
            pending: 0,
            counters: FaceCounters::default(),
            rate_calculator,
            shaper: config.shaper.filter(|_| known).map(Shaper::new),
            capacity_in: config.capacity_in,
            capacity_out: config.capacity_out,
            shaped_capacity,
            incoming: IncomingRate::default(),
            shaped: (Measured::default(), 0.0),
            interest_in: MeanSize::assumed(ASSUMED_INTEREST),
            interest_out: MeanSize::assumed(ASSUMED_INTEREST),
            data_in: MeanSize::assumed(ASSUMED_DATA),
            data_out: MeanSize::assumed(ASSUMED_DATA),
        }
    }

    /// The weight of this face in random choices: its capacity out. An unknown capacity counts for more than any known one.
    pub(crate) fn weight(&self) -> u64 {
        const MOST: u64 = 1 << 48;
        self.capacity_out.map_or(MOST, |rate| rate.as_bps().min(MOST / 2))
    }

    pub(crate) fn state(&self) -> FaceState<'_> {
        FaceState {
            rates: self.rate_calculator.as_ref().map(RateCalculator::rates),
            law: self.rate_calculator.as_ref().map(RateCalculator::law),
            arrivals: self.rate_calculator.as_ref().map_or([0.0; 2], RateCalculator::arrivals),
            waiting: self.shaper.as_ref().map_or(0, Shaper::packets),
            waiting_data: Bytes::new((self.waiting().get() as f64 * self.inflation()) as u64),
            pending: self.pending,
            counters: &self.counters,
        }
    }

    /// True if it has a law or a shaper, which need a timer.
    pub(crate) fn has_timer(&self) -> bool {
        self.rate_calculator.is_some() || self.shaper.is_some()
    }

    /// Rates stamped into packets that arrive here.
    pub(crate) fn stamp(&self) -> Rates {
        self.rate_calculator.as_ref().map_or(Rates::UNLIMITED, RateCalculator::rates)
    }

    /// When [`tick`](Face::tick) or [`take`](Face::take) has something to do.
    pub(crate) fn due(&self) -> Time {
        let shaper = self.shaper.as_ref().and_then(Shaper::due).unwrap_or(Time::NEVER);
        shaper.min(self.rate_calculator.as_ref().map_or(Time::NEVER, RateCalculator::due))
    }

    /// An Interest arrives.
    pub(crate) fn on_interest_in(&mut self, now: Time, size: Bytes) {
        self.counters.interests_in += 1;
        self.interest_in.add(size);
        self.incoming.add(now, size);
    }

    /// Data arrives.
    pub(crate) fn on_data_in(&mut self, size: Bytes) {
        self.counters.data_in += 1;
        self.data_in.add(size);
    }

    /// Data leaves.
    pub(crate) fn on_data_out(&mut self, size: Bytes) {
        self.counters.data_out += 1;
        self.data_out.add(size);
    }

    /// Offers an Interest to the shaper, which decides what happens to it. The law counts every Interest offered (MIRCC, section 3.1.1).
    pub(crate) fn offer(&mut self, now: Time, held: Held<N>) -> Offer<Held<N>> {
        let Interest { class, size, srtt, .. } = *held.interest;
        self.interest_out.add(size);
        if let Some(rate_calculator) = &mut self.rate_calculator {
            rate_calculator.on_interest(class, size, srtt);
        }
        let Some(shaper) = &mut self.shaper else { return Offer::Leaves(held) };
        let offer = shaper.offer(now, held, class, size);
        self.counters.most_waiting = self.counters.most_waiting.max(shaper.packets());
        match &offer {
            Offer::Leaves(_) => self.sent(now, size),
            Offer::Waits => {}
            Offer::Evicts(_) => {
                self.counters.evicted += 1;
                self.counters.refused[Class::Secondary as usize] += 1;
            }
            Offer::Refused(_) => self.counters.refused[class as usize] += 1,
        }
        offer
    }

    /// Takes the next Interest from the shaper if it may leave by `now`. If it does leave, the caller reports it to [`sent`](Face::sent).
    pub(crate) fn take(&mut self, now: Time) -> Option<Held<N>> {
        self.shaper.as_mut()?.take(now)
    }

    /// An Interest has left the shaper.
    pub(crate) fn sent(&mut self, now: Time, size: Bytes) {
        let rate = self.shaper_rate(now);
        if let Some(shaper) = &mut self.shaper {
            shaper.sent(size, rate);
        }
    }

    /// Lets the law tick if it is due.
    pub(crate) fn tick(&mut self, now: Time) {
        let (waiting, inflation) = (self.waiting(), self.inflation());
        if self.shaped_capacity && self.rate_calculator.as_ref().is_some_and(|calculator| calculator.due() <= now) {
            self.update_law_capacity(now);
        }
        if let Some(rate_calculator) = &mut self.rate_calculator
            && rate_calculator.due() <= now
        {
            rate_calculator.tick(now, waiting, inflation, self.data_in.get());
        }
    }

    /// The link changes its capacities.
    pub(crate) fn set_capacity(&mut self, now: Time, inward: Option<Rate>, out: Option<Rate>) {
        (self.capacity_in, self.capacity_out) = (inward, out);
        let (size, rate) = (Bytes::new(libm::ceil(self.interest_out.get()) as u64), self.shaper_rate(now));
        if let Some(shaper) = &mut self.shaper {
            shaper.on_capacity_change(now, size, rate);
        }
        self.update_law_capacity(now);
    }

    /// Tells the law the capacity to share out: that of the link, or less where the shaper lets less through.
    fn update_law_capacity(&mut self, now: Time) {
        let shaped = self.shaper_rate(now) * self.inflation();
        let Some(rate_calculator) = &mut self.rate_calculator else { return };
        let capacity = self.capacity_in.unwrap_or(Rate::ZERO);
        let shaped_too = self.shaped_capacity && self.shaper.is_some();
        rate_calculator.law_mut().set_capacity(if shaped_too { capacity.min(Rate::from_bps(shaped as u64)) } else { capacity });
    }

    /// Bytes of Interests waiting in the shaper.
    fn waiting(&self) -> Bytes {
        self.shaper.as_ref().map_or(Bytes::ZERO, Shaper::bytes)
    }

    /// Inflation factor: bytes of Data per byte of Interest (MIRCC, section 3.1.1).
    fn inflation(&self) -> f64 {
        self.data_in.get() / self.interest_out.get()
    }

    /// The rate at which Interests may leave, in bit/s.
    fn shaper_rate(&mut self, now: Time) -> f64 {
        let Some(shaper) = &self.shaper else { return f64::INFINITY };
        let measured = Measured {
            capacities: [self.capacity_in, self.capacity_out],
            sizes: [&self.interest_in, &self.interest_out, &self.data_in, &self.data_out].map(MeanSize::get),
            incoming: self.incoming.rate(now),
        };
        if self.shaped.0 != measured {
            self.shaped = (measured, measured.shaped(shaper.headroom()));
        }
        self.shaped.1
    }
}
