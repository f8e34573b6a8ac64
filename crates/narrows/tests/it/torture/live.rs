//! Live runs killed at a random moment: no process, namespace, link, address or route stays.

use crate::host::{Traces, alone, capable, has, left_running};
use crate::torture::campaign::{Class, End, campaign};
use crate::torture::program::Program;
use crate::torture::results::one_link;
use std::time::{Duration, Instant};

const CLASS: Class = Class { name: "live", title: "kill -9 of live runs", full: 65 };

/// Time for the kernel to remove resources without owners.
const GONE: Duration = Duration::from_secs(30);

#[test]
fn live() {
    if !capable("live") || !has("ip", "live") {
        return;
    }
    let _alone = alone();
    campaign(&CLASS, |case| {
        let before = Traces::now();
        std::fs::create_dir_all(case.place.path("work")).expect("a directory");
        case.place.write("work/in.toml", &one_link("1500 ms", "5 Mbit/s"));
        let mark = format!("NARROWS_TORTURE_LIVE={}", std::process::id());
        let (key, value) = mark.split_once('=').expect("a variable");
        let mut child = Program::under(
            &case.place,
            &format!("export {key}={value}; exec"),
            &["live", "in.toml", "--out", "out"],
        )
        .spawn();
        std::thread::sleep(Duration::from_micros(case.random.below(2_500_000)));
        child.kill().expect("a signal");
        let ended = child.wait().expect("an end").code().is_some();
        let began = Instant::now();
        while Traces::now() != before || !left_running(&mark).is_empty() {
            if began.elapsed() > GONE {
                return Err(format!(
                    "{:?} and {:?} stay, before there was {before:?}",
                    left_running(&mark),
                    Traces::now()
                ));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(if ended { End::Refused } else { End::Accepted })
    });
}
