//! A network namespace of its own for a test.

use crate::forward::wait_for;
use crate::scratch::Scratch;
use std::fs;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A network namespace with only a loopback interface. It ends when this value is dropped.
pub struct Net {
    holder: Serving,
    address: String,
}

/// A program that is killed when the test ends.
pub struct Serving(Child);

impl Serving {
    pub fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // The program may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Net {
    /// Creates a namespace if this user may. Otherwise prints why the test is left out.
    pub fn new(test: &str) -> Option<Net> {
        let own = fs::read_link("/proc/self/ns/net").expect("a namespace");
        let made = Command::new("unshare")
            .args(["--net", "sleep", "infinity"])
            .stderr(Stdio::null())
            .spawn();
        let Ok(child) = made else {
            eprintln!("{test}: left out, unshare is not installed");
            return None;
        };
        let mut net = Net { holder: Serving(child), address: String::new() };
        net.address = format!("--net=/proc/{}/ns/net", net.holder.pid());
        let mut ended = false;
        wait_for("the namespace is there", || {
            ended = net.holder.0.try_wait().expect("a child").is_some();
            let there = fs::read_link(format!("/proc/{}/ns/net", net.holder.pid()))
                .is_ok_and(|other| other != own);
            ended
                || there
                    && fs::read_to_string(format!("/proc/{}/comm", net.holder.pid()))
                        .is_ok_and(|name| name.trim() == "sleep")
        });
        if ended {
            eprintln!("{test}: left out, only root may make namespaces here");
            return None;
        }
        net.ip(&["link", "set", "lo", "up"]);
        Some(net)
    }

    /// Returns a command that runs in the namespace, in a scratch directory.
    pub fn command(&self, place: &Scratch, program: impl AsRef<Path>) -> Command {
        let mut command = place.command("nsenter");
        command.arg(&self.address).arg(program.as_ref());
        command
    }

    /// Starts a program that runs until the test ends.
    pub fn start(&self, command: &mut Command) -> Serving {
        Serving(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"))
    }

    /// Runs a function in the namespace. Sockets that the function opens stay there.
    pub fn inside<T: Send>(&self, run: impl FnOnce() -> T + Send) -> T {
        let namespace =
            fs::File::open(format!("/proc/{}/ns/net", self.holder.pid())).expect("a namespace");
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                rustix::thread::move_into_link_name_space(namespace.as_fd(), None)
                    .expect("root may enter it");
                run()
            });
            thread.join().expect("no panic")
        })
    }

    /// Runs `ip` in the namespace.
    pub fn ip(&self, arguments: &[&str]) {
        let status = Command::new("nsenter")
            .arg(&self.address)
            .arg("ip")
            .args(arguments)
            .status()
            .expect("ip runs");
        assert!(status.success(), "ip {arguments:?}");
    }

    /// Connects two namespaces by a cable. This end has the address 10.9.`subnet`.1, the other end
    /// 10.9.`subnet`.2.
    pub fn cable(&self, other: &Net, subnet: u8) {
        let (near, far) = (format!("near{subnet}"), format!("far{subnet}"));
        self.ip(&[
            "link",
            "add",
            &near,
            "type",
            "veth",
            "peer",
            "name",
            &far,
            "netns",
            &other.holder.pid().to_string(),
        ]);
        for (net, end, host) in [(self, &near, 1), (other, &far, 2)] {
            net.ip(&["address", "add", &format!("10.9.{subnet}.{host}/24"), "dev", end]);
            net.ip(&["link", "set", end, "up"]);
        }
    }
}
