//! Rules that every controller keeps in the simulator. Most come from defects that appeared in
//! several stacks.
//!
//! A new controller is held to them by its registry entry alone: `needs` and `basis` say which
//! rules apply. A controller that breaks a rule is told the rule, its origin and a remedy.

mod growth;
mod limits;
mod losses;
mod pacing;
mod rates;

use crate::common::ends_alone;
use narrows_control::Basis;
use narrows_measure::FlowRecord;
use narrows_params::ParamKind;
use narrows_units::{Span, Time};
use std::fmt;

/// A rule of conformance.
struct Rule {
    name: &'static str,
    /// The standards that ask for it, or the stacks whose defects it recalls.
    origin: &'static str,
    /// The first place to look if a controller breaks it.
    remedy: &'static str,
}

impl Rule {
    /// Asserts that `controller` keeps the rule, or that it breaks the rule if it is an exception.
    #[track_caller]
    fn assert_but(
        &self,
        exceptions: &[&str],
        kept: bool,
        controller: &Subject,
        measured: impl fmt::Display,
    ) {
        if exceptions.contains(&controller.text.as_str()) {
            let name = self.name;
            assert!(
                !kept,
                "{controller} keeps the rule \"{name}\", so that it is no exception: {measured}"
            );
        } else {
            self.assert(kept, controller, measured);
        }
    }

    /// Asserts that `controller` keeps the rule; `measured` describes its behaviour.
    #[track_caller]
    fn assert(&self, kept: bool, controller: &Subject, measured: impl fmt::Display) {
        let Rule { name, origin, remedy } = self;
        assert!(
            kept,
            "{controller} breaks the rule \"{name}\": {measured}\n  origin: {origin}\n  remedy: {remedy}"
        );
    }
}

/// Controllers whose documents break a rule. C4's Initial lasts until three eras in which the
/// application did not limit it have not raised its rate, and each acknowledgement in it adds to the
/// window (draft-huitema-ccwg-c4-spec, "Initial"; `c4_handle_ack`). So the window of a flow
/// that its application limits grows without end; what leaves is held by the pacing rate, at twice
/// the rate that was measured.
const INITIAL_WITHOUT_END: [&str; 2] = ["c4", "c4?profile=picoquic"];

/// A controller under test, with its parameters.
struct Subject {
    text: String,
    basis: Basis,
}

impl Subject {
    /// The controller's name, without parameters.
    fn name(&self) -> &str {
        self.text.split('?').next().unwrap_or_default()
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// All controllers that need no routers, each in the profiles of all sources that it can follow.
fn subjects() -> impl Iterator<Item = Subject> {
    ends_alone().flat_map(|entry| {
        let mut texts = vec![entry.name.to_owned()];
        for param in entry.params.iter().filter(|param| ["profile", "era"].contains(&param.name)) {
            if let ParamKind::Choice { default, options } = param.kind {
                let others = options.iter().filter(|option| *option != default);
                texts
                    .extend(others.map(|option| format!("{}?{}={option}", entry.name, param.name)));
            }
        }
        texts.into_iter().map(|text| Subject { text, basis: entry.basis })
    })
}

/// The subjects with a congestion window. That of a controller which tries rates only bounds the
/// flight, at twice what its rate needs.
fn windowed() -> impl Iterator<Item = Subject> {
    subjects().filter(|subject| subject.basis != Basis::Utility)
}

/// True of controllers whose slow start does not double the window in each round trip up to the
/// path's capacity, each for a reason of its source: FAST of SC2002 has none, and climbs by half of
/// alpha in two round trips; LEDBAT++ grows by a part of what is acknowledged; SCReAMv2, for media,
/// adds a segment and 2 % per round trip; C4 paces at twice a rate that it measured a round trip
/// before, which takes a fifth longer.
fn climbs(subject: &Subject) -> bool {
    ["fast-sc2002", "ledbatpp", "screamv2", "c4"].contains(&subject.name())
}

fn secs(time: f64) -> Time {
    Time::ZERO + Span::from_secs_f64(time)
}

fn largest_window(flow: &FlowRecord) -> f64 {
    flow.samples.iter().map(|sample| sample.cwnd).fold(0.0, f64::max)
}
