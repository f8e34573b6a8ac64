//! `narrows kernel load`.

use crate::cli::LoadArgs;
use crate::terminal;
use narrows_bpf::ForKernel;
use narrows_control::cores::Twin;
use narrows_control::{meant_file, names_file};
use narrows_files::Output;
use narrows_kernel::{KernelError, Pinned};
use narrows_params::ParamError;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use std::fs;
use std::path::Path;

/// Loads a controller, which all programs of this host can then choose.
pub fn load(args: LoadArgs) -> Result<Outcome, Failure> {
    match args.controller.split('?').next().is_some_and(names_file) {
        true => load_file(&args),
        false => load_ours(&args),
    }
}

fn load_ours(args: &LoadArgs) -> Result<Outcome, Failure> {
    let name = args.controller.split('?').next().unwrap_or_default();
    let unknown =
        |error: ParamError| meant_file(name, Path::new("")).unwrap_or_else(|| error.to_string());
    let (twin, choice) =
        Twin::read(&args.controller).map_err(|error| Failure::Other(unknown(error)))?;
    let constants =
        twin.constants_of(&choice).map_err(|error| Failure::Other(error.to_string()))?;
    let name = args.name.as_deref().unwrap_or(twin.kernel);
    let (pinned, mounted) = Pinned::load(twin, &choice, &constants, name)
        .map_err(|error| with_log(error, args.log.as_deref()))?;
    told(&pinned, mounted, &[])
}

/// Loads a controller from a source or an object file.
fn load_file(args: &LoadArgs) -> Result<Outcome, Failure> {
    let (path, settings) = args.controller.split_once('?').unwrap_or((&args.controller, ""));
    let (program, file) = ForKernel::read(&args.controller).map_err(Failure::Other)?;
    file.notes.iter().for_each(|note| terminal::tell(note));
    // The text keeps the absolute path: later commands run in other directories.
    let whole = fs::canonicalize(path)?.display().to_string();
    let text = if settings.is_empty() { whole } else { format!("{whole}?{settings}") };
    let name = args.name.as_deref().unwrap_or(&program.name);
    let loaded = Pinned::load_file(&program, &text, name).map_err(|error| {
        let remedy = match &error {
            KernelError::Verifier { .. } => {
                format!("; change that line; `narrows inspect {path}` lists what the program reads, writes and calls")
            }
            KernelError::BadName { .. } if args.name.is_none() => "; --as gives it another".to_owned(),
            _ => String::new(),
        };
        match with_log(error, args.log.as_deref()) {
            Failure::Other(text) => Failure::Other(format!("{path}: {text}{remedy}")),
            other => Failure::Other(format!("{path}: {other}{remedy}")),
        }
    })?;
    let (pinned, left, mounted) = loaded;
    told(&pinned, mounted, &left)
}

/// Prints which controller is loaded, and how to select and remove it.
fn told(pinned: &Pinned, mounted: bool, left: &[String]) -> Result<Outcome, Failure> {
    let name = pinned.name();
    let mut text =
        format!("{name} is a controller of this host's kernel now: {}.\n", pinned.text());
    if !left.is_empty() {
        text += &format!(
            "Not loaded, since they are no callbacks of a controller: {}.\n",
            left.join(", ")
        );
    }
    if mounted {
        text += "/sys/fs/bpf was not mounted, and is now.\n";
    }
    text += &format!(
        "Any program can choose it, in every network namespace, until it is unloaded or the host starts again. It is pinned in {}.\n\n",
        pinned.path().display()
    );
    let ways = [
        ("one program", format!("iperf3 -c HOST -C {name}")),
        (
            "your own program",
            format!("setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, \"{name}\", {})", name.len()),
        ),
        ("one destination", format!("ip route change ROUTE congctl {name}")),
        ("every new connection", format!("sysctl -w net.ipv4.tcp_congestion_control={name}")),
    ];
    for (what, how) in ways {
        text += &format!("{what:<22}{how}\n");
    }
    text += &format!("\n{:<22}narrows kernel unload {name}\n", "remove it");
    terminal::print(&text)?;
    Ok(Outcome::Ok)
}

/// Converts the error to a failure. Writes the verifier's log to `file`, and adds the place to the
/// message.
fn with_log(error: KernelError, file: Option<&Path>) -> Failure {
    match error.log() {
        None => error.into(),
        Some(log) => Failure::Other(format!("{error}; {}", kept_log(log, file))),
    }
}

/// Writes the verifier's log to `file`. Returns a phrase with the place of the log, or with the
/// option that saves it.
pub fn kept_log(log: &str, file: Option<&Path>) -> String {
    match file {
        None => "--log FILE keeps the verifier's log".to_owned(),
        Some(file) => match Output::write(file, log.as_bytes()) {
            Ok(()) => format!("the verifier's log is in {}", file.display()),
            Err(reason) => format!(
                "the verifier's log cannot be written to {}: {reason}; give --log another file",
                file.display()
            ),
        },
    }
}
