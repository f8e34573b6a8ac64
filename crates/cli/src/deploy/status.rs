//! `narrows deploy status`.

use super::state::{State, names};
use crate::cli::DeployStatusArgs;
use crate::terminal;
use narrows_report::text_table;
use narrows_workbench::{Failure, Outcome};

/// Shows the experiments of this host.
pub fn status(args: &DeployStatusArgs) -> Result<Outcome, Failure> {
    let wanted = match &args.name {
        Some(name) => vec![name.clone()],
        None => names(&args.state),
    };
    let states: Vec<State> =
        wanted.iter().map(|name| State::read(&args.state, name)).collect::<Result<_, _>>()?;
    if args.json {
        let text = serde_json::to_string_pretty(&states).expect("they are texts and numbers");
        terminal::print(&(text + "\n"))?;
    } else if states.is_empty() {
        terminal::print(&format!("There is no experiment in {}.\n", args.state.display()))?;
    } else {
        terminal::print(&states.iter().map(shown).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(Outcome::Ok)
}

/// Formats the state of an experiment.
pub fn shown(own: &State) -> String {
    let [judged, pairs, void] = own.pairs;
    let alone = if own.phase.goes_on() && !own.has_agent() {
        ", but its agent is gone: new connections are not treated; `narrows deploy stop` removes it"
    } else {
        ""
    };
    let reason = if own.reason.is_empty() { String::new() } else { format!(": {}", own.reason) };
    let mut text = format!(
        "{}: {}{reason}{alone}\n{} to {}; {judged} of {pairs} pairs judged, {void} void\n\n",
        own.name,
        own.phase.word(),
        own.arms[0],
        own.arms[1]
    );
    let mut rows = vec![
        ["", "Connections", "Closed", "Refused", "Overridden", "Put back"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for (name, arm) in ["control", "treatment"].iter().zip(&own.counts) {
        let numbers = [arm.assigned, arm.closed, arm.refused, arm.overridden, arm.restored];
        rows.push(
            std::iter::once((*name).to_owned())
                .chain(numbers.iter().map(ToString::to_string))
                .collect(),
        );
    }
    text += &text_table(&rows, 1);
    if let Some(metrics) = own.metrics.as_array().filter(|all| !all.is_empty()) {
        let number = |value: &serde_json::Value| {
            value.as_f64().map_or("\u{2013}".to_owned(), |own| format!("{own:.3}"))
        };
        let mut rows = vec![
            ["Metric", "Effect", "Half width", "Evidence of harm", "Stops at"]
                .map(str::to_owned)
                .to_vec(),
        ];
        for own in metrics {
            let effect = &own["effect"];
            rows.push(vec![
                own["metric"].as_str().unwrap_or_default().replace('_', " "),
                number(&effect[0]),
                number(&effect[1]),
                number(&own["evidence"]),
                number(&own["limit"]),
            ]);
        }
        text += &format!("\n{}", text_table(&rows, 1));
    }
    text + &format!(
        "\nLeft alone: {}; after the lease: {}; records lost: {}.\n",
        own.left_alone, own.lapsed, own.unrecorded
    )
}
