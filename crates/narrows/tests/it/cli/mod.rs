//! The program as a user meets it: exit statuses, what it prints, what it leaves on the disk, and what it refuses.

mod refusals;
mod results;
mod stopping;

/// A scenario that runs in no time.
const SHORT: &str = r#"name = "Short"
duration = "2 s"

[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "1 bdp"

[[flow]]
name = "first"
from = "left"
to = "right"
controller = "cubic"
"#;

/// The files of a result.
const RESULT_FILES: [&str; 13] = [
    "SHA256SUMS",
    "changes.parquet",
    "flow_samples.parquet",
    "flows.parquet",
    "histograms.parquet",
    "link_samples.parquet",
    "links.parquet",
    "report.html",
    "run.json",
    "scenario.toml",
    "summary.json",
    "transfer_sizes.parquet",
    "transfers.parquet",
];

fn without(text: &str, start: &str) -> String {
    text.lines().filter(|line| !line.starts_with(start)).map(|line| format!("{line}\n")).collect()
}
