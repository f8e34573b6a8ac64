//! Arguments of commands on this host's kernel.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub struct KernelArgs {
    #[command(subcommand)]
    pub command: KernelCommand,
}

#[derive(Subcommand)]
pub enum KernelCommand {
    /// Load a controller; any program can select it until it is unloaded
    Load(LoadArgs),
    /// List available, loaded and loadable controllers
    List(KernelListArgs),
    /// Unload controllers; open connections keep theirs until they end
    Unload(UnloadArgs),
    /// Show counters of loaded controllers: connections, acknowledgements, decisions
    Stats(StatsArgs),
    /// Watch the connections of a loaded controller: window, round trip, rates
    Watch(KernelWatchArgs),
    /// Print the header that BPF sources include as "vmlinux.h": the kernel's types that a simulated connection has (any user)
    Header,
}

#[derive(Args)]
pub struct LoadArgs {
    /// The controller, with parameters after "?": pcc-vivace, "pcc-vivace?fixed=true" (see `narrows kernel list` and `narrows list
    /// controllers`)
    pub controller: String,
    /// Name in the kernel, of letters, digits, "_" and "." [default: the controller's, for example pcc_vivace]
    #[arg(long = "as", value_name = "NAME")]
    pub name: Option<String>,
    /// Write the kernel verifier's log to this file if the kernel rejects the controller
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

#[derive(Args)]
pub struct KernelListArgs {
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct StatsArgs {
    /// Name of the controller, as in the kernel or as for `narrows kernel load` [default: all loaded controllers]
    pub name: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct KernelWatchArgs {
    /// Name of the controller, as in the kernel or as for `narrows kernel load`
    pub name: String,
    /// Stop after this many seconds [default: at Ctrl-C, or when the controller is unloaded]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub seconds: Option<u32>,
    /// Print every call as CSV [default where the output is not a terminal]
    #[arg(long)]
    pub csv: bool,
}

#[derive(Args)]
pub struct UnloadArgs {
    /// Name of the controller, as in the kernel or as for `narrows kernel load`
    #[arg(required_unless_present = "all")]
    pub name: Option<String>,
    /// Unload all controllers that narrows loaded
    #[arg(long, conflicts_with = "name")]
    pub all: bool,
    /// Unload the controller even if it is the default of this host or of a network namespace
    #[arg(long)]
    pub force: bool,
}
