//! Signals that ask this process to end: Ctrl-C (SIGINT), SIGTERM, and SIGHUP unless it is ignored, as `nohup` arranges.
//!
//! Every command hears of them in the same way. From [`heed`] on, a signal sets the flag [`interruption`], which loops over runs, the
//! simulator and live runs look at. Some work cannot look, such as parsing a large file, drawing a page, or waiting for a pipe. So
//! [`insist`] starts a thread that ends a command which has not ended [`PATIENCE`] after the signal. Like the command itself, the thread
//! removes what is not complete, says what is kept, and ends with status 2.

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

/// Time that a command has to end by itself after a signal.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time that it has while it changes the host: namespaces, controllers in the kernel, and sockets are then removed in order.
const PATIENCE_ON_HOST: Duration = Duration::from_secs(10);
/// Time between two looks at whether the host is left as it was.
const LOOK: Duration = Duration::from_millis(20);
/// Exit status of a command that was stopped.
const STOPPED: i32 = 2;

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in heeded() {
        // If registering fails, the signal ends the process at once.
        let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
    }
    flag
});

/// How many parts of the program are changing the host.
static ON_HOST: AtomicUsize = AtomicUsize::new(0);
/// The file in which runs are kept until the result is complete.
static KEPT: Mutex<Option<PathBuf>> = Mutex::new(None);
/// Held for good by whoever ends the process: the command, or the thread of [`insist`].
static END: Mutex<()> = Mutex::new(());

/// Signals that ask this process to end: Ctrl-C, SIGTERM, and SIGHUP unless the process was started
/// with it ignored, as by `nohup`.
pub fn heeded() -> impl Iterator<Item = i32> {
    [SIGINT, SIGTERM].into_iter().chain((!is_ignored(SIGHUP)).then_some(SIGHUP))
}

/// True if this process was started with a signal ignored, where the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    u64::from_str_radix(set.trim(), 16).is_ok_and(|set| set >> (signal - 1) & 1 == 1)
}

/// From now on signals set [`interruption`] instead of ending the process at once.
pub fn heed() {
    LazyLock::force(&INTERRUPTED);
}

/// Set once a signal has asked this process to end.
pub fn interruption() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Ends this process some time after a signal if the command does not. Starts a thread, which a command that makes a user namespace must
/// not have before.
pub fn insist() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        heed();
        let Ok((mut hear, tell)) = UnixStream::pair() else { return };
        for signal in heeded() {
            let _ = tell.try_clone().and_then(|tell| pipe::register(signal, tell));
        }
        let wait = move || {
            // A signal that came before the pipe has set the flag.
            while !interruption().load(Ordering::Relaxed)
                && hear.read(&mut [0]).is_ok_and(|count| count > 0)
            {}
            if interruption().load(Ordering::Relaxed) {
                end_after_patience();
            }
        };
        // Without the thread, commands end when they next look.
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
    // A progress bar may be on this line.
    let clear = if stderr.is_terminal() { "\r\x1b[2K" } else { "" };
    let _ = stderr.write_all(format!("{clear}error: {}\n", stopped()).as_bytes());
    std::process::exit(STOPPED);
}

/// Says that the command was stopped, and what is kept.
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

/// Names the file in which runs are kept from now on.
pub fn keeps(file: &Path) {
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(file.to_owned());
}

/// The command has ended: from now on nothing else ends the process.
pub fn ended() {
    mem::forget(END.lock().unwrap_or_else(PoisonError::into_inner));
}

/// The host is being changed as long as this lives.
pub struct OnHost(());

/// Says that the host is being changed: after a signal the command gets more time, to leave the host as it was.
pub fn on_host() -> OnHost {
    ON_HOST.fetch_add(1, Ordering::Relaxed);
    OnHost(())
}

impl Drop for OnHost {
    fn drop(&mut self) {
        ON_HOST.fetch_sub(1, Ordering::Relaxed);
    }
}
