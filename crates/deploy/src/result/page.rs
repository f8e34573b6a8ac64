//! A result as a page.

use super::figures::{evidence, over_time, pairs, round_trips};
use super::summary::{MetricResult, Summary, planned};
use super::{Ended, Planned};
use crate::experiment::{DesignKind, Metric, Unit, time};
use crate::plan::{effect, span, words};
use crate::sections::{CSS, EXPLAINED, drawn, section, table, verdict};
use maud::{Markup, html};
use narrows_report::{Document, capital};

const READING: &str = include_str!("reading.html");

/// Returns the page of a result.
pub fn page(own: &Ended) -> String {
    let summary = Summary::of(own);
    let first = own.experiment.metrics[0].metric;
    let kind = &own.experiment.design.kind;
    let steps = matches!(kind, DesignKind::Steps { .. });
    let while_treated = format!("{} while a share is treated", capital(&words(first)));
    let main = html! {
        (verdict(class(&summary), &ending(own, &summary)))
        (section(&heading(own), &table(&metrics(own, &summary))))
        @if steps { (section(&while_treated, &table(&shares(&summary, first)))) }
        @if own.trial.over() > 0 {
            (section("Both arms over time", &drawn(&over_time(own, first))))
        }
        @if own.trial.judged() > 0 {
            (section(&format!("The {}s", kind.group()), &drawn(&pairs(own, first))))
        }
        @if let Some(figure) = evidence(own) { (section("Evidence of harm", &drawn(&figure))) }
        @if let Some(figure) = round_trips(own) { (section("Round trips", &drawn(&figure))) }
        (section("Connections", &table(&connections(own))))
        (section("Left out", &table(&left_out(own))))
        (section("Guards", &table(&guards(own))))
        (section("Order and method", &method(own)))
    };
    let title = format!("{}: {} to {}", summary.experiment, summary.arms[0], summary.arms[1]);
    let version = &own.state.narrows;
    let notes = notes(own);
    Document {
        title: &title,
        setup: &setup(own),
        notes: &notes,
        css: CSS,
        reading: READING,
        explained: EXPLAINED,
        main,
        version,
    }
    .html()
}

fn heading(own: &Ended) -> String {
    match own.experiment.design.kind {
        DesignKind::Share { share, .. } => {
            format!("Treated connections in competition with control, at {} %", 100.0 * share)
        }
        DesignKind::Switchback { high, .. } if high < 1.0 => {
            format!("{} % treated, against none", 100.0 * high)
        }
        _ => "All treated, against none".to_owned(),
    }
}

fn setup(own: &Ended) -> String {
    let (period, burn_in, burn_out) = own.trial.timing();
    let kind = &own.experiment.design.kind;
    format!(
        "On {}, from {}{}. {}: {} periods of observation, then {} {}s, periods of {period}, of which {burn_in} and {burn_out} at the ends do not count.",
        own.state.host,
        time::written(own.state.started),
        own.state.ended.map_or(String::new(), |end| format!(" to {}", time::written(end))),
        capital(kind.name()),
        own.trial.observed(),
        own.trial.groups(),
        kind.group(),
    )
}

fn class(summary: &Summary) -> &'static str {
    match summary.state {
        "harmed" | "invalid" | "failed" => "wrong",
        "completed" => "right",
        _ => "unknown",
    }
}

/// Says in one or two sentences how the experiment ended.
fn ending(own: &Ended, summary: &Summary) -> String {
    let reason = match summary.reason.as_str() {
        "" => String::new(),
        text => format!(": {text}"),
    };
    let group = own.experiment.design.kind.group();
    let [judged, all] = [own.trial.judged(), own.trial.groups()];
    let after = format!("after {judged} of {all} {group}s");
    let took =
        own.state.took_s().map_or(String::new(), |own| format!(", {}", span(own.round() as u64)));
    match summary.state {
        "completed" if summary.metrics.iter().all(|own| own.harm.is_none()) => {
            "Completed. No metric has a bound of harm.".to_owned()
        }
        "completed" => {
            "Completed: no harm beyond a bound was shown. That does not show that there is none."
                .to_owned()
        }
        "harmed" => format!("Stopped and rolled back by itself{reason}, {after}{took}."),
        "stopped" => format!("Stopped{reason}, {after}{took}."),
        "invalid" => format!("Invalid{reason}, {after}. The numbers do not count."),
        "failed" => format!("Failed{reason}, {after}."),
        _ => format!("Going on, {after}. Only the intervals that hold at any time count yet."),
    }
}

/// Formats a level with its unit.
pub(crate) fn level(metric: Metric, value: Option<f64>) -> String {
    let digits = |value: f64, unit: &str| {
        let digits = match value.abs() {
            large if large >= 99.5 => 0,
            middle if middle >= 9.95 => 1,
            _ => 2,
        };
        format!("{value:.digits$} {unit}")
    };
    let Some(value) = value else { return "\u{2013}".to_owned() };
    match metric {
        Metric::Goodput => digits(value * 8e-6, "Mbit/s"),
        Metric::Retransmitted => digits(value, "%"),
        Metric::Timeouts => digits(value, "per 1000"),
        _ if value < 1.0 => digits(value * 1e3, "ms"),
        _ => digits(value, "s"),
    }
}

fn interval(low: f64, high: f64, unit: Unit) -> String {
    format!("{} to {}", effect(low, unit), effect(high, unit))
}

fn of_plan(own: &Ended, metric: Metric) -> Option<Planned> {
    planned(own.plan?, metric)
}

fn metrics(own: &Ended, summary: &Summary) -> Vec<Vec<String>> {
    let mut heads = vec![
        "",
        "Control",
        "Treatment",
        "Effect",
        "95 % interval",
        "Valid at any time",
        "Harm above",
        "Evidence of harm",
    ];
    if own.plan.is_some() {
        heads.extend(["Plan: all treated", "Plan: an A/B test says"]);
    }
    let mut rows: Vec<Vec<String>> = vec![heads.into_iter().map(str::to_owned).collect()];
    let dash = || "\u{2013}".to_owned();
    for (judged, result) in own.experiment.metrics.iter().zip(&summary.metrics) {
        let (metric, unit) = (judged.metric, judged.metric.unit());
        let text = |own: Option<[f64; 2]>| own.map_or_else(dash, |own| effect(own[0], unit));
        let mut row = vec![
            words(metric),
            level(metric, result.control),
            level(metric, result.treatment),
            result.effect.map_or_else(dash, |own| effect(own.estimate, unit)),
            result.effect.map_or_else(dash, |own| interval(own.low, own.high, unit)),
            result.always.map_or_else(dash, |[low, high]| interval(low, high, unit)),
            judged.harm.map_or_else(dash, |own| bound(own.0, metric)),
            result.evidence.map_or_else(dash, |own| evidence_text(own, result.limit)),
        ];
        if own.plan.is_some() {
            let plan = of_plan(own, metric);
            row.push(text(plan.and_then(|own| own.truth)));
            row.push(text(plan.and_then(|own| own.test)));
        }
        rows.push(row);
    }
    rows
}

/// Formats evidence with its limit.
pub(crate) fn evidence_text(value: f64, limit: f64) -> String {
    let digits = if value < 9.95 { 2 } else { 0 };
    format!("{value:.digits$} of {limit:.0}")
}

/// Formats a bound of harm.
pub(crate) fn bound(value: f64, metric: Metric) -> String {
    match (metric.unit(), metric.more_is_worse()) {
        (Unit::Share, true) => format!("+{} %", 100.0 * value),
        (Unit::Share, false) => format!("-{} %", 100.0 * value),
        (Unit::Points, _) => format!("+{value} points"),
        (Unit::Per1000, _) => format!("+{value} per 1000"),
    }
}

fn shares(summary: &Summary, metric: Metric) -> Vec<Vec<String>> {
    let heads = ["Share", "A/B test says", "Treated, against none", "Control, against none"];
    let mut rows: Vec<Vec<String>> = vec![heads.map(str::to_owned).into()];
    let result: Option<&MetricResult> =
        summary.metrics.iter().find(|own| own.name == metric.name());
    for own in result.map_or(&[][..], |own| &own.shares) {
        let text = |value: Option<[f64; 2]>| {
            value.map_or("\u{2013}".to_owned(), |[mean, half]| {
                let unit = metric.unit();
                format!("{} ({})", effect(mean, unit), interval(mean - half, mean + half, unit))
            })
        };
        rows.push(vec![
            format!("{} %", 100.0 * own.share),
            text(own.test),
            text(own.partial),
            text(own.spillover),
        ]);
    }
    rows
}

fn connections(own: &Ended) -> Vec<Vec<String>> {
    let heads = ["", "Assigned", "Closed", "Refused", "Overridden", "Put back", "Not put back"];
    let mut rows: Vec<Vec<String>> = vec![heads.map(str::to_owned).into()];
    for (name, arm) in ["control", "treatment"].iter().zip(&own.state.counts) {
        let numbers = [
            arm.assigned,
            arm.closed,
            arm.all_refused(),
            arm.overridden,
            arm.restored,
            arm.not_restored,
        ];
        let numbers = numbers.iter().map(ToString::to_string);
        rows.push(std::iter::once((*name).to_owned()).chain(numbers).collect());
    }
    rows
}

fn left_out(own: &Ended) -> Vec<Vec<String>> {
    let out = &own.state.left_out;
    let all = [
        ("their program chose a controller", out.chose),
        ("subflows of Multipath TCP", out.mptcp),
        ("began after the lease", out.lapsed),
        ("neither arm: the rest of a share", out.rest),
        ("ended without a record", own.state.unrecorded),
    ];
    let head = ["Reason", "Connections"].map(str::to_owned).to_vec();
    let row = |(reason, count): (&str, u64)| vec![reason.to_owned(), count.to_string()];
    std::iter::once(head).chain(all.into_iter().map(row)).collect()
}

fn guards(own: &Ended) -> Vec<Vec<String>> {
    let head = ["Guard", "Reading", "Ends the experiment at", ""].map(str::to_owned).to_vec();
    let row = |own: &crate::guards::Guard| {
        let word = if own.ok { "" } else { "ended it" };
        vec![own.name.clone(), own.reading.clone(), own.limit.clone(), word.to_owned()]
    };
    std::iter::once(head).chain(own.state.guards.iter().map(row)).collect()
}

/// The order of the periods in letters, and what was computed.
fn method(own: &Ended) -> Markup {
    let letter = |slot: &crate::order::Slot| match slot.share {
        _ if slot.is_beside => "AA".to_owned(),
        0.0 => "A".to_owned(),
        1.0 => "B".to_owned(),
        share => format!("{}", (1000.0 * share).round() / 10.0),
    };
    let slots = own.trial.slots();
    let order = match own.experiment.design.kind {
        DesignKind::Share { share, .. } => format!("a share of {} % all the time", 100.0 * share),
        _ => slots.iter().map(letter).collect::<Vec<_>>().join(" "),
    };
    html! {
        p {
            "Order of the periods (A: all have the control; B: all are treated; numbers: percent treated; AA: both arms have the control), seed "
            (own.experiment.design.seed) ": " code { (order) }
        }
        @if let Some(exposure) = own.trial.exposure() {
            p {
                "Exposure: " (format!("{:.0}", 100.0 * exposure))
                " % of the bytes of periods with one arm were acknowledged to connections of that arm."
            }
        }
    }
}

fn notes(own: &Ended) -> Vec<String> {
    let mut notes = Vec::new();
    if matches!(own.experiment.design.kind, DesignKind::Share { .. }) {
        notes.push("Both arms share the network at the same time: this is what treated connections gain in competition with control, not what a roll-out does.".to_owned());
    }
    if own.trial.exposure().is_some_and(|own| own < 0.8) {
        notes.push("Connections outlive periods: less than 80 % of the bytes of a period belong to its arm. Take longer periods, or steps over hours.".to_owned());
    }
    if own.plan.is_some() {
        notes.push(
            "The columns of the plan are simulated, on the network and the traffic of the plan."
                .to_owned(),
        );
    }
    notes
}
