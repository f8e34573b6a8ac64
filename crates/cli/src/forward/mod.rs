//! `narrows ndn forward`: an NDN forwarder, and the commands that show its state.

mod apps;
mod asked;
mod given;
mod keys;
mod paths;
mod prometheus;
mod shown;

use crate::cli::{ForwardArgs, ForwardCommand, NdnCommand};
use crate::terminal;
use given::other;
use narrows_files::{Limit, read_text};
use narrows_forward::{Config, Daemon, Place, raise_descriptor_limit};
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use narrows_workbench::interruption::{heeded, on_host};
use signal_hook::low_level::pipe;
use std::net::TcpListener;

/// Runs a subcommand of `narrows ndn`.
pub fn ndn(command: NdnCommand) -> Result<Outcome, Failure> {
    match command {
        NdnCommand::Forward(args) => forward(args),
        NdnCommand::Serve(args) => apps::serve(args),
        NdnCommand::Get(args) => apps::get(args),
        NdnCommand::Key(args) => keys::key(args),
        NdnCommand::Ping(args) => apps::pings(args),
        NdnCommand::Traceroute(args) => paths::traceroute(args),
    }
}

/// Runs a forwarder until a signal arrives, or shows the state of a running forwarder.
fn forward(args: ForwardArgs) -> Result<Outcome, Failure> {
    match &args.command {
        Some(ForwardCommand::Status(asked)) => shown::status(asked),
        Some(ForwardCommand::Faces(asked)) => shown::faces(asked),
        Some(ForwardCommand::Routes(asked)) => shown::routes(asked),
        None => run(args),
    }
}

fn run(args: ForwardArgs) -> Result<Outcome, Failure> {
    let mut config = match &args.config {
        Some(path) => {
            let shown = path.display().to_string();
            let text = read_text(path, Limit::TEXT)
                .map_err(|error| other(&format!("{shown} cannot be read: {error}; give a configuration in TOML, as docs/how-to/ndn.md has it")))?;
            Config::parse(&text, &shown).map_err(|error| other(&error))?
        }
        None => Config::default(),
    };
    if args.unix.is_some() {
        config.listen.unix = args.unix;
    }
    if !args.udp.is_empty() {
        config.listen.udp = args.udp;
    }
    if !args.tcp.is_empty() {
        config.listen.tcp = args.tcp;
    }
    if args.log.is_some() {
        config.log.file = args.log;
    }
    if args.metrics.is_some() {
        config.listen.metrics = args.metrics;
    }
    // The guard is leaked on purpose: a slow shutdown must not let the watchdog thread end the
    // process with another exit status.
    std::mem::forget(on_host());
    raise_descriptor_limit();
    // Listen before the forwarder creates its socket, so that programs that find the socket also
    // find the metrics.
    let metrics = config.listen.metrics.map(|address| {
        TcpListener::bind(address).map_err(|error| {
            other(&format!(
                "cannot listen on {address} for Prometheus: {error}; give another address in [listen] metrics or with --metrics"
            ))
        })
    });
    let metrics = metrics.transpose()?;
    let (daemon, stopper) = Daemon::start(&config).map_err(|error| other(&error))?;
    let socket = stopper.into_socket();
    for signal in heeded() {
        pipe::register(signal, socket.try_clone()?)?;
    }
    let mut places: Vec<String> =
        config.listen.unix.iter().map(|path| format!("unix://{}", path.display())).collect();
    places.extend(daemon.udp_addresses().iter().map(|address| format!("UDP {address}")));
    places.extend(config.listen.tcp.iter().map(|address| format!("TCP {address}")));
    if let Some(listener) = metrics {
        let place = own_place(&config)
            .ok_or_else(|| other(&"metrics need a UNIX socket or a TCP address in [listen], by which they are asked for"))?;
        places.push(format!("http://{}/metrics", listener.local_addr()?));
        std::thread::spawn(move || prometheus::serve(&listener, &place));
    }
    terminal::tell(&format!("forwarding; listening on {}", places.join(", ")));
    daemon.run().map_err(|error| other(&error))?;
    Ok(Outcome::Ok)
}

/// Returns the address by which a client in this process reaches the forwarder.
fn own_place(config: &Config) -> Option<Place> {
    let unix = config.listen.unix.clone().map(Place::Unix);
    let tcp = || {
        let address = config
            .listen
            .tcp
            .iter()
            .find(|address| address.ip().is_loopback() || address.ip().is_unspecified())?;
        let host = if address.is_ipv4() { "127.0.0.1" } else { "[::1]" };
        Place::parse(&format!("tcp://{host}:{}", address.port())).ok()
    };
    unix.or_else(tcp)
}
