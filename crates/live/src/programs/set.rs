//! A program and its servers: started, waited for and stopped.

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
    /// The program and its arguments; `{NAME}` in them becomes the address of the host of this name.
    pub words: Vec<String>,
    /// Its host's name; `None` for the sender of the first flow.
    pub on: Option<String>,
    /// Commands for the shell that start before it and are stopped after it, each with its host's name; `None` for the receiver of the
    /// first flow.
    pub servers: Vec<(Option<String>, String)>,
    /// Which of the scenario's flows run as well.
    pub beside: Beside,
    /// Where its standard output goes. That of servers goes to standard error, or nowhere as well.
    pub stdout: Stdout,
}

/// The flows of a scenario that run beside a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// None.
    Nothing,
    /// All.
    Everything,
    /// All but this one. What the program sends is recorded in its name, and the warm-up is the scenario's.
    AllBut(FlowId),
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

impl Ending {
    /// Clauses about the servers that did not last, each with `quote` of its command and a remedy where one is known.
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
    /// Names of hosts: their own, and those that a program's flow gives them.
    named: Vec<(String, usize)>,
    environment: Vec<(String, String)>,
    /// Their /etc/hosts.
    host_file: String,
}

/// The program that could not be started, and the kernel's answer.
pub type Unstarted = (String, io::Error);

impl<'a> ProgramSet<'a> {
    /// A program on the host `on`, and its servers on theirs. `further`: names that hosts have beside their own, which nobody else has.
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

    /// Starts all, waits for the program's end, and stops the servers.
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

    /// A command with the hosts' addresses in the place of their names.
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

/// The ports where somebody listens on a host; none if the kernel does not tell.
fn listening(host: &Host) -> Vec<u16> {
    host.namespace.enter(|| SockDiag::open()?.listening()).unwrap_or_default()
}

/// Variables of the programs' environment: the address of each host.
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
