//! Compares the bytecode of every core with native C: from equal states and inputs, both must give
//! equal decisions and states, bit for bit, over random calls, both plausible and impossible ones.
//! The bytecode runs in the simulator's BPF machine and, for root, in the kernel.

mod order;
mod simulated;
mod trial;
mod wild;

use narrows_control::Choice;
use narrows_control::TWINS;
use narrows_control::cores::{Replay, Twin};
use narrows_cores::{Input, Output};
use narrows_params::ParamKind;
use narrows_units::Random;
use simulated::Simulated;
use trial::Trial;
use wild::Wild;

/// Number of calls of each core.
const CALLS: u64 = 200_000;

/// Number of calls with each set of constants: first the twin's own constants, then random ones.
const CALLS_PER_CHOICE: u64 = CALLS / 5;

/// A call of a core, which replaces the state by the next state.
type Step = Box<dyn FnMut(&mut [u8], &Input) -> Output>;

fn native(twin: &Twin, constants: &[u8]) -> Step {
    let mut core = (twin.replay)(constants);
    Box::new(move |state, input| {
        core.set_state(state);
        let output = core.decide(input);
        state.copy_from_slice(core.state());
        output
    })
}

fn in_kernel(twin: &'static Twin, constants: &[u8]) -> Step {
    let mut trial = Trial::new(twin, constants).unwrap_or_else(|error| panic!("{error}"));
    Box::new(move |state, input| {
        trial.set_state(state);
        let output = trial.decide(input);
        state.copy_from_slice(trial.state());
        output
    })
}

fn simulated(twin: &'static Twin, constants: &[u8]) -> Step {
    let mut machine = Simulated::new(twin, constants);
    Box::new(move |state, input| {
        machine.set_state(state);
        let output = machine.decide(input);
        state.copy_from_slice(machine.state());
        output
    })
}

fn in_force(input: &Input) -> Output {
    Output { pacing_rate: input.pacing_rate, cwnd: input.cwnd, ssthresh: input.ssthresh }
}

/// Returns the twin's choice with some random parameters.
fn random_choice(twin: &Twin, random: &mut Random) -> Choice {
    let mut text = twin.choice.to_owned();
    for param in twin.entry.params {
        let set = match param.kind {
            ParamKind::Flag { .. } if random.chance(0.5) => "true".to_owned(),
            ParamKind::Number { min, max, .. } if random.chance(0.2) => {
                (min.ceil() as u64 + random.below((max - min) as u64 + 1)).to_string()
            }
            _ => continue,
        };
        let already = text.contains(&format!("{}=", param.name));
        if !already {
            text += &format!("{}{}={set}", if text.contains('?') { '&' } else { '?' }, param.name);
        }
    }
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn compare(twin: &'static Twin, name: &str, other: fn(&'static Twin, &[u8]) -> Step) {
    let mut random = Random::stream(0, twin.kernel);
    let (mut calls, mut changed) = (0, 0);
    let mut choice: Choice = twin.choice.parse().expect("a choice");
    let mut connections = 0;
    while calls < CALLS {
        let Ok(constants) = twin.constants_of(&choice) else {
            choice = random_choice(twin, &mut random);
            continue;
        };
        let (mut native, mut other) = (native(twin, &constants), other(twin, &constants));
        let enough = calls + CALLS_PER_CHOICE;
        while calls < enough {
            connections += 1;
            let mut wild = Wild::new(connections, twin.kernel);
            let (mut state, mut decided) = (vec![0; twin.state], None);
            // Some connections have random changes of their memory.
            let forgetful = wild.random.chance(0.1);
            while let Some(input) = wild.next(decided) {
                if forgetful && wild.random.chance(0.05) {
                    let at = wild.random.below(state.len() as u64 / 4) as usize * 4;
                    state[at..at + 4].copy_from_slice(&(wild.random.bits() as u32).to_ne_bytes());
                }
                let before = state.clone();
                let mut same = state.clone();
                let output = native(&mut state, &input);
                let theirs = other(&mut same, &input);
                assert_eq!(
                    (output, &state),
                    (theirs, &same),
                    "{} {name}, {choice:?}, connection {connections}: {input:?} {before:?}",
                    twin.kernel
                );
                calls += 1;
                changed += (output != in_force(&input)) as u64;
                decided = Some(output);
            }
        }
        choice = random_choice(twin, &mut random);
    }
    assert!(
        changed > CALLS / 50,
        "{}: only {changed} of {calls} calls changed anything",
        twin.kernel
    );
}

#[test]
fn in_the_simulators_machine() {
    for twin in TWINS {
        compare(twin, "simulated", simulated);
    }
}

#[test]
fn in_the_kernel() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("left out: only root may give programs to the kernel");
        return;
    }
    for twin in TWINS {
        compare(twin, "in the kernel", in_kernel);
    }
}
