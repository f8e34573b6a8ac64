//! `narrows kernel load`.

use crate::cli::LoadArgs;
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output;
use narrows_control::cores::Twin;
use narrows_kernel::{KernelError, Pinned};
use std::fs;

/// Loads a controller for every program of this host.
pub fn load(args: LoadArgs) -> Result<Outcome, Failure> {
    let (twin, choice) = Twin::read(&args.controller).map_err(|error| Failure::Other(error.to_string()))?;
    let constants = twin.constants_of(&choice).map_err(|error| Failure::Other(error.to_string()))?;
    let name = args.name.as_deref().unwrap_or(twin.kernel);
    let (pinned, mounted) = Pinned::load(twin, &choice, &constants, name).map_err(|error| with_log(error, args.log.as_deref()))?;
    let mut text = format!("{name} is a controller of this host's kernel now: {}.\n", pinned.text());
    if mounted {
        text += "/sys/fs/bpf was not mounted, and is now.\n";
    }
    text += &format!(
        "Any program can choose it, in every network namespace, until it is unloaded or the host starts again. It is pinned in {}.\n\n",
        pinned.path().display()
    );
    let ways = [
        ("one program", format!("iperf3 -c HOST -C {name}")),
        ("your own program", format!("setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, \"{name}\", {})", name.len())),
        ("one destination", format!("ip route change ROUTE congctl {name}")),
        ("every new connection", format!("sysctl -w net.ipv4.tcp_congestion_control={name}")),
    ];
    for (what, how) in ways {
        text += &format!("{what:<22}{how}\n");
    }
    text += &format!("\n{:<22}narrows kernel unload {name}\n", "remove it");
    output::print(&text)?;
    Ok(Outcome::Ok)
}

/// Keeps what the kernel said, where the user wants it, and says so.
fn with_log(error: KernelError, file: Option<&std::path::Path>) -> Failure {
    match (error.log(), file) {
        (None, _) => error.into(),
        (Some(_), None) => Failure::Other(format!("{error}; --log FILE keeps the verifier's log")),
        (Some(log), Some(file)) => match fs::write(file, log) {
            Ok(()) => Failure::Other(format!("{error}; the verifier's log is in {}", file.display())),
            Err(reason) => Failure::Other(format!("{error}; the verifier's log cannot be written to {}: {reason}", file.display())),
        },
    }
}
