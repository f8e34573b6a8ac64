//! Arguments of commands on this host's kernel.

use clap::{Args, Subcommand};
use narrows_path::DisciplineChoice;
use narrows_units::{Bytes, Rate};
use narrows_workbench::request::whole;
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
    /// List available, loaded and loadable controllers, and routers
    List(KernelListArgs),
    /// Unload controllers; open connections keep theirs until they end
    Unload(UnloadArgs),
    /// Show counters of loaded controllers and of routers: connections, acknowledgements,
    /// decisions; packets, load, code
    Stats(StatsArgs),
    /// Make this host a router at an interface, until unroute: writes VCP's load into every packet
    /// that leaves there
    Route(RouteArgs),
    /// Remove the router of an interface
    Unroute(UnrouteArgs),
    /// Watch the connections of a loaded controller: window, round trip, rates
    Watch(KernelWatchArgs),
    /// Show or set the prices of loss and latency of connections of a loaded controller, by the
    /// priority of their sockets
    Price(PriceArgs),
    /// Print the header that BPF sources include as "vmlinux.h": the kernel's types that a
    /// simulated connection has (any user)
    Header,
}

#[derive(Args)]
pub struct LoadArgs {
    /// The controller, with parameters after "?": pcc-vivace, "pcc-vivace?fixed=true" (see
    /// `narrows kernel list` and `narrows list controllers`), or the file of one, a BPF source or
    /// object: ./mine.bpf.c, "./mine.bpf.o?gain=700"
    pub controller: String,
    /// Name in the kernel, of letters, digits, "_" and "." [default: the controller's, for example
    /// pcc_vivace]
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
    /// Name of the controller, as in the kernel or as for `narrows kernel load`, or the interface
    /// of a router [default: all]
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
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..))]
    pub seconds: Option<u32>,
    /// Print every call as CSV [default where the output is not a terminal]
    #[arg(long)]
    pub csv: bool,
}

#[derive(Args)]
pub struct PriceArgs {
    /// Name of the controller, as in the kernel or as for `narrows kernel load`
    pub name: String,
    /// Priority of the sockets whose prices are set (SO_PRIORITY, which IP_TOS also sets): 0 to 15
    #[arg(long, value_name = "N", value_parser = whole::<u32>(..=15))]
    pub priority: Option<u32>,
    /// Price of loss [default: the controller's]
    #[arg(long, value_name = "PRICE", requires = "priority")]
    pub loss: Option<u32>,
    /// Price of latency [default: the controller's]
    #[arg(long, value_name = "PRICE", requires = "priority")]
    pub latency: Option<u32>,
    /// Remove the prices of this priority, or without --priority of all
    #[arg(long, conflicts_with_all = ["loss", "latency"])]
    pub clear: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct RouteArgs {
    /// Interface by which the packets leave
    pub interface: String,
    /// The router, with parameters after "?": vcp, "vcp?gamma=0.95" (see
    /// `narrows list disciplines vcp`)
    pub router: DisciplineChoice,
    /// Rate of the link behind the interface, as its queue or device keeps it: "200 Mbit/s"
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub capacity: Rate,
    /// Bytes that the queue of the interface holds [default: what the capacity carries in t_rho]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub buffer: Option<Bytes>,
}

#[derive(Args)]
pub struct UnrouteArgs {
    /// Interface of the router
    #[arg(required_unless_present = "all")]
    pub interface: Option<String>,
    /// Remove the routers of all interfaces, in every network namespace
    #[arg(long, conflicts_with = "interface")]
    pub all: bool,
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
