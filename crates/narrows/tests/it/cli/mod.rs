//! The program as a user meets it: exit status, output, files that it leaves, and refusals.

mod figures;
mod refusals;
mod results;
mod stopping;

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
