//! Another simulator that runs the same cells, for ratios within one session.
//!
//! A peer is any program that follows this contract. Its arguments are the number of flows, the
//! rate of the bottleneck in Mbit/s, the base round trip in milliseconds, the seconds to simulate,
//! and the number of links of a route: 1 (all flows share one link) or 3 (each flow has access
//! links of ten times the rate on both sides). It prints key=value pairs. The value of `ns_pkt` is
//! its CPU time in nanoseconds per data packet through the bottleneck.

use super::child;
use super::matrix::{Cell, ROUND_TRIP, Topology};
use super::row::{Beside, Row};
use narrows_workbench::Failure;
use narrows_workbench::quote;
use rustix::fs::Access;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Key of the pair that is read from the output of a peer.
const KEY: &str = "ns_pkt";

/// Description of the output that a peer must print, for error messages.
const WANTED: &str = "a peer prints one line of key=value pairs, among them ns_pkt=NUMBER, its CPU time per data packet in nanoseconds";

/// An external program that runs cells.
pub struct Peer {
    program: PathBuf,
    /// The peer simulates `1 / part` of the duration of a cell.
    part: u64,
    /// True if the peer has several controllers and takes the controller of the row as a sixth
    /// argument.
    chooses: bool,
    /// Caveat of the comparison.
    caveat: String,
}

impl Peer {
    /// Creates a peer from this program file.
    ///
    /// # Errors
    /// If the file does not exist, is not a regular file or cannot be executed.
    pub fn at(program: &Path) -> Result<Peer, Failure> {
        let fail = |problem: String, remedy: &str| {
            Failure::Other(format!(
                "the peer {} cannot be used: {problem}; {remedy} (see narrows lab bench --help)",
                program.display()
            ))
        };
        let found = std::path::absolute(program)
            .map_err(|error| fail(error.to_string(), "give the path of a program"))?;
        let meta = found
            .metadata()
            .map_err(|error| fail(error.to_string(), "give the path of a program"))?;
        if !meta.is_file() {
            return Err(fail("it is not a file".to_owned(), "give the path of a program"));
        }
        rustix::fs::access(&found, Access::EXEC_OK).map_err(|error| {
            fail(std::io::Error::from(error).to_string(), "make it executable with chmod +x")
        })?;
        let caveat = format!(
            "The peer is {}, which has a controller of its own: the same in all rows of a topology.",
            program.display()
        );
        Ok(Peer { program: found, part: 1, chooses: false, caveat })
    }

    /// Creates a peer that has our controllers, takes the controller of the row as a sixth
    /// argument, and simulates `1 / part` of each cell.
    pub fn with_controllers(program: PathBuf, part: u64, caveat: &str) -> Peer {
        Peer { program, part, chooses: true, caveat: caveat.to_owned() }
    }

    /// Returns the caveat of the comparison.
    pub fn caveat(&self) -> &str {
        &self.caveat
    }

    /// True if a peer can run the cell.
    pub fn can_run(cell: &Cell) -> bool {
        links(cell.topology).is_some()
    }

    /// Runs a cell for `rounds` rounds, in each round first with `ours` and then with the peer.
    pub fn take_turns(
        &self,
        cell: &Cell,
        rounds: u32,
        mut ours: impl FnMut() -> Result<Row, Failure>,
    ) -> Result<Row, Failure> {
        let (mut own, mut ratios, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let row = ours()?;
            let ns = self.measure(cell)?;
            ratios.push(row.ns_per_packet / ns);
            theirs.push(ns);
            own.push(row);
        }
        [&mut ratios, &mut theirs].iter_mut().for_each(|values| values.sort_by(f64::total_cmp));
        let mut row = Row::median(own);
        let ns_per_packet = theirs[theirs.len() / 2];
        row.peer = Some(Beside {
            ns_per_packet,
            ratio: row.ns_per_packet / ns_per_packet,
            ratio_min: ratios[0],
            ratio_max: ratios[ratios.len() - 1],
        });
        Ok(row)
    }

    /// Runs the peer and returns its CPU time in nanoseconds per data packet through the
    /// bottleneck.
    fn measure(&self, cell: &Cell) -> Result<f64, Failure> {
        let arguments = self.arguments(cell);
        let fail = |problem: String| {
            let words: Vec<String> = arguments.iter().map(|word| quote(word)).collect();
            Failure::Other(format!(
                "the peer {} {} {problem}",
                quote(&self.program.display().to_string()),
                words.join(" ")
            ))
        };
        let started = |error| {
            fail(format!("cannot be started: {error}; a script begins with #! and its interpreter"))
        };
        let output = child::output(Command::new(&self.program).args(&arguments), started)?;
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            return Err(fail(format!(
                "failed with {} and printed {}; run it by itself to see why",
                output.status,
                shown(&stderr, &stdout)
            )));
        }
        time_of(&stdout, &stderr)
            .ok_or_else(|| fail(format!("printed {}; {WANTED}", shown(&stdout, &stderr))))
    }

    fn arguments(&self, cell: &Cell) -> Vec<String> {
        let mut arguments = vec![
            cell.flows.to_string(),
            (cell.rate.as_bps() / 1_000_000).to_string(),
            ROUND_TRIP.as_millis_f64().to_string(),
            (cell.duration.as_secs_f64() / self.part as f64).to_string(),
            links(cell.topology).unwrap_or_default().to_string(),
        ];
        arguments.extend(self.chooses.then(|| cell.controller.clone()));
        arguments
    }
}

/// Returns the number of links of a route, or `None` if the contract cannot express the topology.
fn links(topology: Topology) -> Option<u32> {
    match topology {
        Topology::OneLink => Some(1),
        Topology::Dumbbell => Some(3),
        Topology::Many | Topology::Line | Topology::IcnLine | Topology::IcnNet => None,
    }
}

/// Returns the value of `ns_pkt` in the output of a peer. It must occur once and be a finite number
/// above zero.
fn time_of(stdout: &str, stderr: &str) -> Option<f64> {
    let pairs = stdout
        .split_whitespace()
        .chain(stderr.split_whitespace())
        .filter_map(|word| word.split_once('='));
    let mut values = pairs.filter(|(key, _)| *key == KEY).map(|(_, value)| value.parse::<f64>());
    let only = values.next().filter(|_| values.next().is_none())?;
    only.ok().filter(|ns| ns.is_finite() && *ns > 0.0)
}

/// Returns the beginning of the output for an error message: of `first`, or of `second` if `first`
/// is blank.
fn shown(first: &str, second: &str) -> String {
    let text = if first.trim().is_empty() { second } else { first };
    let begun: String = text.trim().chars().take(200).collect();
    if begun.is_empty() { "nothing".to_owned() } else { format!("\"{begun}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::ours::measure;
    use crate::bench::row::heading;
    use narrows_units::{Rate, Span};
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn tiny(topology: Topology) -> Cell {
        Cell {
            topology,
            controller: "newreno".to_owned(),
            flows: 2,
            rate: Rate::from_mbps(10),
            duration: Span::from_secs(1),
        }
    }

    /// Writes a peer that consists of these lines of shell script.
    fn scripted(name: &str, lines: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("narrows-peer-{}-{name}", std::process::id()));
        fs::write(&path, format!("#!/bin/sh\n{lines}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
            .expect("an executable script");
        path
    }

    fn told(failure: Result<impl Sized, Failure>) -> String {
        failure.err().expect("a failure").to_string()
    }

    #[test]
    fn the_time_is_read_from_either_stream() {
        let line = "sim=other cc=Reno ns_pkt=151.5 ns_pkt_late=3";
        assert_eq!((time_of(line, ""), time_of("", line)), (Some(151.5), Some(151.5)));
        assert_eq!(time_of("a warning\nns_pkt=2e2\n", "more"), Some(200.0));
        for wrong in [
            "",
            "151.5",
            "ns_pkt=",
            "ns_pkt=fast",
            "ns_pkt=nan",
            "ns_pkt=inf",
            "ns_pkt=0",
            "ns_pkt=-1",
            "ns_pkt=1 ns_pkt=2",
        ] {
            assert_eq!(time_of(wrong, ""), None, "{wrong}");
        }
    }

    #[test]
    fn a_peer_is_told_the_work_and_asked_as_often_as_we_run() {
        let log = std::env::temp_dir().join(format!("narrows-peer-{}-log", std::process::id()));
        let script = scripted(
            "good",
            &format!("echo \"$@\" >> {}; echo cc=Reno ns_pkt=100 >&2", log.display()),
        );
        let peer = Peer::at(&script).expect("a peer");
        let mut runs = 0;
        for topology in [Topology::OneLink, Topology::Dumbbell] {
            let ours = || {
                runs += 1;
                measure(&tiny(topology), 1)
            };
            let row = peer.take_turns(&tiny(topology), 3, ours).expect("a row");
            let beside = row.peer.expect("a ratio");
            assert_eq!((beside.ns_per_packet, beside.ratio), (100.0, row.ns_per_packet / 100.0));
            assert!(
                beside.ratio_min <= beside.ratio && beside.ratio <= beside.ratio_max,
                "{beside:?}"
            );
            assert_eq!(row.line().chars().count(), heading(true).chars().count());
        }
        assert_eq!(runs, 6);
        let asked = fs::read_to_string(&log).expect("what the peer was asked");
        assert_eq!(asked, "2 10 30 1 1\n".repeat(3) + &"2 10 30 1 3\n".repeat(3));
        fs::remove_file(log).and_then(|()| fs::remove_file(script)).expect("files of the test");
    }

    #[test]
    fn what_a_peer_does_wrong_is_told_with_its_arguments() {
        let cell = tiny(Topology::Dumbbell);
        let cases = [
            (
                "silent",
                "exit 0",
                "2 10 30 1 3 printed nothing; a peer prints one line of key=value pairs",
            ),
            ("talks", "echo 151.5", "2 10 30 1 3 printed \"151.5\"; a peer prints"),
            (
                "fails",
                "echo no such topology >&2; exit 4",
                "2 10 30 1 3 failed with exit status: 4 and printed \"no such topology\"",
            ),
        ];
        for (name, lines, says) in cases {
            let script = scripted(name, lines);
            let told = told(Peer::at(&script).expect("a peer").measure(&cell));
            assert!(told.contains(says) && told.contains(&script.display().to_string()), "{told}");
            fs::remove_file(script).expect("the script");
        }
    }

    #[test]
    fn a_peer_that_is_none_is_refused_at_once() {
        assert!(
            told(Peer::at(Path::new("/nowhere/peer")))
                .contains("/nowhere/peer cannot be used: No such file")
        );
        assert!(told(Peer::at(&std::env::temp_dir())).contains("it is not a file"));
        let script = scripted("plain", "exit 0");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o644))
            .expect("a file that is no program");
        assert!(
            told(Peer::at(&script))
                .contains("Permission denied (os error 13); make it executable with chmod +x")
        );
        fs::remove_file(script).expect("the script");
    }

    #[test]
    fn peers_run_what_the_contract_can_name() {
        assert!(
            [Topology::OneLink, Topology::Dumbbell]
                .into_iter()
                .all(|topology| Peer::can_run(&tiny(topology)))
        );
        let others = [Topology::Many, Topology::Line, Topology::IcnLine, Topology::IcnNet];
        assert!(!others.into_iter().any(|topology| Peer::can_run(&tiny(topology))));
    }
}
