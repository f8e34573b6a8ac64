//! Kept runs of a sweep are changed before it is resumed: the change is refused, or the result
//! equals an undisturbed sweep's.

use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::draw::Draw;
use crate::torture::program::{Program, signal};
use crate::torture::results::{Original, swept};
use narrows_units::Random;
use std::fs;
use std::time::{Duration, Instant};

const CLASS: Class =
    Class { name: "partial", title: "Changed runs in `DIR.partial`, then `--resume`", full: 400 };

/// Number of runs kept before the sweep is killed.
const KEPT: usize = 3;

#[test]
fn partial() {
    let original = Original::of(
        CLASS.name,
        &[("sweep.toml", swept("10 s", "20 Mbit/s", 4))],
        "sweep sweep.toml",
    );
    let kept = kept(&original);
    campaign(&CLASS, |case| {
        original.lay_out(&case.place);
        let (changed, done) = changed(&kept, &mut case.random);
        fs::write(case.place.path("work/out.partial"), changed).expect("a file");
        judge(case, &original).map_err(|problem| format!("{done}: {problem}"))
    });
}

/// Returns the file with kept runs of a killed sweep.
fn kept(original: &Original) -> Vec<u8> {
    let place = crate::scratch::Scratch::new("torture-partial-kept");
    original.lay_out(&place);
    let arguments = [&original.arguments[..], &["--jobs", "1"]].concat();
    let child = Program::under(&place, "exec", &arguments).spawn();
    let began = Instant::now();
    let file = place.path("work/out.partial");
    let lines =
        || fs::read(&file).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count();
    while lines() <= KEPT {
        assert!(began.elapsed() < Duration::from_secs(60), "{} lines are kept", lines());
        std::thread::sleep(Duration::from_millis(1));
    }
    signal(child.id(), "KILL");
    let mut child = child;
    child.wait().expect("an end");
    fs::read(file).expect("it has runs")
}

/// Changes the file, and describes the change.
fn changed(kept: &[u8], random: &mut Random) -> (Vec<u8>, String) {
    let mut changed = kept.to_vec();
    let place = random.below(kept.len() as u64) as usize;
    let lines = || kept.split_inclusive(|byte| *byte == b'\n');
    match random.below(8) {
        0..=3 => {
            let digits: Vec<usize> = kept
                .iter()
                .enumerate()
                .filter(|(_, byte)| byte.is_ascii_digit())
                .map(|(at, _)| at)
                .collect();
            let at = random.pick(&digits);
            changed[at] = b'0' + (changed[at] - b'0' + 1 + random.below(9) as u8) % 10;
            (changed, format!("a digit changed at {at}"))
        }
        4 => {
            changed[place] ^= 1 << random.below(8);
            (changed, format!("a bit flipped at {place}"))
        }
        5 => {
            changed.truncate(place);
            (changed, format!("cut off at {place}"))
        }
        6 => {
            let line = 1 + random.below(lines().count() as u64 - 1) as usize;
            (
                lines()
                    .enumerate()
                    .filter(|(at, _)| *at != line)
                    .flat_map(|(_, text)| text.to_vec())
                    .collect(),
                format!("without line {line}"),
            )
        }
        _ => {
            let end = kept.len().min(place + 4096);
            changed[place..end].fill(0);
            (changed, format!("zero from {place} to {end}"))
        }
    }
}

fn judge(case: &Case, original: &Original) -> Verdict {
    let ended = Program::new(&case.place, &["sweep", "--resume", "out", "--quiet"]).run()?;
    ended.decent()?;
    match ended.code() {
        0 => {
            original.same(&case.place, "work/out")?;
            original.leftover(&case.place, &["out"])?;
            Ok(End::Accepted)
        }
        _ if case.place.path("work/out").exists() => {
            Err("is refused, and there is a result".to_owned())
        }
        _ => Ok(End::Refused),
    }
}
