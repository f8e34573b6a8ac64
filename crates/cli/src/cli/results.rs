//! Arguments of commands on results, and of lists.

use super::parse::{parse_length, parse_points};
use clap::{Args, ValueEnum};
use narrows_workbench::request::parse_path;
use std::path::PathBuf;

#[derive(Args)]
pub struct ReportArgs {
    /// Result directory
    pub directory: PathBuf,
    /// HTML file to write [default: report.html in the directory]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Overlay a measurement in this report: output of iperf3 --json, or a log of mahimahi's
    /// mm-link; may be repeated
    #[arg(long, value_name = "FILE")]
    pub overlay: Vec<PathBuf>,
    /// Print summary.json, or scorecard.json of a scorecard, instead of the table
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct ExportArgs {
    /// Result directory
    pub directory: PathBuf,
    /// Format of the export
    #[arg(long, value_enum, default_value_t = ExportFormat::Csv)]
    pub format: ExportFormat,
    /// Directory for the CSV files, or the Perfetto file [default: csv or run.perfetto-trace in the
    /// result directory]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ExportFormat {
    /// Each Parquet table as CSV
    Csv,
    /// Samples, transfers and changes as one trace, which ui.perfetto.dev opens
    Perfetto,
}

#[derive(Args)]
pub struct FigureArgs {
    /// Result directory of any command but deploy
    pub directory: PathBuf,
    /// Figure to draw; without it, the figures are listed
    pub name: Option<String>,
    /// SVG file to write [default: NAME.svg, without --png and --pdf]
    #[arg(long, value_name = "FILE", requires = "name")]
    pub svg: Option<PathBuf>,
    /// PNG file to write: 1800 pixels wide, or with --width 300 dots per inch
    #[arg(long, value_name = "FILE", requires = "name")]
    pub png: Option<PathBuf>,
    /// PDF file to write: one page of the figure's size
    #[arg(long, value_name = "FILE", requires = "name")]
    pub pdf: Option<PathBuf>,
    /// Width of the figure as in a paper, without title and caption: "85 mm", "3.5 in"
    #[arg(long, value_name = "LENGTH", requires = "name", value_parser = parse_length)]
    pub width: Option<f64>,
    /// Size of its text in points [default: 9, with --width 8]
    #[arg(long, value_name = "POINTS", requires = "name", value_parser = parse_points)]
    pub font: Option<f64>,
    /// Draw these flows or cases alone, by their names in the legend or in the tables: cubic.1
    #[arg(long, value_name = "NAME", requires = "name", value_delimiter = ',')]
    pub flows: Vec<String>,
    /// Draw the run with this seed in figures over time [default: the first]
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
}

#[derive(Args)]
pub struct PathArgs {
    /// Name of the path (see `narrows list paths`)
    #[arg(value_parser = parse_path)]
    pub name: String,
}

#[derive(Args)]
pub struct ListArgs {
    /// List to print
    pub what: Listed,
    /// Show only the entry of this name
    pub name: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Listed {
    Controllers,
    Disciplines,
    /// Rate laws, consumers and forwarding strategies of information-centric networks
    Icn,
    Metrics,
    Papers,
    Paths,
    /// Statements of documents, and whether they hold
    Statements,
    Traffic,
}

#[derive(Args)]
pub struct SchemaArgs {
    /// Print the schema of check.json, the result of `narrows check`, instead
    #[arg(long)]
    pub check: bool,
    /// Print the schema of summary.json, the result of an experiment of `narrows deploy`, instead
    #[arg(long, conflicts_with = "check")]
    pub deploy: bool,
}

#[derive(Args)]
pub struct DiffArgs {
    /// Result directory before the change
    pub before: PathBuf,
    /// Result directory after the change
    pub after: PathBuf,
    /// Print all metrics as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct DoctorArgs {
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}
