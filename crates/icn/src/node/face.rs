//! A face: one end of a link, or of an application.

use super::counters::FaceCounters;
use super::gauge::Gauge;
use super::meter::{MeanSize, Observed};
use super::pit::EntryId;
use super::shaper::{Link, Offer, Shaper, ShaperConfig};
use crate::{Class, Interest, Name};
use narrows_path::{AnyRateLaw, LawChoice, LawSetup, RateLaw};
use narrows_units::{Bytes, Random, Rate, Time};
use narrows_wire::Rates;

/// One of a node's faces, numbered from 0 in the order in which they were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaceId(pub u32);

impl FaceId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a face is made with.
#[derive(Clone, Debug)]
pub struct FaceConfig {
    /// What its link carries towards the node: the Data that our Interests bring. `None`: unknown or unlimited, without a law.
    pub capacity_in: Option<Rate>,
    /// What its link carries away from the node: our Interests, and the Data that answers the other side's.
    pub capacity_out: Option<Rate>,
    /// Its name in path labels: 1 to 4095, no other face of the node has it.
    pub label: u16,
    /// The law whose rates are stamped into Data that comes in here; `None`: none are.
    pub law: Option<LawChoice>,
    /// How Interests are held back; `None`: not at all.
    pub shaper: Option<ShaperConfig>,
    /// Whether the other side knows rates, classes and paths: if not, they are dropped towards it and ignored from it.
    pub rates: bool,
    /// An application of this node is on the other side: the path of its Data begins here.
    pub application: bool,
}

/// A face as it is now.
#[derive(Clone, Copy, Debug)]
pub struct FaceState<'a> {
    /// What is stamped into Data that comes in here; `None` without a law.
    pub rates: Option<Rates>,
    /// Its law, for a look inside.
    pub law: Option<&'a AnyRateLaw>,
    /// Data asked for in the law's last interval, in bit/s: primary and secondary. Zero without a law.
    pub arrivals: [f64; 2],
    /// Interests that wait.
    pub waiting: usize,
    /// The Data that they will bring.
    pub waiting_data: Bytes,
    /// Interests from this face that wait for an answer.
    pub pending: usize,
    /// What it has counted.
    pub counters: &'a FaceCounters,
}

/// An Interest that waits in a shaper, and the entry of the table that it is of.
#[derive(Clone, Debug)]
pub(crate) struct Held<N: Name> {
    pub(crate) entry: EntryId,
    pub(crate) interest: Interest<N>,
}

/// Sizes in bytes before any packet has been seen (`ShaperNetDeviceFace`).
const ASSUMED_INTEREST: f64 = 40.0;
const ASSUMED_DATA: f64 = 1100.0;

#[derive(Clone, Debug)]
pub(crate) struct Face<N: Name> {
    pub(crate) label: u16,
    pub(crate) rates: bool,
    pub(crate) application: bool,
    /// Interests from here that wait for an answer.
    pub(crate) pending: usize,
    pub(crate) counters: FaceCounters,
    pub(crate) gauge: Option<Gauge>,
    pub(crate) shaper: Option<Shaper<Held<N>>>,
    capacity_in: Option<Rate>,
    capacity_out: Option<Rate>,
    shaped_capacity: bool,
    observed: Observed,
    interest_in: MeanSize,
    interest_out: MeanSize,
    data_in: MeanSize,
    data_out: MeanSize,
}

impl<N: Name> Face<N> {
    pub(crate) fn new(now: Time, config: &FaceConfig, shaped_capacity: bool, phases: &mut Random) -> Face<N> {
        let known = config.capacity_in.is_some() || config.capacity_out.is_some();
        let gauge = config.law.as_ref().zip(config.capacity_in).map(|(choice, capacity)| {
            let law = AnyRateLaw::new(choice, &LawSetup { capacity });
            let first = now + phases.span_below(law.interval());
            Gauge::new(now, law, first)
        });
        Face {
            label: config.label,
            rates: config.rates,
            application: config.application,
            pending: 0,
            counters: FaceCounters::default(),
            gauge,
            shaper: config.shaper.filter(|_| known).map(Shaper::new),
            capacity_in: config.capacity_in,
            capacity_out: config.capacity_out,
            shaped_capacity,
            observed: Observed::default(),
            interest_in: MeanSize::assumed(ASSUMED_INTEREST),
            interest_out: MeanSize::assumed(ASSUMED_INTEREST),
            data_in: MeanSize::assumed(ASSUMED_DATA),
            data_out: MeanSize::assumed(ASSUMED_DATA),
        }
    }

    /// How much draws by weight favour this face: its capacity out; an unknown one counts as more than any known one.
    pub(crate) fn weight(&self) -> u64 {
        const MOST: u64 = 1 << 48;
        self.capacity_out.map_or(MOST, |rate| rate.as_bps().min(MOST / 2))
    }

    pub(crate) fn state(&self) -> FaceState<'_> {
        FaceState {
            rates: self.gauge.as_ref().map(Gauge::rates),
            law: self.gauge.as_ref().map(Gauge::law),
            arrivals: self.gauge.as_ref().map_or([0.0; 2], Gauge::arrivals),
            waiting: self.shaper.as_ref().map_or(0, Shaper::packets),
            waiting_data: Bytes::new((self.waiting().get() as f64 * self.inflation()) as u64),
            pending: self.pending,
            counters: &self.counters,
        }
    }

    /// True if time ever brings anything: a law or a shaper.
    pub(crate) fn has_timer(&self) -> bool {
        self.gauge.is_some() || self.shaper.is_some()
    }

    /// What is stamped into what comes in here.
    pub(crate) fn stamp(&self) -> Rates {
        self.gauge.as_ref().map_or(Rates::UNLIMITED, Gauge::rates)
    }

    /// When it wants to be looked at.
    pub(crate) fn due(&self) -> Time {
        let shaper = self.shaper.as_ref().and_then(Shaper::due).unwrap_or(Time::NEVER);
        shaper.min(self.gauge.as_ref().map_or(Time::NEVER, Gauge::due))
    }

    /// An Interest came in.
    pub(crate) fn interest_came(&mut self, now: Time, size: Bytes) {
        self.counters.interests_in += 1;
        self.interest_in.add(size);
        self.observed.add(now, size);
    }

    /// Data came in.
    pub(crate) fn data_came(&mut self, size: Bytes) {
        self.counters.data_in += 1;
        self.data_in.add(size);
    }

    /// Data leaves.
    pub(crate) fn data_leaves(&mut self, size: Bytes) {
        self.counters.data_out += 1;
        self.data_out.add(size);
    }

    /// An Interest wants to leave: the law counts it whatever becomes of it, the shaper says what that is.
    pub(crate) fn offer(&mut self, now: Time, held: Held<N>) -> Offer<Held<N>> {
        let Interest { class, size, srtt, .. } = held.interest;
        self.interest_out.add(size);
        if let Some(gauge) = &mut self.gauge {
            gauge.offered(class, size, srtt);
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

    /// The Interest whose turn to leave has come. If it does leave, [`sent`](Face::sent) must be told.
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

    /// The law ticks if it is time.
    pub(crate) fn tick(&mut self, now: Time) {
        let (waiting, inflation) = (self.waiting(), self.inflation());
        if self.shaped_capacity && self.gauge.as_ref().is_some_and(|gauge| gauge.due() <= now) {
            self.tell_capacity(now);
        }
        if let Some(gauge) = &mut self.gauge
            && gauge.due() <= now
        {
            gauge.tick(now, waiting, inflation, self.data_in.get());
        }
    }

    /// The link carries another amount from now on.
    pub(crate) fn set_capacity(&mut self, now: Time, inward: Option<Rate>, out: Option<Rate>) {
        (self.capacity_in, self.capacity_out) = (inward, out);
        let (size, rate) = (Bytes::new(libm::ceil(self.interest_out.get()) as u64), self.shaper_rate(now));
        if let Some(shaper) = &mut self.shaper {
            shaper.paced_anew(now, size, rate);
        }
        self.tell_capacity(now);
    }

    /// Tells the law what the link carries: all of it, or what the shaper lets through.
    fn tell_capacity(&mut self, now: Time) {
        let shaped = self.shaper_rate(now) * self.inflation();
        let Some(gauge) = &mut self.gauge else { return };
        let capacity = self.capacity_in.unwrap_or(Rate::ZERO);
        let shaped_too = self.shaped_capacity && self.shaper.is_some();
        gauge.law_mut().set_capacity(if shaped_too { capacity.min(Rate::from_bps(shaped as u64)) } else { capacity });
    }

    /// Bytes of Interests that wait.
    fn waiting(&self) -> Bytes {
        self.shaper.as_ref().map_or(Bytes::ZERO, Shaper::bytes)
    }

    /// Bytes of Data for a byte of Interest.
    fn inflation(&self) -> f64 {
        self.data_in.get() / self.interest_out.get()
    }

    /// How fast Interests may leave, in bit/s.
    fn shaper_rate(&mut self, now: Time) -> f64 {
        let Some(shaper) = &self.shaper else { return f64::INFINITY };
        let capacity = |rate: Option<Rate>| rate.map_or(f64::INFINITY, |rate| rate.as_bps() as f64);
        let link = Link {
            out: capacity(self.capacity_out),
            inward: capacity(self.capacity_in),
            r1: self.inflation(),
            r2: self.data_out.get() / self.interest_in.get(),
        };
        let observed = self.observed.rate(now);
        link.rate(observed, shaper.headroom())
    }
}
