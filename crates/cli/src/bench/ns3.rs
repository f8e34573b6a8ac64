//! The built-in peer: a program for ns-3.

use super::peer::Peer;
use narrows_workbench::Failure;
use std::path::PathBuf;
use std::process::Command;

/// The peer simulates one `PART`th of each cell, because ns-3 is much slower. The cost per packet
/// does not depend on the duration.
const PART: u64 = 5;

/// Caveat of the comparison, printed below the table.
const CAVEAT: &str = "ns-3 is Debian's package, which is built with assertions and logging: about 2.2 times slower than an optimised build of ns-3.";

/// Linker flags for Debian's ns-3, used if pkg-config does not know it.
const FALLBACK_FLAGS: &str = "-lns3-applications -lns3-point-to-point -lns3-internet -lns3-traffic-control -lns3-network -lns3-core";

const SOURCE: &str = include_str!("ns3.cc");

/// The compiled program. Its directory is removed on drop.
pub struct Program {
    program: PathBuf,
}

impl Program {
    /// Compiles the program against the installed ns-3.
    pub fn build() -> Result<Program, Failure> {
        let fail = |problem: String| {
            Failure::Other(format!(
                "ns-3 cannot be used: {problem}; install Debian's libns3-dev and g++"
            ))
        };
        let directory = std::env::temp_dir().join(format!("narrows-ns3-{}", std::process::id()));
        std::fs::create_dir_all(&directory)
            .map_err(|error| fail(format!("{}: {error}", directory.display())))?;
        let (source, program) = (directory.join("cell.cc"), directory.join("cell"));
        std::fs::write(&source, SOURCE)
            .map_err(|error| fail(format!("{}: {error}", source.display())))?;
        let flags = Command::new("pkg-config")
            .args([
                "--cflags",
                "--libs",
                "libns3-applications",
                "libns3-point-to-point",
                "libns3-internet",
                "libns3-traffic-control",
            ])
            .output()
            .map_err(|error| fail(format!("pkg-config: {error}")))?;
        let flags = if flags.status.success() {
            String::from_utf8_lossy(&flags.stdout).into_owned()
        } else {
            FALLBACK_FLAGS.to_owned()
        };
        let compiled = Command::new("g++")
            .args(["-O2", "-std=c++17", "-o"])
            .args([&program, &source])
            .args(flags.split_whitespace())
            .output()
            .map_err(|error| fail(format!("g++: {error}")))?;
        if !compiled.status.success() {
            let complaint = String::from_utf8_lossy(&compiled.stderr);
            return Err(fail(format!(
                "g++ refuses: {}",
                complaint.lines().take(3).collect::<Vec<_>>().join(" ")
            )));
        }
        Ok(Program { program })
    }

    /// Returns the program as a peer.
    pub fn peer(&self) -> Peer {
        Peer::with_controllers(self.program.clone(), PART, CAVEAT)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(directory) = self.program.parent() {
            let _ = std::fs::remove_dir_all(directory);
        }
    }
}
