//! Measurements of Narrows itself.

use super::output::Output;
use super::parse::{parse_choice, whole};
use super::words::texts;
use clap::Args;
use narrows_control::Choice;
use serde::Serialize;

/// A test of the checks: whether published results about deployed controllers come out.
#[derive(Args, Clone, Serialize)]
pub struct SelfCheck {
    /// Fewer seeds: some minutes on two cores
    #[arg(long)]
    pub quick: bool,
    /// Destination and amount of the output.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: Output,
}

/// The distance between simulator and kernel over a set of generated networks.
#[derive(Args, Clone, Serialize)]
pub struct Fidelity {
    /// Run 20 cells once for 15 s instead of 72 cells three times for 30 s
    #[arg(long)]
    pub quick: bool,
    /// Run only these cells: comma-separated numbers
    #[arg(long, value_delimiter = ',', value_parser = whole::<u32>(1..=u64::from(crate::fidelity::CELLS)))]
    pub cells: Vec<u32>,
    /// Controllers; those missing from the kernel are loaded: pcc-vivace "hstcp?profile=linux"
    #[arg(long, num_args = 1.., value_delimiter = ',', default_values = crate::fidelity::CONTROLLERS, value_parser = parse_choice)]
    #[serde(serialize_with = "texts")]
    pub controllers: Vec<Choice>,
    /// Destination and amount of the output.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: Output,
}
