//! NDN's own tools with the forwarder: ndnd and python-ndn, which `make peers` installs. Without them these tests are left out, and say so.

use crate::blocks::root;
use crate::forward::{forwarder, producer, wait_for};
use crate::scratch::{Scratch, code, stderr, stdout};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

/// A program of `make peers`, if it is there.
fn peer(path: &str) -> Option<PathBuf> {
    let program = root().join("target/peers").join(path);
    let there = program.exists();
    if !there {
        eprintln!("skipped: no {}; make peers installs it", program.display());
    }
    there.then(|| std::fs::canonicalize(program.parent().expect("a folder")).expect("a folder").join(program.file_name().expect("a name")))
}

/// A peer's application at the forwarder of a scratch directory.
struct Tool {
    program: PathBuf,
    at: String,
}

impl Tool {
    fn command(&self, place: &Scratch, arguments: &[&str]) -> Command {
        let mut command = place.command(&self.program.display().to_string());
        command.args(arguments).env("NDN_CLIENT_TRANSPORT", &self.at);
        command
    }

    fn run(&self, place: &Scratch, arguments: &[&str]) -> Output {
        self.command(place, arguments).output().expect("it runs")
    }

    /// What it prints, with its exit status.
    fn says(&self, place: &Scratch, arguments: &[&str]) -> (i32, String) {
        let output = self.run(place, arguments);
        (code(&output), stdout(&output) + &stderr(&output))
    }
}

/// A peer's producer, which ends with the test.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        // One that has ended needs no more.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn ndnd_manages_faces_routes_and_strategies() {
    let Some(program) = peer("ndnd") else { return };
    let place = Scratch::new("interop-manage");
    let (_daemon, at) = forwarder(&place, "n", "udp = []\n");
    let ndnd = Tool { program, at };
    for (dataset, told) in [
        ("status", "version=narrows-"),
        ("face-list", "remote=fd://"),
        ("route-list", ""),
        ("fib-list", "/localhost/nfd nexthops={faceid=1"),
        ("strategy-list", "prefix=/ strategy=/localhost/nfd/strategy/best-route/v=1"),
        ("cs-info", "capacity=65536"),
    ] {
        let (status, text) = ndnd.says(&place, &["fw", dataset]);
        assert!(status == 0 && text.contains(told), "{dataset}: {text}");
    }
    let strategy = |name: &str| format!("strategy=/localhost/nfd/strategy/{name}");
    let (multicast, versioned, unknown) = (strategy("multicast"), strategy("multicast/v=1"), strategy("asf"));
    for (command, expected) in [
        (vec!["face-create", "remote=udp://127.0.0.1:17001"], "Status=200"),
        (vec!["face-create", "remote=udp://127.0.0.1:17001"], "Status=409"),
        (vec!["face-create", "remote=udp4://127.0.0.1:17002", "mtu=1200", "persistency=permanent"], "Status=200"),
        (vec!["face-create", "remote=udp4://224.0.0.1:6363"], "Status=406"),
        (vec!["face-create", "remote=ether://[01:00:5e:00:17:aa]"], "Status=406"),
        (vec!["route-add", "prefix=/up", "face=udp://127.0.0.1:17001"], "Origin=static"),
        (vec!["route-add", "prefix=/no", "face=99"], "Status=410"),
        (vec!["strategy-set", "prefix=/mc", &multicast], "multicast/v=1"),
        (vec!["strategy-set", "prefix=/mc", &versioned], "Status=200"),
        (vec!["strategy-set", "prefix=/mc", &unknown], "Status=404"),
        (vec!["strategy-unset", "prefix=/mc"], "Status=200"),
        (vec!["route-remove", "prefix=/up", "face=udp://127.0.0.1:17001"], "Status=200"),
        (vec!["face-destroy", "face=udp://127.0.0.1:17001"], "Status=200"),
        (vec!["face-destroy", "face=99"], "Status=200"),
    ] {
        let (_, text) = ndnd.says(&place, &[&["fw"], &command[..]].concat());
        assert!(text.contains(expected), "{command:?}: {text}");
    }
    let (_, faces) = ndnd.says(&place, &["fw", "face-list"]);
    assert!(faces.contains("udp4://127.0.0.1:17002") && faces.contains("mtu=1200B") && !faces.contains("17001"), "{faces}");
}

#[test]
fn files_go_between_ndnd_and_narrows_both_ways() {
    let Some(program) = peer("ndnd") else { return };
    let place = Scratch::new("interop-files");
    let (_daemon, at) = forwarder(&place, "n", "udp = []\n");
    let ndnd = Tool { program, at: at.clone() };
    let content: Vec<u8> = (0..10_000_000usize).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    std::fs::write(place.path("film"), &content).expect("a file");
    let _ours = producer(&place, &at, &["serve", "/ours", "film"]);
    let fetched = ndnd.run(&place, &["cat", "/ours"]);
    assert!(fetched.stdout == content, "{} octets: {}", fetched.stdout.len(), stderr(&fetched));
    let film = std::fs::File::open(place.path("film")).expect("a file");
    let mut put = ndnd.command(&place, &["put", "/theirs"]);
    let _theirs = Serving(put.stdin(film).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    wait_for("the route is there", || stdout(&place.narrows(["forward", "routes", "--at", &at])).contains("/theirs"));
    let got = place.narrows(["get", "/theirs", "-o", "copy", "--at", &at]);
    assert_eq!(code(&got), 0, "{}", stderr(&got));
    assert!(place.read("copy") == content);
    let mut server = ndnd.command(&place, &["pingserver", "/ps"]);
    let _server = Serving(server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    wait_for("the route is there", || stdout(&place.narrows(["forward", "routes", "--at", &at])).contains("/ps"));
    let (status, text) = ndnd.says(&place, &["ping", "/ps", "-c", "3", "-i", "100", "-t", "4000"]);
    assert!(status == 0 && text.contains("0% lost"), "{text}");
    let pinged = place.narrows(["ping", "/ps", "--count", "1", "--at", &at]);
    assert!(stdout(&pinged).contains("1 sent, 0 lost"), "{}", stdout(&pinged));
}

#[test]
fn python_registers_over_every_transport() {
    let Some(program) = peer("python/bin/python") else { return };
    let place = Scratch::new("interop-python");
    let (_daemon, at) = forwarder(&place, "n", "udp = []\n");
    let python = Tool { program, at: at.clone() };
    place.write(
        "register.py",
        "from ndn.appv2 import NDNApp\nfrom ndn.client_conf import default_face\nimport sys\n\
         app = NDNApp(face=default_face(sys.argv[1]))\n\
         async def main():\n    print(await app.register('/py/app'), await app.unregister('/py/app'))\n    app.shutdown()\n\
         app.run_forever(after_start=main())\n",
    );
    let (status, text) = python.says(&place, &["register.py", &at]);
    assert!(status == 0 && text.contains("True True"), "{text}");
}
