//! Where results go, and how much is said.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct OutputArgs {
    /// The result directory, which must not exist yet [default: the next free narrows-results/NAME-N]
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Runs at a time, at most 1024 [default: one for each core]; results do not depend on it
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Print summary.json instead of the table
    #[arg(long)]
    pub json: bool,
    /// Print the table only: no progress, no hints
    #[arg(long)]
    pub quiet: bool,
}
