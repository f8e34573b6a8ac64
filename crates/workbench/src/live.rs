//! `narrows live`.

use crate::captures;
use crate::error::Failure;
use crate::host::Console;
use crate::inputs;
use crate::node;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::quote::quote;
use crate::request;
use crate::run::{IN_SCENARIO, Verdict, judge};
use crate::runner::{run_followed, run_live, run_program};
use crate::watch::Watch;
use narrows_capture::Remembered;
use narrows_live::{Beside, Ending, Extras, LiveError, Program, Stdout};
use narrows_measure::metrics::Summary;
use narrows_measure::{Replayed, distances};
use narrows_report::{Case, Comparison};
use narrows_scenario::{Overrides, Scenario, ScenarioError};
use std::path::Path;

/// Acquires the privileges to change the host. The process must have a single thread.
pub fn acquire(console: &Console) -> Result<(), Failure> {
    narrows_live::acquire()?;
    console.acquired();
    Ok(())
}

/// Runs a scenario file on the kernel and judges its expectations.
pub fn live(args: request::Live) -> Result<Outcome, Failure> {
    let started = Started::now();
    acquire(&args.output.console)?;
    args.on.refuse_several("live", true)?;
    args.on.refuse_two_networks()?;
    let changed = Overrides { set: args.set.set.clone(), ..args.on.overrides() };
    let mut scenario = narrows_scenario::load_with(&args.scenario, &changed, None)?;
    if !args.acks.is_empty() {
        captures::has_segments("--acks", &scenario, &args.scenario)?;
    }
    let inputs = inputs::adopt(std::slice::from_mut(&mut scenario), Some(&args.scenario))?;
    let reserved = output::reserve(&args.output, &scenario.name)?;
    scenario.seed = args.seed.unwrap_or(scenario.seed);
    narrows_live::affordable(&scenario, args.maximum)
        .map_err(|error| at_line(Failure::Live(error), &args.scenario))?;
    let acks = args
        .acks
        .iter()
        .map(|name| captures::flows(&scenario, name))
        .collect::<Result<Vec<_>, _>>()?
        .concat();
    let extras = Extras { replay: args.replay, acks, nodes: Some(node::program()?) };
    let names = ["kernel", "simulator"]
        .iter()
        .take(if args.beside_sim { 2 } else { 1 })
        .map(|name| (*name).to_owned())
        .collect();
    let settle = narrows_live::leave_emulators_core;
    let mut watch = args
        .watch
        .watch
        .map(|port| Watch::begin(port, &scenario.name, names, settle))
        .transpose()?;
    let mut missed = 0;
    let (record, ending) = match program(&args.program, &args.output) {
        Some(program) => run_program(&scenario, &program, &extras, &mut watch, &args.output)
            .map(|(record, ending)| (record, Some(ending))),
        None => {
            run_live(&scenario, &extras, &mut watch, &args.output).and_then(|(record, acks)| {
                if !extras.acks.is_empty() {
                    let names: Vec<String> =
                        scenario.flows.iter().map(|flow| flow.name.clone()).collect();
                    captures::keep_acks(&reserved, &names, &acks.samples, &Remembered::default())?;
                }
                missed = acks.missed;
                Ok((record, None))
            })
        }
    }
    .map_err(|failure| at_line(failure, &args.scenario))?;
    // A failed program has not produced the expected traffic, so expectations do not apply.
    let failed = ending.as_ref().is_some_and(|ending| !ending.program.is_fine());
    let expected = scenario.expect.iter().filter(|_| !failed);
    let verdicts: Vec<Verdict> = expected
        .map(|expectation| {
            judge(expectation, |metric| Summary::of(metric, std::slice::from_ref(&record)))
        })
        .collect();
    let replays =
        record.emulation.iter().flat_map(|emulation| emulation.replays.clone()).collect::<Vec<_>>();
    let case = |label: &str, scenario: &Scenario, record| Case {
        label: label.to_owned(),
        scenario_toml: scenario.to_toml(),
        runs: vec![record],
    };
    let mut cases = vec![case("kernel", &scenario, record)];
    if args.beside_sim {
        // Hosts of a kernel send within some microseconds, so the simulated hosts have no send
        // delay.
        let simulated = Scenario { send_overhead: false, ..scenario.clone() };
        let record = run_followed(&simulated, None, &mut watch, &args.output)?;
        cases.push(case("simulator", &simulated, record));
    }
    let distance = distance(&cases);
    let mut changed = vec![("scenario", vec!["scenario.toml".to_owned()])];
    // The scenario file has these changes, and the capacity of this host decides nothing there.
    changed.extend(IN_SCENARIO.map(|name| (name, Vec::new())));
    changed.extend(["seed", "maximum"].map(|name| (name, Vec::new())));
    let remake = request::remake("live", &args, &changed);
    let mut comparison = Comparison::new(scenario.name.clone(), cases, remake);
    let note = format!(
        "{missed} acknowledgements are missing from acks.parquet because the host was too busy"
    );
    comparison.notes.extend((missed > 0).then_some(note));
    comparison.notes.extend(ending.iter().flat_map(|ending| told(ending, &args.program)));
    comparison.notes.extend(replays.iter().map(replayed));
    comparison.notes.extend(distance);
    comparison.notes.extend(verdicts.iter().map(|verdict| verdict.text.clone()));
    let directory = reserved.directory().to_owned();
    output::deliver(
        reserved,
        &comparison,
        &started.info(inputs, &args.output.console),
        &args.output,
    )?;
    if let Some(watch) = watch {
        watch.end(&directory.join("report.html"), args.output.console.stop());
    }
    if let Some(ending) = ending.filter(|ending| !ending.program.is_fine()) {
        return Err(Failure::Program {
            name: args.program.words[0].clone(),
            exit: ending.program,
            kept: directory,
        });
    }
    let as_native = replays.iter().all(|replayed| replayed.unequal == 0);
    Ok(match as_native && verdicts.iter().all(|verdict| verdict.met) {
        _ if !comparison.validity_issues().is_empty() => Outcome::Invalid,
        true => Outcome::Ok,
        false => Outcome::Missed,
    })
}

/// Returns the program to run, or `None` if the arguments do not name one.
fn program(args: &request::Program, output: &request::Output) -> Option<Program> {
    let server = |text: &String| match text.split_once('=') {
        // The part before `=` is a host name only if it has no spaces: commands may contain `=`
        // too.
        Some((host, command)) if !host.contains(char::is_whitespace) => {
            (Some(host.to_owned()), command.to_owned())
        }
        _ => (None, text.clone()),
    };
    (!args.words.is_empty()).then(|| Program {
        words: args.words.clone(),
        on: args.on.clone(),
        servers: args.serve.iter().map(server).collect(),
        beside: if args.with_flows { Beside::Everything } else { Beside::Nothing },
        stdout: if output.json { Stdout::Stderr } else { Stdout::Ours },
    })
}

/// Describes how the programs ended.
fn told(ending: &Ending, args: &request::Program) -> Vec<String> {
    let place = if args.with_flows { "beside" } else { "in place of" };
    let mut notes = vec![format!(
        "the program {} {place} the scenario's flows; it {}",
        quote(&args.words.join(" ")),
        ending.program
    )];
    notes.extend(ending.early(quote));
    notes.extend(ending.not_by_default.iter().map(|name| {
        format!(
            "this kernel gives {name} to no connection by default: those of the program that chose no controller had the host's default; as root, add it to \
             net.ipv4.tcp_allowed_congestion_control, or let the program choose it"
        )
    }));
    notes
}

/// Describes the replay of a controller's calls outside of the kernel.
fn replayed(replayed: &Replayed) -> String {
    let Replayed { controller, calls, connections, missed, unequal, first, beside } = replayed;
    let verdict = if *unequal == 0 {
        "all equal, bit for bit".to_owned()
    } else {
        format!("{unequal} NOT EQUAL")
    };
    let missed = if *missed == 0 {
        String::new()
    } else {
        format!("; {missed} came too fast to be recorded")
    };
    let beside = if beside.is_empty() { String::new() } else { format!("; {beside}") };
    let first = if first.is_empty() { String::new() } else { format!("\n{first}") };
    let several = |count: u64, one: &str| {
        if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
    };
    let (calls, connections) = (several(*calls, "call"), several(*connections, "connection"));
    format!(
        "{controller}: {calls} on {connections} decided again outside of the kernel, {verdict}{missed}{beside}{first}"
    )
}

/// Adds the line of the scenario to a refusal by the live run.
fn at_line(failure: Failure, file: &Path) -> Failure {
    match failure {
        Failure::Live(LiveError::Refused { place, problem, remedy }) => {
            let message = format!(
                "{} cannot run live: {problem}",
                LiveError::named(&place[..place.len().min(2)])
            );
            Failure::Scenario(ScenarioError::unsupported(file, &place, message, remedy))
        }
        other => other,
    }
}

/// Describes the distance of the second case, the simulator, from the first case, the kernel.
fn distance(cases: &[Case]) -> Option<String> {
    let [kernel, simulator] = cases else { return None };
    let told = distances(&kernel.runs, &simulator.runs);
    let told: Vec<String> = told
        .iter()
        .map(|distance| format!("{} {}", distance.quantity.name(), distance.gap))
        .collect();
    Some(format!("distance of the simulator from the kernel: {}", told.join(", ")))
}
