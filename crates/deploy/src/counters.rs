//! The state of an experiment as Prometheus reads it (text format 0.0.4).

use crate::state::{ArmCounts, Phase, State};
use narrows_measure::Histogram;
use std::fmt::Write as _;

/// Powers of two of the smallest and the largest bound of round trips, in ns: 16 us to 17 s.
const ROUND_TRIPS: (u32, u32) = (14, 34);
/// Powers of two of the smallest and the largest bound of completion, in ns: 1 ms to 18 min.
const COMPLETION: (u32, u32) = (20, 40);
/// Errors of the kernel, as labels.
const ERRNOS: [&str; 3] = ["ENOENT", "EPERM", "other"];

struct Text {
    text: String,
    experiment: String,
}

impl Text {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = write!(
            self.text,
            "# HELP narrows_deploy_{name} {help}\n# TYPE narrows_deploy_{name} {kind}\n"
        );
    }

    /// A sample; `labels` begin with a comma.
    fn sample(&mut self, name: &str, labels: &str, value: f64) {
        let experiment = &self.experiment;
        let _ = writeln!(
            self.text,
            "narrows_deploy_{name}{{experiment=\"{experiment}\"{labels}}} {value}"
        );
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.head(name, "gauge", help);
        self.sample(name, "", value);
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, "counter", help);
        self.sample(name, "", value as f64);
    }

    fn histogram(&mut self, name: &str, help: &str, arms: [&Histogram; 2], ends: (u32, u32)) {
        self.head(name, "histogram", help);
        for (arm, own) in ARMS.iter().zip(arms) {
            let below = |bound: u64| -> u64 {
                own.counts().filter(|(low, _)| low.as_nanos() < bound).map(|(_, count)| count).sum()
            };
            for power in ends.0..=ends.1 {
                let bound = 1_u64 << power;
                let labels = format!(",arm=\"{arm}\",le=\"{}\"", bound as f64 / 1e9);
                self.sample(&format!("{name}_bucket"), &labels, below(bound) as f64);
            }
            let all = own.count() as f64;
            self.sample(&format!("{name}_bucket"), &format!(",arm=\"{arm}\",le=\"+Inf\""), all);
            let label = format!(",arm=\"{arm}\"");
            self.sample(&format!("{name}_sum"), &label, own.sum() as f64 / 1e9);
            self.sample(&format!("{name}_count"), &label, all);
        }
    }
}

const ARMS: [&str; 2] = ["control", "treatment"];

/// A counter of each arm: name, explanation, and its number.
type OfArm = (&'static str, &'static str, fn(&ArmCounts) -> u64);

/// Counters of each arm.
const OF_ARM: [OfArm; 7] = [
    ("connections_total", "Connections that were assigned.", |own| own.assigned),
    ("bytes_acked_total", "Bytes acknowledged.", |own| own.acked),
    ("bytes_sent_total", "Bytes sent.", |own| own.sent),
    ("bytes_retransmitted_total", "Bytes sent again.", |own| own.again),
    ("timeouts_total", "Retransmission timeouts of closed connections.", |own| own.timeouts),
    ("overridden_total", "Connections that ended with another controller.", |own| own.overridden),
    ("restored_total", "Connections that were put back.", |own| own.restored),
];

/// Formats a state. `round_trips` and `completion` are of the control and of the treatment.
pub fn text(state: &State, round_trips: [&Histogram; 2], completion: [&Histogram; 2]) -> String {
    let mut text = Text { text: String::new(), experiment: state.name.clone() };
    for (name, help, number) in OF_ARM {
        text.head(name, "counter", help);
        for (arm, own) in ARMS.iter().zip(&state.counts) {
            text.sample(name, &format!(",arm=\"{arm}\""), number(own) as f64);
        }
    }
    text.head("open", "gauge", "Connections that were assigned and are open.");
    for (arm, own) in ARMS.iter().zip(&state.counts) {
        let open = own.assigned.saturating_sub(own.closed);
        text.sample("open", &format!(",arm=\"{arm}\""), open as f64);
    }
    text.head("refused_total", "counter", "Assignments that the kernel refused.");
    for (arm, own) in ARMS.iter().zip(&state.counts) {
        for (errno, count) in ERRNOS.iter().zip(own.refused) {
            let labels = format!(",arm=\"{arm}\",errno=\"{errno}\"");
            text.sample("refused_total", &labels, count as f64);
        }
    }
    text.head("left_alone_total", "counter", "Connections that were left alone.");
    for (reason, count) in [("chose", state.left_out.chose), ("mptcp", state.left_out.mptcp)] {
        text.sample("left_alone_total", &format!(",reason=\"{reason}\""), count as f64);
    }
    text.counter("lapsed_total", "Connections that began after the lease.", state.left_out.lapsed);
    text.counter("records_lost_total", "Records that were lost.", state.unrecorded);
    text.histogram("rtt_seconds", "Round trips.", round_trips, ROUND_TRIPS);
    text.histogram(
        "completion_seconds",
        "Time in which connections had something to send.",
        completion,
        COMPLETION,
    );
    text.gauge("period", "Number of the present period, from 0.", state.periods[1] as f64);
    text.gauge("treated_share", "Share that the present period treats.", state.share);
    text.gauge("lease_seconds", "Rest of the lease.", state.lease_s);
    text.gauge("pairs", "Judged pairs.", state.pairs[0] as f64);
    text.gauge("void_pairs", "Void pairs.", state.pairs[2] as f64);
    if let Some(exposure) = state.exposure {
        let help = "Part of the bytes of periods that their own arm got acknowledged.";
        text.gauge("exposure_ratio", help, exposure);
    }
    metrics(&mut text, state);
    text.head("state", "gauge", "1 for the state of the experiment.");
    for phase in Phase::ALL {
        let label = format!(",state=\"{}\"", phase.word());
        text.sample("state", &label, f64::from(u8::from(phase == state.phase)));
    }
    text.text
}

/// Effects and evidence.
fn metrics(text: &mut Text, state: &State) {
    let all = state.metrics.as_array().map_or(&[][..], Vec::as_slice);
    let name = |own: &serde_json::Value| own["metric"].as_str().unwrap_or_default().to_owned();
    text.head(
        "effect",
        "gauge",
        "Treatment less control: logarithms of shares, points, or per 1000; the bounds hold at any time.",
    );
    for own in all {
        let bounds = [
            ("low", &own["always"][0]),
            ("estimate", &own["effect"][0]),
            ("high", &own["always"][1]),
        ];
        for (bound, value) in bounds {
            if let Some(value) = value.as_f64() {
                let labels = format!(",metric=\"{}\",bound=\"{bound}\"", name(own));
                text.sample("effect", &labels, value);
            }
        }
    }
    text.head("evidence", "gauge", "Evidence of harm; at 1 the experiment stops.");
    for own in all {
        if let (Some(evidence), Some(limit)) = (own["evidence"].as_f64(), own["limit"].as_f64()) {
            text.sample("evidence", &format!(",metric=\"{}\"", name(own)), evidence / limit);
        }
    }
}
