//! Programs in a host's namespace. They end with the thread that started them, together with all
//! their descendants.

use crate::host::Host;
use rustix::fs::{Mode, OFlags};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_change, unmount,
};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::ffi::{CStr, c_int, c_uint};
use std::fmt;
use std::fs::File;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Time between checks for the end of the child.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Time that a program has to end by itself after SIGTERM.
const TERMINATION_GRACE: Duration = Duration::from_millis(500);

/// The end of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It returned this exit status.
    Status(i32),
    /// A signal ended it.
    Signal(i32),
    /// It was stopped because the run was over.
    Stopped,
}

impl Exit {
    /// True if the program did not fail.
    pub fn is_fine(self) -> bool {
        matches!(self, Exit::Status(0) | Exit::Stopped)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Status(status @ 129..=192) => {
                write!(
                    f,
                    "ended with exit status {status} (with which a shell tells of signal {})",
                    status - 128
                )
            }
            Exit::Status(status) => write!(f, "ended with exit status {status}"),
            Exit::Signal(signal) => write!(f, "was ended by signal {signal}{}", name(*signal)),
            Exit::Stopped => write!(f, "was stopped at the end of the run"),
        }
    }
}

fn name(signal: i32) -> &'static str {
    match signal {
        libc::SIGSEGV => " (segmentation fault)",
        libc::SIGABRT => " (abort)",
        libc::SIGKILL => " (killed)",
        libc::SIGTERM => " (terminated)",
        libc::SIGPIPE => " (broken pipe)",
        libc::SIGFPE => " (arithmetic error)",
        libc::SIGILL => " (illegal instruction)",
        libc::SIGBUS => " (bus error)",
        _ => "",
    }
}

/// The destination of a program's standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdout {
    /// Standard output of this process.
    Ours,
    /// Standard error of this process.
    Stderr,
    /// Discarded.
    Nowhere,
}

/// A program to start.
#[derive(Clone, Debug)]
pub struct ChildCommand<'a> {
    /// Program and arguments.
    pub words: Vec<String>,
    /// Additional environment variables.
    pub environment: &'a [(String, String)],
    /// Content of its /etc/hosts.
    pub names: &'a str,
    /// Destination of its standard output.
    pub stdout: Stdout,
}

/// Runs a program in a host's namespace until it ends, or until `go_on` returns false.
///
/// # Errors
///
/// The program cannot be started.
pub fn run(
    host: &Host,
    started: &ChildCommand<'_>,
    go_on: &(dyn Fn() -> bool + Sync),
) -> io::Result<Exit> {
    // The kernel ends the child with the thread that started it, so this thread waits for it.
    host.namespace.enter(|| {
        let mut command = Command::new(&started.words[0]);
        command
            .args(&started.words[1..])
            .envs(started.environment.iter().map(|(name, value)| (name, value)))
            .process_group(0)
            .stdin(Stdio::null());
        match started.stdout {
            Stdout::Ours => {}
            Stdout::Stderr => drop(command.stdout(io::stderr().as_fd().try_clone_to_owned()?)),
            Stdout::Nowhere => drop(command.stdout(Stdio::null())),
        }
        let names = started.names.as_bytes().to_vec();
        let (mut status_reader, status_writer) = io::pipe()?;
        let status_fd = status_writer.as_raw_fd();
        // SAFETY: the closure runs in the child, which has one thread and its own copy of memory.
        // It makes system calls only, and allocates nothing.
        unsafe { command.pre_exec(move || prepare(&names, status_fd)) };
        // SAFETY: the flag affects only later children of this thread, which is this child alone.
        unsafe { unshare_unsafe(UnshareFlags::NEWPID) }?;
        let mut child = command.spawn()?;
        drop(status_writer);
        let group = -(child.id() as libc::pid_t);
        let mut terminated = None;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(if terminated.is_some() {
                    Exit::Stopped
                } else {
                    exit(&mut status_reader, status)
                });
            }
            match terminated {
                None if !go_on() => {
                    // SAFETY: the group belongs to a child that has not been waited for, so its
                    // number is not reused.
                    unsafe { libc::kill(group, libc::SIGTERM) };
                    terminated = Some(Instant::now());
                }
                Some(since) if since.elapsed() > TERMINATION_GRACE => child.kill()?,
                _ => {}
            }
            thread::sleep(POLL_INTERVAL);
        }
    })
}

/// Returns the end of the program that its keeper reported; the end of the keeper if it was killed
/// before the report.
fn exit(status_reader: &mut PipeReader, keeper: ExitStatus) -> Exit {
    let mut status = [0; size_of::<c_int>()];
    let status = status_reader
        .read_exact(&mut status)
        .map_or(keeper, |()| ExitStatus::from_raw(c_int::from_ne_bytes(status)));
    match status.code() {
        Some(code) => Exit::Status(code),
        None => Exit::Signal(status.signal().unwrap_or(0)),
    }
}

/// Shows `names` as /etc/hosts in a mount namespace of this process, and hides the name servers,
/// because none can be reached.
///
/// The file is in a file system of this namespace, mounted on a directory that every machine has
/// until the file is bound to its place. So nothing is left behind, wherever the process ends. (A
/// file of `memfd_create` cannot be mounted, because the kernel binds only files that are mounted
/// in the namespace.)
fn show(names: &[u8]) -> io::Result<()> {
    // SAFETY: the process has one thread.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }?;
    mount_change(c"/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    mount(c"tmpfs", c"/proc", c"tmpfs", MountFlags::empty(), None)?;
    let shown = write_and_bind(names);
    unmount(c"/proc", UnmountFlags::DETACH)?;
    shown?;
    Ok(mount_bind(c"/dev/null", c"/etc/resolv.conf")?)
}

fn write_and_bind(names: &[u8]) -> io::Result<()> {
    const FILE: &CStr = c"/proc/hosts";
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC;
    File::from(rustix::fs::open(FILE, flags, Mode::from_raw_mode(0o644))?).write_all(names)?;
    Ok(mount_bind(FILE, c"/etc/hosts")?)
}

/// Splits the child, before it executes the program, into a keeper and the program. The keeper is
/// the first process of a process namespace. All processes there end with the keeper, and the
/// keeper ends with the thread that started it.
fn prepare(names: &[u8], status_fd: c_int) -> io::Result<()> {
    // Without the names, the program can still use addresses.
    show(names).ok();
    // SAFETY: system calls without memory.
    unsafe {
        if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) < 0 {
            return Err(io::Error::last_os_error());
        }
        match libc::fork() {
            -1 => Err(io::Error::last_os_error()),
            0 => Ok(()),
            program => keep(program, status_fd),
        }
    }
}

/// Waits for the program, and reports its complete wait status, which does not fit into an exit
/// status.
fn keep(program: libc::pid_t, status_fd: c_int) -> ! {
    const STATUS_FD: c_int = 3;
    let mut status: c_int = 0;
    // SAFETY: system calls; `status` lives through them. The other descriptors are closed because
    // they belong to the program: readers that wait for their end must not wait for this process.
    unsafe {
        libc::dup2(status_fd, STATUS_FD);
        // By number: glibc has a function for it only since 2.34, and packages are for 2.28.
        libc::syscall(libc::SYS_close_range, STATUS_FD as c_uint + 1, c_uint::MAX, 0);
        loop {
            let ended = libc::wait(&raw mut status);
            if ended == program {
                libc::write(STATUS_FD, (&raw const status).cast(), size_of_val(&status));
                libc::_exit(0);
            }
            if ended < 0 && *libc::__errno_location() == libc::ECHILD {
                libc::_exit(127);
            }
        }
    }
}
