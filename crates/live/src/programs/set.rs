//! Starts a program and its servers, waits for them, and stops them.

use super::child::{self, ChildCommand, Exit, Stdout};
use crate::host::{Host, SockDiag};
use narrows_scenario::FlowId;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The programs on the hosts.
#[derive(Clone, Debug)]
pub struct Program {
    /// Program and arguments; `{NAME}` becomes the address of the host with this name.
    pub words: Vec<String>,
    /// Name of its host; `None` for the sender of the first flow.
    pub on: Option<String>,
    /// Shell commands that start before the program and are stopped after it, each with the name of
    /// its host; `None` for the receiver of the first flow.
    pub servers: Vec<(Option<String>, String)>,
    /// Flows of the scenario that run as well.
    pub beside: Beside,
    /// Destination of its standard output. The output of servers goes to standard error, or is
    /// discarded if the program's is.
    pub stdout: Stdout,
}

/// The flows of a scenario that run together with a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// No flows.
    Nothing,
    /// All flows.
    Everything,
    /// All flows except this one. The traffic of the program is recorded in its name, with the
    /// warm-up of the scenario.
    AllBut(FlowId),
}

/// The ends of programs.
#[derive(Clone, Debug)]
pub struct Ending {
    /// End of the program.
    pub program: Exit,
    /// Commands of servers that ended before the program, with their ends.
    pub servers: Vec<(String, Exit)>,
    /// Kernel names of controllers of the scenario's flows that the kernel does not allow as a
    /// default: connections that choose no controller have another one.
    pub not_by_default: Vec<String>,
}

impl Ending {
    /// Formats clauses about servers that ended early, each with `quote` of its command, and with a
    /// remedy if one is known.
    pub fn early(&self, quote: impl Fn(&str) -> String) -> Vec<String> {
        let clause = |(command, exit): &(String, Exit)| {
            let remedy = match exit {
                Exit::Status(0) => {
                    "; if it went to the background, it was ended with the command: keep it in the foreground, without options such as -D or --daemon"
                }
                _ => "",
            };
            format!("the server {} {exit} before the program did{remedy}", quote(command))
        };
        self.servers.iter().map(clause).collect()
    }
}

/// Longest time that a server may need to listen.
const READY: Duration = Duration::from_secs(1);

/// A program and its servers, with their hosts.
pub struct ProgramSet<'a> {
    program: &'a Program,
    hosts: &'a [Host],
    /// Host of the program.
    on: usize,
    /// Host and command of each server.
    servers: Vec<(usize, &'a str)>,
    /// Names of hosts: node names, and names from the flow that a program replaces.
    named: Vec<(String, usize)>,
    environment: Vec<(String, String)>,
    /// Content of /etc/hosts.
    host_file: String,
}

/// A program that could not be started, with the kernel's error.
pub type Unstarted = (String, io::Error);

impl<'a> ProgramSet<'a> {
    /// Makes the set of a program on the host `on` and its servers. `further` are additional names
    /// of hosts; names of nodes take precedence.
    pub fn new(
        program: &'a Program,
        hosts: &'a [Host],
        on: usize,
        servers: Vec<(usize, &'a str)>,
        further: &[(&str, usize)],
    ) -> ProgramSet<'a> {
        let mut named: Vec<(String, usize)> =
            hosts.iter().enumerate().map(|(place, host)| (host.name.clone(), place)).collect();
        for (name, place) in further {
            if named.iter().all(|(known, _)| known != name) {
                named.push(((*name).to_owned(), *place));
            }
        }
        let of_hosts = || named.iter().map(|(name, place)| (name.as_str(), &hosts[*place]));
        let (environment, host_file) = (environment(of_hosts()), host_file(of_hosts()));
        ProgramSet { program, hosts, on, servers, named, environment, host_file }
    }

    /// Starts all programs, waits for the end of the main program, and stops the servers.
    pub fn run(&self, go_on: &(dyn Fn() -> bool + Sync)) -> Result<Ending, Unstarted> {
        let serving = AtomicBool::new(true);
        thread::scope(|scope| {
            let mut started = Vec::new();
            for (host, command) in &self.servers {
                let aside = if self.program.stdout == Stdout::Nowhere {
                    Stdout::Nowhere
                } else {
                    Stdout::Stderr
                };
                let command_line =
                    self.command(["sh", "-c", command].map(str::to_owned).to_vec(), aside);
                let before = listening(&self.hosts[*host]);
                let serving = &serving;
                let server = scope.spawn(move || {
                    child::run(&self.hosts[*host], &command_line, &|| {
                        serving.load(Ordering::Relaxed)
                    })
                });
                let started_at = Instant::now();
                while !server.is_finished()
                    && started_at.elapsed() < READY
                    && listening(&self.hosts[*host]) == before
                {
                    thread::sleep(Duration::from_millis(10));
                }
                started.push((*command, server));
            }
            let ended = child::run(
                &self.hosts[self.on],
                &self.command(self.program.words.clone(), self.program.stdout),
                go_on,
            );
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
            let program = ended
                .map_err(|error| (format!("the program \"{}\"", self.program.words[0]), error))?;
            Ok(Ending { program, servers, not_by_default: Vec::new() })
        })
    }

    /// Makes a command, with the names of hosts replaced by their addresses.
    fn command(&self, words: Vec<String>, stdout: Stdout) -> ChildCommand<'_> {
        let address = |word: String| {
            let replaced = |word: String, (name, place): &(String, usize)| {
                word.replace(
                    &format!("{{{name}}}"),
                    &self.hosts[*place].address(0, false).to_string(),
                )
            };
            self.named.iter().fold(word, replaced)
        };
        ChildCommand {
            words: words.into_iter().map(address).collect(),
            environment: &self.environment,
            names: &self.host_file,
            stdout,
        }
    }
}

/// Returns the listening ports of a host; empty if the kernel does not answer.
fn listening(host: &Host) -> Vec<u16> {
    host.namespace.enter(|| SockDiag::open()?.listening()).unwrap_or_default()
}

/// Returns environment variables with the address of each host.
fn environment<'h>(named: impl Iterator<Item = (&'h str, &'h Host)>) -> Vec<(String, String)> {
    let letters = |name: &str| {
        name.chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
            .collect::<String>()
    };
    named
        .map(|(name, host)| {
            (format!("NARROWS_ADDRESS_{}", letters(name)), host.address(0, false).to_string())
        })
        .collect()
}

fn host_file<'h>(named: impl Iterator<Item = (&'h str, &'h Host)>) -> String {
    let mut text = "127.0.0.1 localhost\n::1 localhost\n".to_owned();
    let nameable =
        |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
    for (name, host) in named.filter(|(name, _)| nameable(name)) {
        text += &format!("{} {name}\n{} {name}\n", host.address(0, false), host.address(0, true));
    }
    text
}
