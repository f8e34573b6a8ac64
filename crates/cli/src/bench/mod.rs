//! `narrows lab bench`: the cost of the simulator, of whole sweeps, of the forwarder per packet and
//! of controllers in the kernel, and the rate that the emulator carries.

mod child;
mod forward;
mod kernel;
mod live;
mod matrix;
mod ns3;
mod ours;
mod peer;
mod row;
mod sweep;

use crate::cli::BenchArgs;
use matrix::Cell;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use narrows_workbench::request;
use peer::Peer;
use row::heading;
use std::io::{IsTerminal, Write};

/// Default controllers of the matrix.
pub const CONTROLLERS: [&str; 3] = narrows_control::DEFAULTS;

/// Runs the selected benchmark. The matrix prints each row as soon as it is measured.
pub fn bench(args: BenchArgs) -> Result<Outcome, Failure> {
    if args.live {
        return live::bench(args.json);
    }
    if args.kernel {
        return kernel::bench(args.runs, args.json);
    }
    if args.forward {
        return forward::bench(args.runs, args.json);
    }
    if args.sweep {
        return sweep::bench(args.runs, args.json);
    }
    let ns3 = if args.against_ns3 { Some(ns3::Program::build()?) } else { None };
    let peer = match (&args.against, &ns3) {
        (Some(program), _) => Some(Peer::at(program)?),
        (None, Some(ns3)) => Some(ns3.peer()),
        (None, None) => None,
    };
    let all = if args.large { matrix::large() } else { matrix::cells(&chosen(&args.controllers)?) };
    let cells: Vec<Cell> = all
        .into_iter()
        .filter(|cell| cell.name().contains(&args.only) && (peer.is_none() || Peer::can_run(cell)))
        .collect();
    if cells.is_empty() {
        let example = matrix::cells(&CONTROLLERS.map(str::to_owned))[0].name();
        let which = if peer.is_some() {
            "no row that a peer can run has a name that"
        } else {
            "no row's name"
        };
        return Err(Failure::Other(format!(
            "{which} contains \"{}\"; names are like \"{example}\"",
            args.only
        )));
    }
    let mut rows = Vec::new();
    let mut out = std::io::stdout().lock();
    if !args.json {
        writeln!(out, "{}", heading(peer.is_some()))?;
    }
    for cell in &cells {
        if std::io::stderr().is_terminal() {
            let _ = write!(std::io::stderr(), "\r{:<40}\r", cell.name());
        }
        let row = match (&peer, cells.as_slice()) {
            (Some(peer), _) => {
                peer.take_turns(cell, args.runs, || ours::measure_apart(cell, 1, &args))?
            }
            (None, [only]) => ours::measure(only, args.runs)?,
            (None, _) => ours::measure_apart(cell, args.runs, &args)?,
        };
        if !args.json {
            writeln!(out, "{}", row.line())?;
        }
        rows.push(row);
    }
    if args.json {
        let text = serde_json::to_string_pretty(&rows)
            .map_err(|error| Failure::Other(error.to_string()))?;
        writeln!(out, "{text}")?;
    } else if let Some(peer) = &peer {
        writeln!(out, "\n{}", peer.caveat())?;
    }
    Ok(Outcome::Ok)
}

/// Returns the names that scenarios use for these controllers.
fn chosen(controllers: &[String]) -> Result<Vec<String>, Failure> {
    controllers
        .iter()
        .map(|text| {
            request::parse_choice(text)
                .map(|choice| choice.text().to_owned())
                .map_err(Failure::Other)
        })
        .collect()
}
