//! Statements about a program before it runs, without a verifier: its table, the shape of its
//! code, its stack, and what it calls and reads that is not there.

mod area;
mod calls;
mod maps;
mod place;
mod stack;
mod stores;
mod table;
mod walk;

use crate::callable::Callable;
use crate::problem::Problem;
use crate::program::{Function, Program};
use crate::shape::{self, Wrong};
pub(crate) use area::mistaken;
use place::place;
pub use table::problems as table_problems;
use walk::{Reach, walk};

/// The first thing that is wrong with the shape of each function.
fn misshapen(program: &Program) -> Vec<Problem> {
    let one = |function: &Function| {
        let (at, wrong) =
            shape::wrong(&program.code[function.start..function.start + function.length])?;
        let reason = match wrong {
            Wrong::NoRegister(register) => {
                format!("it names register {register}; there are 0 to {}", shape::FRAME)
            }
            Wrong::WritesFrame => {
                format!("it writes register {}, which holds the frame", shape::FRAME)
            }
            Wrong::Open => "the function ends without leaving it".to_owned(),
            Wrong::Jump(distance) => {
                format!("it jumps by {distance}, where no instruction of the function begins")
            }
        };
        Some(Problem::damaged(place(program, function.start + at), reason))
    };
    program.functions.iter().filter_map(one).collect()
}

/// Everything for which a program cannot be taken. Empty if it can.
pub fn problems(program: &Program, callable: &dyn Callable) -> Vec<Problem> {
    let mut all = program.unmet.clone();
    all.extend(table::problems(program));
    all.extend(maps::problems(program));
    let shape = misshapen(program);
    if !shape.is_empty() {
        // Where jumps lead nowhere, nothing can be followed.
        all.extend(shape);
        return all;
    }
    let reached = walk(program, program.callbacks.values().copied());
    for poisoned in
        program.poison.iter().filter(|poisoned| reached[poisoned.instruction] == Reach::Plain)
    {
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

/// For which a run may end with an error: things that a program asks for before it uses them, and
/// stores that the kernel allows to no controller.
pub fn doubts(program: &Program) -> Vec<String> {
    if !misshapen(program).is_empty() {
        return Vec::new();
    }
    let reached = walk(program, program.callbacks.values().copied());
    let doubtful =
        program.poison.iter().filter(|poisoned| reached[poisoned.instruction] == Reach::Guarded);
    let missing = doubtful.map(|poisoned| {
        let place = place(program, poisoned.instruction);
        format!("{place}: it may need {}, which the simulator does not have: the run ends with an error if it does", poisoned.what)
    });
    missing.chain(stores::refused(program, &reached)).collect()
}
