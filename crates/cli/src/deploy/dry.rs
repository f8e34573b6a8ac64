//! `narrows deploy start --dry-run`: everything but the connections of the host.

use crate::terminal;
use narrows_deploy::Experiment;
use narrows_kernel::deployment::{
    ACCEPTED, Deployment, Policy, monotonic_ns, name_bytes, name_text,
};
use narrows_workbench::{Failure, Outcome};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Lease of a dry run.
const LEASE: Duration = Duration::from_secs(10);
/// Time in which a connection of this host to itself says all.
const PATIENCE: Duration = Duration::from_secs(5);

/// A control group of this process alone. Dropping it puts the process back.
struct Group {
    path: PathBuf,
    before: PathBuf,
}

impl Group {
    fn enter(mount: &Path) -> Result<Group, Failure> {
        let process = std::process::id();
        let failed = |error| {
            Failure::Other(format!(
                "a control group for the dry run cannot be made in {}: {error}; run this as root",
                mount.display()
            ))
        };
        let text = fs::read_to_string("/proc/self/cgroup").map_err(failed)?;
        let own = text.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/");
        let before = mount.join(own.trim_start_matches('/'));
        let path = mount.join(format!("narrows-dry-{process}"));
        fs::create_dir(&path).map_err(failed)?;
        let group = Group { path, before };
        fs::write(group.path.join("cgroup.procs"), process.to_string()).map_err(failed)?;
        Ok(group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::write(self.before.join("cgroup.procs"), std::process::id().to_string());
        let _ = fs::remove_dir(&self.path);
    }
}

/// Loads the program, attaches it to a control group of its own, makes a connection over loopback
/// with each name, and removes everything.
pub fn run(experiment: &Experiment, mount: &Path) -> Result<Outcome, Failure> {
    let group = Group::enter(mount)?;
    let cgroup = File::open(&group.path)?;
    let name = format!("dry-{}", std::process::id());
    let deployment = Deployment::start(&name, &[cgroup])?;
    let names = experiment.control.iter().chain([&experiment.treatment]);
    let told: Result<Vec<String>, Failure> =
        names.map(|name| connection(&deployment, name)).collect();
    deployment.remove()?;
    for line in told? {
        terminal::print(&line)?;
    }
    terminal::print(
        "The program loads, attaches, and assigns. Nothing is left, and no connection of this host was touched.\n",
    )?;
    Ok(Outcome::Ok)
}

/// Makes a connection of this process to itself that is to have this controller.
fn connection(deployment: &Deployment, name: &str) -> Result<String, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let policy = Policy {
        on: 1,
        epoch: 1,
        periods: 1,
        ends: ACCEPTED,
        loopback: 1,
        start_ns: monotonic_ns(),
        treatment: name_bytes(name).ok_or_else(|| {
            Failure::Other(format!("\"{name}\" is longer than the kernel's names of controllers"))
        })?,
        ..Policy::default()
    };
    deployment.set(&policy, &[1.0.into()])?;
    deployment.renew(LEASE)?;
    let mut client = TcpStream::connect_timeout(&listener.local_addr()?, PATIENCE)?;
    let (mut accepted, _) = listener.accept()?;
    for stream in [&client, &accepted] {
        stream.set_read_timeout(Some(PATIENCE))?;
    }
    let mut byte = [0];
    accepted.write_all(b"x")?;
    client.read_exact(&mut byte)?;
    drop(client);
    // The accepted end hears of the other's end, and closes second.
    let _ = accepted.read(&mut byte);
    drop(accepted);
    let mut found = None;
    for _ in 0..100 {
        deployment.read(|record| found = Some(name_text(record.name)));
        if found.is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    match found {
        Some(own) if own == name => Ok(format!("A connection over loopback got {name}.\n")),
        other => Err(Failure::Other(format!(
            "a connection over loopback was to get {name} and had {}; another program may choose, too: look at it with `bpftool cgroup tree`",
            other.unwrap_or_else(|| "no record".to_owned())
        ))),
    }
}
