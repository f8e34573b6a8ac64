//! The program in a process of its own, with limits, and what all its ends have in common.

use crate::scratch::{PROGRAM, Scratch};
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Address space that the program may have.
const MEMORY_KIB: u64 = 2 << 20;
/// Processor time after which the program hangs.
const PATIENCE: Duration = Duration::from_secs(20);
/// Processor time within which a run that is asked to stop has stopped.
const OBEYS: Duration = Duration::from_secs(2);
/// Time without any processor time after which the program waits for what never comes.
const IDLE: Duration = Duration::from_secs(20);
/// Where the program's output lies meanwhile, outside of the directory in which it runs.
const OUT: &str = "stdout";
const ERR: &str = "stderr";

/// How the program ended and what it said.
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: String,
    /// Its messages.
    pub stderr: Vec<u8>,
    /// It was asked to stop.
    pub stopped: bool,
    /// Processor time, as it was last seen.
    pub used: Duration,
}

/// The program, about to run in `place/work`.
pub struct Program<'a> {
    place: &'a Scratch,
    command: Command,
    /// Asks it to stop after so much processor time, by this signal.
    stop_after: Option<(Duration, &'static str)>,
    /// The file of what it prints.
    output: String,
}

impl<'a> Program<'a> {
    /// `narrows` with these arguments.
    pub fn new(place: &'a Scratch, arguments: &[&str]) -> Program<'a> {
        Program::under(place, &format!("ulimit -v {MEMORY_KIB} && exec"), arguments)
    }

    /// The same as the end of a command of a shell, which limits it or puts it elsewhere.
    pub fn under(place: &'a Scratch, shell: &str, arguments: &[&str]) -> Program<'a> {
        fs::create_dir_all(place.path("work")).expect("a directory");
        let mut command = place.command("sh");
        command
            .current_dir(place.path("work"))
            .args(["-c", &format!("{shell} \"$0\" \"$@\""), PROGRAM])
            .args(arguments);
        Program { place, command, stop_after: None, output: OUT.to_owned() }.told("")
    }

    /// Keeps what it says in files of their own, for programs that run at once.
    pub fn told(mut self, suffix: &str) -> Program<'a> {
        self.output = format!("{OUT}{suffix}");
        let file = |name: &str| File::create(self.place.path(name)).expect("a file");
        self.command
            .stdin(Stdio::null())
            .stdout(file(&self.output))
            .stderr(file(&format!("{ERR}{suffix}")));
        self
    }

    /// Sends a signal that asks it to stop, after so much processor time.
    pub fn stop_after(mut self, time: Duration, signal: &'static str) -> Program<'a> {
        self.stop_after = Some((time, signal));
        self
    }

    /// Begins, for who wants to do something to it meanwhile.
    pub fn spawn(&mut self) -> Child {
        self.command.spawn().expect("a shell runs")
    }

    /// Runs it to its end. An error says that it hangs or does not obey.
    pub fn run(mut self) -> Result<Ended, String> {
        let child = self.spawn();
        self.finish(child)
    }

    /// Waits for its end.
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
    /// The exit status; -1 after a signal.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }

    /// Its messages as text.
    pub fn told(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Refuses ends that no input may bring about: a panic, an abort, an exit status that means nothing, a refusal without a remedy, and control
    /// characters for the terminal.
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

/// A message shows its remedy as help, or after a semicolon; what is wrong with flags points to `--help`.
fn has_remedy(told: &str) -> bool {
    if told.contains("For more information, try '--help'.") {
        return true;
    }
    let after =
        told.split_once("help: ").or_else(|| told.split_once("; ")).map(|(_, remedy)| remedy);
    after.is_some_and(|remedy| !remedy.trim().is_empty())
}

/// The beginning of a message.
pub fn first_lines(text: &str) -> String {
    let lines: Vec<String> =
        text.lines().take(4).map(|line| line.chars().take(200).collect()).collect();
    lines.join(" / ")
}

/// Sends a signal.
pub fn signal(process: u32, name: &str) {
    // It may have ended in the meantime.
    let _ = Command::new("kill")
        .arg(format!("-{name}"))
        .arg(process.to_string())
        .stderr(Stdio::null())
        .status();
}

/// What waiting for a child came to.
struct Wait {
    ended: bool,
    /// Its processor time, as it was last seen.
    used: Duration,
}

/// Waits until a child has ended, or has used so much processor time from now on, or does nothing any more.
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

/// Processor time that a child has used, in all its threads.
pub fn used(child: &Child) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    // utime and stime, in the hundredths of a second that Linux shows.
    let ticks: u64 = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    Duration::from_millis(10 * ticks)
}
