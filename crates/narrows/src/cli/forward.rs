//! Arguments of the NDN forwarder.

use clap::{Args, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ForwardArgs {
    #[command(subcommand)]
    pub command: Option<ForwardCommand>,
    /// Configuration in TOML: where to listen, sizes of tables, faces with their rates and routes (docs/ndn.md)
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// UNIX socket of applications [default: /run/nfd/nfd.sock]
    #[arg(long, value_name = "PATH")]
    pub unix: Option<PathBuf>,
    /// UDP address to listen on; several are allowed [default: 127.0.0.1:6363]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub udp: Vec<SocketAddr>,
    /// TCP address to listen on; several are allowed [default: 127.0.0.1:6363]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub tcp: Vec<SocketAddr>,
}

#[derive(Subcommand)]
pub enum ForwardCommand {
    /// Show what the forwarder of this host has done: packets, tables, content store
    Status(ForwarderArgs),
    /// Show its faces: neighbours, packets, octets
    Faces(ForwarderArgs),
    /// Show its routes, and the strategies of prefixes
    Routes(ForwarderArgs),
}

#[derive(Args)]
pub struct ForwarderArgs {
    /// The forwarder: unix:///PATH, tcp://HOST or udp://HOST [default: NDN_CLIENT_TRANSPORT, client.conf, or unix:///run/nfd/nfd.sock]
    #[arg(long, value_name = "URI")]
    pub at: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}
