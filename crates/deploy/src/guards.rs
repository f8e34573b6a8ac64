//! Guards: what ends an experiment without a test, as functions of counts.

use crate::order::Slot;
use narrows_measure::sequential::{odds_evidence, spread_at_odds, tuning};
use serde::{Deserialize, Serialize};

/// Share of the experiments whose arms have their odds that end all the same, however often they
/// are looked at.
const WRONGLY_DOUBTED: f64 = 0.0005;
/// Connections at even odds at which arms off their odds are found soonest; the number is ours.
const SOONEST: f64 = 10_000.0;
/// Void groups below which their share does not matter.
const FEWEST_VOID: usize = 3;

/// How an experiment ends by a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It cannot go on.
    Failed,
    /// Its numbers do not count.
    Invalid,
}

/// The counts that guards watch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counted {
    /// Connections that were assigned, and those of them that the kernel refused.
    pub assigned: u64,
    /// Connections to which the kernel did not give their controller.
    pub refused: u64,
    /// Treated connections that were closed.
    pub treated_closed: u64,
    /// Treated connections that ended with another controller.
    pub overridden: u64,
    /// Connections that were closed.
    pub closed: u64,
    /// Connections that ended without a call of the program.
    pub uncalled: u64,
    /// Records that were lost.
    pub unrecorded: u64,
    /// Treated connections against the odds of their draw; `None` if no draw decided.
    pub balance: Option<Balance>,
    /// Judged groups, and those of them that are void.
    pub judged: [usize; 2],
}

/// A guard and its reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Guard {
    /// Name of the guard.
    pub name: String,
    /// Its reading.
    pub reading: String,
    /// When it ends the experiment.
    pub limit: String,
    /// False if it ends the experiment.
    pub ok: bool,
}

impl Counted {
    /// Returns all guards with their readings.
    pub fn guards(&self) -> Vec<Guard> {
        let guard = |(name, reading, limit, end): Reading| Guard {
            name: name.to_owned(),
            reading,
            limit: limit.to_owned(),
            ok: end.is_none(),
        };
        self.readings().into_iter().map(guard).collect()
    }

    /// Returns how and why a guard ends the experiment, if one does.
    pub fn end(&self) -> Option<(Ending, String)> {
        self.readings().into_iter().find_map(|(.., end)| end)
    }

    fn readings(&self) -> Vec<Reading> {
        let end = |is_bad: bool, ending: Ending, text: String| is_bad.then_some((ending, text));
        let above = |part: u64, all: u64, share: f64| part as f64 > share * all as f64;
        let [judged, void] = self.judged;
        let all_refused = self.assigned >= 10 && self.refused == self.assigned;
        let many_refused = self.assigned >= 100 && above(self.refused, self.assigned, 0.01);
        let mut all = vec![
            (
                "refused",
                format!("{} of {} assignments", self.refused, self.assigned),
                "all of the first 10, or 1 % of at least 100",
                end(
                    all_refused || many_refused,
                    Ending::Failed,
                    format!("the kernel refused {} of {} assignments", self.refused, self.assigned),
                ),
            ),
            (
                "overridden",
                format!("{} of {} treated connections", self.overridden, self.treated_closed),
                "1 % of at least 100 have another controller at their end",
                end(
                    self.treated_closed >= 100 && above(self.overridden, self.treated_closed, 0.01),
                    Ending::Invalid,
                    format!(
                        "{} of {} treated connections ended with another controller; something else chooses, too",
                        self.overridden, self.treated_closed
                    ),
                ),
            ),
            (
                "callbacks",
                format!("{} of {} ends were not seen", self.uncalled, self.closed + self.uncalled),
                "1 % of at least 100",
                end(
                    self.closed + self.uncalled >= 100
                        && above(self.uncalled, self.closed + self.uncalled, 0.01),
                    Ending::Invalid,
                    format!(
                        "{} connections ended unseen: another program of their control group takes the callbacks away",
                        self.uncalled
                    ),
                ),
            ),
            (
                "lost",
                format!("{} of {} records", self.unrecorded, self.closed),
                "0.1 %, and more than 1",
                end(
                    self.unrecorded > 1 && above(self.unrecorded, self.closed.max(1000), 0.001),
                    Ending::Invalid,
                    format!("{} records were lost", self.unrecorded),
                ),
            ),
            (
                "void",
                format!("{void} of {judged}"),
                "a fifth, and at least 3",
                end(
                    void >= FEWEST_VOID && void * 5 > judged,
                    Ending::Invalid,
                    format!(
                        "{void} of {judged} pairs have too few connections or were disturbed; take longer periods"
                    ),
                ),
            ),
        ];
        if let Some(balance) = self.balance
            && let Some(deviations) = balance.deviations()
        {
            all.push((
                "balance",
                format!("{deviations:.1} deviations from the odds of the draw"),
                "evidence of 2000 against the odds",
                end(
                    balance.evidence() >= 1.0 / WRONGLY_DOUBTED,
                    Ending::Invalid,
                    format!(
                        "the arms are not as large as they were drawn: {deviations:.1} deviations off their odds"
                    ),
                ),
            ));
        }
        all
    }
}

/// Name, reading, limit, and how the guard ends the experiment.
type Reading = (&'static str, String, &'static str, Option<(Ending, String)>);

/// Treated connections against the odds of their draw.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Balance {
    /// Treated connections less the expected number.
    excess: f64,
    /// Variance of the number of treated connections.
    variance: f64,
    /// The bound of the variance for the evidence ([`spread_at_odds`]).
    spread: f64,
}

impl Balance {
    /// Adds the connections of both arms that were assigned in a period. Up to a half both arms are
    /// equally likely, above it the treatment has its share.
    pub fn add(&mut self, slot: Slot, assigned: [u64; 2]) {
        let odds = if slot.share <= 0.5 { 0.5 } else { slot.share };
        if slot.share == 0.0 || slot.share == 1.0 {
            return;
        }
        let number = (assigned[0] + assigned[1]) as f64;
        self.excess += assigned[1] as f64 - odds * number;
        self.variance += odds * (1.0 - odds) * number;
        self.spread += spread_at_odds(odds) * number;
    }

    /// Returns the evidence, 1 at first, that the arms do not have their odds. It may be looked at
    /// after each period. A limit of deviations would be passed by chance in a long experiment.
    pub fn evidence(&self) -> f64 {
        let rho = tuning(SOONEST * spread_at_odds(0.5), WRONGLY_DOUBTED);
        odds_evidence(self.excess, self.spread, rho)
    }

    /// Returns the deviation in standard deviations; `None` of fewer than 100 connections at even
    /// odds.
    pub fn deviations(&self) -> Option<f64> {
        (self.variance >= 25.0).then(|| self.excess / self.variance.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10,000 connections at even odds.
    fn balance(treated: u64) -> Balance {
        let mut own = Balance::default();
        own.add(Slot { share: 0.5, is_beside: false }, [10_000 - treated, treated]);
        own
    }

    fn good() -> Counted {
        Counted {
            assigned: 1000,
            refused: 10,
            treated_closed: 500,
            overridden: 5,
            closed: 990,
            uncalled: 9,
            unrecorded: 1,
            balance: Some(balance(5200)),
            judged: [15, 3],
        }
    }

    #[test]
    fn guards_by_hand() {
        assert_eq!(good().end(), None);
        assert!(good().guards().iter().all(|own| own.ok));
        assert_eq!(Counted::default().end(), None);
        let few = Counted { assigned: 9, refused: 9, ..Counted::default() };
        assert_eq!(few.end(), None);
        let cases = [
            (Counted { assigned: 10, refused: 10, ..Counted::default() }, Ending::Failed),
            (Counted { refused: 11, ..good() }, Ending::Failed),
            (Counted { overridden: 6, ..good() }, Ending::Invalid),
            (Counted { uncalled: 11, ..good() }, Ending::Invalid),
            (Counted { unrecorded: 2, ..good() }, Ending::Invalid),
            (Counted { judged: [14, 3], ..good() }, Ending::Invalid),
            (Counted { balance: Some(balance(4770)), ..good() }, Ending::Invalid),
        ];
        let told = cases.map(|(own, ending)| {
            let (found, text) = own.end().unwrap_or_else(|| panic!("{own:?}"));
            assert_eq!(found, ending, "{text}");
            assert_eq!(own.guards().iter().filter(|own| !own.ok).count(), 1);
            text
        });
        insta::assert_snapshot!(told.join("\n"));
    }

    #[test]
    fn arms_off_their_odds_by_hand() {
        let slot = |share| Slot { share, is_beside: false };
        let mut own = Balance::default();
        own.add(slot(0.0), [1000, 0]);
        own.add(slot(1.0), [0, 1000]);
        assert_eq!(own.deviations(), None);
        // 60 of 100 are two deviations.
        own.add(slot(0.1), [40, 60]);
        assert_eq!(own.deviations(), Some(2.0));
        // 90 of 100 are expected at 90 %.
        own.add(slot(0.9), [10, 90]);
        let deviations = own.deviations().expect("enough");
        assert!((deviations - 10.0 / 34.0_f64.sqrt()).abs() < 1e-12, "{deviations}");
        // rho = 2500 / (2 ln 2000 + ln(1 + 2 ln 2000)) = 138.99.
        assert!(balance(5218).evidence() < 2000.0 && balance(5219).evidence() > 2000.0);
    }
}
