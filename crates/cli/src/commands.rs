//! Dispatch of the commands.

use crate::cli::{Cli, Command, DeployCommand, LabCommand};
use crate::{
    bench, deploy, diff, doctor, export, figure, forward, inspect, kernel, list, manual, report,
    terminal,
};
use narrows_workbench::{Failure, Outcome, Request};

/// Runs the command of a command line.
pub fn command(cli: Cli) -> Result<Outcome, Failure> {
    match cli.command.unwrap_or_default() {
        Command::Request(request) => carry_out(*request),
        Command::Diff(args) => diff::diff(args),
        Command::Doctor(args) => doctor::doctor(args),
        Command::Inspect(args) => inspect::inspect(args),
        Command::Kernel(args) => kernel::kernel(args.command),
        Command::Ndn(args) => forward::ndn(args.command),
        Command::Report(args) => report::report(args),
        Command::Export(args) => export::export(args),
        Command::Figure(args) => figure::figure(args),
        Command::List(args) => list::list(args),
        Command::Path(args) => list::path(args),
        Command::Schema(args) => list::schema(&args),
        Command::Deploy(args) => deployment(args.command),
        Command::Lab(args) => lab(args.command),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
        Command::Node => narrows_workbench::node(),
    }
}

/// Runs a measurement of Narrows itself.
fn lab(command: LabCommand) -> Result<Outcome, Failure> {
    match command {
        LabCommand::Bench(args) => bench::bench(args),
        LabCommand::Fidelity(args) => carry_out(Request::Fidelity(args)),
        LabCommand::SelfCheck(args) => carry_out(Request::SelfCheck(args)),
    }
}

/// Plans or runs an experiment on real connections.
fn deployment(command: DeployCommand) -> Result<Outcome, Failure> {
    match command {
        DeployCommand::Plan(args) => carry_out(Request::DeployPlan(args)),
        DeployCommand::Start(args) => deploy::start(&args),
        DeployCommand::Status(args) => deploy::status(&args),
        DeployCommand::Stop(args) => deploy::stop(&args),
        DeployCommand::Report(args) => deploy::report(&args),
        DeployCommand::Remove(args) => deploy::remove(&args),
    }
}

/// Carries out a request for the terminal.
fn carry_out(mut request: Request) -> Result<Outcome, Failure> {
    request.output().console = terminal::console();
    request.carry_out()
}
