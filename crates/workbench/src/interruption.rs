//! Signals that ask this process to end: Ctrl-C (SIGINT), SIGTERM, and SIGHUP unless it is ignored,
//! as `nohup` arranges.
//!
//! Every command handles them in the same way. After [`heed`], a signal sets the flag
//! [`interruption`], which loops over runs, the simulator and live runs check. Some work cannot
//! check a flag, such as parsing a large file, drawing a page, or waiting for a pipe. So [`insist`]
//! starts a thread that ends the process if the command has not ended a second after the
//! signal. Like the command, the thread removes incomplete files, reports stored runs, and ends
//! with status 2.

use narrows_files::leftovers;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::mem;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time that a command has to end after a signal.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time that a command has while it changes the host, so that it can remove network namespaces,
/// kernel controllers and sockets.
const PATIENCE_ON_HOST: Duration = Duration::from_secs(10);
/// Interval between two checks for the end of changes to the host.
const LOOK: Duration = Duration::from_millis(20);
/// Exit status of an interrupted command.
const STOPPED: i32 = 2;

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in heeded() {
        // If registering fails, the signal ends the process at once.
        let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
    }
    flag
});

/// Number of parts of the program that are changing the host.
static ON_HOST: AtomicUsize = AtomicUsize::new(0);
/// File of stored runs, which exists until the result is complete.
static KEPT: Mutex<Option<PathBuf>> = Mutex::new(None);
/// Locked forever by the thread that ends the process: the command's thread, or the thread of
/// [`insist`].
static END: Mutex<()> = Mutex::new(());

/// Returns the signals that ask this process to end: Ctrl-C, SIGTERM, and SIGHUP unless it was
/// ignored at the start of the process, as `nohup` arranges.
pub fn heeded() -> impl Iterator<Item = i32> {
    [SIGINT, SIGTERM].into_iter().chain((!is_ignored(SIGHUP)).then_some(SIGHUP))
}

/// True if the process ignores a signal, as far as the system reports it.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    u64::from_str_radix(set.trim(), 16).is_ok_and(|set| set >> (signal - 1) & 1 == 1)
}

/// Makes signals set [`interruption`] instead of ending the process at once.
pub fn heed() {
    LazyLock::force(&INTERRUPTED);
}

/// Returns the flag that a signal sets.
pub fn interruption() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Starts a thread that ends this process some time after a signal if the command does not. A
/// command that enters a user namespace must do so before, because that requires a single thread.
pub fn insist() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        heed();
        let Ok((mut hear, tell)) = UnixStream::pair() else { return };
        for signal in heeded() {
            let _ = tell.try_clone().and_then(|tell| pipe::register(signal, tell));
        }
        let wait = move || {
            // A signal before the registration of the pipe has set only the flag.
            while !interruption().load(Ordering::Relaxed)
                && hear.read(&mut [0]).is_ok_and(|count| count > 0)
            {}
            if interruption().load(Ordering::Relaxed) {
                end_after_patience();
            }
        };
        // Without the thread, commands end at their next check.
        let _ = thread::Builder::new().name("signals".to_owned()).spawn(wait);
    });
}

fn end_after_patience() {
    let began = Instant::now();
    while began.elapsed() < PATIENCE
        || (ON_HOST.load(Ordering::Relaxed) > 0 && began.elapsed() < PATIENCE_ON_HOST)
    {
        thread::sleep(LOOK);
    }
    mem::forget(END.lock().unwrap_or_else(PoisonError::into_inner));
    leftovers::remove();
    let mut stderr = io::stderr();
    // Erase the progress bar that may be on this line.
    let clear = if stderr.is_terminal() { "\r\x1b[2K" } else { "" };
    let _ = stderr.write_all(format!("{clear}error: {}\n", stopped()).as_bytes());
    std::process::exit(STOPPED);
}

/// Returns the message for an interrupted command, with the file of stored runs.
fn stopped() -> String {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    match kept.as_deref().filter(|kept| kept.exists()) {
        Some(kept) => format!(
            "stopped; the runs that were done are kept in {}: the same command resumes",
            kept.display()
        ),
        None => "stopped; nothing was written".to_owned(),
    }
}

/// Sets the file of stored runs.
pub fn keeps(file: &Path) {
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(file.to_owned());
}

/// Marks the command as ended: from now on no other thread ends the process.
pub fn ended() {
    mem::forget(END.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Guard for changes to the host.
pub struct OnHost(());

/// Marks the host as being changed. While the guard exists, the command has more time after a
/// signal, to restore the host.
pub fn on_host() -> OnHost {
    ON_HOST.fetch_add(1, Ordering::Relaxed);
    OnHost(())
}

impl Drop for OnHost {
    fn drop(&mut self) {
        ON_HOST.fetch_sub(1, Ordering::Relaxed);
    }
}
