//! Programs killed at a random moment: existing results are complete, the next program is not
//! blocked, and no temporary file stays.

use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::program::{Program, signal};
use crate::torture::results::{Original, one_link, swept};
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const CLASS: Class = Class {
    name: "killed",
    title: "kill -9 of run, compare, sweep; then again, or resumed",
    full: 136,
};

/// A PID namespace in which every program has the same process number, as in a container.
const CONTAINER: &str = "exec unshare --user --map-root-user --pid --fork --kill-child";

#[test]
fn killed() {
    let inputs = [
        ("short.toml", one_link("10 s", "20 Mbit/s")),
        ("sweep.toml", swept("4 s", "20 Mbit/s", 4)),
    ];
    let originals = [
        "run short.toml --seeds 2",
        "run short.toml --pcap all --qlog one",
        "compare newreno bbr --file short.toml",
        "sweep sweep.toml",
    ]
    .map(|line| Original::of(CLASS.name, &inputs, line));
    let container = Command::new("sh")
        .args(["-c", &format!("{CONTAINER} true")])
        .stderr(Stdio::null())
        .status();
    let contained = container.is_ok_and(|status| status.success())
        && fs::exists(children(std::process::id())).is_ok_and(|there| there);
    if !contained {
        println!("no process numbers of one's own here, so no two programs have the same");
    }
    campaign(&CLASS, |case| {
        let original = &originals[case.random.below(originals.len() as u64) as usize];
        let shell = if contained && case.random.chance(0.5) { CONTAINER } else { "exec" };
        original.lay_out(&case.place);
        kill(case, original, shell);
        judge(case, original, shell)
            .map_err(|problem| format!("{} ({shell}): {problem}", original.arguments.join(" ")))
    });
}

/// Kills the program at a random moment, or a random time after its first file appears.
fn kill(case: &mut Case, original: &Original, shell: &str) {
    let mut child = Program::under(&case.place, shell, &original.arguments).spawn();
    let program = if shell == CONTAINER { inside(&mut child) } else { child.id() };
    if case.random.chance(0.5) {
        let before = case.place.files_of("work");
        while case.place.files_of("work") == before && child.try_wait().expect("a state").is_none()
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(case.random.below(80_000)));
    } else {
        std::thread::sleep(original.wall.mul_f64(1.2 * case.random.uniform()));
    }
    signal(program, "KILL");
    child.wait().expect("an end");
}

/// Returns the process number of the program in the container. `child` starts the container, and
/// ends when the program has ended.
fn inside(child: &mut Child) -> u32 {
    loop {
        let text = fs::read_to_string(children(child.id())).unwrap_or_default();
        if let Some(program) = text.split_whitespace().next().and_then(|number| number.parse().ok())
        {
            return program;
        }
        assert!(child.try_wait().expect("a state").is_none(), "the container did not come to be");
        std::thread::sleep(Duration::from_micros(200));
    }
}

fn children(process: u32) -> String {
    format!("/proc/{process}/task/{process}/children")
}

/// Checks existing files, and that the command, or the resumed sweep, then gives the result of an
/// undisturbed run.
pub fn judge(case: &mut Case, original: &Original, shell: &str) -> Verdict {
    let complete = case.place.path("work/out").exists();
    if complete {
        original
            .same(&case.place, "work/out")
            .map_err(|problem| format!("looks complete: {problem}"))?;
    }
    let resumed = case.place.path("work/out.partial").exists() && case.random.chance(0.5);
    let again = if resumed { vec!["sweep", "--resume", "out"] } else { original.arguments.clone() };
    let ended = Program::under(&case.place, shell, &again).run()?;
    ended.decent()?;
    let expected = if complete { 2 } else { 0 };
    if ended.code() != expected {
        return Err(format!(
            "the next command ends with {}: {}",
            ended.code(),
            ended.told().trim()
        ));
    }
    original
        .same(&case.place, "work/out")
        .map_err(|problem| format!("after the next command {problem}"))?;
    if complete {
        return Ok(End::Refused);
    }
    original
        .leftover(&case.place, &["out"])
        .map_err(|problem| format!("after the next command {problem}"))?;
    Ok(End::Accepted)
}
