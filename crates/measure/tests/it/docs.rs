//! The page about metrics is written from the table of metrics: `UPDATE_DOCS=1 cargo test -p
//! narrows-measure` rewrites it.

use narrows_measure::metrics::{Better, METRICS};
use std::{env, fs, path::Path};

fn page() -> String {
    let mut page = String::from(
        "# Metrics\n\n\
         The numbers that Narrows computes from a run. \"Since warm-up\" means from the end of the scenario's warm-up to the end of the run. A metric that is not\n\
         defined for a run shows as \"–\" in tables and as `null` in `summary.json`. Over several seeds, tables show the median and below it its 95 % bootstrap interval.\n\n\
         In a part of the run, such as the `window` of a claim, \"since warm-up\" means in this part. Its edges move back to samples, and metrics come from samples: round\n\
         trips and queues are not those of each packet, and metrics that samples do not count are not defined.\n\n\
         This page is generated from `crates/measure/src/metrics`; a test keeps the two equal.\n",
    );
    for metric in METRICS {
        let unit = if metric.unit.is_empty() {
            "a number".to_owned()
        } else {
            format!("in {}", metric.unit)
        };
        let better = match metric.better {
            Better::Higher => "higher is better",
            Better::Lower => "lower is better",
            Better::Neither => "neither way is better in itself",
        };
        let name = metric.name;
        let summary = metric.summary;
        let formula = metric.formula;
        let source = metric.source;
        page += &format!(
            "\n## `{name}`\n\n{summary} {}, {better}.\n\n- Computed as: {formula}\n- Source: {source}\n",
            capitalised(&unit)
        );
    }
    page
}

fn capitalised(text: &str) -> String {
    text[..1].to_uppercase() + &text[1..]
}

#[test]
fn the_page_is_what_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/metrics.md");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, page()).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(),
        "docs/reference/metrics.md is not what the table says; UPDATE_DOCS=1 cargo test -p narrows-measure rewrites it"
    );
}
