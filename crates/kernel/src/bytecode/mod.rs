//! The bytecode of every core against native C: from the same state, shown the same, both decide the same and remember the same, bit for
//! bit, over random calls, likely ones and impossible ones. It runs in an interpreter in user space, and, for root, in the kernel.

mod linked;
mod trial;
mod wild;

use crate::loaded::object_of;
use narrows_control::Choice;
use narrows_control::TWINS;
use narrows_control::cores::{Input, Output, Replay, Twin};
use narrows_params::Kind;
use narrows_units::Random;
use rbpf::EbpfVmNoData;
use std::cell::Cell;
use trial::Trial;
use wild::Wild;

/// Calls of each core.
const CALLS: u64 = 200_000;

/// Of these, with each choice of constants: those of the twin, then random ones.
const CALLS_PER_CHOICE: u64 = CALLS / 5;

/// One call from a state, which is replaced by that after it.
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

/// Memory that the interpreter reads and writes.
struct Memory(Box<[Cell<u64>]>);

impl Memory {
    fn new(bytes: usize) -> Memory {
        Memory(vec![Cell::new(0); bytes.div_ceil(8)].into())
    }

    fn of(bytes: &[u8]) -> Memory {
        let memory = Memory::new(bytes.len());
        memory.write(0, bytes);
        memory
    }

    fn address(&self) -> u64 {
        self.0.as_ptr() as u64
    }

    fn write(&self, at: usize, bytes: &[u8]) {
        assert_eq!(at % 8, 0);
        for (cell, word) in self.0[at / 8..].iter().zip(bytes.chunks(8)) {
            let mut whole = cell.get().to_ne_bytes();
            whole[..word.len()].copy_from_slice(word);
            cell.set(u64::from_ne_bytes(whole));
        }
    }

    fn read(&self, at: usize, bytes: &mut [u8]) {
        assert_eq!(at % 8, 0);
        for (cell, word) in self.0[at / 8..].iter().zip(bytes.chunks_mut(8)) {
            word.copy_from_slice(&cell.get().to_ne_bytes()[..word.len()]);
        }
    }
}

fn interpreted(twin: &'static Twin, constants: &[u8]) -> Step {
    let (input_at, output_at) = Trial::places(twin);
    let (fixed, trial) = (Memory::of(constants), Memory::new(output_at + size_of::<Output>()));
    let mut tables = None;
    let code: &'static [u8] = linked::try_core(object_of(twin), |section| match section {
        ".rodata.constants" => fixed.address(),
        ".data.trial" => trial.address(),
        ".rodata" => tables.get_or_insert_with(|| Memory::of(&linked::data(object_of(twin), section))).address(),
        other => panic!("{other}"),
    })
    .leak();
    extends_no_sign(code);
    let mut machine = EbpfVmNoData::new(Some(code)).expect("instructions that it knows");
    // The program itself keeps nothing on the stack: all of it is for what it calls.
    machine.set_stack_usage_calculator(|_, at, _| if at == 0 { 0 } else { 256 }, Box::new(())).expect("a program is set");
    for memory in [&fixed, &trial].into_iter().chain(&tables) {
        machine.register_allowed_memory(memory.address()..memory.address() + 8 * memory.0.len() as u64);
    }
    Box::new(move |state, input| {
        let _ = (&fixed, &tables);
        trial.write(0, state);
        trial.write(input_at, bytemuck::bytes_of(input));
        trial.write(output_at, bytemuck::bytes_of(&in_force(input)));
        machine.execute_program().unwrap_or_else(|error| panic!("{error:?}"));
        let mut output = Output::default();
        trial.read(0, state);
        trial.read(output_at, bytemuck::bytes_of_mut(&mut output));
        output
    })
}

fn in_force(input: &Input) -> Output {
    Output { pacing_rate: input.pacing_rate, cwnd: input.cwnd, ssthresh: input.ssthresh }
}

/// rbpf 0.4 compares 64 bits with a negative constant as if it were positive; the kernel extends its sign. No core has such a comparison.
fn extends_no_sign(code: &[u8]) {
    for (at, instruction) in code.chunks(8).enumerate() {
        let unsigned = matches!(instruction[0], 0x15 | 0x25 | 0x35 | 0x55 | 0xa5 | 0xb5);
        assert!(!unsigned || instruction[7] < 0x80, "instruction {at}");
    }
}

/// The twin's choice with random parameters, every now and then.
fn random_choice(twin: &Twin, random: &mut Random) -> Choice {
    let mut text = twin.choice.to_owned();
    for param in twin.entry.params {
        let set = match param.kind {
            Kind::Flag { .. } if random.chance(0.5) => "true".to_owned(),
            Kind::Number { min, max, .. } if random.chance(0.2) => (min.ceil() as u64 + random.below((max - min) as u64 + 1)).to_string(),
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
            // Some connections lose their memory now and then.
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
    assert!(changed > CALLS / 50, "{}: only {changed} of {calls} calls changed anything", twin.kernel);
}

#[test]
fn in_an_interpreter() {
    for twin in TWINS {
        compare(twin, "interpreted", interpreted);
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
