//! A link: loss, queue, transmitter and propagation, in this order.

mod change;
mod config;
mod far_end;
mod loss;
mod packet;
mod probe;
mod rate_source;
mod service;
mod trace;
mod work;

pub use change::LinkChange;
pub use config::LinkConfig;
pub use far_end::{Delivery, Jitter, JitterDist, Reorder};
pub use loss::LossModel;
pub use packet::Packet;
pub use probe::LinkProbe;
pub use rate_source::RateSource;
pub use trace::{Trace, TraceError};

use crate::{AnyDiscipline, Discipline, DisciplineSetup, DropReason, Fate, Limit, Verdicts};
use far_end::FarEnd;
use loss::LossProcess;
use narrows_measure::{Histogram, LinkCounters};
use narrows_units::{Bytes, Random, Span, Time};
use service::Server;
use std::collections::VecDeque;

/// How a link handles its queue.
#[derive(Clone, Debug)]
pub enum Form<P> {
    /// A FIFO whose departures are known at arrival: one event per hop.
    Ahead(Limit),
    /// A discipline that chooses when the transmitter becomes free: two events per hop.
    AtDequeue(Box<Chosen<P>>),
}

/// A discipline that chooses at dequeue, and what it has done that nobody has asked for yet.
#[derive(Clone, Debug)]
pub struct Chosen<P> {
    discipline: AnyDiscipline<P>,
    verdicts: Verdicts<P>,
    /// Of the packets dropped, those that are counted.
    counted: usize,
}

impl<P: Packet> Form<P> {
    /// The form of the discipline that `config` names.
    fn new(config: &LinkConfig, origin: &Origin) -> Form<P> {
        let Some(choice) = &config.queue else { return Form::Ahead(config.limit) };
        let setup = DisciplineSetup { limit: config.limit, rate: config.rate.mean(), delay: config.delay, random: origin.stream("queue") };
        Form::at_dequeue(AnyDiscipline::new(choice, &setup))
    }

    /// A discipline that chooses at dequeue.
    pub fn at_dequeue(discipline: AnyDiscipline<P>) -> Form<P> {
        Form::AtDequeue(Box::new(Chosen { discipline, verdicts: Verdicts::default(), counted: 0 }))
    }
}

impl<P: Packet> Chosen<P> {
    /// Adds to `counters` what the discipline did since the last time.
    fn count(&mut self, counters: &mut LinkCounters) {
        counters.marked += std::mem::take(&mut self.verdicts.marked);
        for (_, why) in self.verdicts.dropped.range(self.counted..) {
            count_drop(counters, *why);
        }
        self.counted = self.verdicts.dropped.len();
    }
}

fn count_drop(counters: &mut LinkCounters, why: DropReason) {
    match why {
        DropReason::Loss => counters.lost += 1,
        DropReason::Full => counters.overflowed += 1,
        DropReason::Early => counters.dropped_early += 1,
    }
}

/// A link in one direction.
///
/// [`offer`](Link::offer) packets to it in time order; [`due`](Link::due) says when to call [`pop`](Link::pop) for those that have arrived at the far end. All
/// times it gives are ideal: they do not depend on when it is looked at. A discipline may drop packets that it has accepted: after each of these calls
/// [`take_dropped`](Link::take_dropped) hands them over.
#[derive(Clone, Debug)]
pub struct Link<P> {
    server: Server,
    delay: Span,
    loss: Option<Box<LossProcess>>,
    form: Form<P>,
    /// Packets given to the transmitter and not yet departed: in service, and in the form `Ahead` those waiting behind it.
    pending: VecDeque<Pending>,
    pending_bytes: u64,
    /// Packets given to the transmitter and not yet arrived at the far end, with their arrival.
    wire: VecDeque<Crossing<P>>,
    latest_arrival: Time,
    far_end: Option<Box<FarEnd<P>>>,
    counters: LinkCounters,
    queueing: Histogram,
    origin: Box<Origin>,
}

/// What fixes the random draws of a link.
#[derive(Clone, Debug)]
struct Origin {
    seed: u64,
    name: String,
}

impl Origin {
    fn stream(&self, what: &str) -> Random {
        Random::stream(self.seed, &format!("link {} {what}", self.name))
    }
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    arrived: Time,
    departure: Time,
    size: u64,
}

/// A packet on its way to the far end.
#[derive(Clone, Debug)]
struct Crossing<P> {
    packet: P,
    arrival: Time,
}

impl<P: Packet> Link<P> {
    /// An empty link. `seed` and `name` fix its random draws.
    pub fn new(config: &LinkConfig, seed: u64, name: &str) -> Link<P> {
        let origin = Origin { seed, name: name.to_owned() };
        Link::with_origin(config, Form::new(config, &origin), origin)
    }

    /// A link with any queue; the form replaces `config.limit` and `config.queue`.
    pub fn with_form(config: &LinkConfig, form: Form<P>, seed: u64, name: &str) -> Link<P> {
        Link::with_origin(config, form, Origin { seed, name: name.to_owned() })
    }

    fn with_origin(config: &LinkConfig, form: Form<P>, origin: Origin) -> Link<P> {
        Link {
            server: Server::new(config.rate.clone()),
            delay: config.delay,
            loss: (config.loss != LossModel::None).then(|| Box::new(LossProcess::new(config.loss, origin.stream("loss")))),
            form,
            pending: VecDeque::new(),
            pending_bytes: 0,
            wire: VecDeque::new(),
            latest_arrival: Time::ZERO,
            far_end: (!config.delivery.is_plain()).then(|| Box::new(FarEnd::new(config.delivery, |what| origin.stream(what)))),
            counters: LinkCounters::default(),
            queueing: Histogram::new(),
            origin: Box::new(origin),
        }
    }

    /// A packet arrives at the near end at `at`. Calls come in time order.
    #[inline]
    pub fn offer(&mut self, at: Time, packet: P) -> Fate {
        self.settle(at);
        self.counters.offered += 1;
        if let Some(loss) = &mut self.loss
            && loss.loses()
        {
            self.counters.lost += 1;
            return Fate::Dropped(DropReason::Loss);
        }
        match &mut self.form {
            Form::Ahead(limit) => {
                let in_service = self.pending.front().map_or(0, |first| first.size);
                let waiting = self.pending.len().saturating_sub(1);
                if !limit.admits(Bytes::new(self.pending_bytes - in_service), waiting, packet.size()) {
                    self.counters.overflowed += 1;
                    return Fate::Dropped(DropReason::Full);
                }
                self.transmit(at, packet);
                Fate::Queued
            }
            Form::AtDequeue(_) => self.enqueue(at, packet),
        }
    }

    /// Offers a packet to the discipline.
    #[inline(never)]
    fn enqueue(&mut self, at: Time, packet: P) -> Fate {
        let Form::AtDequeue(chosen) = &mut self.form else { unreachable!("a link without a discipline") };
        let fate = chosen.discipline.enqueue(at, packet, &mut chosen.verdicts);
        chosen.count(&mut self.counters);
        match fate {
            Fate::Queued => {}
            Fate::Marked => self.counters.marked += 1,
            Fate::Dropped(why) => count_drop(&mut self.counters, why),
        }
        if self.pending.is_empty() {
            self.transmit_next(at);
        }
        fate
    }

    /// When it next needs a look: the earliest arrival at the far end, or the end of a transmission behind which the discipline must choose. `None` if nothing is
    /// under way, or only what an outage holds up.
    #[inline]
    pub fn due(&self) -> Option<Time> {
        let arrival = self.wire.front().map_or(Time::NEVER, |first| first.arrival);
        let look = match (&self.form, &self.far_end) {
            (Form::Ahead(_), None) => arrival,
            _ => self.next_look(arrival),
        };
        (look != Time::NEVER).then_some(look)
    }

    /// The same where there is more to look for than the next `arrival`.
    #[inline(never)]
    fn next_look(&self, arrival: Time) -> Time {
        let held = self.far_end.as_ref().and_then(|far_end| far_end.due()).unwrap_or(Time::NEVER);
        let choice = match &self.form {
            Form::AtDequeue(chosen) if chosen.discipline.backlog().packets() > 0 => {
                self.pending.front().map_or(Time::NEVER, |first| first.departure)
            }
            _ => Time::NEVER,
        };
        arrival.min(held).min(choice)
    }

    /// The next packet that has arrived at the far end by `now`, with its ideal arrival time.
    #[inline]
    pub fn pop(&mut self, now: Time) -> Option<(Time, P)> {
        self.settle(now);
        let popped = match &mut self.far_end {
            None => pop_arrived(&mut self.wire, now),
            Some(far_end) => {
                while let Some((arrival, packet)) = pop_arrived(&mut self.wire, now) {
                    far_end.take(arrival, packet);
                }
                far_end.pop(now)
            }
        };
        self.counters.delivered += popped.is_some() as u64;
        popped
    }

    /// Applies, in order, every departure up to `t`, and in the form `AtDequeue` the choices that follow them.
    #[inline]
    pub fn settle(&mut self, t: Time) {
        while let Some(first) = self.pending.front() {
            if first.departure > t {
                break;
            }
            let (departure, size) = (first.departure, first.size);
            self.pending.pop_front();
            self.pending_bytes -= size;
            self.counters.departed += 1;
            self.counters.departed_bytes += Bytes::new(size);
            if let Form::AtDequeue(_) = self.form {
                self.transmit_next(departure);
            } else if let Some(next) = self.pending.front() {
                self.queueing.record(departure.since(next.arrived));
            }
        }
    }

    #[inline(never)]
    fn transmit_next(&mut self, now: Time) {
        if let Form::AtDequeue(chosen) = &mut self.form {
            let next = chosen.discipline.dequeue(now, &mut chosen.verdicts);
            chosen.count(&mut self.counters);
            if let Some(queued) = next {
                self.transmit(queued.at, queued.packet);
            }
        }
    }

    /// A packet that was accepted and that the discipline has dropped since.
    #[inline]
    pub fn take_dropped(&mut self) -> Option<(P, DropReason)> {
        let Form::AtDequeue(chosen) = &mut self.form else { return None };
        let dropped = chosen.verdicts.dropped.pop_front()?;
        chosen.counted -= 1;
        Some(dropped)
    }

    /// Gives the transmitter the next packet, which came at `arrived`.
    #[inline]
    fn transmit(&mut self, arrived: Time, packet: P) {
        let size = packet.size();
        let (start, departure) = self.server.serve(arrived, size);
        if self.pending.is_empty() {
            self.queueing.record(start.since(arrived));
        }
        self.latest_arrival = self.latest_arrival.max(departure + self.delay);
        self.pending_bytes += size.get();
        self.pending.push_back(Pending { arrived, departure, size: size.get() });
        self.wire.push_back(Crossing { packet, arrival: self.latest_arrival });
    }

    /// Bytes and packets waiting, the packet in transmission not counted. Call [`settle`](Link::settle) first.
    pub fn waiting(&self) -> (Bytes, u64) {
        match &self.form {
            Form::Ahead(_) => {
                let in_service = self.pending.front().map_or(0, |first| first.size);
                (Bytes::new(self.pending_bytes - in_service), self.pending.len().saturating_sub(1) as u64)
            }
            Form::AtDequeue(chosen) => {
                let backlog = chosen.discipline.backlog();
                (backlog.bytes(), backlog.packets() as u64)
            }
        }
    }

    /// Packets that have not departed: waiting or in transmission. Call [`settle`](Link::settle) first.
    pub fn not_departed(&self) -> u64 {
        match &self.form {
            Form::Ahead(_) => self.pending.len() as u64,
            Form::AtDequeue(chosen) => (chosen.discipline.backlog().packets() + self.pending.len()) as u64,
        }
    }

    /// Packets that have departed and not arrived at the far end. Call [`settle`](Link::settle) first.
    pub fn propagating(&self) -> u64 {
        let held = self.far_end.as_ref().map_or(0, |far_end| far_end.held());
        (self.wire.len() + held - self.pending.len()) as u64
    }

    /// What the link could have sent from the start up to `until`; `None` if unlimited.
    pub fn capacity(&self, until: Time) -> Option<Bytes> {
        self.server.capacity(until)
    }

    /// Wire bytes sent from the start up to `t`, the part of the packet in transmission included: never more than [`capacity`](Link::capacity). Call
    /// [`settle`](Link::settle) with the same `t` first.
    pub fn transmitted(&self, t: Time) -> Bytes {
        let part = self.pending.front().map_or(0, |first| first.size - self.server.bytes_left(t, self.left(t)));
        self.counters.departed_bytes + Bytes::new(part)
    }

    /// Work left at `t` of the packet in transmission.
    fn left(&self, t: Time) -> u128 {
        self.pending.front().map_or(0, |first| self.server.left(t, first.departure, self.pending_bytes - first.size))
    }

    /// Counts since the start, up to the latest [`settle`](Link::settle).
    pub fn counters(&self) -> &LinkCounters {
        &self.counters
    }

    /// Queueing delays of packets since the start or the latest [`forget_delays`](Link::forget_delays).
    pub fn queueing(&self) -> &Histogram {
        &self.queueing
    }

    /// Begins the histogram of queueing delays anew.
    pub fn forget_delays(&mut self) {
        self.queueing = Histogram::new();
    }
}

/// The first packet, if it has arrived by `now`.
#[inline]
fn pop_arrived<P>(wire: &mut VecDeque<Crossing<P>>, now: Time) -> Option<(Time, P)> {
    if wire.front()?.arrival > now {
        return None;
    }
    wire.pop_front().map(|Crossing { packet, arrival }| (arrival, packet))
}
