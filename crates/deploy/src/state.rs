//! The state of an experiment on a host, as its agent writes it.

use crate::guards::Guard;
use serde::{Deserialize, Serialize};

/// Number of the form of states. A state of another form is refused.
pub const FORMAT: u32 = 1;

/// Usual directory of the states of experiments.
pub const STATES: &str = "/var/lib/narrows/deploy";

/// How an experiment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// All connections have the control.
    Observing,
    /// Periods alternate.
    Running,
    /// All pairs are done, and no harm was shown.
    Completed,
    /// Harm was shown, and connections were put back.
    Harmed,
    /// Somebody stopped it.
    Stopped,
    /// Its numbers do not count.
    Invalid,
    /// It could not go on.
    Failed,
}

impl Phase {
    /// All phases.
    pub const ALL: [Phase; 7] = [
        Phase::Observing,
        Phase::Running,
        Phase::Completed,
        Phase::Harmed,
        Phase::Stopped,
        Phase::Invalid,
        Phase::Failed,
    ];

    /// True if the experiment goes on.
    pub fn goes_on(self) -> bool {
        matches!(self, Phase::Observing | Phase::Running)
    }

    /// Returns the phase in a word.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Observing => "observing",
            Phase::Running => "running",
            Phase::Completed => "completed",
            Phase::Harmed => "harmed",
            Phase::Stopped => "stopped",
            Phase::Invalid => "invalid",
            Phase::Failed => "failed",
        }
    }
}

/// Counts of an arm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArmCounts {
    /// Connections that were assigned.
    pub assigned: u64,
    /// Connections that ended.
    pub closed: u64,
    /// Connections that the kernel refused its controller, because there is no such controller,
    /// because the route forbids it, and for other reasons.
    pub refused: [u64; 3],
    /// Treated connections that ended with another controller.
    pub overridden: u64,
    /// Treated connections that were put back.
    pub restored: u64,
    /// Treated connections that could not be put back.
    pub not_restored: u64,
    /// Retransmission timeouts of connections that ended.
    pub timeouts: u64,
    /// Bytes acknowledged.
    pub acked: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes sent again.
    pub again: u64,
}

impl ArmCounts {
    /// Returns the number of refused connections.
    pub fn all_refused(&self) -> u64 {
        self.refused.iter().sum()
    }
}

/// Connections that were left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LeftOut {
    /// Their program chose a controller.
    pub chose: u64,
    /// They are subflows of Multipath TCP.
    pub mptcp: u64,
    /// They began when the lease had lapsed.
    pub lapsed: u64,
    /// Neither arm: the rest of a share below a half.
    pub rest: u64,
}

/// The state of an experiment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    /// Number of this form.
    pub format: u32,
    /// Version of the program.
    pub narrows: String,
    /// Name of the experiment.
    pub name: String,
    /// How it is.
    pub phase: Phase,
    /// Why it ended, or an empty text.
    pub reason: String,
    /// Process of the agent.
    pub process: u32,
    /// The kernel and the host.
    pub host: String,
    /// When the first period began, in nanoseconds since 1970.
    pub started: u64,
    /// When it ended, in nanoseconds since 1970.
    pub ended: Option<u64>,
    /// Names of the controllers: of the control, or "default", and of the treatment.
    pub arms: [String; 2],
    /// Number of periods, and the present one.
    pub periods: [usize; 2],
    /// Share that the present period treats.
    pub share: f64,
    /// Age of the present period and length of a period, in seconds.
    pub age_s: [f64; 2],
    /// Rest of the lease in seconds.
    pub lease_s: f64,
    /// Judged pairs, all pairs, and void pairs.
    pub pairs: [usize; 3],
    /// Control and treatment.
    pub counts: [ArmCounts; 2],
    /// Connections that were left out.
    pub left_out: LeftOut,
    /// Records that were lost, and connections that ended unseen.
    pub unrecorded: u64,
    /// Connections that ended without a call of the program.
    pub uncalled: u64,
    /// Part of the bytes of periods with one arm that connections of this arm got acknowledged.
    pub exposure: Option<f64>,
    /// The guards.
    pub guards: Vec<Guard>,
    /// Levels of each metric: control and treatment.
    pub levels: Vec<[Option<f64>; 2]>,
    /// The effect and the evidence of each metric, as JSON.
    pub metrics: serde_json::Value,
}

/// Largest number of a state. Sums then stay below the largest number that there is.
const LARGEST: u64 = 1 << 52;

/// The reason why the text of a state is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateError {
    /// It is not the text of a state.
    Damaged(String),
    /// It is of this other version of the program.
    Other(String),
}

impl State {
    /// Reads the text of a state.
    ///
    /// # Errors
    ///
    /// It is damaged, or of a version with another form.
    pub fn read(text: &str) -> Result<State, StateError> {
        let damaged = |error: serde_json::Error| StateError::Damaged(error.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(damaged)?;
        if value["format"] != FORMAT {
            let version = value["narrows"].as_str().unwrap_or("an older one");
            return Err(StateError::Other(version.to_owned()));
        }
        let state: State = serde_json::from_value(value).map_err(damaged)?;
        match state.is_plausible() {
            true => Ok(state),
            false => Err(StateError::Damaged("it has numbers that no state has".to_owned())),
        }
    }

    /// True if its numbers can be added up and shown.
    fn is_plausible(&self) -> bool {
        let arm = |own: &ArmCounts| {
            let [one, two, three] = own.refused;
            [
                own.assigned,
                own.closed,
                one,
                two,
                three,
                own.overridden,
                own.restored,
                own.not_restored,
                own.timeouts,
                own.acked,
                own.sent,
                own.again,
            ]
        };
        let LeftOut { chose, mptcp, lapsed, rest } = self.left_out;
        let numbers = self.counts.iter().flat_map(arm);
        let others = [chose, mptcp, lapsed, rest, self.unrecorded, self.uncalled];
        let places = self.periods.iter().chain(&self.pairs).map(|own| *own as u64);
        let times = [self.share, self.age_s[0], self.age_s[1], self.lease_s];
        numbers.chain(others).chain(places).all(|own| own <= LARGEST)
            && times.iter().all(|own| (0.0..=1e12).contains(own))
    }

    /// Returns the number of seconds that the experiment has taken; `None` while it goes on.
    pub fn took_s(&self) -> Option<f64> {
        self.ended.map(|end| end.saturating_sub(self.started) as f64 / 1e9)
    }
}
