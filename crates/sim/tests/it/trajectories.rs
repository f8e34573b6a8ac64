//! The trajectory of every controller over one scene, as text: a change of behaviour shows in
//! review.
//!
//! The scene: 20 Mbit/s, 40 ms, a buffer of one bandwidth-delay product, one flow of 12 s; after 6
//! s the link has half of its rate. A row is the state at the first event of a sender after each
//! quarter of a second.

use crate::common::{queue_for, scenario};
use narrows_control::{Controller, ENTRIES, Entry};
use narrows_sim::Progress;
use narrows_transport::{Observer, Seen, Sender};
use narrows_units::{Span, Time};
use std::fmt::Write;

/// Time between rows.
const EVERY: Span = Span::from_millis(250);
/// Names of a controller's state that are shown at most, in its own order.
const MOST_NAMES: usize = 4;

/// Writes a row whenever one is due.
struct Trajectory {
    due: Time,
    text: String,
}

impl Trajectory {
    fn row(&mut self, at: Time, sender: &Sender) {
        let ms = at.since(Time::ZERO).as_millis_f64();
        let pacing = sender
            .pacing()
            .map_or("-".to_owned(), |rate| format!("{:.3}", rate.as_bps() as f64 / 1e6));
        let rtt =
            sender.latest_rtt().map_or("-".to_owned(), |rtt| format!("{:.1}", rtt.as_millis_f64()));
        write!(
            self.text,
            "{ms:>6.0}  window {:<8.2} flight {:<4} pacing {pacing:<8} rtt {rtt:<6} {:?}",
            sender.effective_window(),
            sender.in_flight(),
            sender.ca_state()
        )
        .expect("a string grows");
        for (name, value) in state(sender.controller()) {
            write!(self.text, "  {name} {value:.4}").expect("a string grows");
        }
        self.text.push('\n');
    }
}

/// The first few names of a controller's state, with their values.
fn state(controller: &dyn Controller) -> Vec<(&'static str, f64)> {
    let mut state = Vec::new();
    controller.inspect(&mut |name, value| state.push((name, value)));
    state.truncate(MOST_NAMES);
    state
}

impl Observer for Trajectory {
    fn on_packet(&mut self, _seen: &Seen) {}

    fn on_sender(&mut self, at: Time, _flow: usize, sender: &Sender) {
        if at >= self.due {
            self.row(at, sender);
            self.due = at + EVERY;
        }
    }
}

fn scene(entry: &Entry) -> String {
    format!(
        r#"
duration = "12 s"
[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "20 Mbit/s"
delay = "20 ms"
buffer = "100 kB"{}
[[flow]]
name = "flow"
from = "left"
to = "right"
controller = "{}"
[[change]]
link = "bottleneck"
at = "6 s"
rate = "10 Mbit/s"
"#,
        queue_for(entry),
        entry.name
    )
}

#[test]
fn are_as_reviewed() {
    for entry in ENTRIES {
        let mut trajectory = Trajectory { due: Time::ZERO, text: String::new() };
        narrows_sim::run_observed(
            &scenario(&scene(entry)),
            Progress::heard_by(&mut |_| true),
            &mut trajectory,
        )
        .expect("it runs");
        insta::assert_snapshot!(entry.name, trajectory.text);
    }
}
