//! The two ways in which a face limits what comes over its link: the shaper and the rate law, with
//! the measurements that they need.

use super::counters::FaceCounters;
use super::estimator::Estimator;
use super::face_config::FaceConfig;
use super::meter::{IncomingRate, MeanSize};
use super::pit::EntryId;
use super::rate_calculator::RateCalculator;
use super::shaper::{Link, Offer, Shaper};
use super::suspicion::FaceCounts;
use crate::name::Name;
use crate::packet::Interest;
use narrows_path::{AnyRateLaw, LawSetup, RateLaw};
use narrows_units::{Bytes, Random, Rate, Span, Time};

/// An Interest that waits in a shaper, and its PIT entry.
#[derive(Clone, Debug)]
pub(crate) struct Held<N: Name> {
    pub(crate) entry: EntryId,
    pub(crate) interest: Box<Interest<N>>,
}

impl<N: Name> Held<N> {
    /// A neighbour repeats it.
    pub(crate) fn exchange(&mut self, repeated: &Interest<N>) {
        let waiting = &mut self.interest;
        (waiting.nonce, waiting.lifetime, waiting.srtt) =
            (repeated.nonce, repeated.lifetime, repeated.srtt);
        (waiting.name, waiting.body) = (repeated.name.clone(), repeated.body.clone());
    }
}

/// The capacities of a link towards the node and away from it; `None` if unknown or unlimited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capacities {
    pub(crate) inward: Option<Rate>,
    pub(crate) out: Option<Rate>,
}

/// Packet sizes in bytes assumed before the first packet (`ShaperNetDeviceFace`).
const ASSUMED_INTEREST: f64 = 40.0;
const ASSUMED_DATA: f64 = 1100.0;

/// The shaper and the rate law of a face. State that packets of one kind and direction change
/// stands together, so that each touches little memory.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Control<N: Name> {
    interest_in: MeanSize,
    data_out: MeanSize,
    incoming: IncomingRate,
    /// The rate of the shaper, until something that it depends on changes.
    shaped: Option<f64>,
    interest_out: MeanSize,
    shaper: Option<Shaper<Held<N>>>,
    rate_calculator: Option<RateCalculator>,
    data_in: MeanSize,
    shaped_capacity: bool,
    estimator: Option<Box<Estimator>>,
    /// Data that waits at the other end of the link, as far as the world tells.
    data_waiting: Bytes,
}

impl<N: Name> Control<N> {
    /// `None` for a face that needs neither a law nor a shaper.
    pub(crate) fn new(
        now: Time,
        config: &FaceConfig,
        shaped_capacity: bool,
        phases: &mut Random,
    ) -> Option<Control<N>> {
        let known = config.capacity_in.is_some() || config.capacity_out.is_some();
        let rate_calculator =
            config.law.as_ref().zip(config.capacity_in).map(|(choice, capacity)| {
                let law = AnyRateLaw::new(choice, &LawSetup { capacity });
                let first = now + phases.span_below(law.interval());
                RateCalculator::new(now, law, first)
            });
        let estimator = config
            .capacity_in
            .filter(|_| config.measured && rate_calculator.is_some())
            .map(|guess| Box::new(Estimator::new(now, guess)));
        let shaper = config.shaper.filter(|_| known).map(Shaper::new);
        (rate_calculator.is_some() || shaper.is_some()).then(|| Control {
            interest_in: MeanSize::assumed(ASSUMED_INTEREST),
            data_out: MeanSize::assumed(ASSUMED_DATA),
            incoming: IncomingRate::default(),
            shaped: None,
            interest_out: MeanSize::assumed(ASSUMED_INTEREST),
            shaper,
            rate_calculator,
            data_in: MeanSize::assumed(ASSUMED_DATA),
            shaped_capacity,
            estimator,
            data_waiting: Bytes::ZERO,
        })
    }

    /// This much Data waits at the other end of the link.
    pub(crate) fn set_data_waiting(&mut self, waiting: Bytes) {
        self.data_waiting = waiting;
    }

    pub(crate) fn shaper(&self) -> Option<&Shaper<Held<N>>> {
        self.shaper.as_ref()
    }

    pub(crate) fn rate_calculator(&self) -> Option<&RateCalculator> {
        self.rate_calculator.as_ref()
    }

    /// When [`tick`](Control::tick) or [`take`](Control::take) has something to do.
    pub(crate) fn due(&self) -> Time {
        let shaper = self.shaper.as_ref().and_then(Shaper::due).unwrap_or(Time::NEVER);
        let estimator = self.estimator.as_ref().map_or(Time::NEVER, |estimator| estimator.due());
        shaper
            .min(self.rate_calculator.as_ref().map_or(Time::NEVER, RateCalculator::due))
            .min(estimator)
    }

    pub(crate) fn estimator(&self) -> Option<&Estimator> {
        self.estimator.as_deref()
    }

    /// Lets the estimator look at the face if it is due. Returns the capacity towards the node that
    /// holds from now on if it changes.
    pub(crate) fn estimate(&mut self, now: Time, counters: &FaceCounters) -> Option<Rate> {
        let estimator = self.estimator.as_mut().filter(|estimator| estimator.due() <= now)?;
        let before = estimator.shared_out();
        let calculator = self.rate_calculator.as_ref()?;
        let seen = FaceCounts {
            sent: counters.interests_out,
            answered: counters.data_in + counters.nacks_in,
            waiting: self.shaper.as_ref().map_or(0, Shaper::packets),
            round_trip: None,
        };
        estimator.look(now, seen, calculator.law().interval());
        Some(estimator.shared_out()).filter(|after| *after != before)
    }

    /// An Interest arrives.
    pub(crate) fn on_interest_in(&mut self, now: Time, size: Bytes) {
        if self.interest_in.add(size) | self.incoming.add(now, size) {
            self.shaped = None;
        }
    }

    /// Data arrives that was asked for, with the primary rate of the links behind the neighbour.
    pub(crate) fn on_data_in(&mut self, size: Bytes, behind: Rate) {
        if self.data_in.add(size) {
            self.shaped = None;
        }
        if let Some(estimator) = &mut self.estimator {
            let limited_behind = self
                .rate_calculator
                .as_ref()
                .is_some_and(|calculator| behind < calculator.rates().primary);
            estimator.on_data(size, limited_behind);
        }
    }

    /// Data leaves.
    pub(crate) fn on_data_out(&mut self, size: Bytes) {
        if self.data_out.add(size) {
            self.shaped = None;
        }
    }

    /// Data arrived `span` after its Interest left.
    pub(crate) fn on_round_trip(&mut self, span: Span) {
        if let Some(rate_calculator) = &mut self.rate_calculator {
            rate_calculator.on_round_trip(span);
        }
        if let Some(estimator) = &mut self.estimator {
            estimator.on_round_trip(span);
        }
    }

    /// Offers an Interest to the shaper, which decides what happens to it. The law counts every
    /// Interest offered (MIRCC, section 3.1.1).
    pub(crate) fn offer(&mut self, now: Time, held: Held<N>) -> Offer<Held<N>> {
        let Interest { class, size, srtt, .. } = *held.interest;
        if self.interest_out.add(size) {
            self.shaped = None;
        }
        if let Some(rate_calculator) = &mut self.rate_calculator {
            rate_calculator.on_interest(class, size, srtt);
        }
        match &mut self.shaper {
            Some(shaper) => shaper.offer(now, held, class, size),
            None => Offer::Leaves(held),
        }
    }

    /// The Interest of this entry that waits in the shaper.
    pub(crate) fn find_held(&mut self, entry: EntryId) -> Option<&mut Held<N>> {
        self.shaper.as_mut()?.find(|held| held.entry == entry)
    }

    /// Takes the next Interest from the shaper if it may leave by `now`. If it does leave, the
    /// caller reports it to [`sent`](Control::sent).
    pub(crate) fn take(&mut self, now: Time) -> Option<Held<N>> {
        self.shaper.as_mut()?.take(now)
    }

    /// An Interest has left the shaper for a link of these capacities.
    pub(crate) fn sent(&mut self, now: Time, size: Bytes, capacities: Capacities) {
        let rate = self.shaper_rate(now, capacities);
        if let Some(shaper) = &mut self.shaper {
            shaper.sent(size, rate);
        }
    }

    /// Lets the law tick if it is due.
    pub(crate) fn tick(&mut self, now: Time, capacities: Capacities) {
        if self.rate_calculator.as_ref().is_none_or(|calculator| calculator.due() > now) {
            return;
        }
        if self.shaped_capacity {
            self.update_law_capacity(now, capacities);
        }
        let inflation = self.inflation();
        let packet = self.data_in.get();
        let queue = if self.shaper.is_some() {
            self.waiting().bits() as f64 * inflation
        } else {
            self.data_waiting.bits() as f64
        };
        if let Some(rate_calculator) = &mut self.rate_calculator {
            rate_calculator.tick(now, queue, inflation, packet);
        }
    }

    /// The link has these capacities from now on.
    pub(crate) fn set_capacities(&mut self, now: Time, capacities: Capacities) {
        self.shaped = None;
        let size = Bytes::new(libm::ceil(self.interest_out.get()) as u64);
        let rate = self.shaper_rate(now, capacities);
        if let Some(shaper) = &mut self.shaper {
            shaper.on_capacity_change(now, size, rate);
        }
        self.update_law_capacity(now, capacities);
    }

    /// Tells the law the capacity to share out: the link's, or less where the shaper leaves
    /// room for the other direction (MIRCC, section 3.1). The shaper's headroom is no part of it:
    /// the law aims below its capacity anyway, and both together would waste some.
    fn update_law_capacity(&mut self, now: Time, capacities: Capacities) {
        let shaped = self.shaper_rate(now, capacities) * self.inflation();
        let Some(rate_calculator) = &mut self.rate_calculator else { return };
        let capacity = capacities.inward.unwrap_or(Rate::ZERO);
        rate_calculator.law_mut().set_capacity(match &self.shaper {
            Some(shaper) if self.shaped_capacity => {
                capacity.min(Rate::from_bps((shaped / shaper.config().headroom) as u64))
            }
            _ => capacity,
        });
    }

    /// Bytes of Interests waiting in the shaper.
    fn waiting(&self) -> Bytes {
        self.shaper.as_ref().map_or(Bytes::ZERO, Shaper::bytes)
    }

    /// Size of the Data that the Interests waiting in the shaper will fetch.
    pub(crate) fn waiting_data(&self) -> Bytes {
        Bytes::new((self.waiting().get() as f64 * self.inflation()) as u64)
    }

    /// Inflation factor: bytes of Data per byte of Interest (MIRCC, section 3.1.1).
    fn inflation(&self) -> f64 {
        self.data_in.get() / self.interest_out.get()
    }

    /// The rate at which Interests may leave, in bit/s.
    fn shaper_rate(&mut self, now: Time, capacities: Capacities) -> f64 {
        let Some(shaper) = &self.shaper else { return f64::INFINITY };
        if self.incoming.update(now) {
            self.shaped = None;
        }
        *self.shaped.get_or_insert_with(|| {
            let capacity =
                |rate: Option<Rate>| rate.map_or(f64::INFINITY, |rate| rate.as_bps() as f64);
            let link = Link {
                out: capacity(capacities.out),
                inward: capacity(capacities.inward),
                r1: self.data_in.get() / self.interest_out.get(),
                r2: self.data_out.get() / self.interest_in.get(),
            };
            let config = shaper.config();
            link.rate(config.form, self.incoming.rate(), config.headroom)
        })
    }
}
