//! The metrics of a record: one table, each with its definition beside its code.

mod completion;
mod contest;
mod convergence;
mod delay;
mod delivery;
mod fairness;
mod icn;
mod icn_rates;
mod queue;
mod share;
mod starvation;
mod steadiness;
mod summary;
mod table;
mod window;

#[cfg(test)]
pub(crate) mod fixture;

pub use delivery::{bottleneck, flow_goodput};
pub use starvation::{STARVED_PART, starved_flows};
pub use summary::Summary;
pub use table::{METRICS, OF_FLOWS};

use crate::Record;

/// Which way a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither is better in itself.
    Neither,
}

/// A number computed from the record of a run.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The name by which files, claims and options call it.
    pub name: &'static str,
    /// Its unit; empty for a pure number.
    pub unit: &'static str,
    /// Which way is better.
    pub better: Better,
    /// The metric in one sentence.
    pub summary: &'static str,
    /// How it is computed.
    pub formula: &'static str,
    /// Where the definition comes from.
    pub source: &'static str,
    /// Computes it; `None` where it is not defined.
    pub compute: fn(&Record) -> Option<f64>,
}

/// The metric called `name`.
pub fn metric(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == name)
}

/// Returns the name of a metric, or a text with names of metrics, in words: "short slowdown p99",
/// "RTT p95".
pub fn in_words(names: &str) -> String {
    let plain = names.replace('_', " ");
    let word = |word: &str| match word {
        "rtt" | "fct" | "ecn" => word.to_uppercase(),
        "jain" => "Jain".to_owned(),
        _ => word.to_owned(),
    };
    plain.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_in_words() {
        assert_eq!(in_words("rtt_p95"), "RTT p95");
        assert_eq!(in_words("gap_growth, 12 s to 45 s"), "gap growth, 12 s to 45 s");
        assert_eq!(in_words("jain"), "Jain");
    }

    #[test]
    fn names_are_unique_and_found() {
        for (i, one) in METRICS.iter().enumerate() {
            assert!(METRICS[i + 1..].iter().all(|other| other.name != one.name), "{}", one.name);
            assert_eq!(metric(one.name).map(|m| m.name), Some(one.name));
        }
    }

    #[test]
    fn an_empty_record_defines_only_counts() {
        let record = fixture::record(vec![], vec![]);
        for metric in METRICS {
            assert!((metric.compute)(&record).is_none_or(|value| value == 0.0), "{}", metric.name);
        }
    }
}
