//! `narrows forward`: an NDN forwarder, and what it tells of itself.

mod apps;
mod shown;

pub use apps::{get, pings, serve};

use crate::cli::{ForwardArgs, ForwardCommand};
use crate::error::Failure;
use crate::outcome::Outcome;
use narrows_forward::{Config, Daemon};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

/// Forwards until a signal comes, or shows what a forwarder tells.
pub fn forward(args: ForwardArgs) -> Result<Outcome, Failure> {
    match &args.command {
        Some(ForwardCommand::Status(asked)) => shown::status(asked),
        Some(ForwardCommand::Faces(asked)) => shown::faces(asked),
        Some(ForwardCommand::Routes(asked)) => shown::routes(asked),
        None => run(args),
    }
}

fn run(args: ForwardArgs) -> Result<Outcome, Failure> {
    let other = |error: &dyn std::fmt::Display| Failure::Other(error.to_string());
    let mut config = match &args.config {
        Some(path) => {
            let shown = path.display().to_string();
            let text = std::fs::read_to_string(path).map_err(|error| other(&format!("{shown} cannot be read: {error}")))?;
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
    let (daemon, stopper) = Daemon::start(&config).map_err(|error| other(&error))?;
    let socket = stopper.into_socket();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        pipe::register(signal, socket.try_clone()?)?;
    }
    let mut places: Vec<String> = config.listen.unix.iter().map(|path| format!("unix://{}", path.display())).collect();
    places.extend(daemon.udp_addresses().iter().map(|address| format!("UDP {address}")));
    places.extend(config.listen.tcp.iter().map(|address| format!("TCP {address}")));
    eprintln!("forwarding; listening on {}", places.join(", "));
    daemon.run().map_err(|error| other(&error))?;
    Ok(Outcome::Ok)
}
