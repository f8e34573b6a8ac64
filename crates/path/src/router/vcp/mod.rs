//! VCP's routers: measure the load over a fixed time and tell it in the two ECN bits of what
//! leaves.

mod flows;
mod integer;
mod kernel;
mod load;
mod target;
#[cfg(test)]
mod tests;
mod told;

use crate::queue::classes::{Class, Classes, Order};
use crate::queue::ticks::Ticks;
use crate::{
    Backlog, Discipline, DisciplineEntry, DisciplineSetup, DropReason, Fate, Packet, Queued,
    Verdicts,
};
use flows::Flows;
pub use kernel::{KernelRouterError, kernel_router};
use load::Meter;
use narrows_params::{Need, Param, Params};
use narrows_units::{Rate, Span, Time};
use narrows_wire::{CodePoints, Ecn, Header, LoadCode};
use target::Target;

/// The registry line.
pub(crate) static ENTRY: DisciplineEntry = DisciplineEntry {
    name: "vcp",
    summary: "VCP's router: writes its load of the last 200 ms into the ECN field, for vcp senders only; drops at a full buffer",
    source: "Xia, Subramanian, Stoica, Kalyanaraman, SIGCOMM 2005; the authors' ns-2 module of 2006 (dialect=ns2)",
    offers: &[Need::LoadCode],
    params: &[
        NS2.spec,
        ARITHMETIC.spec,
        CodePoints::PARAM.spec,
        T_RHO.spec,
        T_Q.spec,
        GAMMA.spec,
        KAPPA_Q.spec,
        ACK_PRIORITY.spec,
        BESIDE.spec,
        POLICE.spec,
    ],
};

const NS2: Param<bool> = Param::choice(
    "dialect",
    "paper",
    &[("paper", false), ("ns2", true)],
    "ns2: load in whole percents plus one, a target that adapts to a mean utilisation, a 16th of the mean queue",
);
const ARITHMETIC: Param<bool> = Param::choice(
    "arithmetic",
    "exact",
    &[("exact", false), ("integer", true)],
    "integer: in the integers of `narrows kernel route`; without effect in dialect ns2",
);
const T_RHO: Param<Span> = Param::millis(
    "t_rho",
    200.0,
    (1.0, 10_000.0),
    "measuring period; above most round trips, equal in routers and senders",
);
const T_Q: Param<Span> =
    Param::millis("t_q", 10.0, (0.1, 10_000.0), "sampling interval of the queue");
const GAMMA: Param<f64> =
    Param::number("gamma", 0.98, (0.1, 1.0), "", "target utilisation (ns2: adapts from 0.95)");
const KAPPA_Q: Param<f64> =
    Param::number("kappa_q", 0.5, (0.0, 10.0), "", "weight of the persistent queue");
const ACK_PRIORITY: Param<Option<bool>> = Param::choice(
    "ack_priority",
    "auto",
    &[("auto", None), ("on", Some(true)), ("off", Some(false))],
    "packets without a code, such as acknowledgements, go first; auto: in dialect ns2",
);

const BESIDE: Param<bool> = Param::choice(
    "beside",
    "none",
    &[("none", false), ("classic", true)],
    "classic: packets without a code wait in a queue of their own, and each kind has the part of the link that its flows are of all",
);
const POLICE: Param<Option<f64>> = Param::number_or(
    "police",
    "off",
    (1.0, 100.0),
    "equal shares",
    "a flow that offers more than this through 16 overloads without falling is cut to one equal share",
);

/// A drop-tail queue that tells its load.
#[derive(Clone, Debug)]
pub struct Vcp<P> {
    /// Members are the packets with a code.
    queue: Classes<P>,
    /// Packets without a code have a queue of their own and are no load.
    beside: bool,
    /// Bytes of them that left in this period.
    beside_sent: u64,
    /// Offered load of each flow, if that is asked for.
    flows: Option<Box<Flows>>,
    codes: CodePoints,
    meter: Meter,
    /// Samples of the queue, and ends of periods.
    samples: Ticks,
    periods: Ticks,
    /// The earlier of the next sample and the next end.
    next: Time,
    /// The first period has begun.
    begun: bool,
}

impl<P: Packet> Vcp<P> {
    /// An empty queue.
    pub fn new(setup: &DisciplineSetup, params: &Params) -> Vcp<P> {
        let ns2 = params.get(&NS2);
        let target = if ns2 { Target::adaptive() } else { Target::Fixed(params.get(&GAMMA)) };
        let beside = params.get(&BESIDE);
        let order = match params.get(&ACK_PRIORITY).unwrap_or(ns2) {
            _ if beside => Order::Shares,
            true => Order::OthersFirst,
            false => Order::Arrival,
        };
        let police = params.get(&POLICE);
        // Routers are not synchronised.
        let phase = Span::from_nanos(setup.random.clone().below(params.get(&T_RHO).as_nanos()));
        let begin = Time::ZERO + phase;
        Vcp {
            queue: Classes::new(setup.limit, order),
            beside,
            beside_sent: 0,
            flows: (beside || police.is_some()).then(|| Box::new(Flows::new(police))),
            codes: params.get(&CodePoints::PARAM),
            meter: if params.get(&ARITHMETIC) && !ns2 {
                Meter::integer(params.get(&GAMMA), params.get(&KAPPA_Q), setup.rate)
            } else {
                Meter::new(params.get(&KAPPA_Q), target, ns2, setup.rate)
            },
            samples: Ticks::from(begin, params.get(&T_Q)),
            periods: Ticks::from(begin, params.get(&T_RHO)),
            next: begin,
            begun: false,
        }
    }

    /// Does what was due up to `now`, in order; a sample at the end of a period belongs to it.
    #[inline]
    fn update(&mut self, now: Time) {
        if self.next <= now {
            self.catch_up(now);
        }
    }

    #[inline(never)]
    fn catch_up(&mut self, now: Time) {
        while self.next <= now {
            if self.samples.due(self.next).is_some() {
                let waits =
                    if self.beside { self.queue.member_bytes() } else { self.queue.bytes() };
                self.meter.sample(waits.get());
            }
            if self.periods.due(self.next).is_some() {
                let capacity = self.meter.capacity(self.next);
                let steered = self.steered(capacity);
                if std::mem::replace(&mut self.begun, true) {
                    self.meter.end(steered);
                } else {
                    self.meter.begin();
                }
                if let Some(flows) = &mut self.flows {
                    flows.end(capacity, steered, self.meter.load().code == LoadCode::Overload);
                    self.queue.set_share(flows.share());
                }
            }
            self.next = self.samples.next().min(self.periods.next());
        }
    }

    /// How much of the `capacity` bytes of a period was there for packets with a code: what the
    /// others left, and at least their share.
    fn steered(&mut self, capacity: f64) -> f64 {
        let Some(flows) = &self.flows else { return capacity };
        let sent = std::mem::take(&mut self.beside_sent) as f64;
        capacity - sent.min((1.0 - flows.share()) * capacity)
    }

    /// Writes the load of the latest period into what leaves, where it is more than what hops
    /// before wrote.
    #[inline]
    fn tell(&self, packet: &mut P, verdicts: &mut Verdicts<P>) {
        let load = self.meter.load();
        if let Some(Header::Load(most)) = packet.header() {
            *most = load.hundredths.max(*most);
        }
        if self.codes.load(packet.ecn()).is_some_and(|told| told < load.code) {
            if load.code == LoadCode::Overload {
                verdicts.mark(packet);
            } else {
                packet.set_ecn(self.codes.of(load.code));
            }
        }
    }
}

impl<P: Packet> Discipline<P> for Vcp<P> {
    fn enqueue(&mut self, now: Time, packet: P, _verdicts: &mut Verdicts<P>) -> Fate {
        self.update(now);
        let class = if packet.ecn() == Ecn::NotEct { Class::Other } else { Class::Member };
        let size = packet.size().get();
        if self.flows.as_mut().is_some_and(|flows| !flows.admits(packet.flow(), class, size)) {
            return Fate::Dropped(DropReason::Early);
        }
        if !self.beside || class == Class::Member {
            self.meter.arrive(size);
        }
        self.queue.offer(now, packet, class)
    }

    fn dequeue(&mut self, now: Time, verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        self.update(now);
        let mut head = self.queue.pop()?;
        if self.beside && head.packet.ecn() == Ecn::NotEct {
            self.beside_sent += head.packet.size().get();
        }
        self.tell(&mut head.packet, verdicts);
        Some(head)
    }

    fn backlog(&self) -> &Backlog {
        self.queue.backlog()
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        self.queue.backlog_mut()
    }

    fn set_rate(&mut self, now: Time, rate: Option<Rate>) {
        self.update(now);
        self.meter.set_rate(now, rate);
    }
}
