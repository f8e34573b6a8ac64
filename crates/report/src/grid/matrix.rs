//! Matrix of controller pairs: share, harm and starvation of each controller next to each other
//! one.

use super::reduced::Reduced;
use super::suffix::suffix;
use crate::spread::Spread;
use crate::table::{one, render};
use narrows_figure::number::{or_dash, short};
use narrows_measure::bootstrap::Interval;
use narrows_measure::harm::{YARDSTICK, harm};
use narrows_measure::metrics::{Better, METRICS};
use narrows_measure::statistics::mean;
use narrows_sheet::{Cells, ParquetError, Sheet};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The results of each controller next to each other controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    /// The controllers, as rows (the measured flow) and as columns (the flow next to it).
    pub controllers: Vec<String>,
    /// Descriptions of the networks.
    pub conditions: Vec<String>,
    /// Share, goodput, harm in throughput, delay, loss and completion times, and starvation.
    /// Measures without a defined value are left out.
    pub measures: Vec<Measure>,
}

/// One measure for all pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Name in files.
    pub name: String,
    /// Title in plots.
    pub title: String,
    /// Unit; empty for a pure number.
    pub unit: String,
    /// Definition of the measure.
    pub summary: String,
    /// Values, one entry per network.
    pub conditions: Vec<Pairs>,
}

/// Medians over seeds and their 95 % intervals. The outer index is the row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pairs {
    /// The medians.
    pub median: Vec<Vec<Option<f64>>>,
    /// Lower ends of the intervals.
    pub low: Vec<Vec<Option<f64>>>,
    /// Upper ends of the intervals.
    pub high: Vec<Vec<Option<f64>>>,
    /// Harm of CUBIC to NewReno; `None` for measures without a yardstick.
    pub yardstick: Option<f64>,
}

/// The numbers of a flow that a matrix needs.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    goodput: Option<f64>,
    delay: Option<f64>,
    loss: Option<f64>,
    completion: Option<f64>,
}

/// The data of a run that a matrix needs: its flows, and the longest time for which a flow was
/// starved.
#[derive(Clone, Debug, Default)]
pub struct Pairing {
    flows: Vec<Flow>,
    starved: Option<f64>,
}

impl Pairing {
    /// Extracts the data from a reduced run.
    pub fn of(reduced: &Reduced) -> Pairing {
        let starved = METRICS
            .iter()
            .position(|metric| metric.name == "starved")
            .and_then(|index| reduced.metrics.get(index).copied().flatten());
        Pairing { flows: flows(&reduced.flows).unwrap_or_default(), starved }
    }
}

fn flows(sheet: &Sheet) -> Result<Vec<Flow>, ParquetError> {
    let [goodput, delay, completion] =
        ["goodput_mbps", "rtt_p95_ms", "fct_p95_s"].map(|column| sheet.maybe_real(column));
    let (goodput, delay, completion) = (goodput?, delay?, completion?);
    let (dropped, sent) =
        (sheet.count("steady_dropped_packets")?, sheet.count("steady_sent_packets")?);
    let loss = |row: usize| (sent[row] > 0).then(|| dropped[row] as f64 / sent[row] as f64);
    Ok((0..sheet.rows())
        .map(|row| Flow {
            goodput: goodput[row],
            delay: delay[row],
            loss: loss(row),
            completion: completion[row],
        })
        .collect())
}

/// All runs of a matrix. `solo` and `pair` return one [`Pairing`] per seed: for a controller alone
/// on a network, and for two controllers together. `pair` returns nothing for a pair that was not
/// run in this order.
pub struct Runs<'a> {
    /// The controllers of the matrix.
    pub controllers: Vec<String>,
    /// Descriptions of the networks.
    pub conditions: Vec<String>,
    /// Runs of one controller alone, by network and controller.
    pub solo: &'a dyn Fn(usize, &str) -> Vec<Pairing>,
    /// Runs of two controllers, by network and controllers. The flow of the first controller comes
    /// first.
    pub pair: &'a dyn Fn(usize, &str, &str) -> Vec<Pairing>,
}

type Of = fn(&[Pairing], &[Pairing], usize) -> Option<f64>;

/// Name, title, unit, summary, whether the yardstick applies, and the function that computes the
/// value for one flow of a pair. Its arguments are the solo runs and the pair runs from one seed
/// on, and the index of the flow.
const MEASURES: &[(&str, &str, &str, &str, bool, Of)] = &[
    (
        "share",
        "Share",
        "%",
        "The row's share of the goodput of both, in percent; 50 is even.",
        false,
        |_, pair, place| {
            let (own, other) =
                (pair[0].flows.get(place)?.goodput?, pair[0].flows.get(1 - place)?.goodput?);
            (own + other > 0.0).then(|| 100.0 * own / (own + other))
        },
    ),
    (
        "goodput",
        "Goodput",
        "Mbit/s",
        "What the row's application receives.",
        false,
        |_, pair, place| pair[0].flows.get(place)?.goodput,
    ),
    (
        "harm_throughput",
        "Harm in throughput",
        "",
        "The share of its solo goodput that the row loses beside the column.",
        true,
        |solo, pair, place| {
            harm(
                Better::Higher,
                solo[0].flows.first()?.goodput?,
                pair[0].flows.get(place)?.goodput?,
            )
        },
    ),
    (
        "harm_delay",
        "Harm in delay",
        "",
        "The share of the row's 95th percentile of round trips beside the column that it does not have alone.",
        true,
        |solo, pair, place| {
            harm(Better::Lower, solo[0].flows.first()?.delay?, pair[0].flows.get(place)?.delay?)
        },
    ),
    (
        "harm_loss",
        "Harm in loss",
        "",
        "The share of the row's losses beside the column that it does not have alone.",
        true,
        |solo, pair, place| {
            harm(Better::Lower, solo[0].flows.first()?.loss?, pair[0].flows.get(place)?.loss?)
        },
    ),
    (
        "harm_completion",
        "Harm in completion times",
        "",
        "The share of the 95th percentile of the row's completion times of transfers beside the column that it does not have alone.",
        true,
        |solo, pair, place| {
            harm(
                Better::Lower,
                solo[0].flows.first()?.completion?,
                pair[0].flows.get(place)?.completion?,
            )
        },
    ),
    (
        "starved",
        "Starvation",
        "s",
        "The longest period in which one of the two had less than a tenth of its fair share; 5 s or more is starvation.",
        false,
        |_, pair, _| pair[0].starved,
    ),
];

impl Matrix {
    /// Computes all measures for all pairs.
    pub fn of(runs: &Runs<'_>) -> Matrix {
        let measures = MEASURES.iter().map(|(name, title, unit, summary, judged, of)| Measure {
            name: (*name).to_owned(),
            title: (*title).to_owned(),
            unit: (*unit).to_owned(),
            summary: (*summary).to_owned(),
            conditions: (0..runs.conditions.len())
                .map(|condition| pairs(runs, condition, *judged, *of))
                .collect(),
        });
        let defined = |measure: &Measure| {
            measure
                .conditions
                .iter()
                .any(|pairs| pairs.median.iter().flatten().any(Option::is_some))
        };
        Matrix {
            measures: measures.filter(defined).collect(),
            controllers: runs.controllers.clone(),
            conditions: runs.conditions.clone(),
        }
    }

    /// Returns the matrix as a table: a row for each network, controller and controller next to it.
    pub(crate) fn sheet(&self) -> Sheet {
        let n = self.controllers.len();
        let rows: Vec<(usize, usize, usize)> = (0..self.conditions.len())
            .flat_map(|c| (0..n).flat_map(move |i| (0..n).map(move |j| (c, i, j))))
            .collect();
        let text = |of: fn(&Matrix, &(usize, usize, usize)) -> Arc<str>| {
            Cells::Text(rows.iter().map(|row| of(self, row)).collect())
        };
        let mut sheet = Sheet::default();
        sheet.add("network", text(|own, row| own.conditions[row.0].as_str().into()));
        sheet.add("controller", text(|own, row| own.controllers[row.1].as_str().into()));
        sheet.add("beside", text(|own, row| own.controllers[row.2].as_str().into()));
        for measure in &self.measures {
            let unit = suffix(&measure.unit);
            for (part, of) in [
                ("_median", median as fn(&Pairs) -> &Vec<Vec<Option<f64>>>),
                ("_low", low),
                ("_high", high),
            ] {
                let cells =
                    rows.iter().map(|(c, i, j)| of(&measure.conditions[*c])[*i][*j]).collect();
                sheet.add(format!("{}{part}{unit}", measure.name), Cells::MaybeReal(cells));
            }
        }
        sheet
    }

    /// Formats the matrix as plain text: a table for each network and measure.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for (index, condition) in self.conditions.iter().enumerate() {
            text += &format!("{condition}\n\n");
            for measure in &self.measures {
                let pairs = &measure.conditions[index];
                let yardstick = pairs.yardstick.map_or_else(String::new, |harm| {
                    format!(" (CUBIC on NewReno: {})", short(harm))
                });
                text += &format!("{}: row beside column{yardstick}\n", measure.titled());
                let mut columns = vec![
                    std::iter::once(String::new())
                        .chain(self.controllers.iter().cloned())
                        .map(one)
                        .collect::<Vec<_>>(),
                ];
                for (column, controller) in self.controllers.iter().enumerate() {
                    let cells =
                        (0..self.controllers.len()).map(|row| cell(measure, pairs, row, column));
                    columns.push(std::iter::once(one(controller.clone())).chain(cells).collect());
                }
                text += &render(columns, 1);
                text += "\n";
            }
        }
        text
    }
}

impl Measure {
    /// Returns title and unit: "Goodput, Mbit/s".
    pub(crate) fn titled(&self) -> String {
        if self.unit.is_empty() {
            self.title.clone()
        } else {
            format!("{}, {}", self.title, self.unit)
        }
    }

    /// True if each flow of a pair has a value of its own. Starvation has one value per pair.
    pub(crate) fn is_of_each(&self) -> bool {
        self.name != "starved"
    }

    /// Formats the values of the row and of the column of a pair: "58.1 / 41.9"; for starvation the
    /// single value of the pair. An exclamation mark follows a value beyond the yardstick.
    pub(crate) fn text(&self, pairs: &Pairs, row: usize, column: usize) -> String {
        let one = |row: usize, column: usize| {
            or_dash(pairs.median[row][column])
                + if self.beyond(pairs, row, column) { "!" } else { "" }
        };
        if self.is_of_each() {
            format!("{} / {}", one(row, column), one(column, row))
        } else {
            one(row, column)
        }
    }

    /// Explains the values of a pair, the column's value on a line of its own:
    /// "cubic beside bbr: 0.31 (0.28 to 0.33)".
    pub(crate) fn explanation(
        &self,
        matrix: &Matrix,
        pairs: &Pairs,
        row: usize,
        column: usize,
    ) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let one = |row: usize, column: usize| {
            let (low, high) = (pairs.low[row][column], pairs.high[row][column]);
            let range = match low.zip(high).filter(|(low, high)| low != high) {
                Some((low, high)) => format!(" ({} to {})", short(low), short(high)),
                None => String::new(),
            };
            let names = [row, column].map(|at| matrix.controllers[at].as_str()).join(" beside ");
            format!("{names}: {}{unit}{range}", or_dash(pairs.median[row][column]))
        };
        if self.is_of_each() && row != column {
            format!("{}\n{}", one(row, column), one(column, row))
        } else {
            one(row, column)
        }
    }

    /// Explains the measure and the marks of its cells.
    pub(crate) fn legend(&self, pairs: &Pairs) -> String {
        let cells = if self.is_of_each() {
            " Cells show the row / the column."
        } else {
            " ! marks starvation."
        };
        let mark = pairs.yardstick.map_or_else(String::new, |yardstick| {
            format!(
                " ! marks harm whose whole interval exceeds the yardstick, the harm of CUBIC to NewReno here: {}.",
                short(yardstick)
            )
        });
        format!("{}{cells}{mark}", self.summary)
    }

    /// True for starvation, and for a value with its whole interval beyond the yardstick. One seed
    /// gives no interval, so nothing is beyond.
    pub(crate) fn beyond(&self, pairs: &Pairs, row: usize, column: usize) -> bool {
        match (self.name.as_str(), pairs.yardstick) {
            ("starved", _) => pairs.median[row][column]
                .is_some_and(|time| time >= narrows_measure::harm::STARVED_S),
            (_, Some(yardstick)) => pairs.low[row][column].is_some_and(|low| low > yardstick),
            _ => false,
        }
    }
}

fn median(pairs: &Pairs) -> &Vec<Vec<Option<f64>>> {
    &pairs.median
}

fn low(pairs: &Pairs) -> &Vec<Vec<Option<f64>>> {
    &pairs.low
}

fn high(pairs: &Pairs) -> &Vec<Vec<Option<f64>>> {
    &pairs.high
}

/// Formats the values of a pair after a bar for the row's value, and below them their intervals.
fn cell(measure: &Measure, pairs: &Pairs, row: usize, column: usize) -> [String; 2] {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let Some(value) = pairs.median[row][column] else { return one(or_dash(None)) };
    let whole = match measure.name.as_str() {
        "share" => 100.0,
        "goodput" => {
            pairs.median.iter().flatten().flatten().copied().fold(f64::MIN_POSITIVE, f64::max)
        }
        "starved" => narrows_measure::harm::STARVED_S,
        _ => 1.0,
    };
    let bar = BARS[((value / whole).clamp(0.0, 1.0) * 8.0).round() as usize];
    let range = |row: usize, column: usize| {
        let interval = pairs.low[row][column]
            .zip(pairs.high[row][column])
            .map(|(low, high)| Interval { low, high });
        Spread { interval, ..Spread::default() }.range()
    };
    let (own, other) =
        (range(row, column), if measure.is_of_each() { range(column, row) } else { String::new() });
    // A range is empty if both ends look alike: then the median looks like them.
    let or_value = |range: &str, row: usize, column: usize| match range {
        "" => or_dash(pairs.median[row][column]),
        range => range.to_owned(),
    };
    let below = match (own.as_str(), other.as_str(), measure.is_of_each()) {
        ("", "", _) => String::new(),
        (own, _, false) => own.to_owned(),
        (own, other, true) => {
            format!("{} / {}", or_value(own, row, column), or_value(other, column, row))
        }
    };
    [format!("{bar} {}", measure.text(pairs, row, column)), below]
}

fn pairs(runs: &Runs<'_>, condition: usize, judged: bool, of: Of) -> Pairs {
    let spread = |own: &str, other: &str| {
        let solo = (runs.solo)(condition, own);
        // If the pair was run in the other order, the flow is the second. If both controllers are
        // the same, average both flows.
        let (pair, places): (_, &[usize]) = match (runs.pair)(condition, own, other) {
            pair if pair.is_empty() => ((runs.pair)(condition, other, own), &[1]),
            pair if own == other => (pair, &[0, 1]),
            pair => (pair, &[0]),
        };
        let seed = |index: usize| -> Option<f64> {
            let values: Vec<f64> = places
                .iter()
                .filter_map(|place| of(&solo[index..], &pair[index..], *place))
                .collect();
            mean(&values)
        };
        Spread::over(&(0..solo.len().min(pair.len())).map(seed).collect::<Vec<Option<f64>>>())
    };
    let all: Vec<Vec<Spread>> = runs
        .controllers
        .iter()
        .map(|own| runs.controllers.iter().map(|other| spread(own, other)).collect())
        .collect();
    let each = |of: &dyn Fn(&Spread) -> Option<f64>| {
        all.iter().map(|row| row.iter().map(of).collect()).collect()
    };
    Pairs {
        median: each(&|spread| spread.median),
        low: each(&|spread| spread.interval.map(|interval| interval.low)),
        high: each(&|spread| spread.interval.map(|interval| interval.high)),
        yardstick: if judged { spread(YARDSTICK[0], YARDSTICK[1]).median } else { None },
    }
}
