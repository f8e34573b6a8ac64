//! The program as a process with limits, and checks that hold for each of its ends.

use crate::scratch::{PROGRAM, Scratch};
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Limit of the program's address space.
const MEMORY_KIB: u64 = 2 << 20;
/// Processor time after which the program counts as hanging.
const PATIENCE: Duration = Duration::from_secs(20);
/// Processor time within which a run must obey a request to stop.
const OBEYS: Duration = Duration::from_secs(2);
/// Time without processor time after which the program counts as waiting for ever.
const IDLE: Duration = Duration::from_secs(20);
/// File with the program's output, outside its working directory.
const OUT: &str = "stdout";
const ERR: &str = "stderr";

/// Exit status, output and processor time of a program that has ended.
pub struct Ended {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: Vec<u8>,
    /// True if the program was asked to stop.
    pub stopped: bool,
    /// Processor time at the last measurement.
    pub used: Duration,
}

/// The program, ready to run in `place/work`.
pub struct Program<'a> {
    place: &'a Scratch,
    command: Command,
    /// Processor time after which the program is asked to stop, and the signal.
    stop_after: Option<(Duration, &'static str)>,
    /// Name of the file with the standard output.
    output: String,
}

impl<'a> Program<'a> {
    /// Returns `narrows` with these arguments and the memory limit.
    pub fn new(place: &'a Scratch, arguments: &[&str]) -> Program<'a> {
        Program::under(place, &format!("ulimit -v {MEMORY_KIB} && exec"), arguments)
    }

    /// Returns `narrows` at the end of a shell command, which sets limits or changes its
    /// environment.
    pub fn under(place: &'a Scratch, shell: &str, arguments: &[&str]) -> Program<'a> {
        fs::create_dir_all(place.path("work")).expect("a directory");
        let mut command = place.command("sh");
        command
            .current_dir(place.path("work"))
            .args(["-c", &format!("{shell} \"$0\" \"$@\""), PROGRAM])
            .args(arguments);
        Program { place, command, stop_after: None, output: OUT.to_owned() }.told("")
    }

    /// Adds a suffix to the names of the output files, for programs that run at once.
    pub fn told(mut self, suffix: &str) -> Program<'a> {
        self.output = format!("{OUT}{suffix}");
        let file = |name: &str| File::create(self.place.path(name)).expect("a file");
        self.command
            .stdin(Stdio::null())
            .stdout(file(&self.output))
            .stderr(file(&format!("{ERR}{suffix}")));
        self
    }

    /// Sets the processor time after which the program is asked to stop, and the signal.
    pub fn stop_after(mut self, time: Duration, signal: &'static str) -> Program<'a> {
        self.stop_after = Some((time, signal));
        self
    }

    /// Starts the program, for trials that disturb it while it runs.
    pub fn spawn(&mut self) -> Child {
        self.command.spawn().expect("a shell runs")
    }

    /// Runs the program to its end. An error says that it hangs or ignores the signal.
    pub fn run(mut self) -> Result<Ended, String> {
        let child = self.spawn();
        self.finish(child)
    }

    /// Waits for the end of the program.
    pub fn finish(self, mut child: Child) -> Result<Ended, String> {
        let mut stopped = None;
        let mut wait = Wait { ended: false, used: Duration::ZERO };
        if let Some((time, name)) = self.stop_after {
            wait = ends_within(&mut child, time);
            if !wait.ended {
                signal(child.id(), name);
                stopped = Some(name);
            }
        }
        let patience = if stopped.is_some() { OBEYS } else { PATIENCE };
        if !wait.ended {
            wait = ends_within(&mut child, patience);
        }
        if !wait.ended {
            child.kill().expect("a signal");
            child.wait().expect("an end");
            let complaint =
                stopped.map_or("hangs".to_owned(), |name| format!("is deaf to SIG{name}"));
            return Err(format!(
                "{complaint}: not done after {patience:?} of processor time, or idle for {IDLE:?}"
            ));
        }
        let status = child.wait().expect("an end");
        let stdout = String::from_utf8_lossy(&self.place.read(&self.output)).into_owned();
        let stderr = self.place.read(&self.output.replacen(OUT, ERR, 1));
        Ok(Ended { status, stdout, stderr, stopped: stopped.is_some(), used: wait.used })
    }
}

impl Ended {
    /// Returns the exit status, or -1 after a signal.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }

    /// Returns the messages as text.
    pub fn told(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Rejects ends that no input may cause: a panic, an abort, an exit status without a meaning, a
    /// refusal without a remedy, and control characters sent to the terminal.
    pub fn decent(&self) -> Result<(), String> {
        let told = self.told();
        if let Some(signal) = self.status.signal() {
            return Err(format!("ended by signal {signal}: {}", first_lines(&told)));
        }
        if told.contains("panicked at") {
            return Err(format!("panicked: {}", first_lines(&told)));
        }
        if !(0..=3).contains(&self.code()) {
            return Err(format!("exit status {}: {}", self.code(), first_lines(&told)));
        }
        if self.code() == 2 && !has_remedy(&told) {
            return Err(format!("refused without a remedy: {told:?}"));
        }
        match told.chars().find(|c| c.is_control() && *c != '\n') {
            Some(control) => Err(format!(
                "the control character {control:?} reaches the terminal: {:?}",
                first_lines(&told)
            )),
            None => Ok(()),
        }
    }
}

/// True if a message names a remedy: as help, or after a semicolon. Messages on flags may point to
/// `--help` instead.
fn has_remedy(told: &str) -> bool {
    if told.contains("For more information, try '--help'.") {
        return true;
    }
    let after =
        told.split_once("help: ").or_else(|| told.split_once("; ")).map(|(_, remedy)| remedy);
    after.is_some_and(|remedy| !remedy.trim().is_empty())
}

/// Returns the beginning of a message.
pub fn first_lines(text: &str) -> String {
    let lines: Vec<String> =
        text.lines().take(4).map(|line| line.chars().take(200).collect()).collect();
    lines.join(" / ")
}

pub fn signal(process: u32, name: &str) {
    // The process may have ended.
    let _ = Command::new("kill")
        .arg(format!("-{name}"))
        .arg(process.to_string())
        .stderr(Stdio::null())
        .status();
}

/// Result of waiting for a child.
struct Wait {
    ended: bool,
    /// Processor time at the last measurement.
    used: Duration,
}

/// Waits until a child has ended, has used `time` more processor time, or has been idle for
/// [`IDLE`].
fn ends_within(child: &mut Child, time: Duration) -> Wait {
    let before = used(child);
    let mut latest = (before, Instant::now());
    let mut pause = Duration::from_micros(500);
    loop {
        if child.try_wait().expect("a state").is_some() {
            return Wait { ended: true, used: latest.0 };
        }
        let now = used(child);
        if now > latest.0 {
            latest = (now, Instant::now());
        }
        if now.saturating_sub(before) > time || latest.1.elapsed() > IDLE {
            return Wait { ended: false, used: latest.0 };
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Returns the processor time that a child has used in all its threads.
pub fn used(child: &Child) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    // utime and stime, in Linux's clock ticks of 10 ms.
    let ticks: u64 = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    Duration::from_millis(10 * ticks)
}
