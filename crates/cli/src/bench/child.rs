//! Child processes of a benchmark: the benchmark waits for them, and they end with it.

use narrows_workbench::Failure;
use narrows_workbench::interruption::interruption;
use rustix::process::{Pid, Signal, kill_process};
use std::io;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Interval between two checks for an interruption.
const LOOK: Duration = Duration::from_millis(50);

/// Runs a program to its end and returns its output. Ends the program if this process is
/// interrupted.
///
/// # Errors
///
/// [`Failure::Interrupted`] if the benchmark was interrupted. The result of `failed` if the program
/// cannot be started or waited for.
pub fn output(
    command: &mut Command,
    failed: impl FnOnce(io::Error) -> Failure,
) -> Result<Output, Failure> {
    let child =
        match command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() {
            Ok(child) => child,
            Err(error) => return Err(failed(error)),
        };
    let process = Pid::from_child(&child);
    let (ended, end) = channel();
    thread::spawn(move || ended.send(child.wait_with_output()));
    let mut told = false;
    loop {
        match end.recv_timeout(LOOK) {
            Ok(_) if told => return Err(Failure::Interrupted),
            Ok(output) => return output.map_err(failed),
            Err(RecvTimeoutError::Timeout) if interruption().load(Ordering::Relaxed) => {
                // Asks with SIGTERM at the first check, then forces the end with SIGKILL.
                let _ = kill_process(process, if told { Signal::KILL } else { Signal::TERM });
                told = true;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(failed(io::Error::other("the thread that waits for it has ended")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_outputs_are_read_whatever_their_length() {
        let mut command = Command::new("sh");
        command.args(["-c", "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; exit 3"]);
        let output = output(&mut command, |error| panic!("{error}")).expect("an end");
        assert_eq!(
            (output.stdout.len(), output.stderr.len(), output.status.code()),
            (300_000, 300_000, Some(3))
        );
    }
}
