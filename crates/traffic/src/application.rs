//! The application of a flow.

use crate::action::{Action, Message};
use crate::bursts::{Bursts, segment};
use crate::draw;
use crate::ledger::{Ledger, Pending};
use crate::measured::Measured;
use crate::pauses::Pauses;
use narrows_measure::Transfers;
use narrows_scenario::{Arrivals, Flow, Frames, Requests, Scenario, Workload};
use narrows_units::{Bytes, Random, Rate, Span, Time};

/// The application of a flow, and the measurements of its transfers.
#[derive(Clone, Debug)]
pub struct Application {
    start: Time,
    stop: Time,
    /// When it acts next.
    next: Time,
    started: bool,
    completed: bool,
    finished_at: Option<Time>,
    measured: Option<Box<Measured>>,
    mss: Bytes,
    random: Random,
    pauses: Pauses,
    plan: Plan,
}

/// A workload, and where it stands.
#[derive(Clone, Debug)]
enum Plan {
    Bulk {
        /// Since when there has always been something to send.
        flooding: Option<Time>,
    },
    Size(Bytes),
    /// A full segment after each interval.
    Constant(Span),
    Bursts(Bursts),
    Frames {
        plan: Frames,
        /// How many have been made.
        number: u64,
    },
    Arrivals(Arrivals),
    Requests {
        plan: Requests,
        /// When the request left that has not arrived.
        asked: Option<Time>,
    },
}

impl Application {
    /// The application of `flow` in `scenario`. Its draws depend on the scenario's seed and on the
    /// flow's stream.
    pub fn new(scenario: &Scenario, flow: &Flow) -> Application {
        let mss = flow.transport.mss;
        Application {
            start: flow.start,
            stop: flow.stop.unwrap_or(Time::NEVER),
            next: Time::NEVER,
            started: false,
            completed: false,
            finished_at: None,
            measured: Measured::new(scenario, flow),
            mss,
            random: Random::stream(scenario.seed, &format!("flow {} workload", flow.stream)),
            pauses: Pauses::new(&flow.pauses),
            plan: match &flow.workload {
                Workload::Bulk => Plan::Bulk { flooding: None },
                Workload::Size(size) => Plan::Size(*size),
                Workload::Constant(rate) => Plan::Constant(rate.time_for(mss)),
                Workload::OnOff(plan) => Plan::Bursts(Bursts::new(*plan, mss)),
                Workload::Frames(plan) => Plan::Frames { plan: *plan, number: 0 },
                Workload::Arrivals(plan) => Plan::Arrivals(plan.clone()),
                Workload::Requests(plan) => Plan::Requests { plan: plan.clone(), asked: None },
            },
        }
    }

    /// True once it has begun.
    #[inline]
    pub fn started(&self) -> bool {
        self.started
    }

    /// When it stopped, lost its connection, or when all that it ever had to send was acknowledged;
    /// `None` if none of this has happened.
    #[inline]
    pub fn finished_at(&self) -> Option<Time> {
        self.finished_at
    }

    /// True if all that it ever had to send was acknowledged before it was to stop.
    pub fn completed(&self) -> bool {
        self.completed
    }

    /// True if the size of its next message depends on what [`Application::follow`] was last told.
    #[inline]
    pub fn follows(&self) -> bool {
        matches!(self.plan, Plan::Frames { plan: Frames { follows: Some(_), .. }, .. })
    }

    /// The controller of its connection now allows this much payload: frames that are made from now
    /// on have that rate, or the nearest that they may have.
    pub fn follow(&mut self, rate: Rate) {
        if let Plan::Frames { plan, .. } = &mut self.plan {
            *plan = plan.at(rate);
        }
    }

    /// When [`Application::act`] wants to be called; [`Time::NEVER`] if nothing but what happens on
    /// its connections will move it.
    #[inline]
    pub fn due(&self) -> Time {
        if !self.started {
            return self.start;
        }
        let stop = if self.finished_at.is_none() { self.stop } else { Time::NEVER };
        self.next.min(stop)
    }

    /// Its next action, if that was due by `now`; to be called until it answers `None`. The action
    /// belongs to the time at which it was due, however late `now` is. At one time it begins
    /// first, then stops, then acts.
    pub fn act(&mut self, now: Time) -> Option<Action> {
        loop {
            let at = self.due();
            if at > now || at == Time::NEVER {
                return None;
            }
            let action = match at {
                _ if !self.started => self.begin(at),
                _ if at == self.stop && self.finished_at.is_none() => Some(self.end(at)),
                _ => self.go_on(at),
            };
            if action.is_some() {
                return action;
            }
        }
    }

    fn begin(&mut self, at: Time) -> Option<Action> {
        self.started = true;
        self.next = match &self.plan {
            Plan::Arrivals(plan) => at + gap(plan, &mut self.random),
            _ => self.pauses.after(at),
        };
        None
    }

    fn end(&mut self, at: Time) -> Action {
        if let Plan::Bursts(bursts) = &mut self.plan
            && let Some(cut) = bursts.cut()
        {
            return cut;
        }
        self.finished_at = Some(at);
        self.next = Time::NEVER;
        Action::Stop
    }

    fn go_on(&mut self, at: Time) -> Option<Action> {
        let random = &mut self.random;
        let pauses = &self.pauses;
        let (action, next) = match &mut self.plan {
            Plan::Bulk { flooding } => match flooding.take() {
                None => {
                    *flooding = Some(at);
                    (Some(Action::Flood), pauses.next(at))
                }
                Some(start) => (Some(Action::Cut { start }), pauses.after(at)),
            },
            Plan::Size(size) => (
                Some(Action::Write { message: Message { start: at, size: *size }, last: true }),
                Time::NEVER,
            ),
            Plan::Constant(interval) => (Some(segment(at, self.mss)), pauses.after(at + *interval)),
            Plan::Bursts(bursts) => bursts.act(at, random),
            Plan::Frames { plan, number } => {
                let (end, then) = plan
                    .then
                    .map_or((Time::NEVER, Bytes::ZERO), |(until, size)| (self.start + until, size));
                let last = at >= end;
                let size = if last { then } else { plan.size(*number) };
                *number += 1;
                let next = if last { Time::NEVER } else { (at + plan.interval).min(end) };
                let message = Message { start: at, size };
                (Some(Action::Write { message, last }), pauses.after(next))
            }
            Plan::Arrivals(plan) => {
                let message = Message { start: at, size: plan.sizes.draw(random) };
                let seed = random.bits();
                (Some(Action::Open { message, seed }), at + gap(plan, random))
            }
            Plan::Requests { plan, asked } => {
                *asked = Some(at);
                let seed = plan.reopens.then(|| random.bits());
                (Some(Action::Ask { size: plan.request, seed }), Time::NEVER)
            }
        };
        self.next = next;
        action
    }

    /// The request has arrived: the response to write, as after [`Action::Write`]; the last one of
    /// its connection if the application [reopens](Application::reopens). `None` if there is
    /// nothing to answer, or if the application has stopped and answers on its own connection.
    pub fn answer(&mut self) -> Option<Message> {
        let Plan::Requests { plan, asked } = &mut self.plan else { return None };
        if self.finished_at.is_some() && !plan.reopens {
            return None;
        }
        let start = asked.take()?;
        Some(Message { start, size: plan.response.draw(&mut self.random) })
    }

    /// True if its messages are transfers: it waits for each to be complete, or measures it.
    pub fn makes_transfers(&self) -> bool {
        self.measured.is_some()
    }

    /// A message has been written, or is about to be sent as datagrams: `end` is one past its last
    /// position in its connection's stream, or one past the number of its last datagram. Datagrams
    /// are numbered without gaps, positions of a connection never fall, from 0.
    pub fn expect(&mut self, ledger: &mut Ledger, message: Message, end: u64) {
        if let Some(measured) = &mut self.measured
            && message.size > Bytes::ZERO
        {
            measured.begin(message.start);
            let left = message.size.get().div_ceil(self.mss.get());
            ledger.expect(Pending { message, end, left, broken: false });
        }
    }

    /// At `now` a connection has been delivered in order up to `position`, not included. Needed
    /// only where [`Ledger::awaits`] says so, harmless otherwise; it may change
    /// [`Application::due`]. `room`: how many more transfers of the run are listed one by one,
    /// [`LISTED`](crate::LISTED) at first.
    pub fn delivered(&mut self, now: Time, ledger: &mut Ledger, position: u64, room: &mut u64) {
        let Some(measured) = &mut self.measured else { return };
        if !ledger.awaits(position) {
            return;
        }
        while let Some(message) = ledger.next_complete(position) {
            measured.complete(now, message, room);
        }
        self.pause(now, ledger);
    }

    /// At `now` a message has been delivered whole, whatever is missing of messages before it:
    /// `number` is one less than the end that it was [expected](Application::expect) with. It may
    /// change [`Application::due`]. `room` as in [`Application::delivered`].
    pub fn delivered_message(
        &mut self,
        now: Time,
        ledger: &mut Ledger,
        number: u64,
        room: &mut u64,
    ) {
        let Some(measured) = &mut self.measured else { return };
        if let Some(message) = ledger.take(number) {
            measured.complete(now, message, room);
            self.pause(now, ledger);
        }
    }

    /// Once nothing is under way, the silence begins that the workload has between transfers.
    fn pause(&mut self, now: Time, ledger: &Ledger) {
        if !ledger.pending.is_empty() {
            return;
        }
        let pause = match &self.plan {
            Plan::Bursts(bursts) => bursts.silence(&mut self.random),
            Plan::Requests { plan, .. } => {
                Some(draw::span(&mut self.random, plan.think, plan.draw))
            }
            _ => None,
        };
        if let (Some(pause), None) = (pause, self.finished_at) {
            self.next = now + pause;
        }
    }

    /// At `now` the datagram with this number has arrived, or been dropped. Each is told of once,
    /// or never: then its message stays incomplete. `room` as in [`Application::delivered`].
    #[inline]
    pub fn datagram(
        &mut self,
        now: Time,
        ledger: &mut Ledger,
        number: u64,
        arrived: bool,
        room: &mut u64,
    ) {
        let Some(measured) = &mut self.measured else { return };
        match ledger.settle(number, arrived) {
            Some((message, true)) => measured.complete(now, message, room),
            Some((message, false)) => measured.lose(message.start),
            None => {}
        }
    }

    /// True if each transfer opens a connection of its own, and the next one waits for it.
    pub fn reopens(&self) -> bool {
        match &self.plan {
            Plan::Bursts(bursts) => bursts.reopens(),
            Plan::Requests { plan, .. } => plan.reopens,
            _ => false,
        }
    }

    /// At `now` everything up to the last message ([`Action::Write`] with `last`) is acknowledged.
    pub fn finish(&mut self, now: Time) {
        if self.finished_at.is_none() {
            self.finished_at = Some(now);
            self.completed = true;
        }
    }

    /// At `now` its connection is gone: it sends nothing more.
    pub fn lose(&mut self, now: Time) {
        self.finished_at.get_or_insert(now);
        self.next = Time::NEVER;
    }

    /// The measurements until the run ended at `end`, if the workload makes transfers. `own`: the
    /// ledger of its own connection.
    pub fn into_transfers(self, end: Time, own: &Ledger) -> Option<Transfers> {
        let mut measured = self.measured?;
        own.pending.iter().for_each(|pending| measured.miss(end, pending.message.start));
        Some(measured.done)
    }
}

/// From one arrival to the next: arrivals are a Poisson process.
fn gap(plan: &Arrivals, random: &mut Random) -> Span {
    Span::from_secs_f64(random.exponential(1.0 / plan.per_second))
}
