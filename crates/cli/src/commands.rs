//! Which command does what.

use crate::cli::{Cli, Command};
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::{
    attack, bench, check, compare, diff, doctor, export, fidelity, figure, forward, inspect,
    kernel, list, live, matrix, merge, node, report, reproduce, run, sweep,
};

/// Carries out the command of a command line.
pub fn command(cli: Cli) -> Result<Outcome, Failure> {
    match cli.command.unwrap_or_default() {
        Command::Check(args) => check::check(args),
        Command::Compare(args) => compare::compare(args),
        Command::Diff(args) => diff::diff(args),
        Command::Run(args) => run::run(args),
        Command::Live(args) => live::live(args),
        Command::Fidelity(args) => fidelity::fidelity(args),
        Command::Doctor(args) => doctor::doctor(args),
        Command::Inspect(args) => inspect::inspect(args),
        Command::Kernel(args) => kernel::kernel(args.command),
        Command::Forward(args) => forward::forward(args),
        Command::Serve(args) => forward::serve(args),
        Command::Get(args) => forward::get(args),
        Command::Ndn(args) => forward::ndn(args.command),
        Command::Ping(args) => forward::pings(args),
        Command::Key(args) => forward::key(args),
        Command::Sweep(args) => sweep::sweep(args),
        Command::Merge(args) => merge::merge(args),
        Command::Matrix(args) => matrix::matrix(args),
        Command::Attack(args) => attack::attack(args),
        Command::Reproduce(args) => reproduce::reproduce(args),
        Command::Report(args) => report::report(args),
        Command::Export(args) => export::export(args),
        Command::Figure(args) => figure::figure(args),
        Command::Bench(args) => bench::bench(args),
        Command::List(args) => list::list(args),
        Command::Path(args) => list::path(args),
        Command::Schema(args) => list::schema(&args),
        Command::Node => node::node(),
    }
}
