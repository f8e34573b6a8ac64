//! Several programs use the same directory at once. Each keeps its result under its own name, or is
//! refused before it computes.

use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::program::{Ended, Program};
use crate::torture::results::{Original, one_link, swept};

const CLASS: Class = Class { name: "pairs", title: "Several writers of one directory", full: 160 };

#[test]
fn pairs() {
    let inputs = [
        ("long.toml", one_link("500 s", "50 Mbit/s")),
        ("sweep.toml", swept("600 s", "50 Mbit/s", 2)),
    ];
    let originals = [
        "run long.toml --jobs 1",
        "compare newreno bbr --file long.toml --seeds 1 --jobs 1",
        "sweep sweep.toml --jobs 1",
    ]
    .map(|line| Original::of(CLASS.name, &inputs, line));
    campaign(&CLASS, |case| {
        let original = &originals[case.random.below(originals.len() as u64) as usize];
        let named = case.random.chance(0.5);
        let (count, pause) =
            (2 + case.random.below(2), case.random.below(3) * case.random.below(100_000));
        original.lay_out(&case.place);
        let arguments = &original.arguments[..original.arguments.len() - if named { 0 } else { 2 }];
        let ended = at_once(case, arguments, count, std::time::Duration::from_micros(pause))?;
        judge(case, original, &ended, named)
            .map_err(|problem| format!("{count} times {}: {problem}", arguments.join(" ")))
    });
}

/// Starts a command several times, `pause` apart, and waits for all.
fn at_once(
    case: &Case,
    arguments: &[&str],
    count: u64,
    pause: std::time::Duration,
) -> Result<Vec<Ended>, String> {
    let programs = (0..count).map(|number| {
        let mut program = Program::new(&case.place, arguments).told(&format!("-{number}"));
        let child = program.spawn();
        std::thread::sleep(pause);
        (program, child)
    });
    let programs: Vec<_> = programs.collect();
    std::thread::scope(|scope| {
        let waiting: Vec<_> = programs
            .into_iter()
            .map(|(program, child)| scope.spawn(move || program.finish(child)))
            .collect();
        waiting.into_iter().map(|one| one.join().expect("a thread")).collect()
    })
}

fn judge(case: &Case, original: &Original, ended: &[Ended], named: bool) -> Verdict {
    ended.iter().try_for_each(Ended::decent)?;
    let kept = ended.iter().filter(|one| one.code() == 0).count();
    for late in ended.iter().filter(|one| one.code() != 0) {
        // A refusal takes far less than half the processor time of the computation, although a
        // sweep reads the whole program to identify its build.
        if late.used > original.used / 2 {
            return Err(format!(
                "one has computed for {:?} and is then refused: {}",
                late.used,
                late.told().trim()
            ));
        }
    }
    let directory = if named { "work" } else { "work/narrows-results" };
    let results = case.place.files_of(directory);
    let results: Vec<&String> = results.iter().filter(|name| !named || *name == "out").collect();
    if results.len() != kept || kept == 0 {
        return Err(format!("{kept} say that they have kept a result, and there is {results:?}"));
    }
    for result in results {
        original
            .same(&case.place, &format!("{directory}/{result}"))
            .map_err(|problem| format!("{result}: {problem}"))?;
    }
    original.leftover(&case.place, &["out", "narrows-results"])?;
    Ok(if kept == ended.len() { End::Accepted } else { End::Refused })
}
