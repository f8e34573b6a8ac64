//! Random scenarios, run in this process and checked against the invariants of every run.

use crate::torture::campaign::{Class, End, campaign};
use crate::torture::facts;
use crate::torture::scenarios;
use narrows_report::{Case as Shown, Comparison};
use narrows_sim::SimError;
use std::io::{Error, ErrorKind};
use std::path::Path;
use std::time::{Duration, Instant};

const CLASS: Class = Class {
    name: "random",
    title: "Random scenarios, against what holds of every run",
    full: 10_000,
};

/// Time after which a run counts as endless. A run takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn random() {
    campaign(&CLASS, |case| {
        let drawn = scenarios::draw(&mut case.random);
        drawn.write(&case.place);
        let read = |name: &Path| {
            let found = drawn.traces.iter().find(|(own, _)| Path::new(own) == name);
            found.map(|(_, text)| text.clone()).ok_or_else(|| Error::from(ErrorKind::NotFound))
        };
        let scenario = narrows_scenario::parse(&drawn.toml, "random.toml", &read)
            .map_err(|error| format!("refused: {}", error.short()))?;
        let began = Instant::now();
        let record =
            match narrows_sim::run_with_progress(&scenario, &mut |_| began.elapsed() < PATIENCE) {
                Ok(record) => record,
                Err(SimError::Stopped) => return Err(format!("not done after {PATIENCE:?}")),
                Err(_) => return Ok(End::Refused),
            };
        let mut broken = facts::broken(&scenario, &record);
        let shown = Shown {
            label: scenario.name.clone(),
            scenario_toml: scenario.to_toml(),
            runs: vec![record],
        };
        let comparison = Comparison::new("random", vec![shown], "");
        let summary = narrows_report::summary_json(&comparison);
        if serde_json::from_str::<serde_json::Value>(&summary).is_err() {
            broken.push("summary.json is no JSON".to_owned());
        }
        let table = narrows_report::table(&comparison);
        if ["NaN", "inf"].iter().any(|word| table.split_whitespace().any(|cell| cell == *word)) {
            broken.push("the table shows what is no number".to_owned());
        }
        if !narrows_report::html(&comparison).contains("</html>") {
            broken.push("the page has no end".to_owned());
        }
        if broken.is_empty() { Ok(End::Accepted) } else { Err(broken.join("; ")) }
    });
}
