//! What can be said of a program before it runs, without a verifier: its table, the shape of its code, its stack, and what it calls and reads that is not there.

mod calls;
mod flow;
mod maps;
mod place;
mod shape;
mod stack;
mod table;
mod walk;

use crate::callable::Callable;
use crate::problem::Problem;
use crate::program::Program;
use place::place;
use walk::{Reach, walk};

/// Everything for which a program cannot be taken. Empty if it can.
pub fn problems(program: &Program, callable: &dyn Callable) -> Vec<Problem> {
    let mut all = program.unmet.clone();
    all.extend(table::problems(program));
    all.extend(maps::problems(program));
    let shape = shape::problems(program);
    if !shape.is_empty() {
        // Where jumps lead nowhere, nothing can be followed.
        all.extend(shape);
        return all;
    }
    let reached = walk(program, program.callbacks.values().copied());
    for poisoned in program.poison.iter().filter(|poisoned| reached[poisoned.instruction] == Reach::Plain) {
        all.push(Problem::new(
            place(program, poisoned.instruction),
            format!("it needs {}, which the simulator does not have", poisoned.what),
            "ask for it before (bpf_core_field_exists, bpf_ksym_exists), or do without it",
        ));
    }
    all.extend(calls::problems(program, callable));
    all.extend(stack::problems(program));
    all
}

/// What may be missed while a program runs, though it asks for it before: for the user to know.
pub fn doubts(program: &Program) -> Vec<String> {
    if !shape::problems(program).is_empty() {
        return Vec::new();
    }
    let reached = walk(program, program.callbacks.values().copied());
    let doubtful = program.poison.iter().filter(|poisoned| reached[poisoned.instruction] == Reach::Guarded);
    doubtful
        .map(|poisoned| {
            let place = place(program, poisoned.instruction);
            format!("{place}: it may need {}, which the simulator does not have: the run ends with an error if it does", poisoned.what)
        })
        .collect()
}
