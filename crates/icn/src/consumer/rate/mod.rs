//! The consumer that follows the rates in Data.

mod pace;
mod sending;

use super::counters::{ByClass, ConsumerCounters, ConsumerSetup};
use super::registry::{ConsumerChoice, Settings};
use super::segments::{Arrival, Segments};
use super::subflows::{Subflow, Subflows};
use crate::name::Content;
use crate::pacer::{Pacer, gap_at};
use crate::packet::{Class, Data, Nack, NackReason, Packet};
use crate::route::{Hint, HintForm};
use narrows_transport::{RttEstimator, RttSamples, RttSettings, TimeoutRule};
use narrows_units::{Random, Rate, Span, Time};
use narrows_wire::Rates;
use pace::{Gaps, Waits};

/// Requests segments in order at the rates that links stamp into Data (MIRCC, sections 3 and 4).
#[derive(Clone, Debug)]
pub(crate) struct RateConsumer<C: Content> {
    settings: Settings,
    setup: ConsumerSetup,
    content: C,
    random: Random,
    now: Time,
    segments: Segments,
    subflows: Subflows,
    /// Path discovery; `None` while a path is known.
    discovery: Option<Discovery>,
    primary: Pacer,
    secondary: Pacer,
    /// When the first Data arrived after path discovery.
    first_data: Time,
    last_probe: Time,
    rtt: RttEstimator,
    /// When the timeout was last doubled. Interests sent before that do not double it again when
    /// they time out.
    backed_off: Time,
    waits: Waits,
    latest_rtt: Option<Span>,
    /// The RTT sample of the latest packet, if it gave one.
    sample: Option<Span>,
    /// Smoothed size of Data in octets.
    data_size: f64,
    gaps: Gaps,
    /// `data_size` comes from Data that arrived, not from the configuration.
    measured: bool,
    stopped: bool,
    counters: ConsumerCounters,
}

/// Path discovery (MIRCC, section 4.3.3): a few Interests at a time are in flight without a hint.
#[derive(Clone, Debug)]
struct Discovery {
    /// When the Interests in flight time out and the next ones may leave.
    at: Time,
    wait: Span,
    /// Segments of the Interests in flight, in the order in which they left.
    sent: Vec<u64>,
    /// Interests that may still leave at once.
    more: u32,
}

impl Discovery {
    /// The first Interest may leave at `at`.
    fn new(at: Time) -> Discovery {
        Discovery { at, wait: RETRY.0, sent: Vec::new(), more: 0 }
    }
}

/// The first and the longest timeout of path discovery. The timeout doubles in between. The values
/// are this project's choice: the paper gives none.
const RETRY: (Span, Span) = (Span::from_secs(1), Span::from_secs(8));
/// Gain of the smoothed size of Data.
const SIZE_GAIN: f64 = 1.0 / 8.0;

impl<C: Content> RateConsumer<C> {
    pub(crate) fn new(
        choice: &ConsumerChoice,
        setup: &ConsumerSetup,
        content: C,
        segments: Option<u64>,
        start: Time,
    ) -> RateConsumer<C> {
        let settings = Settings::new(choice);
        let rtt = RttEstimator::new(RttSettings {
            rule: TimeoutRule::Rfc6298(Span::from_millis(200)),
            samples: RttSamples::Every,
            tick: Span::ZERO,
            initial: Span::from_secs(1),
            // After the Interest lifetime the PIT entries are gone, and no Data can come any more.
            longest: setup.lifetime.max(Span::from_secs(1)),
        });
        let data_size = setup.data.get() as f64;
        RateConsumer {
            waits: Waits::new(&rtt, settings.hold),
            gaps: Gaps::new(data_size),
            subflows: Subflows::new(settings.total, settings.best_path),
            settings,
            setup: *setup,
            content,
            random: Random::stream(setup.seed, "consumer"),
            now: start,
            segments: Segments::new(segments),
            discovery: Some(Discovery::new(start)),
            primary: Pacer::new(setup.catch_up),
            secondary: Pacer::new(setup.catch_up),
            first_data: start,
            last_probe: start,
            rtt,
            backed_off: start,
            latest_rtt: None,
            sample: None,
            data_size,
            measured: false,
            stopped: false,
            counters: ConsumerCounters::default(),
        }
    }

    pub(crate) fn handle(&mut self, now: Time, packet: &Packet<C::Name>) {
        self.now = now;
        self.sample = None;
        match packet {
            Packet::Data(data) => self.on_data(data),
            Packet::Nack(nack) => self.on_nack(nack),
            Packet::Interest(_) => self.counters.unsolicited += 1,
        }
        // A new RTT sample may have shortened the timeout, so that Interests are overdue now.
        self.expire_segments();
        self.update_gaps();
    }

    fn on_data(&mut self, data: &Data<C::Name>) {
        let arrival = self
            .content
            .segment(&data.name)
            .map_or(Arrival::Unsolicited, |segment| self.segments.on_data(segment));
        let slot = match arrival {
            Arrival::New(slot) => {
                if !slot.timed_out {
                    self.on_round_trip(self.now.since(slot.sent_at));
                }
                *self.counters.data.of_mut(slot.class) += 1;
                self.counters.goodput += data.size;
                Some(slot)
            }
            Arrival::Duplicate => {
                self.counters.duplicates += 1;
                None
            }
            Arrival::Unsolicited => return self.counters.unsolicited += 1,
        };
        let size = data.size.get() as f64;
        self.data_size =
            if self.measured { self.data_size + (size - self.data_size) * SIZE_GAIN } else { size };
        self.measured = true;
        let (id, hint) = if !self.settings.multipath {
            (0, Hint::None)
        } else if self.setup.form == HintForm::Hashes {
            (data.route.id, Hint::Hash(data.route.id))
        } else {
            (data.route.id, data.route.hint)
        };
        let subflow = self.subflows.on_data(self.now, id, hint, data.rates, data.route.limit);
        if let Some(slot) = slot {
            *subflow.received.of_mut(slot.class) += data.size;
        }
        if let Some(discovery) = self.discovery.take() {
            self.first_data = self.now;
            for segment in discovery.sent {
                self.segments.start_timer(segment);
            }
        }
    }

    fn on_round_trip(&mut self, rtt: Span) {
        self.rtt.sample(rtt, 0, 0);
        self.waits = Waits::new(&self.rtt, self.settings.hold);
        self.latest_rtt = Some(rtt);
        self.sample = Some(rtt);
    }

    fn on_nack(&mut self, nack: &Nack<C::Name>) {
        let segment = self.content.segment(&nack.interest.name);
        let known = segment.and_then(|segment| {
            Some((segment, self.segments.in_flight_as(segment, nack.interest.nonce)?))
        });
        let Some((segment, slot)) = known else {
            return self.counters.unsolicited += 1;
        };
        self.counters.nacks.count(nack.reason);
        self.segments.fail(segment);
        match (nack.reason, slot.path) {
            (NackReason::InvalidLabel, Some(path)) => {
                self.subflows.remove(path);
                self.discover();
            }
            (reason, path) => self.subflows.on_nack(
                path,
                nack.rates,
                nack.route.limit,
                reason == NackReason::Congestion,
            ),
        }
        let rate = nack.rates.primary;
        if let Some(discovery) =
            self.discovery.as_mut().filter(|discovery| discovery.sent.contains(&segment))
        {
            discovery.sent.retain(|sent| *sent != segment);
            if discovery.sent.is_empty() {
                discovery.more = 0;
            }
            if nack.reason == NackReason::Congestion && rate < Rates::UNLIMITED.primary {
                discovery.at = discovery.at.min(self.now + gap_at(rate, self.data_size));
            }
        }
    }

    /// Starts path discovery if no path is known.
    fn discover(&mut self) {
        if self.subflows.all().is_empty() && self.discovery.is_none() {
            self.discovery = Some(Discovery::new(self.now));
        }
    }

    pub(crate) fn poll(&mut self, now: Time) {
        self.now = now;
        self.expire_segments();
        if let Some(discovery) = self.discovery.as_mut().filter(|discovery| discovery.at <= now) {
            discovery.more = 0;
            for segment in discovery.sent.drain(..) {
                self.counters.timeouts += u64::from(self.segments.time_out(segment));
            }
        }
        if self.subflows.expire(now, self.waits.path) {
            self.update_gaps();
        }
        self.discover();
    }

    /// Expires Interests that wait for longer than the timeout, and doubles the timeout until the
    /// next RTT sample (RFC 6298, sections 5.5 to 5.7). Without this back-off an RTT that has grown
    /// beyond the timeout would never be measured: a segment that timed out gives no sample.
    fn expire_segments(&mut self) {
        while let Some(sent) = self.segments.expire(self.now, self.waits.timeout) {
            self.counters.timeouts += 1;
            if sent >= self.backed_off {
                self.backed_off = self.now;
                self.rtt.back_off();
                self.waits = Waits::new(&self.rtt, self.settings.hold);
            }
        }
    }

    pub(crate) fn due(&self) -> Option<Time> {
        if self.stopped || self.finished() {
            return None;
        }
        let mut due = self.segments.due(self.waits.timeout).min(self.subflows.due(self.waits.path));
        if let Some(discovery) = &self.discovery {
            if !discovery.sent.is_empty() || self.segments.has_next() {
                due = due.min(discovery.at);
            }
        } else if self.segments.has_next() {
            due = due
                .min(self.next_departure(Class::Primary))
                .min(self.next_departure(Class::Secondary));
        }
        (due != Time::NEVER).then_some(due)
    }

    fn update_gaps(&mut self) {
        let before = self.gaps.of(Class::Secondary);
        self.gaps.update(self.subflows.rates(), self.data_size);
        // The pacer restarts when the secondary rate rises from zero: the time without a rate must
        // not count as waiting time. Otherwise each such rise would send an Interest at once.
        if before == Span::MAX && self.gaps.of(Class::Secondary) < Span::MAX {
            self.secondary.restart(self.now);
        }
    }

    pub(crate) fn stop(&mut self) {
        self.stopped = true;
    }

    pub(crate) fn finished(&self) -> bool {
        self.segments.complete()
    }

    pub(crate) fn counters(&self) -> ConsumerCounters {
        self.counters
    }

    pub(crate) fn rates(&self) -> (Rate, Rate) {
        let ByClass { primary, secondary } = self.subflows.rates();
        (primary, if self.secondary_start() <= self.now { secondary } else { Rate::ZERO })
    }

    pub(crate) fn srtt(&self) -> Span {
        self.waits.srtt
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.segments.in_flight()
    }

    pub(crate) fn latest_rtt(&self) -> Option<Span> {
        self.latest_rtt
    }

    pub(crate) fn subflows(&self) -> &[Subflow] {
        self.subflows.all()
    }

    pub(crate) fn take_rtt(&mut self) -> Option<Span> {
        self.sample.take()
    }
}
