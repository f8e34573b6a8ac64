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
    /// Load a controller into the kernel, where any program can choose it until it is unloaded
    Load(LoadArgs),
    /// List the kernel's controllers, those that narrows loaded, and those that it could load
    List(KernelListArgs),
    /// Take controllers away that narrows loaded; connections that use one keep it until they end
    Unload(UnloadArgs),
    /// Count what the controllers that narrows loaded do: connections, acknowledgements, decisions, and how many a second
    Stats(StatsArgs),
    /// Watch each connection of a loaded controller: window, round trip, rates
    Watch(KernelWatchArgs),
}

#[derive(Args)]
pub struct LoadArgs {
    /// The controller, with parameters after "?": pcc-vivace, "pcc-vivace?fixed=true" (see `narrows kernel list` and `narrows list controllers`)
    pub controller: String,
    /// Its name in the kernel, of letters, digits, "_" and "." [default: its own, for example pcc_vivace]
    #[arg(long = "as", value_name = "NAME")]
    pub name: Option<String>,
    /// If the kernel refuses it, write all that the kernel's verifier said to this file
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
    /// Its name, in the kernel or as for `narrows kernel load` [default: all that narrows loaded]
    pub name: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct KernelWatchArgs {
    /// Its name, in the kernel or as for `narrows kernel load`
    pub name: String,
    /// Stop after so many seconds [default: at Ctrl-C, or when it is unloaded]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub seconds: Option<u32>,
    /// Print every call as CSV, as is done where the output is not a terminal
    #[arg(long)]
    pub csv: bool,
}

#[derive(Args)]
pub struct UnloadArgs {
    /// Its name, in the kernel or as for `narrows kernel load`
    #[arg(required_unless_present = "all")]
    pub name: Option<String>,
    /// All that narrows loaded
    #[arg(long, conflicts_with = "name")]
    pub all: bool,
    /// Also what this host, or a network namespace of it, gives new connections by default: they go on getting it until the default is changed
    #[arg(long)]
    pub force: bool,
}
