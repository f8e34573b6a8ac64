//! XCP's router: tells each packet by how much its flow shall change its throughput.
//!
//! Sources: Katabi, Handley and Rohrs, SIGCOMM 2002 (the two controllers); draft-falk-xcp-spec and
//! ns-2 `xcp/xcpq.cc` (the same in terms of throughput, the timers, the persistent queue, several
//! routers on a path), which this follows.
//!
//! Deviations: a router starts its timers half an interval early to half an interval late,
//! uniformly, so that routers do not tick together; on a recorded rate the capacity is its mean.

#[cfg(test)]
mod tests;

use crate::queue::classes::{Class, Classes, Order};
use crate::{
    Backlog, Discipline, DisciplineEntry, DisciplineSetup, Fate, Packet, Queued, Verdicts,
};
use narrows_params::{Need, Param, Params};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Header;

/// The registry line.
pub(crate) static ENTRY: DisciplineEntry = DisciplineEntry {
    name: "xcp",
    summary: "XCP's router: an efficiency controller for all flows and a fairness controller between them; drops at a full buffer",
    source: "Katabi, Handley and Rohrs 2002; draft-falk-xcp-spec; ns-2 xcp/xcpq.cc",
    offers: &[Need::Delta],
    params: &[ALPHA.spec, BETA.spec, GAMMA.spec, LONGEST.spec, ACK_PRIORITY.spec],
};

const ALPHA: Param<f64> = Param::number(
    "alpha",
    0.4,
    (0.001, 1.0),
    "",
    "share of spare capacity granted per mean round trip; stable below pi/(4 sqrt 2)",
);
const BETA: Param<f64> = Param::number(
    "beta",
    0.226,
    (0.0, 1.0),
    "",
    "share of the persistent queue drained per mean round trip; alpha^2 sqrt 2 for stability",
);
const GAMMA: Param<f64> = Param::number(
    "gamma",
    0.1,
    (0.0, 1.0),
    "",
    "share of traffic shuffled between flows per mean round trip",
);

const LONGEST: Param<Span> = Param::millis(
    "longest",
    1000.0,
    (1.0, 60_000.0),
    "longest round trip and interval: longer round trips count as this",
);
const ACK_PRIORITY: Param<bool> = Param::choice(
    "ack_priority",
    "off",
    &[("off", false), ("on", true)],
    "packets without a header, such as acknowledgements, go first",
);

/// Before any round trip is known.
const FIRST_INTERVAL: Span = Span::from_millis(50);
const MIN_INTERVAL: Span = Span::from_millis(1);
const MIN_QUEUE_INTERVAL: Span = Span::from_millis(2);

/// A drop-tail queue under XCP.
#[derive(Clone, Debug)]
pub struct Xcp<P> {
    /// Acknowledgements are the packets without a header.
    queue: Classes<P>,
    router: Router,
}

impl<P> Xcp<P> {
    /// An empty queue.
    pub fn new(setup: &DisciplineSetup, params: &Params) -> Xcp<P> {
        let mut random = setup.random.clone();
        let mut phase = || FIRST_INTERVAL / 2 + random.span_below(FIRST_INTERVAL);
        let router = Router {
            alpha: params.get(&ALPHA),
            beta: params.get(&BETA),
            gamma: params.get(&GAMMA),
            longest: params.get(&LONGEST),
            capacity: setup.rate.map_or(0.0, Rate::bytes_per_sec),
            interval: ControlInterval::default(),
            interval_began: Time::ZERO,
            interval_ends: Time::ZERO + phase(),
            mean_rtt: FIRST_INTERVAL.as_secs_f64(),
            least_queue: Bytes::ZERO,
            persistent_queue: Bytes::ZERO,
            queue_interval_ends: Time::ZERO + phase(),
            positive: Share::default(),
            negative: Share::default(),
        };
        let order = if params.get(&ACK_PRIORITY) { Order::OthersFirst } else { Order::Arrival };
        Xcp { queue: Classes::new(setup.limit, order), router }
    }
}

impl<P: Packet> Discipline<P> for Xcp<P> {
    fn enqueue(&mut self, now: Time, mut packet: P, _verdicts: &mut Verdicts<P>) -> Fate {
        self.router.update(now, self.queue.bytes());
        let size = packet.size();
        let header = packet.header();
        let class = if header.is_some() { Class::Member } else { Class::Other };
        self.router.interval.arrive(size, header, self.router.longest);
        self.queue.offer(now, packet, class)
    }

    fn dequeue(&mut self, now: Time, _verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        self.router.update(now, self.queue.bytes());
        let mut queued = self.queue.pop()?;
        self.router.least_queue = self.router.least_queue.min(self.queue.bytes());
        let size = queued.packet.size();
        self.router.depart(size, queued.packet.header());
        Some(queued)
    }

    fn backlog(&self) -> &Backlog {
        self.queue.backlog()
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        self.queue.backlog_mut()
    }

    fn set_rate(&mut self, now: Time, rate: Option<Rate>) {
        self.router.update(now, self.queue.bytes());
        self.router.capacity = rate.map_or(0.0, Rate::bytes_per_sec);
    }
}

/// The two controllers. Throughputs are in bytes per second, times in seconds.
#[derive(Clone, Debug)]
struct Router {
    alpha: f64,
    beta: f64,
    gamma: f64,
    longest: Span,
    capacity: f64,
    /// The control interval: what has come since it began, and when it ends.
    interval: ControlInterval,
    interval_began: Time,
    interval_ends: Time,
    /// The mean round trip of the packets of the last interval.
    mean_rtt: f64,
    /// The shortest queue since the queue interval began, and over the last one.
    least_queue: Bytes,
    persistent_queue: Bytes,
    queue_interval_ends: Time,
    /// Throughput handed out, and throughput taken back.
    positive: Share,
    negative: Share,
}

/// The arrivals of a control interval.
#[derive(Clone, Copy, Debug, Default)]
struct ControlInterval {
    /// Bytes of all packets.
    input: f64,
    /// Over packets that carry a throughput: size over throughput, the time for which the packet
    /// stands in its flow; and that times the round trip.
    spacing: f64,
    rtt_spacing: f64,
}

/// One sign of the feedback.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Share {
    /// The rest of it for this interval.
    residue: f64,
    /// How much of it there is for each unit in which packets are weighed.
    per_unit: f64,
}

impl ControlInterval {
    /// A packet of `size` came. All count as input; what has no round trip and throughput to tell
    /// is weighed no further. Round trips beyond `longest` count as that.
    #[inline]
    fn arrive(&mut self, size: Bytes, header: Option<&mut Header>, longest: Span) {
        let size = size.get() as f64;
        self.input += size;
        if let Some(Header::Delta { rtt, throughput, .. }) = header
            && !rtt.is_zero()
            && *throughput > 0.0
        {
            let spacing = size / *throughput;
            self.spacing += spacing;
            self.rtt_spacing += spacing * (*rtt).min(longest).as_secs_f64();
        }
    }
}

impl Share {
    /// `residue` for packets that weigh `weight` together.
    fn new(residue: f64, weight: f64) -> Share {
        if weight > 0.0 { Share { residue, per_unit: residue / weight } } else { Share::default() }
    }

    /// The part of a packet of this weight.
    fn of(&self, weight: f64) -> f64 {
        (self.per_unit * weight).min(self.residue)
    }

    fn spend(&mut self, part: f64) {
        self.residue = (self.residue - part).max(0.0);
        if self.residue == 0.0 {
            self.per_unit = 0.0;
        }
    }
}

impl Router {
    /// Runs the timers that have expired up to `now`, in order. `queue` has been what waits since
    /// the last call.
    #[inline]
    fn update(&mut self, now: Time, queue: Bytes) {
        while self.queue_interval_ends.min(self.interval_ends) <= now {
            if self.queue_interval_ends <= self.interval_ends {
                self.end_queue_interval(queue);
            } else {
                self.end_interval();
            }
        }
    }

    /// The persistent queue: what has not drained for about half a round trip that is not queueing.
    fn end_queue_interval(&mut self, queue: Bytes) {
        self.persistent_queue = self.least_queue;
        self.least_queue = queue;
        let drain = if self.capacity > 0.0 { queue.get() as f64 / self.capacity } else { 0.0 };
        self.queue_interval_ends +=
            Span::from_secs_f64(((self.mean_rtt - drain) / 2.0).max(0.0)).max(MIN_QUEUE_INTERVAL);
    }

    /// Computes the throughput to hand out and to take back in the interval that begins.
    fn end_interval(&mut self) {
        let ControlInterval { input, spacing, rtt_spacing } = std::mem::take(&mut self.interval);
        let elapsed = self.interval_ends.since(self.interval_began).as_secs_f64();
        self.mean_rtt =
            if spacing > 0.0 { rtt_spacing / spacing } else { FIRST_INTERVAL.as_secs_f64() };
        let traffic = input / elapsed;
        let aggregate = self.alpha * (self.capacity - traffic)
            - self.beta * self.persistent_queue.get() as f64 / self.mean_rtt;
        let shuffled = (self.gamma * traffic - aggregate.abs()).max(0.0);
        self.positive = Share::new(aggregate.max(0.0) + shuffled, spacing);
        self.negative = Share::new((-aggregate).max(0.0) + shuffled, input);
        self.interval_began = self.interval_ends;
        self.interval_ends += Span::from_secs_f64(self.mean_rtt).max(MIN_INTERVAL);
    }

    /// A packet of `size` leaves: its flow gains in proportion to the time for which it stands, and
    /// loses in proportion to its size. A router before may have left it less: then it counts here
    /// as having lost the difference.
    #[inline]
    fn depart(&mut self, size: Bytes, header: Option<&mut Header>) {
        let Some(Header::Delta { rtt, throughput, delta }) = header else { return };
        if rtt.is_zero() || *throughput <= 0.0 {
            *delta = 0.0;
            return;
        }
        let size = size.get() as f64;
        let mut positive = self.positive.of(size / *throughput);
        let mut negative = self.negative.of(size);
        let feedback = positive - negative;
        if *delta >= feedback {
            *delta = feedback;
        } else {
            negative = (negative + feedback - *delta).min(self.negative.residue);
            positive = *delta + negative;
        }
        self.positive.spend(positive);
        self.negative.spend(negative);
    }
}
