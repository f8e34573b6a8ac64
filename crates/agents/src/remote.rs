//! The controller of a steered connection: it shows what it sees, and does what it is told.

use crate::table::{Shared, Step, TABLES, gone, locked};
use narrows_control::learned::{Chooser, Guided, Steering};
use narrows_control::{
    Basis, Build, Built, ByInterval, Entry, Fault, Feedback, Interval, Open, Policy, Reduction,
    SHORTEST_INTERVAL, Sent, Setting, Setup, Timeout,
};
use narrows_params::{Need, ParamKind, Params, Spec};
use narrows_units::{Span, Time};

/// The name by which scenarios have a flow steered: `agent?simulation=N&seat=0`, where N is the
/// number of [`Steered`](crate::Steered) and the seats are those of its agents.
pub const AGENT: &str = "agent";
const SIMULATION: &str = "simulation";
const SEAT: &str = "seat";
/// How long agents that decide together wait for each other: all see the same moment, and each
/// decision holds from this much later. The least there is.
const TOGETHER: Span = Span::from_nanos(1);

const fn number(name: &'static str, help: &'static str) -> Spec {
    Spec::new(
        name,
        ParamKind::Number { default: 0.0, min: 0.0, max: 9e15, unit: "", whole: true },
        help,
    )
}

pub(crate) static ENTRY: Entry = Entry {
    name: AGENT,
    kernel: None,
    summary: "steered from outside",
    source: "narrows_agents",
    basis: Basis::Model,
    needs: &[Need::Pacing, Need::Outstanding, Need::RateSample],
    numbered: false,
    params: &[
        number(SIMULATION, "which simulation steers it"),
        number(SEAT, "which of its agents steers it"),
    ],
    build: Build::Function(|setup, params| {
        Ok(Built::new(ByInterval::new(setup, Remote::new(setup, params))))
    }),
};

/// The policy of a steered connection. It sits down when its connection begins: controllers are
/// also made to see whether they can be.
enum Remote {
    Standing { simulation: u64, seat: usize, setup: Setup },
    Alone(Guided<Seat>),
    Together(Member),
    Nobody,
}

/// An agent that decides for itself.
struct Seat {
    table: Shared,
    /// The values in force in the interval.
    window: f64,
    now: Time,
}

/// An agent that decides at the same time as others.
struct Member {
    table: Shared,
    seat: usize,
    steering: Box<dyn Steering>,
    every: Span,
    /// When it showed what it saw, if its action has not come yet.
    shown: Option<Time>,
}

fn step(steering: &dyn Steering, reward: f64, window: f64, now: Time) -> Step {
    Step {
        observation: steering.observation().to_vec(),
        reward,
        rate: steering.rate(),
        window,
        now,
    }
}

impl Chooser for Seat {
    fn choose(&mut self, steering: &dyn Steering) -> Result<f32, Fault> {
        let mut table = locked(&self.table);
        table.shown[0] = Some(step(steering, steering.reward(), self.window, self.now));
        table.ask()?;
        table.actions.first().copied().ok_or_else(gone)
    }
}

impl Member {
    fn decide(&mut self, interval: &Interval) {
        let shows = self.steering.observe(interval);
        let mut table = locked(&self.table);
        // Once all take part, one that has nothing to show shows what it last did.
        if shows || table.begun {
            let reward = if shows { self.steering.reward() } else { 0.0 };
            table.shown[self.seat] =
                Some(step(&*self.steering, reward, interval.window, interval.now));
        }
        self.shown = Some(interval.now);
    }

    fn on_due(&mut self) -> Result<Option<Setting>, Fault> {
        let Some(at) = self.shown.take() else { return Ok(None) };
        let action = {
            let mut table = locked(&self.table);
            if !table.ask_all(at)? {
                return Ok(None);
            }
            table.actions.get(self.seat).copied().ok_or_else(gone)?
        };
        Ok(Some(self.steering.act(action)))
    }

    /// The next multiple of its time that is not too close.
    fn next(&self, now: Time) -> Time {
        let least = (now + SHORTEST_INTERVAL).as_nanos();
        let every = self.every.as_nanos();
        Time::from_nanos(least.div_ceil(every) * every)
    }
}

impl Remote {
    fn new(setup: &Setup, params: &Params) -> Remote {
        let number = |name| {
            params.text(name).and_then(|text| text.parse::<f64>().ok()).unwrap_or_default() as u64
        };
        Remote::Standing {
            simulation: number(SIMULATION),
            seat: number(SEAT) as usize,
            setup: *setup,
        }
    }

    /// Takes its place at the table.
    fn sit_down(&mut self) {
        let Remote::Standing { simulation, seat, setup } = self else { return };
        let seat = *seat;
        let setup = *setup;
        let table = locked(&TABLES).get(simulation).cloned();
        *self = table.and_then(|table| Remote::at(table, seat, &setup)).unwrap_or(Remote::Nobody);
    }

    fn at(table: Shared, seat: usize, setup: &Setup) -> Option<Remote> {
        let (preset, first, together) = {
            let table = locked(&table);
            (table.preset, *table.first.get(seat)?, table.together)
        };
        let steering = (preset.begin)(setup, first);
        Some(match together {
            Some(every) => Remote::Together(Member { table, seat, steering, every, shown: None }),
            None => Remote::Alone(Guided::new(
                steering,
                preset.interval,
                Seat { table, window: 0.0, now: Time::ZERO },
            )),
        })
    }
}

impl Policy for Remote {
    fn decide(&mut self, interval: &Interval) -> Result<Option<Setting>, Fault> {
        match self {
            Remote::Alone(alone) => {
                let seat = alone.chooser();
                (seat.window, seat.now) = (interval.window, interval.now);
                alone.decide(interval)
            }
            Remote::Together(member) => {
                member.decide(interval);
                Ok(None)
            }
            Remote::Standing { .. } | Remote::Nobody => Err(gone()),
        }
    }

    fn next(&self, now: Time, srtt: Span) -> Option<Time> {
        match self {
            Remote::Alone(alone) => alone.next(now, srtt),
            Remote::Together(member) => Some(member.next(now)),
            Remote::Standing { .. } | Remote::Nobody => Some(now + srtt),
        }
    }

    fn on_open(&mut self, open: &Open) {
        self.sit_down();
        match self {
            Remote::Alone(alone) => alone.on_open(open),
            Remote::Together(member) => member.steering.on_open(open),
            Remote::Standing { .. } | Remote::Nobody => {}
        }
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.sit_down();
        match self {
            Remote::Alone(alone) => alone.on_sent(sent),
            Remote::Together(member) => member.steering.on_sent(sent),
            Remote::Standing { .. } | Remote::Nobody => {}
        }
    }

    fn on_feedback(
        &mut self,
        feedback: &Feedback<'_>,
        seen: &Interval,
    ) -> Result<Option<Setting>, Fault> {
        match self {
            Remote::Alone(alone) => alone.on_feedback(feedback, seen),
            Remote::Together(member) => Ok(member.steering.on_feedback(feedback, seen)),
            Remote::Standing { .. } | Remote::Nobody => Err(gone()),
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, seen: &Interval) -> Result<Option<Setting>, Fault> {
        match self {
            Remote::Alone(alone) => alone.on_timeout(timeout, seen),
            Remote::Together(member) => Ok(member.steering.on_timeout(timeout, seen)),
            Remote::Standing { .. } | Remote::Nobody => Ok(None),
        }
    }

    fn on_undo(&mut self, now: Time, seen: &Interval) -> Result<Option<Setting>, Fault> {
        match self {
            Remote::Alone(alone) => alone.on_undo(now, seen),
            Remote::Together(member) => Ok(member.steering.on_undo(now)),
            Remote::Standing { .. } | Remote::Nobody => Ok(None),
        }
    }

    fn due(&self) -> Option<Time> {
        match self {
            Remote::Together(member) => member.shown.map(|shown| shown + TOGETHER),
            _ => None,
        }
    }

    fn on_due(&mut self) -> Result<Option<Setting>, Fault> {
        match self {
            Remote::Together(member) => member.on_due(),
            _ => Ok(None),
        }
    }

    fn reduction(&self) -> Reduction {
        match self {
            Remote::Alone(alone) => alone.reduction(),
            Remote::Together(member) => member.steering.reduction(),
            Remote::Standing { .. } | Remote::Nobody => Reduction::Immediate,
        }
    }
}
