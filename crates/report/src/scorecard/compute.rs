//! Computes a scorecard from the metrics of runs.

use super::lineup::{COMPETITOR, Lineup, TrafficRun};
use super::model::{Entry, Harm, Scorecard, Traffic, Valued};
use super::words::{self, heads};
use crate::estimate::Estimate;
use crate::estimate::best;
use narrows_measure::harm::harm;
use narrows_measure::metrics::{Better, Metric, OF_FLOWS, metric};
use narrows_scenario::NamedTraffic;

/// Version of the layout.
pub(super) const FORMAT: u32 = 1;

/// The metrics in which the harm to a competitor is measured.
pub(super) const SUFFERED: [&str; 2] = ["goodput", "rtt_p95"];

/// Returns the values of a metric, one per seed. The arguments are the index of the network, the
/// index of the run in [`Lineup::runs`], the name of a group of flows or `None` for the whole run,
/// and the metric.
pub type Values<'a> = dyn Fn(usize, usize, Option<&str>, &Metric) -> Vec<Option<f64>> + 'a;

impl Scorecard {
    /// Computes the scorecard of a lineup from the values of its runs. `remake` is the command that
    /// repeats the measurement, `narrows` the version that measured.
    pub fn of(
        lineup: &Lineup,
        (title, remake, narrows): (&str, &str, &str),
        seeds: &[u64],
        values: &Values<'_>,
    ) -> Scorecard {
        let runs = Runs { lineup, runs: lineup.runs(), values };
        let traffic =
            lineup.traffic.iter().filter_map(|name| NamedTraffic::named(name).ok()).map(|named| {
                Traffic {
                    name: named.name.to_owned(),
                    summary: named.summary.to_owned(),
                    source: named.source.to_owned(),
                    metrics: named.metrics.iter().map(|(_, name)| (*name).to_owned()).collect(),
                }
            });
        let mut card = Scorecard {
            format: FORMAT,
            kind: "scorecard".to_owned(),
            narrows: narrows.to_owned(),
            title: title.to_owned(),
            remake: remake.to_owned(),
            notes: Vec::new(),
            seeds: seeds.to_vec(),
            networks: lineup.networks.clone(),
            traffic: traffic.collect(),
            controllers: lineup.controllers.clone(),
            beside: lineup.beside.clone(),
            flows: lineup.flows,
            entries: Vec::new(),
            verdicts: Vec::new(),
            baseline: lineup.baseline.clone(),
            against: Vec::new(),
        };
        for network in 0..lineup.networks.len() {
            for traffic in &lineup.traffic {
                for beside in std::iter::once(None).chain(lineup.beside.iter().map(Some)) {
                    let entries = runs.entries(network, traffic, beside.map(String::as_str));
                    card.verdicts.extend(words::verdict(&entries));
                    card.against.extend(words::against(&entries, lineup.baseline.as_deref()));
                    card.entries.extend(entries);
                }
            }
        }
        card.notes = words::notes(&card);
        card
    }
}

struct Runs<'a> {
    lineup: &'a Lineup,
    runs: Vec<TrafficRun>,
    values: &'a Values<'a>,
}

impl Runs<'_> {
    /// Returns the rows of a network and a kind of traffic, alone or next to a competitor.
    fn entries(&self, network: usize, traffic: &str, beside: Option<&str>) -> Vec<Entry> {
        let named = &self.lineup.networks[network].name;
        let tested = &self.lineup.controllers;
        let own = beside.filter(|own| !tested.iter().any(|tested| tested == own));
        let mut entries: Vec<Entry> = tested
            .iter()
            .map(String::as_str)
            .chain(own)
            .map(|controller| {
                let run = TrafficRun {
                    traffic: Some(traffic.to_owned()),
                    controller: controller.to_owned(),
                    beside: beside.map(str::to_owned),
                };
                let metrics = heads(traffic).into_iter().map(|(_, metric)| Valued {
                    name: metric.name.to_owned(),
                    best: false,
                    standing: None,
                    estimate: Estimate::over(self.measured(network, &run, traffic, metric)),
                });
                Entry {
                    network: named.clone(),
                    traffic: traffic.to_owned(),
                    controller: controller.to_owned(),
                    beside: beside.map(str::to_owned),
                    tested: own != Some(controller),
                    metrics: metrics.collect(),
                    harm: beside.map_or_else(Vec::new, |beside| {
                        SUFFERED.iter().map(|name| self.harm(network, &run, beside, name)).collect()
                    }),
                    sentence: None,
                }
            })
            .collect();
        mark(&mut entries, tested.len());
        judge(&mut entries, self.lineup.baseline.as_deref());
        for entry in &mut entries {
            entry.sentence = words::sentence(entry, self.lineup.flows);
        }
        entries
    }

    /// Computes the loss of a run's competitor relative to running alone, and the loss that traffic
    /// of the competitor's own controller would cause.
    fn harm(&self, network: usize, run: &TrafficRun, beside: &str, name: &str) -> Harm {
        let own = TrafficRun { controller: beside.to_owned(), ..run.clone() };
        let [estimate, own] =
            [run, &own].map(|run| Estimate::over(self.lost(network, run, beside, name)));
        Harm {
            name: name.to_owned(),
            best: false,
            standing: None,
            beyond_own: own.below(&estimate, 1.0),
            own,
            estimate,
        }
    }

    fn lost(&self, network: usize, run: &TrafficRun, beside: &str, name: &str) -> Vec<Option<f64>> {
        let Some(metric) = metric(name) else { return Vec::new() };
        let solo = self.lineup.alone(beside);
        let solo = self.measured(network, &solo, solo.group(), metric);
        let with = self.measured(network, run, COMPETITOR, metric);
        solo.into_iter().zip(with).map(|(solo, with)| harm(metric.better, solo?, with?)).collect()
    }

    /// Returns the values of a metric for a group of flows of a run; for the whole run if the
    /// metric is not defined for groups.
    fn measured(
        &self,
        network: usize,
        run: &TrafficRun,
        group: &str,
        metric: &Metric,
    ) -> Vec<Option<f64>> {
        let Some(place) = self.runs.iter().position(|own| own == run) else { return Vec::new() };
        let of_flows = OF_FLOWS.iter().any(|own| own.name == metric.name);
        (self.values)(network, place, of_flows.then_some(group), metric)
    }
}

/// Marks the best of the first `tested` rows in each column.
fn mark(entries: &mut [Entry], tested: usize) {
    let rows = &mut entries[..tested];
    let Some((metrics, harms)) = rows.first().map(|first| (first.metrics.len(), first.harm.len()))
    else {
        return;
    };
    for column in 0..metrics {
        let better =
            metric(&rows[0].metrics[column].name).map_or(Better::Neither, |metric| metric.better);
        let all: Vec<&Estimate> = rows.iter().map(|row| &row.metrics[column].estimate).collect();
        if let Some(place) = best(&all, better, 0.0) {
            rows[place].metrics[column].best = true;
        }
    }
    for column in 0..harms {
        let all: Vec<&Estimate> = rows.iter().map(|row| &row.harm[column].estimate).collect();
        if let Some(place) = best(&all, Better::Lower, 1.0) {
            rows[place].harm[column].best = true;
        }
    }
}

/// Judges each row under test against the baseline's row.
fn judge(entries: &mut [Entry], baseline: Option<&str>) {
    let of = |entry: &&Entry| entry.tested && Some(entry.controller.as_str()) == baseline;
    let Some(own) = entries.iter().find(of).cloned() else { return };
    for entry in entries.iter_mut().filter(|entry| entry.tested) {
        if entry.controller == own.controller {
            continue;
        }
        for (number, baseline) in entry.metrics.iter_mut().zip(&own.metrics) {
            let better = metric(&number.name).map_or(Better::Neither, |metric| metric.better);
            number.standing = number.estimate.standing(&baseline.estimate, better, 0.0);
        }
        for (harm, baseline) in entry.harm.iter_mut().zip(&own.harm) {
            harm.standing = harm.estimate.standing(&baseline.estimate, Better::Lower, 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scorecard::Network;

    /// Builds a scorecard for a link of 10 Mbit/s. Each download alone has 10 Mbit/s and a round
    /// trip of 40 ms. Next to a download by a, the competitor has 5 Mbit/s and 80 ms. Next to a
    /// download by b, it has 2, 2.5 and 3 Mbit/s and 50 ms.
    fn card() -> Scorecard {
        let texts =
            |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
        let network = Network { name: "line".to_owned(), ..Network::default() };
        let lineup = Lineup {
            networks: vec![network],
            traffic: texts(&["bulk"]),
            controllers: texts(&["a", "b"]),
            beside: texts(&["a"]),
            flows: 1,
            baseline: Some("a".to_owned()),
        };
        let runs = lineup.runs();
        let values =
            |_: usize, run: usize, group: Option<&str>, metric: &Metric| -> Vec<Option<f64>> {
                let run = &runs[run];
                let values =
                    match (metric.name, run.beside.is_some(), run.controller.as_str(), group) {
                        ("goodput", false, _, Some("bulk")) => [10.0; 3],
                        ("rtt_p95", false, _, Some("bulk")) => [40.0; 3],
                        ("goodput", true, "a", Some(_)) => [5.0; 3],
                        ("rtt_p95", true, "a", Some(_)) => [80.0; 3],
                        ("goodput", true, "b", Some("competitor")) => [2.0, 2.5, 3.0],
                        ("goodput", true, "b", Some("bulk")) => [8.0, 7.5, 7.0],
                        ("rtt_p95", true, "b", Some(_)) => [50.0; 3],
                        ("standing_queue", _, _, None) => [7.0; 3],
                        _ => return vec![None; 3],
                    };
                values.map(Some).to_vec()
            };
        Scorecard::of(&lineup, ("Two", "narrows compare a b", "0"), &[1, 2, 3], &values)
    }

    #[test]
    fn harm_is_held_against_that_of_the_competitors_own_controller() {
        let card = card();
        let entry = card
            .entries
            .iter()
            .find(|entry| entry.controller == "b" && entry.beside.is_some())
            .expect("b beside a");
        let [goodput, delay] = &entry.harm[..] else { panic!("two harms") };
        // Goodput: (10 - 2.5) / 10, against (10 - 5) / 10. RTT: (50 - 40) / 50, against (80 - 40) /
        // 80.
        assert_eq!(
            (goodput.estimate.median, goodput.estimate.low, goodput.estimate.high),
            (Some(0.75), Some(0.7), Some(0.8))
        );
        assert_eq!(
            (goodput.own.median, goodput.beyond_own, goodput.best),
            (Some(0.5), true, false)
        );
        assert_eq!(
            (delay.estimate.median, delay.own.median, delay.beyond_own, delay.best),
            (Some(0.2), Some(0.5), false, true)
        );
        let says = "On line, a b download takes 75 % of an a download's goodput; a's own takes 50 %. \
                    It accounts for 20 % of an a download's p95 round trip; a's own for 50 %.";
        assert_eq!(entry.sentence.as_deref(), Some(says));
    }

    #[test]
    fn others_are_judged_against_the_baseline() {
        let card = card();
        let words: Vec<String> = card.against.iter().map(|own| own.standings.words()).collect();
        assert_eq!(
            words,
            [
                "undecided: Goodput, RTT p95, Standing queue",
                // 7 to 8 against 5 Mbit/s, 50 against 80 ms; it leaves a 2 to 3 of its 5 Mbit/s.
                "worse: harm to goodput; better: Goodput, RTT p95, harm to RTT; undecided: Standing queue"
            ]
        );
        assert!(card.against.iter().all(|own| own.controller == "b"));
    }

    #[test]
    fn the_best_is_named_and_otherwise_no_difference() {
        let card = card();
        let says: Vec<&str> = card.verdicts.iter().map(|verdict| verdict.says.as_str()).collect();
        assert_eq!(
            says,
            [
                "no clear winner: Goodput, RTT p95, Standing queue; not defined: Loss",
                "a: harm to goodput; b: Goodput, RTT p95, harm to RTT; no clear winner: Standing queue; not defined: Loss"
            ]
        );
        let marked = |beside: bool, name: &str| {
            let rows = card.entries.iter().filter(|entry| entry.beside.is_some() == beside);
            rows.filter(|row| row.metrics.iter().any(|own| own.name == name && own.best))
                .map(|row| row.controller.as_str())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (marked(true, "goodput"), marked(true, "standing_queue"), marked(false, "goodput")),
            (vec!["b"], vec![], vec![])
        );
    }
}
