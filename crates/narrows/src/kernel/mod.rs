//! `narrows kernel`: controllers and routers that stay in the kernel of this host.

mod found;
mod list;
mod load;
mod route;
mod routers;
mod stats;
mod unload;
mod watch;

use crate::cli::KernelCommand;
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output;
use narrows_kernel::KernelError;

/// Carries out one of its commands.
pub fn kernel(command: KernelCommand) -> Result<Outcome, Failure> {
    if let KernelCommand::Header = command {
        output::print(&narrows_bpf::socket::header())?;
        return Ok(Outcome::Ok);
    }
    if !narrows_kernel::BUILT {
        return Err(KernelError::NotBuilt.into());
    }
    match command {
        KernelCommand::Load(args) => load::load(args),
        KernelCommand::List(args) => list::list(args),
        KernelCommand::Unload(args) => unload::unload(args),
        KernelCommand::Stats(args) => stats::stats(args),
        KernelCommand::Route(args) => route::route(args),
        KernelCommand::Unroute(args) => route::unroute(args),
        KernelCommand::Watch(args) => watch::watch(args),
        KernelCommand::Header => unreachable!("printed above"),
    }
}
