//! Arguments of the NDN forwarder.

use clap::{Args, Subcommand};
use narrows_units::{Bytes, Span};
use narrows_workbench::request::whole;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ForwardArgs {
    #[command(subcommand)]
    pub command: Option<ForwardCommand>,
    /// Configuration in TOML: where to listen, sizes of tables, faces with their rates and routes
    /// (docs/how-to/ndn.md)
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
    /// Write events to this file, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Serve counters to Prometheus at http://ADDRESS:PORT/metrics
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub metrics: Option<SocketAddr>,
}

#[derive(Subcommand)]
pub enum ForwardCommand {
    /// Show the counters of this host's forwarder: packets, tables, content store
    Status(StatusArgs),
    /// Show its faces: neighbours, packets, octets
    Faces(ForwarderArgs),
    /// Show its routes, and the strategies of prefixes
    Routes(ForwarderArgs),
}

#[derive(Args)]
pub struct ForwarderArgs {
    #[command(flatten)]
    pub at: At,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct StatusArgs {
    #[command(flatten)]
    pub forwarder: ForwarderArgs,
    /// Print all counters, including the faces', in Prometheus' text format
    #[arg(long, conflicts_with = "json")]
    pub prometheus: bool,
}

/// Address of an application's forwarder.
#[derive(Args)]
pub struct At {
    /// The forwarder: unix:///PATH, tcp://HOST or udp://HOST [default: NDN_CLIENT_TRANSPORT,
    /// client.conf, or unix:///run/nfd/nfd.sock]
    #[arg(long, value_name = "URI")]
    pub at: Option<String>,
}

#[derive(Args)]
pub struct ServeArgs {
    /// The name of the object: /example/video
    pub name: String,
    /// The file
    pub file: PathBuf,
    /// Octets of content in a segment; 1150 fits a packet of Ethernet
    #[arg(long, value_name = "N", default_value_t = 8000, value_parser = whole::<u16>(1..=8000))]
    pub segment: u16,
    /// Sign by this key: PKCS#8 in PEM, Ed25519 or ECDSA on P-256; `narrows ndn key` makes one
    /// [default: a digest signs]
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// The key's certificate, which is served too [default: the key's file with .cert at its end]
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,
    #[command(flatten)]
    pub at: At,
}

#[derive(Args)]
pub struct GetArgs {
    /// The name of the object, with or without a version: /example/video
    pub name: String,
    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Accept only Data signed by the key of this certificate; may be repeated
    #[arg(long, value_name = "CERT")]
    pub trust: Vec<PathBuf>,
    /// Refuse an object that announces a larger size
    #[arg(long, value_name = "SIZE", default_value = "1 TB")]
    pub max_size: Bytes,
    /// Give up after this time without Data, without the first missing segment, or without a
    /// forwarder
    #[arg(long, value_name = "TIME", default_value = "20 s")]
    pub patience: Span,
    /// Print nothing but the object
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub at: At,
}

#[derive(Args)]
pub struct PingArgs {
    /// The prefix of a ping server: /example
    pub prefix: String,
    /// Number of pings
    #[arg(short, long, value_name = "N", default_value_t = 4)]
    pub count: u32,
    /// Ping over this path, numbered as --paths lists them; nodes refuse Interests that they cannot
    /// steer there
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..))]
    pub path: Option<u32>,
    /// List the paths that 64 pings find instead: hops, rates, and paths that share their
    /// bottleneck
    #[arg(long, conflicts_with_all = ["path", "count"])]
    pub paths: bool,
    /// Answer pings under the prefix instead
    #[arg(long, conflicts_with_all = ["count", "path", "paths"])]
    pub serve: bool,
    #[command(flatten)]
    pub at: At,
}

#[derive(Args)]
pub struct TracerouteArgs {
    /// The prefix of a ping server: /example
    pub prefix: String,
    /// Trace this path, numbered as `narrows ndn ping --paths` lists them [default: all]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..))]
    pub path: Option<u32>,
    #[command(flatten)]
    pub at: At,
}

#[derive(Args)]
pub struct NdnArgs {
    #[command(subcommand)]
    pub command: NdnCommand,
}

#[derive(Subcommand)]
pub enum NdnCommand {
    /// Forward NDN packets on this host's sockets, with rates from MIRCC; or show the forwarder's
    /// state
    Forward(ForwardArgs),
    /// Serve a file under an NDN name
    Serve(ServeArgs),
    /// Fetch an object by its NDN name, at the rates that links write into its Data
    Get(GetArgs),
    /// Measure round trips to an NDN producer, over any path or a given one; list its paths, or
    /// answer such pings
    Ping(PingArgs),
    /// Show the hops of the paths to an NDN producer, with round trip and rate up to each
    Traceroute(TracerouteArgs),
    /// Make a key that signs NDN Data, and its certificate
    Key(KeyArgs),
}

#[derive(Args)]
pub struct KeyArgs {
    /// The name of the identity: /example
    pub identity: String,
    /// The file of the new key; its certificate is written beside it, with .cert at its end
    /// [default: the last word of the identity, with .key]
    #[arg(short, long, value_name = "FILE", conflicts_with = "key")]
    pub output: Option<PathBuf>,
    /// Certify this key instead of a new one: PKCS#8 in PEM, Ed25519 or ECDSA on P-256
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Days for which the certificate is valid
    #[arg(long, value_name = "N", default_value_t = 3650)]
    pub days: u32,
}
