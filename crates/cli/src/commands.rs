//! Dispatch of the commands.

use crate::cli::{Cli, Command, LabCommand};
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::{
    attack, bench, check, compare, diff, doctor, export, fidelity, figure, forward, inspect,
    kernel, list, live, manual, matrix, merge, node, report, reproduce, run, sweep,
};

/// Runs the command of a command line.
pub fn command(cli: Cli) -> Result<Outcome, Failure> {
    match cli.command.unwrap_or_default() {
        Command::Check(args) => check::check(args),
        Command::Compare(args) => compare::compare(args),
        Command::Diff(args) => diff::diff(args),
        Command::Run(args) => run::run(args),
        Command::Live(args) => live::live(args),
        Command::Doctor(args) => doctor::doctor(args),
        Command::Inspect(args) => inspect::inspect(args),
        Command::Kernel(args) => kernel::kernel(args.command),
        Command::Ndn(args) => forward::ndn(args.command),
        Command::Sweep(args) => sweep::sweep(args),
        Command::Merge(args) => merge::merge(args),
        Command::Matrix(args) => matrix::matrix(args),
        Command::Attack(args) => attack::attack(args),
        Command::Reproduce(args) => reproduce::reproduce(args),
        Command::Report(args) => report::report(args),
        Command::Export(args) => export::export(args),
        Command::Figure(args) => figure::figure(args),
        Command::List(args) => list::list(args),
        Command::Path(args) => list::path(args),
        Command::Schema(args) => list::schema(&args),
        Command::Lab(args) => lab(args.command),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
        Command::Node => node::node(),
    }
}

/// Runs a measurement of Narrows itself.
fn lab(command: LabCommand) -> Result<Outcome, Failure> {
    match command {
        LabCommand::Bench(args) => bench::bench(args),
        LabCommand::Fidelity(args) => fidelity::fidelity(args),
        LabCommand::SelfCheck(args) => check::self_check(args),
    }
}
