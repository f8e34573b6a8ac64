//! The state of an experiment in the terminal.

use super::page::{evidence_text, level};
use crate::experiment::Metric;
use crate::plan::{effect, span, words};
use crate::state::State;
use narrows_report::text_table;
use serde_json::Value;

/// Formats the state of an experiment; `is_alone` if its agent is gone.
pub fn status_text(own: &State, is_alone: bool) -> String {
    let [judged, groups, void] = own.pairs;
    let alone = if is_alone {
        ", but its agent is gone: new connections are not treated after the lease; `narrows deploy start --resume` goes on, `narrows deploy stop` removes it"
    } else {
        ""
    };
    let reason = if own.reason.is_empty() { String::new() } else { format!(": {}", own.reason) };
    let mut text = format!(
        "{}: {}{reason}{alone}\n{} to {}; {judged} of {groups} pairs judged, {void} void\n",
        own.name,
        own.phase.word(),
        own.arms[0],
        own.arms[1]
    );
    if own.phase.goes_on() && !is_alone {
        let [age, length] = own.age_s.map(|own| span(own.round() as u64));
        text += &format!(
            "Period {} of {}: {} % treated, for {age} of {length}; lease {:.0} s{}\n",
            own.periods[1] + 1,
            own.periods[0],
            100.0 * own.share,
            own.lease_s,
            own.exposure.map_or(String::new(), |own| format!("; exposure {:.0} %", 100.0 * own))
        );
    }
    let heads = ["", "Connections", "Closed", "Refused", "Overridden", "Put back"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for (name, arm) in ["control", "treatment"].iter().zip(&own.counts) {
        let numbers = [arm.assigned, arm.closed, arm.all_refused(), arm.overridden, arm.restored];
        let numbers = numbers.iter().map(ToString::to_string);
        rows.push(std::iter::once((*name).to_owned()).chain(numbers).collect());
    }
    text += &format!("\n{}", text_table(&rows, 1));
    if let Some(all) = own.metrics.as_array().filter(|all| !all.is_empty()) {
        text += &format!("\n{}", text_table(&metrics(own, all), 1));
    }
    let out = &own.left_out;
    text + &format!(
        "\nLeft alone: {} chose themselves, {} MPTCP, {} after the lease; records lost: {}, ends not seen: {}.\n",
        out.chose, out.mptcp, out.lapsed, own.unrecorded, own.uncalled
    )
}

fn metrics(own: &State, all: &[Value]) -> Vec<Vec<String>> {
    let heads =
        ["Metric", "Control", "Treatment", "Effect", "Valid at any time", "Evidence of harm"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    let dash = || "\u{2013}".to_owned();
    for (place, value) in all.iter().enumerate() {
        let name = value["metric"].as_str().unwrap_or_default();
        let Some(metric) = Metric::ALL.into_iter().find(|own| own.name() == name) else { continue };
        let unit = metric.unit();
        let levels = own.levels.get(place).copied().unwrap_or_default();
        let number = |value: &Value| value.as_f64();
        let always = number(&value["always"][0]).zip(number(&value["always"][1]));
        let evidence = number(&value["evidence"]).zip(number(&value["limit"]));
        rows.push(vec![
            words(metric),
            level(metric, levels[0]),
            level(metric, levels[1]),
            number(&value["effect"][0]).map_or_else(dash, |own| effect(own, unit)),
            always.map_or_else(dash, |(low, high)| {
                format!("{} to {}", effect(low, unit), effect(high, unit))
            }),
            evidence.map_or_else(dash, |(own, limit)| evidence_text(own, limit)),
        ]);
    }
    rows
}
