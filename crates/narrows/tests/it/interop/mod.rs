//! NDN's own tools with our forwarder: ndnd, python-ndn and NDNts, which `make peers` installs. A
//! test is left out with a message if the tools are missing or if this user may not create network
//! namespaces. Everything runs in network namespaces that end with the test.

mod hops;
mod hostile;
mod keys;
mod manage;
mod net;
mod objects;
mod register;

use crate::blocks::root;
use crate::forward::wait_for;
use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use net::{Net, Serving};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Returns the path of a program that `make peers` installs, if it is there.
fn peer(path: &str) -> Option<PathBuf> {
    let program = root().join("target/peers").join(path);
    let there = program.exists();
    if !there {
        eprintln!("left out: no {}; make peers installs it", program.display());
    }
    there.then(|| {
        std::fs::canonicalize(program.parent().expect("a folder"))
            .expect("a folder")
            .join(program.file_name().expect("a name"))
    })
}

/// A forwarder in a network namespace.
struct Site<'a> {
    place: &'a Scratch,
    net: &'a Net,
    /// URI of the forwarder's UNIX socket.
    at: String,
    _daemon: Serving,
}

/// UDP and TCP port of the forwarder. It is free, because the network namespace is the test's own.
const PORT: &str = "16363";

impl<'a> Site<'a> {
    /// Starts our forwarder with a configuration. It listens on its UNIX socket, and by UDP and TCP
    /// on all addresses.
    fn ours(place: &'a Scratch, net: &'a Net, label: &str, more: &str) -> Site<'a> {
        let (socket, file) = (place.path(&format!("{label}.sock")), format!("{label}.toml"));
        let listen = format!("udp = [\"0.0.0.0:{PORT}\"]\ntcp = [\"0.0.0.0:{PORT}\"]");
        place.write(&file, &format!("[listen]\nunix = \"{}\"\n{listen}\n{more}", socket.display()));
        let daemon =
            net.start(net.command(place, PROGRAM).args(["ndn", "forward", "--config", &file]));
        Site::listening(place, net, &socket, daemon)
    }

    /// Starts ndnd's forwarder.
    fn ndnd(place: &'a Scratch, net: &'a Net, label: &str, program: &Path) -> Site<'a> {
        let (socket, file) = (place.path(&format!("{label}.sock")), format!("{label}.yml"));
        place.write(
            &file,
            &format!(
                "core: {{log_level: ERROR}}\nfaces:\n  udp: {{enabled_multicast: false, port_unicast: {PORT}}}\n  tcp: {{port_unicast: {PORT}}}\n  \
                 unix: {{socket_path: {}}}\n  websocket: {{enabled: false}}\nfw: {{threads: 1}}\n",
                socket.display()
            ),
        );
        let daemon = net.start(net.command(place, program).args(["fw", "run", &file]));
        Site::listening(place, net, &socket, daemon)
    }

    fn listening(place: &'a Scratch, net: &'a Net, socket: &Path, daemon: Serving) -> Site<'a> {
        let at = format!("unix://{}", socket.display());
        wait_for("the forwarder listens", || {
            std::os::unix::net::UnixStream::connect(socket).is_ok()
        });
        Site { place, net, at, _daemon: daemon }
    }

    /// Returns the URI of the forwarder for another transport.
    fn over(&self, scheme: &str) -> String {
        if scheme == "unix" { self.at.clone() } else { format!("{scheme}://127.0.0.1:{PORT}") }
    }

    /// Returns the command of a program as an application of this forwarder.
    fn command(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Command {
        let mut command = self.net.command(self.place, program);
        command.args(arguments).env("NDN_CLIENT_TRANSPORT", &self.at);
        command
    }

    fn run(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Output {
        self.command(program, arguments).output().expect("it runs")
    }

    /// Runs a program. Returns its exit status and its output.
    fn says(&self, program: impl AsRef<Path>, arguments: &[&str]) -> (i32, String) {
        let output = self.run(program, arguments);
        (code(&output), stdout(&output) + &stderr(&output))
    }

    /// Starts a producer, and waits until the forwarder lists its route.
    fn producer(
        &self,
        program: impl AsRef<Path>,
        arguments: &[&str],
        prefix: &str,
        input: Option<&str>,
    ) -> Serving {
        let mut command = self.command(program, arguments);
        if let Some(input) = input {
            command.stdin(std::fs::File::open(self.place.path(input)).expect("a file"));
        }
        let producer = self.net.start(&mut command);
        wait_for("the route is there", || self.routes().contains(prefix));
        producer
    }

    /// Returns the routes that the forwarder reports to our program.
    fn routes(&self) -> String {
        stdout(&self.run(PROGRAM, &["ndn", "forward", "routes", "--json"]))
    }

    /// Fetches an object with our program, and compares it.
    fn gets(&self, name: &str, expected: &[u8]) -> Output {
        let got = self.run(PROGRAM, &["ndn", "get", name]);
        assert!(
            got.stdout == expected,
            "{name}: {} of {} octets: {}",
            got.stdout.len(),
            expected.len(),
            stderr(&got)
        );
        got
    }

    /// Fetches an object with `ndnd cat`, and compares it.
    fn ndnd_gets(&self, ndnd: &Path, name: &str, expected: &[u8]) {
        let got = self.run(ndnd, &["cat", name]);
        assert!(
            got.stdout == expected,
            "{name}: {} of {} octets: {}",
            got.stdout.len(),
            expected.len(),
            stderr(&got)
        );
    }
}

/// Copies the script for NDNts beside its packages, and returns its path.
fn ndnts(place: &Scratch) -> Option<String> {
    let packages = peer("ndnts/node_modules")?;
    if Command::new("node").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("left out: no node (Node.js 20 or newer)");
        return None;
    }
    std::os::unix::fs::symlink(packages, place.path("node_modules")).expect("a link");
    Some(place.write("ndnts.mjs", include_str!("ndnts.mjs")))
}

/// Returns octets without short repetitions.
fn content(count: usize) -> Vec<u8> {
    (0..count).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}
