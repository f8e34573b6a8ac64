//! A link: loss, queue, transmitter and propagation, in this order.

mod change;
mod config;
mod crossing;
mod ecn;
mod far_end;
mod form;
mod loss;
mod origin;
mod packet;
mod probe;
mod rate_source;
mod service;
mod steps;
mod trace;
mod transmissions;

pub use change::LinkChange;
pub use config::LinkConfig;
pub use ecn::EcnField;
pub use far_end::{Delivery, Jitter, JitterDist, Reorder};
pub use form::Form;
pub use loss::LossModel;
pub use packet::Packet;
pub use probe::LinkProbe;
pub use rate_source::RateSource;
pub use steps::Steps;
pub use trace::{Trace, TraceError};

use crate::{Discipline, DropReason, Fate, Limit};
use crossing::{Crossing, pop_arrived};
use far_end::FarEnd;
use form::count_drop;
use loss::LossProcess;
use narrows_measure::{Histogram, LinkCounters};
use narrows_units::{Bytes, Rate, Span, Time, TimeOrder};
use origin::Origin;
use service::Server;
use std::collections::VecDeque;
use transmissions::Transmissions;

/// A link in one direction.
///
/// [`offer`](Link::offer) packets to it in time order; [`due`](Link::due) says when to call
/// [`pop`](Link::pop) for those that have arrived at the far end. All times it returns are exact:
/// they do not depend on when the caller polls it. A discipline may drop packets that it has
/// accepted: after each of these calls [`take_dropped`](Link::take_dropped) returns them.
///
/// The fields that every packet reads or writes come first, so that they share cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Link<P> {
    delay: Span,
    latest_arrival: Time,
    server: Server,
    form: Form<P>,
    loss: Option<Box<LossProcess>>,
    far_end: Option<Box<FarEnd<P>>>,
    /// The cached result of [`Form::is_passable`]: the departure of a packet that finds the
    /// transmitter free is known at once.
    passable: bool,
    /// The form is [`Form::AtDequeue`]. It is beside what the end of a crossing looks at.
    chooses: bool,
    /// Packets that have come to the far end.
    delivered: u64,
    /// Packets given to the transmitter and not yet arrived at the far end, with their arrival.
    wire: VecDeque<Crossing<P>>,
    /// All departures up to this time have been processed by [`Link::settle`].
    settled: Time,
    /// Packets given to the transmitter and not yet departed: in service, and in the form `Ahead`
    /// those waiting behind it.
    transmissions: Transmissions,
    /// Arrival times at the far end of packets that the caller keeps (see [`Link::pass`]).
    passing: VecDeque<Time>,
    counters: LinkCounters,
    origin: Box<Origin>,
    /// Checks that packets are offered in time order.
    order: TimeOrder,
}

impl<P: Packet> Link<P> {
    /// An empty link. `seed` and `name` fix its random draws.
    pub fn new(config: &LinkConfig, seed: u64, name: &str) -> Link<P> {
        let origin = Origin { seed, name: name.to_owned(), burst_rate: config.delivery.burst_rate };
        Link::with_origin(config, Form::new(config, &origin), origin)
    }

    /// A link with any queue; the form replaces `config.limit` and `config.queue`.
    pub fn with_form(config: &LinkConfig, form: Form<P>, seed: u64, name: &str) -> Link<P> {
        Link::with_origin(
            config,
            form,
            Origin { seed, name: name.to_owned(), burst_rate: config.delivery.burst_rate },
        )
    }

    fn with_origin(config: &LinkConfig, form: Form<P>, origin: Origin) -> Link<P> {
        Link {
            server: Server::new(config.rate.clone()),
            delay: config.delay,
            latest_arrival: Time::ZERO,
            loss: (config.loss != LossModel::None)
                .then(|| Box::new(LossProcess::new(config.loss, origin.stream("loss")))),
            passable: form.is_passable(),
            chooses: matches!(form, Form::AtDequeue(_)),
            form,
            transmissions: Transmissions::default(),
            wire: VecDeque::new(),
            passing: VecDeque::new(),
            far_end: (!config.delivery.is_plain())
                .then(|| Box::new(FarEnd::new(config.delivery, |what| origin.stream(what)))),
            settled: Time::ZERO,
            delivered: 0,
            counters: LinkCounters::default(),
            origin: Box::new(origin),
            order: TimeOrder::default(),
        }
    }

    /// True if the link can compute arrivals ahead of time. For a packet that arrives at the near
    /// end now or later, it then knows at once the arrival at the far end. This holds for a FIFO
    /// that has a constant rate or no rate limit, that has a transmission time or a delay, and that
    /// delivers packets without jitter, reordering, aggregation or change of the ECN field. While
    /// nothing changes such a link, packets may be [admitted](Link::admit) before they arrive.
    pub fn looks_ahead(&self) -> bool {
        let takes_time = self.server.is_limited() || !self.delay.is_zero();
        takes_time
            && matches!(self.form, Form::Ahead(_))
            && self.far_end.is_none()
            && self.server.looks_ahead()
    }

    /// A packet arrives at the near end at `at`. Calls come in time order.
    #[inline]
    pub fn offer(&mut self, at: Time, packet: P) -> Fate {
        self.order.call(at);
        if !self.knows_departure(at) {
            return self.enqueue(at, packet);
        }
        match self.admit(at, at, packet.size()) {
            Ok(arrival) => {
                self.carry(arrival, packet);
                Fate::Queued
            }
            Err(why) => Fate::Dropped(why),
        }
    }

    /// True if the departure of a packet that arrives at `at` is known at once: always of a FIFO,
    /// and of a link with a discipline if the packet finds the transmitter free and [may
    /// pass](Discipline::may_be_passed).
    #[inline]
    pub fn knows_departure(&self, at: Time) -> bool {
        matches!(self.form, Form::Ahead(_)) || self.passable && self.server.is_free(at)
    }

    /// Admits at `now` a packet that arrives at the near end at `at`. Call this only if the link
    /// [knows the departure](Link::knows_departure). `at` may be later than `now` only if the link
    /// [looks ahead](Link::looks_ahead). Returns when the packet arrives at the far end: call
    /// [`carry`](Link::carry) or [`pass`](Link::pass) with that time. If the packet is dropped and
    /// `at` is later than `now`, call [`drop_due`](Link::drop_due) at `at`.
    #[inline(always)]
    pub fn admit(&mut self, now: Time, at: Time, size: Bytes) -> Result<Time, DropReason> {
        if self.transmissions.is_full() {
            self.settle(now);
            self.transmissions.make_room();
        }
        if self.loses(at) {
            if let Form::AtDequeue(_) = self.form {
                self.counters.offered += 1;
            }
            return Err(self.refuse(now, at, DropReason::Loss));
        }
        if !self.fits(at, size) {
            return Err(self.refuse(now, at, DropReason::Full));
        }
        Ok(self.transmit(at, size))
    }

    /// A packet that arrives at `at` fits into the buffer, behind those that wait. Counts it as
    /// offered where that is counted.
    #[inline(always)]
    fn fits(&mut self, at: Time, size: Bytes) -> bool {
        match &self.form {
            Form::Ahead(Limit::None) => true,
            Form::Ahead(limit) => {
                let (bytes, packets) = self.transmissions.at_most_waiting();
                limit.admits(bytes, packets, size) || {
                    let (bytes, packets) = self.transmissions.waiting_at(at);
                    limit.admits(bytes, packets, size)
                }
            }
            Form::AtDequeue(chosen) => {
                self.counters.offered += 1;
                chosen.discipline.backlog().admits(size)
            }
        }
    }

    /// The loss model takes the next packet, which arrives at `at`.
    #[inline]
    fn loses(&mut self, at: Time) -> bool {
        self.loss.as_mut().is_some_and(|loss| loss.loses(at))
    }

    /// Keeps a packet until its `arrival` at the far end. True if it is the only one.
    #[inline]
    pub fn carry(&mut self, arrival: Time, packet: P) -> bool {
        self.wire.push_back(Crossing { packet, arrival });
        self.wire.len() == 1
    }

    /// Notes the `arrival` at the far end of a packet that the caller keeps until then.
    #[inline]
    pub fn pass(&mut self, arrival: Time) {
        self.passing.push_back(arrival);
    }

    /// Drops a packet that arrives at `at`. Counts the drop, unless `at` is later than `now`: then
    /// the caller counts it by [`drop_due`](Link::drop_due).
    #[cold]
    fn refuse(&mut self, now: Time, at: Time, why: DropReason) -> DropReason {
        if at <= now {
            self.drop_due(why);
        }
        why
    }

    /// Counts the drop of a packet. Call it at the time of the drop if the packet was admitted
    /// before it arrived.
    pub fn drop_due(&mut self, why: DropReason) {
        count_drop(&mut self.counters, why);
    }

    /// Offers a packet to the discipline.
    #[inline(never)]
    fn enqueue(&mut self, at: Time, packet: P) -> Fate {
        self.settle(at);
        self.counters.offered += 1;
        if self.loses(at) {
            count_drop(&mut self.counters, DropReason::Loss);
            return Fate::Dropped(DropReason::Loss);
        }
        let Form::AtDequeue(chosen) = &mut self.form else {
            unreachable!("a link without a discipline")
        };
        let fate = chosen.discipline.enqueue(at, packet, &mut chosen.verdicts);
        chosen.count(&mut self.counters);
        match fate {
            Fate::Queued => {}
            Fate::Marked => self.counters.marked += 1,
            Fate::Dropped(why) => count_drop(&mut self.counters, why),
        }
        if self.transmissions.is_empty() {
            self.transmit_next(at);
        }
        self.passable = self.form.is_passable();
        fate
    }

    /// When it next needs a look: the earliest arrival at the far end, or the end of a transmission
    /// behind which the discipline must choose. `None` if nothing is under way, or only what an
    /// outage holds up.
    #[inline]
    pub fn due(&self) -> Option<Time> {
        let arrival = self.wire.front().map_or(Time::NEVER, |first| first.arrival);
        let look =
            if self.passable && self.far_end.is_none() { arrival } else { self.next_look(arrival) };
        (look != Time::NEVER).then_some(look)
    }

    /// Slow path of [`due`](Link::due): links that reorder, or choose at dequeue.
    #[inline(never)]
    fn next_look(&self, arrival: Time) -> Time {
        let held = self.far_end.as_ref().and_then(|far_end| far_end.due()).unwrap_or(Time::NEVER);
        let choice = match &self.form {
            Form::AtDequeue(chosen) if chosen.discipline.backlog().packets() > 0 => {
                self.transmissions.first_departure().unwrap_or(Time::NEVER)
            }
            _ => Time::NEVER,
        };
        arrival.min(held).min(choice)
    }

    /// The packet that comes to the far end after so many `others`, if it is on its way already.
    #[inline]
    pub fn coming(&self, others: usize) -> Option<&P> {
        self.wire.get(others).map(|crossing| &crossing.packet)
    }

    /// The next packet that has arrived at the far end by `now`, with its ideal arrival time.
    #[inline]
    pub fn pop(&mut self, now: Time) -> Option<(Time, P)> {
        if !self.passable {
            self.settle(now);
        }
        // Both queues share one call of `pop_arrived`. With one call for each, the packet is
        // returned through memory, which costs 7 % of the time per packet.
        let crossed = match &mut self.far_end {
            None => &mut self.wire,
            Some(far_end) => far_end.ready(&mut self.wire, now),
        };
        let popped = pop_arrived(crossed, now);
        self.delivered += popped.is_some() as u64;
        popped
    }

    /// Applies, in order, every departure up to `t`, and in the form `AtDequeue` the choices that
    /// follow them.
    pub fn settle(&mut self, t: Time) {
        self.settled = t;
        while let Some(departure) = self.transmissions.depart(t)
            && let Form::AtDequeue(_) = self.form
        {
            self.transmit_next(departure);
        }
        while self.passing.front().is_some_and(|arrival| *arrival <= t) {
            self.passing.pop_front();
            self.delivered += 1;
        }
    }

    #[inline(never)]
    fn transmit_next(&mut self, now: Time) {
        if let Form::AtDequeue(chosen) = &mut self.form {
            let next = chosen.discipline.dequeue(now, &mut chosen.verdicts);
            chosen.count(&mut self.counters);
            if let Some(queued) = next {
                let arrival = self.transmit(queued.at, queued.packet.size());
                self.wire.push_back(Crossing { packet: queued.packet, arrival });
            }
            self.passable = self.form.is_passable();
        }
    }

    /// A packet that was accepted and that the discipline has dropped since.
    #[inline]
    pub fn take_dropped(&mut self) -> Option<(P, DropReason)> {
        if !self.chooses {
            return None;
        }
        let Form::AtDequeue(chosen) = &mut self.form else { return None };
        let dropped = chosen.verdicts.dropped.pop_front()?;
        chosen.counted -= 1;
        Some(dropped)
    }

    /// Gives the transmitter the next packet, which came at `arrived`. Returns when it arrives at
    /// the far end.
    #[inline(always)]
    fn transmit(&mut self, arrived: Time, size: Bytes) -> Time {
        let departure = self.server.serve(arrived, size);
        self.latest_arrival = self.latest_arrival.max(departure + self.delay);
        self.transmissions.push(arrived, departure, self.server.spare(), size.get());
        self.latest_arrival
    }

    /// Bytes and packets waiting, the packet in transmission not counted. Call
    /// [`settle`](Link::settle) first.
    pub fn waiting(&self) -> (Bytes, u64) {
        match &self.form {
            Form::Ahead(_) => {
                let (packets, bytes) = self.transmissions.present(self.settled);
                let in_service =
                    self.transmissions.in_service(self.settled).map_or(0, |first| first.size);
                (Bytes::new(bytes - in_service), packets.saturating_sub(1) as u64)
            }
            Form::AtDequeue(chosen) => {
                let backlog = chosen.discipline.backlog();
                (backlog.bytes(), backlog.packets() as u64)
            }
        }
    }

    /// Packets that have not departed: waiting or in transmission. Call [`settle`](Link::settle)
    /// first.
    pub fn not_departed(&self) -> u64 {
        let (transmitting, _) = self.transmissions.present(self.settled);
        match &self.form {
            Form::Ahead(_) => transmitting as u64,
            Form::AtDequeue(chosen) => {
                (chosen.discipline.backlog().packets() + transmitting) as u64
            }
        }
    }

    /// Packets that have departed and not arrived at the far end. Call [`settle`](Link::settle)
    /// first.
    pub fn propagating(&self) -> u64 {
        let held = self.far_end.as_ref().map_or(0, |far_end| far_end.held());
        (self.wire.len() + self.passing.len() + held - self.transmissions.len()) as u64
    }

    /// The rate at `now`, in an outage too; `None` if unlimited. A recorded rate counts by its mean
    /// over the `window` before `now`.
    pub fn rate(&self, now: Time, window: Span) -> Option<Rate> {
        self.server.rate(now, window)
    }

    /// The amount that the link could have sent from the start up to `until`; `None` if unlimited.
    pub fn capacity(&self, until: Time) -> Option<Bytes> {
        self.server.capacity(until)
    }

    /// Wire bytes sent from the start up to `t`, the part of the packet in transmission included:
    /// never more than [`capacity`](Link::capacity). Call [`settle`](Link::settle) with the same
    /// `t` first.
    pub fn transmitted(&self, t: Time) -> Bytes {
        let part = self
            .transmissions
            .in_service(t)
            .map_or(0, |first| first.size - self.server.bytes_left(t, self.left(t)));
        self.transmissions.departed_bytes() + Bytes::new(part)
    }

    /// Work left at `t` of the packet in transmission.
    fn left(&self, t: Time) -> u128 {
        self.transmissions.in_service(t).map_or(0, |first| self.server.left(t, &first))
    }

    /// Counts since the start, up to the latest [`settle`](Link::settle).
    pub fn counters(&self) -> LinkCounters {
        let departed = self.transmissions.departed;
        let departed_bytes = self.transmissions.departed_bytes();
        let offered = match self.form {
            Form::Ahead(_) => {
                departed + self.not_departed() + self.counters.lost + self.counters.overflowed
            }
            Form::AtDequeue(_) => self.counters.offered,
        };
        LinkCounters {
            offered,
            departed,
            departed_bytes,
            delivered: self.delivered,
            ..self.counters
        }
    }

    /// Queueing delays of packets since the start or the latest
    /// [`forget_delays`](Link::forget_delays), up to the latest [`settle`](Link::settle).
    pub fn queueing(&self) -> &Histogram {
        &self.transmissions.queueing
    }

    /// Begins the histogram of queueing delays anew.
    pub fn forget_delays(&mut self) {
        self.transmissions.queueing = Histogram::new();
    }
}
