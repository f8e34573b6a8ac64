//! Where results go, and what is printed.

use crate::cli::OutputArgs;
use crate::error::Failure;
use crate::meter;
use narrows_report::{Comparison, Input, RunInfo};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A run in progress: what `run.json` must tell.
pub struct Started {
    began: Instant,
    at: SystemTime,
}

/// Files that the result directory keeps beside its own.
#[derive(Default)]
pub struct Kept {
    /// What the command read.
    pub inputs: Vec<Input>,
    /// What it made while running; moved there.
    pub made: Vec<PathBuf>,
}

impl Started {
    /// Begins now.
    pub fn now() -> Started {
        Started { began: Instant::now(), at: SystemTime::now() }
    }

    /// What it took so far, for people.
    pub fn cost(&self) -> String {
        let memory = meter::peak_memory_mib().map_or(String::new(), |mib| format!(", at most {mib:.0} MiB of memory"));
        format!("Took {:.1} s{memory}", self.began.elapsed().as_secs_f64())
    }

    pub fn info(&self, kept: Kept) -> RunInfo {
        RunInfo {
            command: std::env::args().collect(),
            host: host(),
            started_unix_s: self.at.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs()),
            wall: self.began.elapsed(),
            peak_memory_mib: meter::peak_memory_mib(),
            inputs: kept.inputs,
            made: kept.made,
        }
    }
}

fn host() -> String {
    let release = |name: &str| std::fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default().trim().to_owned();
    format!("{} {} {} {}", std::env::consts::OS, release("osrelease"), std::env::consts::ARCH, release("hostname"))
}

/// Fails before anything is run if the results could not be kept.
pub fn choose_directory(output: &OutputArgs, name: &str) -> Result<PathBuf, Failure> {
    if let Some(directory) = &output.out {
        if directory.exists() {
            return Err(Failure::Other(format!(
                "the result directory {} exists already; choose another --out or remove it",
                directory.display()
            )));
        }
        return Ok(directory.clone());
    }
    let free = (1u32..).map(|n| numbered(name, n)).find(|path| !path.exists());
    Ok(free.expect("some number is free"))
}

/// The n-th result directory of this name.
pub fn numbered(name: &str, n: u32) -> PathBuf {
    let slug: String = name.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let slug = slug.split('-').filter(|part| !part.is_empty()).take(6).collect::<Vec<_>>().join("-");
    let slug = if slug.is_empty() { "run".to_owned() } else { slug };
    PathBuf::from(format!("narrows-results/{slug}-{n}"))
}

/// Writes the result directory and prints the table, or the summary if JSON is wanted.
pub fn deliver(directory: &Path, comparison: &Comparison, started: &Started, kept: Kept, output: &OutputArgs) -> Result<(), Failure> {
    // The table first: whatever may go wrong with the disk, what was computed is not lost. Nor is it if nobody reads the table any more.
    let text = if output.json { narrows_report::summary_json(comparison) } else { narrows_report::table(comparison) };
    let printed = print(&text);
    narrows_report::write(directory, comparison, &started.info(kept))?;
    printed?;
    if !output.quiet && !output.json {
        print(&format!("\nReport: {} (opens offline in any browser)\n", directory.join("report.html").display()))?;
    }
    Ok(())
}

/// Prints. A reader that has seen enough (`narrows run FILE | head`) changes nothing of what the command does and finds.
pub fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}
