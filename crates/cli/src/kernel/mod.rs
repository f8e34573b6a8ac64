//! `narrows kernel`: controllers and routers that stay in the kernel of this host after the
//! command.

mod called;
mod found;
mod list;
mod load;
mod price;
mod route;
mod routers;
mod stats;
mod unload;
mod watch;

pub use load::kept_log;

use crate::cli::KernelCommand;
use narrows_kernel::KernelError;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use narrows_workbench::interruption::on_host;
use std::io::Write;

/// Runs one of the subcommands.
pub fn kernel(command: KernelCommand) -> Result<Outcome, Failure> {
    use KernelCommand::{Load, Price, Route, Unload, Unroute};
    let _on_host =
        matches!(command, Load(_) | Price(_) | Unload(_) | Route(_) | Unroute(_)).then(on_host);
    match command {
        KernelCommand::Header => header(),
        _ if !narrows_kernel::BUILT => Err(KernelError::NotBuilt.into()),
        KernelCommand::Load(args) => load::load(args),
        KernelCommand::List(args) => list::list(args),
        KernelCommand::Unload(args) => unload::unload(args),
        KernelCommand::Stats(args) => stats::stats(args),
        KernelCommand::Route(args) => route::route(args),
        KernelCommand::Price(args) => price::price(args),
        KernelCommand::Unroute(args) => route::unroute(args),
        KernelCommand::Watch(args) => watch::watch(args),
    }
}

/// Prints the header file for the sources of controllers.
fn header() -> Result<Outcome, Failure> {
    write!(std::io::stdout(), "{}", narrows_bpf::socket::header())?;
    Ok(Outcome::Ok)
}
