//! The accuracy of live runs, in `summary.json` and in words.

use crate::Comparison;
use narrows_measure::{Emulation, Limit, Replayed};
use narrows_units::Span;
use serde::{Deserialize, Serialize};

/// Heading of the reasons why a run is invalid.
pub(crate) const INVALID: &str =
    "INVALID: the host, not the controllers, determined part of this result";

/// An [`Emulation`] in `summary.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct EmulationOut {
    /// False if there are reasons not to trust the run.
    valid: bool,
    reasons: Vec<String>,
    late_p50_s: f64,
    late_p99_s: f64,
    late_max_s: f64,
    gap_max_s: f64,
    overlooked_s: f64,
    waited_s: f64,
    turns: u64,
    wake_p99_s: f64,
    wake_max_s: f64,
    packets: u64,
    crossings: u64,
    unknown: u64,
    overrun: u64,
    refused: u64,
    spoiled: u64,
    busy_s: f64,
    talking_s: f64,
    wall_s: f64,
    base_rtt_s: f64,
    idle: f64,
    limits: Vec<LimitOut>,
    /// Empty unless the run recorded the kernel's calls of its controllers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    replays: Vec<ReplayedOut>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ReplayedOut {
    controller: String,
    calls: u64,
    connections: u64,
    missed: u64,
    unequal: u64,
    first: String,
    /// Empty except for controllers from files.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    beside: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct LimitOut {
    flow: String,
    send_buffer: f64,
    receive_window: f64,
}

impl EmulationOut {
    pub fn of(emulation: &Emulation) -> EmulationOut {
        let reasons = emulation.validity_issues();
        let limit = |limit: &Limit| {
            let Limit { flow, send_buffer, receive_window } = limit.clone();
            LimitOut { flow, send_buffer, receive_window }
        };
        let replayed = |replayed: &Replayed| {
            let Replayed { controller, calls, connections, missed, unequal, first, beside } =
                replayed.clone();
            ReplayedOut { controller, calls, connections, missed, unequal, first, beside }
        };
        EmulationOut {
            valid: reasons.is_empty(),
            reasons,
            late_p50_s: emulation.late_p50.as_secs_f64(),
            late_p99_s: emulation.late_p99.as_secs_f64(),
            late_max_s: emulation.late_max.as_secs_f64(),
            gap_max_s: emulation.gap_max.as_secs_f64(),
            overlooked_s: emulation.overlooked.as_secs_f64(),
            waited_s: emulation.waited.as_secs_f64(),
            turns: emulation.turns,
            wake_p99_s: emulation.wake_p99.as_secs_f64(),
            wake_max_s: emulation.wake_max.as_secs_f64(),
            packets: emulation.packets,
            crossings: emulation.crossings,
            unknown: emulation.unknown,
            overrun: emulation.overrun,
            refused: emulation.refused,
            spoiled: emulation.spoiled,
            busy_s: emulation.busy.as_secs_f64(),
            talking_s: emulation.talking.as_secs_f64(),
            wall_s: emulation.wall.as_secs_f64(),
            base_rtt_s: emulation.base_rtt.as_secs_f64(),
            idle: emulation.idle,
            limits: emulation.limits.iter().map(limit).collect(),
            replays: emulation.replays.iter().map(replayed).collect(),
        }
    }

    pub fn measured(&self) -> Emulation {
        let limit = |limit: &LimitOut| {
            let LimitOut { flow, send_buffer, receive_window } = limit.clone();
            Limit { flow, send_buffer, receive_window }
        };
        let replayed = |replayed: &ReplayedOut| {
            let ReplayedOut { controller, calls, connections, missed, unequal, first, beside } =
                replayed.clone();
            Replayed { controller, calls, connections, missed, unequal, first, beside }
        };
        Emulation {
            late_p50: Span::from_secs_f64(self.late_p50_s),
            late_p99: Span::from_secs_f64(self.late_p99_s),
            late_max: Span::from_secs_f64(self.late_max_s),
            gap_max: Span::from_secs_f64(self.gap_max_s),
            overlooked: Span::from_secs_f64(self.overlooked_s),
            waited: Span::from_secs_f64(self.waited_s),
            turns: self.turns,
            wake_p99: Span::from_secs_f64(self.wake_p99_s),
            wake_max: Span::from_secs_f64(self.wake_max_s),
            packets: self.packets,
            crossings: self.crossings,
            unknown: self.unknown,
            overrun: self.overrun,
            refused: self.refused,
            spoiled: self.spoiled,
            busy: Span::from_secs_f64(self.busy_s),
            talking: Span::from_secs_f64(self.talking_s),
            wall: Span::from_secs_f64(self.wall_s),
            base_rtt: Span::from_secs_f64(self.base_rtt_s),
            idle: self.idle,
            limits: self.limits.iter().map(limit).collect(),
            replays: self.replays.iter().map(replayed).collect(),
        }
    }
}

impl Comparison {
    /// Returns the reasons why emulated runs are invalid, a sentence for each. Empty if they are
    /// valid, or if all runs were simulated.
    pub fn validity_issues(&self) -> Vec<String> {
        self.emulated()
            .flat_map(|(label, emulation)| {
                emulation
                    .validity_issues()
                    .into_iter()
                    .map(move |issue| format!("{label}: {issue}"))
            })
            .collect()
    }

    /// Returns a sentence for each emulated run about the lateness of the emulator.
    pub(crate) fn exactness(&self) -> impl Iterator<Item = String> {
        self.emulated().map(|(label, emulation)| {
            let us = |span: Span| span.as_secs_f64() * 1e6;
            let Emulation { late_p50, late_p99, late_max, busy, wall, .. } = emulation;
            format!(
                "{label}: lateness of the emulator: median {:.0} us, p99 {:.0} us, maximum {:.0} us; it was at work for \
                 {:.0} % of the time",
                us(*late_p50),
                us(*late_p99),
                us(*late_max),
                busy.as_secs_f64() / wall.as_secs_f64().max(1e-9) * 100.0
            )
        })
    }

    fn emulated(&self) -> impl Iterator<Item = (&str, &Emulation)> {
        self.runs()
            .filter_map(|(label, run)| run.emulation.as_ref().map(|emulation| (label, emulation)))
    }
}
