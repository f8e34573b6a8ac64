//! Requests to the workbench from a command line, a Python program or a test.
//!
//! Each request is a struct, whose fields are the flags of its command, the keyword arguments of
//! its function in Python, and the words of the command that repeats it.

mod attack;
mod check;
mod compare;
mod deploy;
mod fit;
mod lab;
mod network;
mod output;
mod parse;
mod run;
mod sweep;
mod words;

pub use attack::{Attack, Search};
pub use check::{Check, Scope, Suite};
pub use compare::{Compare, Compared};
pub use deploy::DeployPlan;
pub use fit::Fit;
pub use lab::{Fidelity, SelfCheck};
pub use network::Network;
pub use output::Output;
pub use parse::{parse_checked, parse_choice, parse_path, whole};
pub use run::{Capture, Live, Program, Run, Set, Watching};
pub use sweep::{Matrix, Merge, Reproduce, Shown, Sweep};

pub(crate) use words::remake;

use clap::Subcommand;
use serde_json::{Map, Value};

/// A request that makes a result.
#[derive(Subcommand, Clone)]
pub enum Request {
    /// Compare controllers on one network, or make a scorecard of several networks
    Compare(Compare),
    /// Simulate a scenario file
    Run(Run),
    /// Run a scenario on the Linux kernel, with real connections over emulated links
    Live(Live),
    /// Run all combinations of the values in a scenario's sweep table; resumable
    Sweep(Sweep),
    /// Join the shards of a sweep that several machines have made into its result
    Merge(Merge),
    /// Run every pair of controllers, and measure share, harm and starvation
    Matrix(Matrix),
    /// Search for networks on which a controller does badly and standard ones do well
    Attack(Attack),
    /// Gather evidence on a controller: a verdict on each criterion of RFC 9743
    Check(Check),
    /// Reproduce the figures of papers and judge their claims
    Reproduce(Reproduce),
    /// Estimate the path of a measured flow, as a scenario, and simulate the flow on it
    Fit(Fit),
    /// A part of `narrows lab`.
    #[command(skip)]
    Fidelity(Fidelity),
    /// A part of `narrows lab`.
    #[command(skip)]
    SelfCheck(SelfCheck),
    /// A part of `narrows deploy`.
    #[command(skip)]
    DeployPlan(DeployPlan),
}

/// Returns the error for a command that makes no request.
fn unknown(command: &str) -> clap::Error {
    let text = format!("no request is called \"{command}\"");
    clap::Error::raw(clap::error::ErrorKind::InvalidSubcommand, text)
}

impl Request {
    /// Reads the request that this command makes from named values. The names are the fields of the
    /// request's struct. Values are texts as on the command line, numbers, true and false, and
    /// lists of them. Null and false equal a missing name.
    ///
    /// # Errors
    ///
    /// The command or a name does not exist, or a value is refused as on the command line.
    pub fn read(command: &str, values: &Map<String, Value>) -> Result<Request, clap::Error> {
        Ok(match command {
            "compare" => Request::Compare(words::read(command, values)?),
            "run" => Request::Run(words::read(command, values)?),
            "live" => Request::Live(words::read(command, values)?),
            "sweep" => Request::Sweep(words::read(command, values)?),
            "merge" => Request::Merge(words::read(command, values)?),
            "matrix" => Request::Matrix(words::read(command, values)?),
            "attack" => Request::Attack(words::read(command, values)?),
            "check" => Request::Check(words::read(command, values)?),
            "reproduce" => Request::Reproduce(words::read(command, values)?),
            "fit" => Request::Fit(words::read(command, values)?),
            "lab fidelity" => Request::Fidelity(words::read(command, values)?),
            "lab self-check" => Request::SelfCheck(words::read(command, values)?),
            "deploy plan" => Request::DeployPlan(words::read(command, values)?),
            _ => return Err(unknown(command)),
        })
    }

    /// Returns the words of a command line with these named values, beginning with the program's
    /// name.
    ///
    /// # Errors
    ///
    /// The errors of [`Request::read`], except that values are not checked.
    pub fn words(command: &str, values: &Map<String, Value>) -> Result<Vec<String>, clap::Error> {
        match command {
            "compare" => words::named::<Compare>(command, values),
            "run" => words::named::<Run>(command, values),
            "live" => words::named::<Live>(command, values),
            "sweep" => words::named::<Sweep>(command, values),
            "merge" => words::named::<Merge>(command, values),
            "matrix" => words::named::<Matrix>(command, values),
            "attack" => words::named::<Attack>(command, values),
            "check" => words::named::<Check>(command, values),
            "reproduce" => words::named::<Reproduce>(command, values),
            "fit" => words::named::<Fit>(command, values),
            "lab fidelity" => words::named::<Fidelity>(command, values),
            "lab self-check" => words::named::<SelfCheck>(command, values),
            "deploy plan" => words::named::<DeployPlan>(command, values),
            _ => Err(unknown(command)),
        }
    }

    /// Returns the destination and the amount of the output.
    pub fn output(&mut self) -> &mut Output {
        match self {
            Request::Compare(args) => &mut args.output,
            Request::Run(args) => &mut args.output,
            Request::Live(args) => &mut args.output,
            Request::Sweep(args) => &mut args.output,
            Request::Merge(args) => &mut args.output,
            Request::Matrix(args) => &mut args.output,
            Request::Attack(args) => &mut args.output,
            Request::Check(args) => &mut args.output,
            Request::Reproduce(args) => &mut args.output,
            Request::Fit(args) => &mut args.output,
            Request::Fidelity(args) => &mut args.output,
            Request::SelfCheck(args) => &mut args.output,
            Request::DeployPlan(args) => &mut args.output,
        }
    }

    /// True if the request runs on this host's kernel, where runs of another request would distort
    /// its measurements.
    pub fn uses_kernel(&self) -> bool {
        match self {
            Request::Live(_) | Request::Fidelity(_) => true,
            Request::Check(args) => args.live,
            Request::Attack(args) => args.live,
            Request::Reproduce(args) => args.live,
            _ => false,
        }
    }
}
