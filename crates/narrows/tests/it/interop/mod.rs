//! NDN's own tools with the forwarder: ndnd, python-ndn and NDNts, which `make peers` installs. Without them, or without the rights to make a network
//! of its own, a test is left out, and says so. Everything runs in network namespaces that end with the test.

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

/// A program of `make peers`, if it is there.
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

/// A forwarder in a network, and what runs beside it.
struct Site<'a> {
    place: &'a Scratch,
    net: &'a Net,
    /// The URI of its UNIX socket.
    at: String,
    _daemon: Serving,
}

/// Ports that are free in a network of one's own.
const PORT: &str = "16363";

impl<'a> Site<'a> {
    /// Ours, with a configuration behind its UNIX socket, and UDP and TCP on all addresses.
    fn ours(place: &'a Scratch, net: &'a Net, label: &str, more: &str) -> Site<'a> {
        let (socket, file) = (place.path(&format!("{label}.sock")), format!("{label}.toml"));
        let listen = format!("udp = [\"0.0.0.0:{PORT}\"]\ntcp = [\"0.0.0.0:{PORT}\"]");
        place.write(&file, &format!("[listen]\nunix = \"{}\"\n{listen}\n{more}", socket.display()));
        let daemon =
            net.start(net.command(place, PROGRAM).args(["ndn", "forward", "--config", &file]));
        Site::listening(place, net, &socket, daemon)
    }

    /// ndnd's forwarder.
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

    /// The URI of another way in.
    fn over(&self, scheme: &str) -> String {
        if scheme == "unix" { self.at.clone() } else { format!("{scheme}://127.0.0.1:{PORT}") }
    }

    /// A program as an application of this forwarder.
    fn command(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Command {
        let mut command = self.net.command(self.place, program);
        command.args(arguments).env("NDN_CLIENT_TRANSPORT", &self.at);
        command
    }

    fn run(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Output {
        self.command(program, arguments).output().expect("it runs")
    }

    /// What a program prints, with its exit status.
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

    /// The routes, as ours and ndnd's forwarder tell them to our program.
    fn routes(&self) -> String {
        stdout(&self.run(PROGRAM, &["ndn", "forward", "routes", "--json"]))
    }

    /// Fetches by our program, and compares.
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

    /// Fetches by `ndnd cat`, and compares.
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

/// NDNts' script, beside its packages.
fn ndnts(place: &Scratch) -> Option<String> {
    let packages = peer("ndnts/node_modules")?;
    if Command::new("node").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("left out: no node (Node.js 20 or newer)");
        return None;
    }
    std::os::unix::fs::symlink(packages, place.path("node_modules")).expect("a link");
    Some(place.write("ndnts.mjs", include_str!("ndnts.mjs")))
}

/// Octets that repeat nowhere near.
fn content(count: usize) -> Vec<u8> {
    (0..count).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}
