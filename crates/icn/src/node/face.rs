//! A face: one end of a link, or the connection to an application of this node.

use super::control::{Capacities, Control, Held};
use super::counters::FaceCounters;
use super::estimator::Estimator;
use super::face_config::{FaceConfig, Nacking};
use super::pit::EntryId;
use super::police::Police;
use super::proxy::Proxy;
use super::rate_calculator::RateCalculator;
use super::shaper::{Offer, Shaper};
use crate::name::Name;
use crate::packet::{Class, Interest};
use narrows_path::AnyRateLaw;
use narrows_units::{Bytes, Random, Rate, Span, Time};
use narrows_wire::Rates;

/// The present state of a face.
#[derive(Clone, Copy, Debug)]
pub struct FaceState<'a> {
    /// Rates stamped into Data that arrives here; `None` without a law.
    pub rates: Option<Rates>,
    /// Its law, for inspection.
    pub law: Option<&'a AnyRateLaw>,
    /// The mean round trip over its link that was measured last; `None` without a law, and before
    /// the first Data.
    pub round_trip: Option<Span>,
    /// The estimate of the capacity towards the node; `None` unless it is measured.
    pub estimate: Option<Rate>,
    /// Seconds so far in which the path seemed slower than the estimate; `None` unless it is
    /// measured.
    pub suspect_seconds: Option<u64>,
    /// Data requested in the law's last interval, in bit/s: primary and secondary. Zero without a
    /// law.
    pub arrivals: [f64; 2],
    /// Interests waiting in the shaper.
    pub waiting: usize,
    /// Size of the Data that they will fetch.
    pub waiting_data: Bytes,
    /// Pending Interests that arrived on this face.
    pub pending: usize,
    /// Interests that arrived on this face and wait in its proxy.
    pub proxied: usize,
    /// Its counters.
    pub counters: &'a FaceCounters,
}

/// Fields that every packet needs stand first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Face<N: Name> {
    pub(crate) label: u16,
    pub(crate) rates: bool,
    pub(crate) application: bool,
    pub(crate) local: bool,
    /// Interests were forwarded to it.
    pub(crate) is_asked: bool,
    pub(crate) nacks: Nacking,
    /// Paces its Interests while it does not understand rates.
    pub(crate) proxy: Option<Box<Proxy<N>>>,
    /// Bounds its primary Interests.
    pub(crate) police: Option<Box<Police>>,
    control: Option<Box<Control<N>>>,
    /// Pending Interests that arrived on this face.
    pub(crate) pending: usize,
    /// The octets that they are counted for.
    pub(crate) pending_octets: u64,
    pub(crate) counters: FaceCounters,
    capacities: Capacities,
}

impl<N: Name> Face<N> {
    pub(crate) fn new(
        now: Time,
        config: &FaceConfig,
        shaped_capacity: bool,
        phases: &mut Random,
    ) -> Face<N> {
        Face {
            label: config.label,
            rates: config.rates,
            application: config.application,
            local: config.local,
            is_asked: false,
            nacks: config.nacks,
            proxy: config.proxy.map(|config| Box::new(Proxy::new(config))),
            police: config.police.then(|| Box::new(Police::new(now))),
            pending: 0,
            pending_octets: 0,
            counters: FaceCounters::default(),
            capacities: Capacities { inward: config.capacity_in, out: config.capacity_out },
            control: Control::new(now, config, shaped_capacity, phases).map(Box::new),
        }
    }

    /// In the place of a face that has been removed.
    pub(crate) fn absent() -> Face<N> {
        Face {
            label: 0,
            rates: false,
            application: false,
            local: false,
            is_asked: false,
            nacks: Nacking::Never,
            proxy: None,
            police: None,
            pending: 0,
            pending_octets: 0,
            counters: FaceCounters::default(),
            capacities: Capacities { inward: None, out: None },
            control: None,
        }
    }

    /// One of its pending Interests, which was counted for so many octets, is pending no longer.
    #[inline]
    pub(crate) fn settle(&mut self, octets: u64) {
        self.pending -= 1;
        self.pending_octets -= octets;
    }

    /// The weight of this face in random choices: its capacity out, or else in. An unknown capacity
    /// counts for more than any known one.
    pub(crate) fn weight(&self) -> u64 {
        const MOST: u64 = 1 << 48;
        self.capacities
            .out
            .or(self.capacities.inward)
            .map_or(MOST, |rate| rate.as_bps().min(MOST / 2))
    }

    pub(crate) fn state(&self) -> FaceState<'_> {
        let control = self.control.as_ref();
        let rate_calculator = self.rate_calculator();
        let estimator = control.and_then(|control| control.estimator());
        FaceState {
            rates: rate_calculator.map(RateCalculator::rates),
            law: rate_calculator.map(RateCalculator::law),
            round_trip: rate_calculator.and_then(RateCalculator::local_rtt),
            estimate: estimator.map(Estimator::capacity),
            suspect_seconds: estimator.map(Estimator::suspect_seconds),
            arrivals: rate_calculator.map_or([0.0; 2], RateCalculator::arrivals),
            waiting: control.and_then(|control| control.shaper()).map_or(0, Shaper::packets),
            waiting_data: control.map_or(Bytes::ZERO, |control| control.waiting_data()),
            pending: self.pending,
            proxied: self.proxy.as_ref().map_or(0, |proxy| proxy.len()),
            counters: &self.counters,
        }
    }

    fn rate_calculator(&self) -> Option<&RateCalculator> {
        self.control.as_ref().and_then(|control| control.rate_calculator())
    }

    /// True if it has a law or a shaper, which need a timer.
    pub(crate) fn has_timer(&self) -> bool {
        self.control.is_some()
    }

    /// This much Data waits at the other end of the link.
    pub(crate) fn set_data_waiting(&mut self, waiting: Bytes) {
        if let Some(control) = &mut self.control {
            control.set_data_waiting(waiting);
        }
    }

    /// Rates stamped into packets that arrive here.
    pub(crate) fn stamp(&self) -> Rates {
        self.rate_calculator().map_or(Rates::UNLIMITED, RateCalculator::rates)
    }

    /// When [`tick`](Face::tick), [`take`](Face::take) or the proxy has something to do.
    pub(crate) fn due(&self) -> Time {
        let proxy = self.proxy.as_ref().map_or(Time::NEVER, |proxy| proxy.due());
        self.control.as_ref().map_or(Time::NEVER, |control| control.due()).min(proxy)
    }

    /// True if Interests for this face are paced for neighbours that do not understand rates: it
    /// has a law.
    pub(crate) fn has_law(&self) -> bool {
        self.rate_calculator().is_some()
    }

    /// True if Interests that arrive here wait for the pace of a proxy.
    pub(crate) fn is_proxied(&self) -> bool {
        !self.rates && self.proxy.is_some()
    }

    /// True if the shaper would refuse an Interest of `class`.
    pub(crate) fn refuses(&self, class: Class) -> bool {
        self.control
            .as_ref()
            .and_then(|control| control.shaper())
            .is_some_and(|shaper| shaper.refuses(class))
    }

    /// An Interest arrives.
    pub(crate) fn on_interest_in(&mut self, now: Time, size: Bytes) {
        self.counters.interests_in += 1;
        if let Some(control) = &mut self.control {
            control.on_interest_in(now, size);
        }
    }

    /// Data arrives that was asked for, with the primary rate of the links behind the neighbour.
    pub(crate) fn on_data_in(&mut self, size: Bytes, behind: Rate) {
        if let Some(control) = &mut self.control {
            control.on_data_in(size, if self.rates { behind } else { Rates::UNLIMITED.primary });
        }
    }

    /// Data leaves.
    pub(crate) fn on_data_out(&mut self, size: Bytes) {
        self.counters.data_out += 1;
        if let Some(control) = &mut self.control {
            control.on_data_out(size);
        }
    }

    /// Data arrived `span` after its Interest left.
    pub(crate) fn on_round_trip(&mut self, span: Span) {
        if let Some(control) = &mut self.control {
            control.on_round_trip(span);
        }
    }

    /// Offers an Interest, which leaves at once or as the shaper decides.
    pub(crate) fn offer(&mut self, now: Time, held: Held<N>) -> Offer<Held<N>> {
        let Some(control) = &mut self.control else { return Offer::Leaves(held) };
        let class = held.interest.class;
        let size = held.interest.size;
        let offer = control.offer(now, held);
        match &offer {
            Offer::Leaves(_) => control.sent(now, size, self.capacities),
            Offer::Waits => {
                self.counters.most_waiting =
                    self.counters.most_waiting.max(control.shaper().map_or(0, Shaper::packets));
            }
            Offer::Evicts(_) => {
                self.counters.evicted += 1;
                self.counters.refused[Class::Secondary as usize] += 1;
            }
            Offer::Refused(_) => self.counters.refused[class as usize] += 1,
        }
        offer
    }

    /// Puts a repeated Interest in the place of the one of the same entry that waits in the shaper.
    /// False if none does.
    pub(crate) fn exchange(&mut self, entry: EntryId, interest: &Interest<N>) -> bool {
        let held = self.control.as_mut().and_then(|control| control.find_held(entry));
        held.map(|held| held.exchange(interest)).is_some()
    }

    /// Takes the next Interest from the shaper if it may leave by `now`. If it does leave, the
    /// caller reports it to [`sent`](Face::sent).
    pub(crate) fn take(&mut self, now: Time) -> Option<Held<N>> {
        self.control.as_mut()?.take(now)
    }

    /// An Interest has left the shaper.
    pub(crate) fn sent(&mut self, now: Time, size: Bytes) {
        if let Some(control) = &mut self.control {
            control.sent(now, size, self.capacities);
        }
    }

    /// Lets the estimator look and the law tick if they are due.
    pub(crate) fn tick(&mut self, now: Time) {
        let Some(control) = &mut self.control else { return };
        if let Some(inward) = control.estimate(now, &self.counters) {
            self.capacities.inward = Some(inward);
            control.set_capacities(now, self.capacities);
        }
        control.tick(now, self.capacities);
    }

    /// The link changes its capacities. One that is measured is not told.
    pub(crate) fn set_capacity(&mut self, now: Time, inward: Option<Rate>, out: Option<Rate>) {
        let is_measured =
            self.control.as_ref().is_some_and(|control| control.estimator().is_some());
        let inward = if is_measured { self.capacities.inward } else { inward };
        self.capacities = Capacities { inward, out };
        if let Some(control) = &mut self.control {
            control.set_capacities(now, self.capacities);
        }
    }
}
