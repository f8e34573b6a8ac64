//! That a function is one: jumps lead to whole instructions of it, it does not run out at its end,
//! and its registers exist.

use crate::flow::{Flow, flow};
use crate::program::Instruction;

/// The register of the frame's end, which no instruction writes.
pub const FRAME: u8 = 10;

/// A defect of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It names a register that does not exist.
    NoRegister(u8),
    /// It writes the register of the frame's end.
    WritesFrame,
    /// It goes on behind the end of the function.
    Open,
    /// It jumps by so much, to where no instruction of the function begins.
    Jump(i64),
}

/// The first thing that is wrong with the instructions of a function, and at which of them.
pub fn wrong(code: &[Instruction]) -> Option<(usize, Wrong)> {
    let mut halves = vec![false; code.len()];
    let mut jumps = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let instruction = &code[at];
        if instruction.dst > FRAME
            || instruction.code != Instruction::CALL && instruction.src > FRAME
        {
            return Some((at, Wrong::NoRegister(instruction.dst.max(instruction.src))));
        }
        // Loads from memory and arithmetic write their destination.
        if matches!(instruction.code & 7, 0 | 1 | 4 | 7) && instruction.dst == FRAME {
            return Some((at, Wrong::WritesFrame));
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
            return Some((at, Wrong::Open));
        }
        at = next;
    }
    let whole = |at: usize, distance: i64| {
        let target = usize::try_from(at as i64 + distance).ok();
        target.is_some_and(|target| halves.get(target) == Some(&false))
    };
    let (at, distance) = *jumps.iter().find(|(at, distance)| !whole(*at, *distance))?;
    Some((at, Wrong::Jump(distance)))
}
