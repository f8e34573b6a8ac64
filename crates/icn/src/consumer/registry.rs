//! The registry of consumers that follow rates.

use narrows_params::{Catalogue, Param, Registered, Spec};
use narrows_units::Span;
use std::borrow::Cow;

/// The registry entry of a consumer.
pub struct ConsumerEntry {
    /// Its name in scenarios.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// The document it follows.
    pub source: &'static str,
    /// Number of rate classes that the network's law must have.
    pub classes: u8,
    /// Its parameters.
    pub params: &'static [Spec],
    /// Its primary rate is the sum over its subflows, instead of the best subflow's.
    total: bool,
}

/// A consumer chosen by name, with its parameters checked: `mircc`, `single?multipath=false`.
pub type ConsumerChoice = narrows_params::Choice<ConsumerEntry>;

impl Registered for &'static ConsumerEntry {
    const WHAT: &'static str = "consumer";
    fn name(&self) -> &str {
        self.name
    }
    fn params(&self) -> &[Spec] {
        self.params
    }
    fn kept(&self) -> (Cow<'static, str>, Cow<'static, [Spec]>) {
        (Cow::Borrowed(self.name), Cow::Borrowed(self.params))
    }
}

impl Catalogue for ConsumerEntry {
    type Entry = &'static ConsumerEntry;
    fn built_in() -> Vec<&'static ConsumerEntry> {
        CONSUMERS.to_vec()
    }
}

/// Every consumer that follows rates, in the order in which lists show them.
pub static CONSUMERS: &[&ConsumerEntry] = &[
    &ConsumerEntry {
        name: "mircc",
        summary: "primary Interests at the best subflow's rate over all subflows, secondary ones at the sum of secondary rates",
        source: "MIRCC (Mahdian, Arianfar, Gibson, Oran, ICN 2016), sections 4.2 and 4.3",
        classes: 2,
        params: &[SPLIT.spec, PROBE.spec, PROBES.spec, FIRST.spec, STRICT.spec, HOLD.spec],
        total: false,
    },
    &ConsumerEntry {
        name: "single",
        summary: "one class of Interests at the best subflow's rate: for MIRCC with one class and for RCP",
        source: "MIRCC (ICN 2016), section 3",
        classes: 1,
        params: &[SPLIT.spec, PROBE.spec, PROBES.spec, FIRST.spec, STRICT.spec, MULTIPATH.spec],
        total: false,
    },
    &ConsumerEntry {
        name: "best-subflow",
        summary: "mircc without secondary Interests: leaves capacity beyond the best subflow unused",
        source: "MIRCC (ICN 2016), section 4.1",
        classes: 1,
        params: &[SPLIT.spec, PROBE.spec, PROBES.spec, FIRST.spec, STRICT.spec],
        total: false,
    },
    &ConsumerEntry {
        name: "total-per-subflow",
        summary: "primary Interests at the sum of all primary rates: exceeds its share where others have fewer paths",
        source: "MIRCC (ICN 2016), section 4.1",
        classes: 1,
        params: &[PROBE.spec, PROBES.spec, FIRST.spec, STRICT.spec],
        total: true,
    },
];

const MULTIPATH: Param<bool> = Param::flag(
    "multipath",
    true,
    "spread Interests over paths; otherwise the latest rate of any path counts",
);

const SPLIT: Param<bool> = Param::choice(
    "split",
    "rates",
    &[("rates", false), ("best", true)],
    "paths of primary Interests: all, in proportion to their rates (MIRCC, section 4.3), or the best one",
);
const PROBE: Param<f64> = Param::number(
    "probe",
    0.03,
    (0.0, 1.0),
    "",
    "share of primary Interests without a path, for discovery (MIRCC, section 4.3.3: 3 %)",
);
const PROBES: Param<f64> = Param::number(
    "probes",
    1.0,
    (0.0, 1000.0),
    "per second",
    "least number of Interests without a path; not in the paper",
);
const FIRST: Param<u32> = Param::whole(
    "first",
    1,
    (1, 1000),
    "Interests",
    "sent at once without a path while none is known (MIRCC, section 4.3.3: initial Interests, without a number)",
);
const STRICT: Param<bool> = Param::flag(
    "strict",
    false,
    "refuse Interests whose path no longer exists, instead of taking any other",
);
const HOLD: Param<f64> = Param::number(
    "hold",
    4.0,
    (0.0, 100.0),
    "round trips",
    "delay of secondary Interests after the first Data, for links to learn of primary ones; not in the paper",
);

/// The settings of a consumer.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The primary rate is the sum over the subflows.
    pub(crate) total: bool,
    pub(crate) multipath: bool,
    /// All primary Interests take the best path.
    pub(crate) best_path: bool,
    pub(crate) probe: f64,
    /// The longest time without a hintless Interest.
    pub(crate) longest_without_probe: Span,
    /// Interests sent at once while no path is known.
    pub(crate) first: u32,
    pub(crate) strict: bool,
    /// Round trips before the first secondary Interest; `None` for a consumer that sends none.
    pub(crate) hold: Option<f64>,
}

impl Settings {
    pub(crate) fn new(choice: &ConsumerChoice) -> Settings {
        let params = choice.params();
        Settings {
            total: choice.entry().total,
            multipath: params.optional(&MULTIPATH).unwrap_or(true),
            best_path: params.optional(&SPLIT).unwrap_or(false),
            probe: params.get(&PROBE),
            longest_without_probe: Span::from_secs_f64(1.0 / params.get(&PROBES)),
            first: params.get(&FIRST),
            strict: params.get(&STRICT),
            hold: params.optional(&HOLD),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_gives_the_defaults() {
        for entry in CONSUMERS {
            let settings = Settings::new(&entry.name.parse().unwrap());
            assert_eq!(
                (
                    settings.probe,
                    settings.longest_without_probe,
                    settings.multipath,
                    settings.best_path,
                    settings.strict
                ),
                (0.03, Span::from_secs(1), true, false, false)
            );
            assert_eq!(settings.hold, (entry.classes == 2).then_some(4.0));
        }
    }

    #[test]
    fn an_unknown_consumer_is_refused_with_the_known_ones() {
        let refused = |text: &str| text.parse::<ConsumerChoice>().unwrap_err().to_string();
        assert_eq!(refused("mirc"), r#"there is no consumer "mirc"; did you mean "mircc"?"#);
        assert_eq!(
            refused("single?probe=2"),
            "single: probe=2 is not allowed; it must be a number from 0 to 1"
        );
        assert!(refused("best-subflow?hold=1").contains("hold"));
    }
}
