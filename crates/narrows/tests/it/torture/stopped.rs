//! Programs that are asked to stop at a random moment: they end soon, no incomplete result looks
//! complete, and no temporary file stays.

use crate::torture::campaign::{Case, Class, campaign};
use crate::torture::draw::Draw;
use crate::torture::killed::judge;
use crate::torture::program::{Program, signal};
use crate::torture::results::{Original, one_link, swept};
use std::fs;
use std::time::{Duration, Instant};

const CLASS: Class = Class {
    name: "stopped",
    title: "SIGINT, SIGTERM or SIGHUP to run, compare, sweep, matrix; then again, or resumed",
    full: 160,
};

/// Time within which a stopped program must end: twice the time that it waits for its command, and
/// the same again for a busy machine.
const BOUND: Duration = Duration::from_secs(4);
/// Exit status of a stopped command.
const STOPPED: i32 = 2;

#[test]
fn stopped() {
    let inputs = [
        ("short.toml", one_link("10 s", "20 Mbit/s")),
        ("sweep.toml", swept("1 s", "20 Mbit/s", 60)),
    ];
    let lines = [
        "run short.toml --seeds 2",
        "run short.toml --pcap all --qlog one",
        "compare newreno bbr --file short.toml",
        "sweep sweep.toml",
        "matrix newreno cubic --duration 5s",
    ];
    let originals = lines.map(|line| Original::of(CLASS.name, &inputs, line));
    campaign(&CLASS, |case| {
        let original = &originals[case.random.below(originals.len() as u64) as usize];
        original.lay_out(&case.place);
        stop(case, original)
            .and_then(|()| judge(case, original, "exec"))
            .map_err(|problem| format!("{}: {problem}", original.arguments.join(" ")))
    });
}

/// Asks the program to stop at a random moment until shortly after its end.
fn stop(case: &mut Case, original: &Original) -> Result<(), String> {
    fs::create_dir_all(case.place.path("tmp")).expect("a directory");
    let name = case.random.pick(&["INT", "TERM", "HUP"]);
    let shell = format!("export TMPDIR='{}'; exec", case.place.path("tmp").display());
    let mut program = Program::under(&case.place, &shell, &original.arguments);
    let child = program.spawn();
    std::thread::sleep(original.wall.mul_f64(1.1 * case.random.uniform()));
    signal(child.id(), name);
    let asked = Instant::now();
    let ended = program.finish(child)?;
    let took = asked.elapsed();
    let complete = case.place.path("work/out").exists();
    // A signal before the program has set its handler ends it at once.
    let at_once = ended.status.code().is_none()
        && case.place.files_of("work").iter().all(|file| file.ends_with(".toml"));
    if !at_once {
        ended.decent()?;
        let stopped = ended.code() == STOPPED && ended.told().contains("stopped; ");
        if !(stopped || (complete && ended.code() == 0)) {
            return Err(format!(
                "SIG{name} ends it with {}: {}",
                ended.code(),
                ended.told().trim()
            ));
        }
    }
    if took > BOUND {
        return Err(format!("it ended {took:?} after SIG{name}"));
    }
    if let Some(left) = case.place.files_of("tmp").first() {
        return Err(format!("after SIG{name} the temporary {left} stays"));
    }
    original
        .leftover(&case.place, &["out", "out.partial"])
        .map_err(|problem| format!("after SIG{name} {problem}"))
}
