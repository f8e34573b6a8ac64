//! The consumer driven by a congestion controller.

use super::counters::{ConsumerCounters, ConsumerSetup};
use super::error::{ConsumerError, OFFERS};
use super::subflows::Subflow;
use crate::name::Content;
use crate::packet::{Class, Data, Interest, Nack, NackReason, Packet};
use crate::route::Steer;
use narrows_control::{Choice, Fault, Setup};
use narrows_transport::{AckFormat, Answer, Sender, Signals, Transport};
use narrows_units::{Bytes, Random, Rate, Segments, Span, Time};
use std::collections::VecDeque;

/// The longest timeout to which losses double it.
const LONGEST_TIMEOUT: Span = Span::from_secs(2);

/// Requests segments as a window and a pacing rate allow. Data acknowledges an Interest. A
/// congestion Nack is a loss, and so is an Interest overtaken by three later ones, or for longer
/// than 9/8 of a round trip (RFC 9002, section 6.1). After a probe timeout the consumer sends a
/// probe (section 6.2). It steers no Interests.
pub(crate) struct WindowConsumer<C: Content> {
    setup: ConsumerSetup,
    content: C,
    random: Random,
    now: Time,
    sender: Sender,
    segments: Option<u64>,
    /// First segment not received.
    base: u64,
    /// From `base` on: the latest Interest for each segment, `None` once Data has arrived.
    outstanding: VecDeque<Option<Outstanding>>,
    /// After a congestion Nack no Interest leaves before this time.
    held_until: Time,
    sample: Option<Span>,
    stopped: bool,
    counters: ConsumerCounters,
}

#[derive(Clone, Copy, Debug)]
struct Outstanding {
    packet: u64,
    nonce: u32,
    retransmission: bool,
}

impl<C: Content> WindowConsumer<C> {
    pub(crate) fn new(
        choice: &Choice,
        setup: &ConsumerSetup,
        content: C,
        segments: Option<u64>,
        start: Time,
    ) -> Result<WindowConsumer<C>, ConsumerError> {
        let needs = choice.needs();
        if let Some(need) = needs.iter().find(|need| !OFFERS.contains(need)) {
            let controller = choice.entry().name().to_owned();
            return Err(ConsumerError::Needs { controller, need: *need });
        }
        let transport = Transport {
            mss: setup.data,
            headers: Bytes::ZERO,
            handshake: false,
            acks: AckFormat::Numbered,
            receive_window: Some(setup.data * super::segments::MOST),
            max_rto: LONGEST_TIMEOUT,
            ..Transport::default()
        };
        let controller = choice.build(&Setup {
            mss: transport.mss,
            headers: transport.headers,
            initial_window: Segments::new(f64::from(transport.initial_window)),
            seed: setup.seed,
            saved: None,
        })?;
        let mut sender = Sender::new(transport, controller, Signals::of(&needs));
        sender.write(segments.unwrap_or(u64::MAX));
        Ok(WindowConsumer {
            setup: *setup,
            content,
            random: Random::stream(setup.seed, "consumer"),
            now: start,
            sender,
            segments,
            base: 0,
            outstanding: VecDeque::new(),
            held_until: start,
            sample: None,
            stopped: false,
            counters: ConsumerCounters::default(),
        })
    }

    pub(crate) fn handle(&mut self, now: Time, packet: &Packet<C::Name>) {
        self.now = now;
        self.sample = None;
        match packet {
            Packet::Data(data) => self.on_data(data),
            Packet::Nack(nack) => self.on_nack(nack),
            Packet::Interest(_) => self.counters.unsolicited += 1,
        }
    }

    fn outstanding(&mut self, name: &C::Name) -> Option<(u64, &mut Option<Outstanding>)> {
        let segment = self.content.segment(name)?;
        let outstanding =
            self.outstanding.get_mut(usize::try_from(segment.checked_sub(self.base)?).ok()?)?;
        Some((segment, outstanding))
    }

    fn on_data(&mut self, data: &Data<C::Name>) {
        let received = self.content.segment(&data.name).is_some_and(|segment| segment < self.base);
        let Some((segment, outstanding)) = self.outstanding(&data.name) else {
            let counter = if received {
                &mut self.counters.duplicates
            } else {
                &mut self.counters.unsolicited
            };
            *counter += 1;
            return;
        };
        let Some(Outstanding { packet, retransmission, .. }) = outstanding.take() else {
            self.counters.duplicates += 1;
            return;
        };
        while self.outstanding.front().is_some_and(Option::is_none) {
            self.outstanding.pop_front();
            self.base += 1;
        }
        self.counters.data.primary += 1;
        self.counters.goodput += data.size;
        self.sample = self.sender.on_answer(
            self.now,
            &Answer { packet, segment, ambiguous: retransmission, marked: data.marked },
        );
        if self.finished() {
            self.sender.close(self.now);
        }
    }

    fn on_nack(&mut self, nack: &Nack<C::Name>) {
        let nonce = nack.interest.nonce;
        let known = self
            .outstanding(&nack.interest.name)
            .and_then(|(_, latest)| (*latest).filter(|latest| latest.nonce == nonce));
        let Some(nacked) = known else {
            self.counters.unsolicited += 1;
            return;
        };
        self.counters.nacks.count(nack.reason);
        if nack.reason == NackReason::Congestion {
            self.sender.on_nack(self.now, nacked.packet);
            // Wait for one gap between Interests, or a node that answers with a Nack at once would
            // get retransmissions without end.
            let round =
                if self.srtt().is_zero() { self.sender.rtt().timeout() } else { self.srtt() };
            let abreast =
                (self.sender.effective_window() as u64).min(u64::from(self.sender.in_flight()) + 1);
            self.held_until = self.now + round / abreast.max(1);
        }
    }

    pub(crate) fn poll(&mut self, now: Time) {
        self.now = now;
        if self.sender.next_timer().is_some_and(|timer| timer <= now) {
            self.sender.on_timer(now);
        }
    }

    pub(crate) fn due(&self) -> Option<Time> {
        if let Some((at, _)) = self.fault() {
            return Some(at);
        }
        if self.stopped || self.finished() {
            return None;
        }
        let ready = self.sender.ready_at(self.now).map(|ready| ready.max(self.held_until));
        ready.into_iter().chain(self.sender.next_timer()).min()
    }

    pub(crate) fn interest(&mut self) -> Option<Interest<C::Name>> {
        if self.stopped || self.finished() || self.held_until > self.now {
            return None;
        }
        let (segment, _) = self.sender.transmit(self.now).ok()?;
        let packet = self.sender.counters().sent - 1;
        let latest = Outstanding {
            packet,
            nonce: self.random.bits() as u32,
            retransmission: segment.retransmission,
        };
        match (segment.number - self.base) as usize {
            new if new == self.outstanding.len() => self.outstanding.push_back(Some(latest)),
            known => self.outstanding[known] = Some(latest),
        }
        self.counters.interests.primary += 1;
        self.counters.retransmissions += u64::from(segment.retransmission);
        Some(Interest {
            name: self.content.name(segment.number),
            can_be_prefix: false,
            must_be_fresh: false,
            nonce: latest.nonce,
            lifetime: self.setup.lifetime,
            hop_limit: u8::MAX,
            class: Class::Primary,
            srtt: self.srtt(),
            steer: Steer::default(),
            size: self.setup.interest,
            via: None,
            token: Default::default(),
            body: Default::default(),
        })
    }

    pub(crate) fn fault(&self) -> Option<(Time, &Fault)> {
        self.sender.fault()
    }

    pub(crate) fn stop(&mut self) {
        self.stopped = true;
    }

    pub(crate) fn finished(&self) -> bool {
        self.segments.is_some_and(|segments| self.base >= segments)
    }

    pub(crate) fn counters(&self) -> ConsumerCounters {
        ConsumerCounters { timeouts: self.sender.counters().timeouts, ..self.counters }
    }

    /// The pacing rate, or the window over the round trip.
    pub(crate) fn rates(&self) -> (Rate, Rate) {
        let window = self.setup.data.get() as f64 * self.sender.effective_window();
        let round = self.srtt().as_secs_f64();
        let rate = if round > 0.0 { Rate::from_bytes_per_sec(window / round) } else { Rate::ZERO };
        (self.sender.pacing().unwrap_or(rate), Rate::ZERO)
    }

    pub(crate) fn srtt(&self) -> Span {
        self.sender.rtt().srtt()
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.sender.in_flight() as usize
    }

    pub(crate) fn latest_rtt(&self) -> Option<Span> {
        self.sender.latest_rtt()
    }

    pub(crate) fn subflows(&self) -> &[Subflow] {
        &[]
    }

    pub(crate) fn take_rtt(&mut self) -> Option<Span> {
        self.sample.take()
    }
}
