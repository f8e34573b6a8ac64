//! Files of an experiment that are read back, damaged in many ways: they are refused, or shown, and
//! nothing panics.

use narrows_deploy::Experiment;
use narrows_deploy::experiment::Metric;
use narrows_deploy::result::{Ended, Summary, page, status_text, table};
use narrows_deploy::state::State;
use narrows_deploy::trial::{KeptPeriod, Trial};
use narrows_units::Random;

/// An experiment, its state and its periods, as an agent wrote them.
const FILES: &str = include_str!("../../../../fuzz/seeds/deploy/switchback");

/// Values that numbers are replaced by.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "0.5",
    "-0.0",
    "1e-320",
    "1e17",
    "1e300",
    "4503599627370496",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "null",
    "true",
    "\"\"",
    "[]",
];

/// The three files.
fn files(text: &str) -> [&str; 3] {
    let mut parts = text.splitn(3, "---\n");
    [(); 3].map(|()| parts.next().unwrap_or_default())
}

/// Reads the files of an experiment, and shows all of it. Returns false if a file is refused.
fn shown(text: &str) -> bool {
    let [file, state, periods] = files(text);
    let Ok(experiment) = Experiment::read(file, "e.toml", &|_| Ok(())) else { return false };
    let Ok(state) = State::read(state) else { return false };
    let told = [status_text(&state, false), status_text(&state, true)];
    let Ok(mut trial) = Trial::new(&experiment) else { return false };
    let Ok(kept) = KeptPeriod::read(periods, "periods.jsonl") else { return false };
    if trial.restore(kept).is_err() {
        return false;
    }
    let lines: String = (0..trial.over()).map(|period| trial.kept(period).line()).collect();
    let again = KeptPeriod::read(&lines, "again").expect("an agent reads what it wrote");
    assert_eq!(again.len(), trial.over());
    let ended = Ended { experiment: &experiment, trial: &trial, state: &state, plan: None };
    let all = [Summary::of(&ended).json(), page(&ended)];
    let _ = (trial.emergency(), table(&ended));
    let noise = Metric::ALL.map(|metric| trial.observed_deviation(metric));
    assert!(noise.iter().flatten().all(|own| own.is_finite()));
    told.iter().chain(&all).all(|text| !text.is_empty())
}

/// Damages a text in one to three places.
fn damaged(random: &mut Random) -> String {
    let mut text = FILES.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(text.len() as u64) as usize;
        match random.below(8) {
            // The next number becomes another one.
            0..=4 => {
                let is_part = |byte: &u8| byte.is_ascii_digit() || b".-e".contains(byte);
                let Some(next) = text[at..].iter().position(u8::is_ascii_digit) else { continue };
                let start = at + next;
                let length = text[start..].iter().take_while(|byte| is_part(byte)).count();
                let value = NUMBERS[random.below(NUMBERS.len() as u64) as usize];
                drop(text.splice(start..start + length, value.bytes()));
            }
            5 => drop(text.drain(at..(at + random.below(40) as usize).min(text.len()))),
            6 => text[at] = random.below(256) as u8,
            _ => {
                let end = (at + random.below(400) as usize).min(text.len());
                let copy = text[at..end].to_vec();
                drop(text.splice(at..at, copy));
            }
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Returns how many of so many damaged texts were shown.
fn count(texts: u64, stream: &str) -> u64 {
    let mut random = Random::stream(1, stream);
    (0..texts).filter(|_| shown(&damaged(&mut random))).count() as u64
}

#[test]
fn damaged_files_are_refused_or_shown() {
    assert!(shown(FILES));
    let told = count(1500, "damage");
    assert!((100..1400).contains(&told), "{told} of 1500 were shown");
}

#[test]
#[ignore = "minutes: --ignored many_damaged_files"]
fn many_damaged_files_are_refused_or_shown() {
    println!("{} of 300,000 were shown", count(300_000, "much damage"));
}

#[test]
fn numbers_that_would_not_add_up_are_refused() {
    let [_, state, periods] = files(FILES);
    let own = state.replacen("\"closed\": 4739", "\"closed\": 18446744073709551615", 1);
    assert!(own != state && State::read(&own).is_err());
    for (from, to) in [
        ("\"connections\":136", "\"connections\":18446744073709551615"),
        ("\"count\":136.0", "\"count\":0.0"),
        ("\"count\":136.0", "\"count\":1e300"),
        ("[-198.76851449560846,", "[-1e300,"),
        ("\"ends\":[220000000,240000000]", "\"ends\":[240000000,220000000]"),
    ] {
        let own = periods.replacen(from, to, 1);
        assert_ne!(own, periods, "{from}");
        let told = KeptPeriod::read(&own, "p").expect_err(to).to_string();
        assert!(told.starts_with("p:1: "), "{told}");
    }
}
