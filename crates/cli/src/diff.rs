//! `narrows diff`: changes of the scenario between two results, and the changes of the metrics.

use crate::cli::DiffArgs;
use crate::terminal;
use narrows_measure::bootstrap::{Interval, difference_interval};
use narrows_measure::metrics::{Better, Metric, metric};
use narrows_measure::statistics::median;
use narrows_report::{Measured, MeasuredCase, measured, open, text_table};
use narrows_scenario::{Difference, differences};
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use serde::Serialize;
use std::path::Path;

/// Maximum number of rows in the table. `--json` has all rows.
const ROWS: usize = 40;

#[derive(Serialize)]
struct Told {
    before: String,
    after: String,
    scenario: Vec<Changed>,
    only_before: Vec<String>,
    only_after: Vec<String>,
    metrics: Vec<Moved>,
}

#[derive(Serialize)]
struct Changed {
    path: String,
    before: Option<String>,
    after: Option<String>,
}

/// Change of a metric in a case.
#[derive(Serialize)]
struct Moved {
    case: String,
    metric: String,
    unit: &'static str,
    before: f64,
    after: f64,
    /// Number of seeds for which the metric is defined, and number of all seeds.
    before_seeds: [usize; 2],
    after_seeds: [usize; 2],
    change: f64,
    /// Change in percent of the value before. `None` if that value is zero.
    percent: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    /// True if the 95 % interval of the change does not contain zero. `None` if there are too few
    /// seeds for an interval.
    beyond_spread: Option<bool>,
    /// True if the change is an improvement. `None` if the metric has no direction, there is no
    /// change, or the metric is defined for different seeds before and after.
    better: Option<bool>,
    /// True if the metric is defined for the same seeds before and after.
    #[serde(skip)]
    comparable: bool,
}

/// Compares two results.
pub fn diff(args: DiffArgs) -> Result<Outcome, Failure> {
    let (first, second) = (measured(&open(&args.before)?)?, measured(&open(&args.after)?)?);
    let told = tell(&first, &second, &args.before, &args.after)?;
    let text = if args.json {
        serde_json::to_string_pretty(&told)
            .map(|text| text + "\n")
            .map_err(|error| Failure::Other(format!("no JSON: {error}")))?
    } else {
        words(&told, &first, &second)
    };
    terminal::print(&text)?;
    Ok(Outcome::Ok)
}

fn tell(first: &Measured, second: &Measured, before: &Path, after: &Path) -> Result<Told, Failure> {
    let single = first.cases.len() == 1 && second.cases.len() == 1;
    let partner =
        |case: &MeasuredCase| second.cases.iter().find(|other| single || other.label == case.label);
    let pairs: Vec<(&MeasuredCase, &MeasuredCase)> =
        first.cases.iter().filter_map(|case| Some((case, partner(case)?))).collect();
    if pairs.is_empty() && first.kind != second.kind {
        return Err(Failure::Other(format!(
            "{} is the result of a {} and {} of a {}, so they have no case in common; compare results of the same command",
            before.display(),
            first.kind,
            after.display(),
            second.kind
        )));
    }
    if pairs.is_empty() {
        return Err(Failure::Other(format!(
            "{} and {} have no case in common ({} and {}); compare results of the same cases, or of one case each",
            before.display(),
            after.display(),
            labels(first),
            labels(second)
        )));
    }
    let mut scenario: Vec<Difference> = Vec::new();
    for (own, other) in &pairs {
        for difference in differences(&own.scenario_toml, &other.scenario_toml)? {
            if !scenario.contains(&difference) {
                scenario.push(difference);
            }
        }
    }
    let mut metrics: Vec<Moved> = pairs.iter().flat_map(|(own, other)| moved(own, other)).collect();
    // Put changes beyond the spread first. Sort by relative size within each group.
    let size = |moved: &Moved| {
        moved.change.abs() / moved.before.abs().max(moved.after.abs()).max(f64::MIN_POSITIVE)
    };
    metrics.sort_by(|a, b| {
        (b.beyond_spread == Some(true))
            .cmp(&(a.beyond_spread == Some(true)))
            .then(size(b).total_cmp(&size(a)))
    });
    let alone = |all: &Measured, taken: &dyn Fn(&MeasuredCase) -> bool| {
        all.cases.iter().filter(|case| !taken(case)).map(|case| case.label.clone()).collect()
    };
    Ok(Told {
        before: before.display().to_string(),
        after: after.display().to_string(),
        scenario: scenario
            .into_iter()
            .map(|one| Changed { path: one.path, before: one.before, after: one.after })
            .collect(),
        only_before: alone(first, &|case| pairs.iter().any(|(own, _)| own.label == case.label)),
        only_after: alone(second, &|case| pairs.iter().any(|(_, other)| other.label == case.label)),
        metrics,
    })
}

fn labels(all: &Measured) -> String {
    let labels: Vec<&str> = all.cases.iter().take(5).map(|case| case.label.as_str()).collect();
    labels.join(", ") + if all.cases.len() > 5 { " ..." } else { "" }
}

fn moved(own: &MeasuredCase, other: &MeasuredCase) -> Vec<Moved> {
    let one = |(name, all_before): (&String, &Vec<Option<f64>>)| {
        let (metric, all_after) = (metric(name)?, other.metrics.get(name)?);
        let [before, after] =
            [all_before, all_after].map(|all| all.iter().flatten().copied().collect::<Vec<f64>>());
        let (from, to) = (median(&before)?, median(&after)?);
        let [before_seeds, after_seeds] =
            [[before.len(), all_before.len()], [after.len(), all_after.len()]];
        // One value does not show the spread.
        let interval = if before.len().min(after.len()) > 1 {
            difference_interval(&before, &after)
        } else {
            None
        };
        // The medians leave out seeds for which the metric is undefined.
        let everywhere = before.len() == all_before.len() && after.len() == all_after.len();
        let comparable = everywhere
            || all_before.iter().map(Option::is_some).eq(all_after.iter().map(Option::is_some));
        let change = to - from;
        Some(Moved {
            case: own.label.clone(),
            metric: name.clone(),
            unit: metric.unit,
            before: from,
            after: to,
            before_seeds,
            after_seeds,
            change,
            percent: (from != 0.0).then(|| 100.0 * change / from),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            beyond_spread: interval.map(|interval| beyond(&interval)),
            better: better(metric, change).filter(|_| comparable),
            comparable,
        })
    };
    own.metrics.iter().filter_map(one).collect()
}

fn beyond(interval: &Interval) -> bool {
    !interval.contains(0.0)
}

fn better(metric: &Metric, change: f64) -> Option<bool> {
    match metric.better {
        _ if change == 0.0 => None,
        Better::Higher => Some(change > 0.0),
        Better::Lower => Some(change < 0.0),
        Better::Neither => None,
    }
}

fn words(told: &Told, first: &Measured, second: &Measured) -> String {
    let mut text = format!("{} -> {}\n", told.before, told.after);
    if first.version != second.version {
        text += &format!("Measured by Narrows {} and {}.\n", first.version, second.version);
    }
    text += "\nScenario\n";
    if told.scenario.is_empty() {
        text += "  no difference\n";
    }
    for Changed { path, before, after } in &told.scenario {
        let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "(none)".to_owned());
        text += &format!("  {path}: {} -> {}\n", or_none(before), or_none(after));
    }
    for (labels, which) in [(&told.only_before, &told.before), (&told.only_after, &told.after)] {
        if !labels.is_empty() {
            text += &format!("  only in {which}: {}\n", labels.join("; "));
        }
    }
    text += "\n";
    let changed: Vec<&Moved> = told.metrics.iter().filter(|moved| moved.change != 0.0).collect();
    if changed.is_empty() {
        return text + "No metric changed.\n";
    }
    let several = told.metrics.iter().any(|moved| moved.case != told.metrics[0].case);
    let heads = ["Metric", "Unit", "Before", "After", "Change", "%", "95 % interval", ""];
    let mut rows: Vec<Vec<String>> = vec![heads.iter().map(|head| (*head).to_owned()).collect()];
    for moved in changed.iter().take(ROWS) {
        let interval = moved
            .low
            .zip(moved.high)
            .map_or_else(String::new, |(low, high)| format!("{} to {}", plain(low), plain(high)));
        let verdict = match (moved.beyond_spread, moved.better) {
            (None, _) => "spread unknown",
            (Some(false), _) => "within spread",
            (Some(true), None) if moved.comparable => "moved",
            (Some(true), None) => "other seeds",
            (Some(true), Some(true)) => "better",
            (Some(true), Some(false)) => "worse",
        };
        let percent = moved.percent.map_or_else(String::new, |percent| format!("{percent:+.1}"));
        rows.push(vec![
            moved.metric.clone(),
            moved.unit.to_owned(),
            with_seeds(moved.before, moved.before_seeds),
            with_seeds(moved.after, moved.after_seeds),
            format!("{}{}", if moved.change > 0.0 { "+" } else { "" }, plain(moved.change)),
            percent,
            interval,
            verdict.to_owned(),
        ]);
    }
    if several {
        rows[0].insert(0, "Case".to_owned());
        changed
            .iter()
            .take(ROWS)
            .zip(&mut rows[1..])
            .for_each(|(moved, row)| row.insert(0, moved.case.clone()));
    }
    text += &text_table(&rows, if several { 3 } else { 2 });
    if changed.len() > ROWS {
        text += &format!("... and {} more; --json has all\n", changed.len() - ROWS);
    }
    let unchanged = told.metrics.len() - changed.len();
    if unchanged > 0 {
        text += &format!("{unchanged} more did not change.\n");
    }
    if told.metrics.iter().all(|moved| moved.beyond_spread.is_none()) {
        let one = first
            .cases
            .iter()
            .chain(&second.cases)
            .all(|case| case.metrics.values().all(|values| values.len() < 2));
        text += if one {
            "One seed each: the spread is unknown.\n"
        } else {
            "One seed on one side: the spread is unknown.\n"
        };
    }
    text
}

/// Formats a median, with the number of seeds if the metric is undefined for some.
fn with_seeds(median: f64, [defined, all]: [usize; 2]) -> String {
    if defined < all {
        format!("{} ({defined} of {all} seeds)", plain(median))
    } else {
        plain(median)
    }
}

/// Formats a number with about three significant digits. Small numbers have an exponent.
fn plain(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.001 {
        return format!("{value:.1e}");
    }
    let digits = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 4,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
