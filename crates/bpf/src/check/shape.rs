//! That each function is one: jumps lead to whole instructions of it, it does not run out at its end, and its registers exist.

use super::flow::{Flow, flow};
use super::place::place;
use crate::problem::Problem;
use crate::program::{Function, Instruction, Program};

/// The pointer to the frame, which cannot be written.
const FRAME: u8 = 10;

pub(super) fn problems(program: &Program) -> Vec<Problem> {
    program.functions.iter().filter_map(|function| one(program, function)).collect()
}

/// The first thing that is wrong with a function.
fn one(program: &Program, function: &Function) -> Option<Problem> {
    let code = &program.code[function.start..function.start + function.length];
    let mut halves = vec![false; code.len()];
    let mut jumps = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let wrong = |reason: String| Some(Problem::damaged(place(program, function.start + at), reason));
        let instruction = &code[at];
        if instruction.dst > FRAME || instruction.code != Instruction::CALL && instruction.src > FRAME {
            return wrong(format!("it names register {}; there are 0 to 10", instruction.dst.max(instruction.src)));
        }
        // Loads from memory and arithmetic write their destination.
        if matches!(instruction.code & 7, 0 | 1 | 4 | 7) && instruction.dst == FRAME {
            return wrong("it writes register 10, which holds the frame".to_owned());
        }
        let next = match flow(instruction) {
            Flow::Next(slots) => {
                halves[at + 1..(at + slots).min(code.len())].fill(true);
                at + slots
            }
            Flow::Branch(distance) => {
                jumps.push((at, distance));
                at + 1
            }
            Flow::Jump(distance) => {
                jumps.push((at, distance));
                at += 1;
                continue;
            }
            Flow::End => {
                at += 1;
                continue;
            }
        };
        if next >= code.len() {
            return wrong("the function ends without leaving it".to_owned());
        }
        at = next;
    }
    let whole = |at: usize, distance: i64| {
        let target = usize::try_from(at as i64 + distance).ok();
        target.is_some_and(|target| halves.get(target) == Some(&false))
    };
    let (at, distance) = *jumps.iter().find(|(at, distance)| !whole(*at, *distance))?;
    let reason = format!("it jumps by {distance}, where no instruction of the function begins");
    Some(Problem::damaged(place(program, function.start + at), reason))
}
