//! Classes of random trials: their number, their seed and their outcomes.

use crate::scratch::Scratch;
use narrows_units::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

/// Value of `NARROWS_TORTURE` for full size.
const FULL: f64 = 100.0;
const SEED: u64 = 1;
/// Least number of cases of a class, whatever the budget.
const LEAST: u64 = 3;
/// Largest number of failed cases that a message lists.
const TOLD: usize = 20;

/// A class of trials.
pub struct Class {
    /// Name of its test, and of the directories of its cases.
    pub name: &'static str,
    /// Title in the table.
    pub title: &'static str,
    /// Number of cases at full size.
    pub full: u64,
}

/// A trial: a random stream, and a directory that is kept if the trial fails.
pub struct Case {
    pub random: Random,
    pub place: Scratch,
}

/// Outcome of a successful case.
#[derive(PartialEq, Eq)]
pub enum End {
    /// The program accepted its input.
    Accepted,
    /// The program refused its input with a message.
    Refused,
}

/// Outcome of a case. An error describes the failure.
pub type Verdict = Result<End, String>;

/// Runs as many cases of a class as the budget allows, notes its row of the table, and fails if a
/// case failed.
pub fn campaign(class: &Class, trial: impl Fn(&mut Case) -> Verdict) {
    let seed: u64 = setting("NARROWS_TORTURE_SEED").unwrap_or(SEED);
    let only: Option<u64> = setting("NARROWS_TORTURE_CASE");
    let factor: f64 = setting("NARROWS_TORTURE").unwrap_or(1.0);
    let count = ((class.full as f64 * factor / FULL) as u64).max(LEAST);
    let numbers = only.map_or(0..count, |number| number..number + 1);
    let tried = numbers.end - numbers.start;
    let (mut accepted, mut wrong) = (0, Vec::new());
    for number in numbers {
        match one(class, seed, number, &trial) {
            Ok(End::Accepted) => accepted += 1,
            Ok(End::Refused) => {}
            Err(problem) => wrong.push((number, problem)),
        }
    }
    note(&format!("| {} | {tried} | {accepted} | {} |", class.title, wrong.len()));
    if wrong.is_empty() {
        return;
    }
    let name = class.name;
    let told: Vec<String> = wrong
        .iter()
        .take(TOLD)
        .map(|(number, problem)| format!("case {number}: {problem}"))
        .collect();
    let more = wrong.len() - told.len();
    let (kept, first) = (directory().join(format!("{name}-N")), wrong[0].0);
    panic!(
        "{} of {tried} went wrong, with what each was given in {}\n{}\n{}again: NARROWS_TORTURE_SEED={seed} NARROWS_TORTURE_CASE={first} \
         cargo test -p narrows --test it torture::{name}",
        wrong.len(),
        kept.display(),
        told.join("\n"),
        if more > 0 { format!("and {more} more\n") } else { String::new() },
    );
}

fn one(class: &Class, seed: u64, number: u64, trial: &impl Fn(&mut Case) -> Verdict) -> Verdict {
    let random = Random::stream(seed, &format!("{} {number}", class.name));
    let mut case =
        Case { random, place: Scratch::new(&format!("torture/{}-{number}", class.name)) };
    let verdict = catch_unwind(AssertUnwindSafe(|| trial(&mut case))).unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panicked: {}", said.unwrap_or("without a word")))
    });
    if let Err(problem) = &verdict {
        case.place.write("wrong.txt", problem);
        std::mem::forget(case);
    }
    verdict
}

fn setting<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("torture")
}

/// Prints a row, and writes the table of all rows of this process so far.
fn note(row: &str) {
    static ROWS: Mutex<Vec<String>> = Mutex::new(Vec::new());
    println!("{row}");
    let mut rows = ROWS.lock().unwrap_or_else(PoisonError::into_inner);
    rows.push(row.to_owned());
    let table = format!(
        "| Class | Tried | Accepted | Wrong |\n| --- | --- | --- | --- |\n{}\n",
        rows.join("\n")
    );
    fs::write(directory().join("table.md"), table).expect("a table");
}
