//! Calls that leave the program, by each callback.

use super::place::place;
use super::walk::{Reach, walk};
use crate::callable::{Callable, Verdict};
use crate::problem::Problem;
use crate::program::{Instruction, Program};
use std::collections::BTreeSet;

/// Calls of helpers that are refused, or that nobody knows. Code behind a question that is
/// answered with no is not called.
pub(super) fn problems(program: &Program, callable: &dyn Callable) -> Vec<Problem> {
    let mut all = Vec::new();
    let mut named = BTreeSet::new();
    for (callback, start) in &program.callbacks {
        let reached = walk(program, std::iter::once(*start));
        for (at, instruction) in program.code.iter().enumerate() {
            let Instruction { code: Instruction::CALL, src: 0, imm, .. } = *instruction else {
                continue;
            };
            if reached[at] != Reach::Plain || program.poison_at(at).is_some() {
                continue;
            }
            let reason = match callable.helper(imm, callback) {
                Verdict::Known => continue,
                Verdict::Refused(why) => why,
                Verdict::Unknown => {
                    format!("it calls helper {imm}, which the simulator does not have")
                }
            };
            if named.insert((at, reason.clone())) {
                all.push(Problem::new(
                    format!("callback {callback}, {}", place(program, at)),
                    reason,
                    "do without it",
                ));
            }
        }
    }
    all
}
