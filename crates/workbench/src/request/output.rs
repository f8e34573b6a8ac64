//! Destination and amount of a command's output.

use super::parse::whole;
use super::words::paths;
use crate::host::Console;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Destination and amount of a command's output.
#[derive(Args, Clone, Serialize)]
pub struct Output {
    /// Result directory, which must not exist [default: the next free narrows-results/NAME-N]
    #[arg(short, long)]
    #[serde(serialize_with = "paths")]
    pub out: Option<PathBuf>,
    /// Number of parallel runs, at most 1024; results do not depend on it [default: number of
    /// cores]
    #[arg(long, value_parser = whole::<u32>(1..=1024))]
    pub jobs: Option<u32>,
    /// Print the result as JSON, as its directory keeps it, instead of the table
    #[arg(long)]
    pub json: bool,
    /// Open the report in a browser
    #[arg(long)]
    pub open: bool,
    /// Print only the table, without progress and hints
    #[arg(long)]
    pub quiet: bool,
    /// Destination of printed output.
    #[arg(skip)]
    #[serde(skip)]
    pub console: Console,
}
