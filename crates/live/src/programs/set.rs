//! A program and its servers: started, waited for and stopped.

use super::child::{self, ChildCommand, Exit};
use crate::host::{Host, SockDiag};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The programs on the hosts.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program and its arguments; `{NAME}` in them becomes the address of the host of this name.
    pub words: Vec<String>,
    /// Its host's name; `None` for the sender of the first flow.
    pub on: Option<String>,
    /// Commands for the shell that start before it and are stopped after it, each with its host's name; `None` for the receiver of the
    /// first flow.
    pub servers: Vec<(Option<String>, String)>,
    /// The scenario's flows run as well.
    pub with_flows: bool,
    /// Its standard output goes to standard error.
    pub to_stderr: bool,
}

/// How programs ended.
#[derive(Clone, Debug)]
pub struct Ending {
    /// The program itself.
    pub program: Exit,
    /// Commands of servers that did not last until the program ended, and how they ended.
    pub servers: Vec<(String, Exit)>,
    /// Controllers of the scenario's flows, as the kernel calls them, that it lets nobody have by default: connections that choose none themselves have another.
    pub not_by_default: Vec<String>,
}

/// How long a server may take to listen.
const READY: Duration = Duration::from_secs(1);

/// A program and its servers, and the hosts that they run on.
pub struct ProgramSet<'a> {
    program: &'a Program,
    hosts: &'a [Host],
    /// The host of the program.
    on: usize,
    /// The host and the command of each server.
    servers: Vec<(usize, &'a str)>,
    environment: Vec<(String, String)>,
    /// Their /etc/hosts.
    names: String,
}

/// The program that could not be started, and the kernel's answer.
pub type Unstarted = (String, io::Error);

impl<'a> ProgramSet<'a> {
    /// A program on the host `on`, and its servers on theirs.
    pub fn new(program: &'a Program, hosts: &'a [Host], on: usize, servers: Vec<(usize, &'a str)>) -> ProgramSet<'a> {
        ProgramSet { program, hosts, on, servers, environment: environment(hosts), names: host_file(hosts) }
    }

    /// Starts all, waits for the program's end, and stops the servers.
    pub fn run(&self, go_on: &(dyn Fn() -> bool + Sync)) -> Result<Ending, Unstarted> {
        let serving = AtomicBool::new(true);
        thread::scope(|scope| {
            let mut started = Vec::new();
            for (host, command) in &self.servers {
                let command_line = self.command(["sh", "-c", command].map(str::to_owned).to_vec(), true);
                let before = listening(&self.hosts[*host]);
                let serving = &serving;
                let server = scope.spawn(move || child::run(&self.hosts[*host], &command_line, &|| serving.load(Ordering::Relaxed)));
                let started_at = Instant::now();
                while !server.is_finished() && started_at.elapsed() < READY && listening(&self.hosts[*host]) == before {
                    thread::sleep(Duration::from_millis(10));
                }
                started.push((*command, server));
            }
            let ended = child::run(&self.hosts[self.on], &self.command(self.program.words.clone(), self.program.to_stderr), go_on);
            let early: Vec<bool> = started.iter().map(|(_, server)| server.is_finished()).collect();
            serving.store(false, Ordering::Relaxed);
            let mut servers = Vec::new();
            for ((command, server), early) in started.into_iter().zip(early) {
                let exit = server.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                let exit = exit.map_err(|error| (format!("the server \"{command}\""), error))?;
                if early {
                    servers.push((command.to_owned(), exit));
                }
            }
            let program = ended.map_err(|error| (format!("the program \"{}\"", self.program.words[0]), error))?;
            Ok(Ending { program, servers, not_by_default: Vec::new() })
        })
    }

    /// A command with the hosts' addresses in the place of their names.
    fn command(&self, words: Vec<String>, to_stderr: bool) -> ChildCommand<'_> {
        let address = |word: String| {
            self.hosts.iter().fold(word, |word, host| word.replace(&format!("{{{}}}", host.name), &host.address(0, false).to_string()))
        };
        ChildCommand { words: words.into_iter().map(address).collect(), environment: &self.environment, names: &self.names, to_stderr }
    }
}

/// The ports where somebody listens on a host; none if the kernel does not tell.
fn listening(host: &Host) -> Vec<u16> {
    host.namespace.enter(|| SockDiag::open()?.listening()).unwrap_or_default()
}

/// Variables of the programs' environment: the address of each host.
fn environment(hosts: &[Host]) -> Vec<(String, String)> {
    let letters =
        |name: &str| name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect::<String>();
    hosts.iter().map(|host| (format!("NARROWS_ADDRESS_{}", letters(&host.name)), host.address(0, false).to_string())).collect()
}

fn host_file(hosts: &[Host]) -> String {
    let mut text = "127.0.0.1 localhost\n::1 localhost\n".to_owned();
    let nameable = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
    for host in hosts.iter().filter(|host| nameable(&host.name)) {
        text += &format!("{} {}\n{} {}\n", host.address(0, false), host.name, host.address(0, true), host.name);
    }
    text
}
