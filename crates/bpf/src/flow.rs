//! Where execution goes on after an instruction.

use crate::program::Instruction;

/// `BPF_JMP` and `BPF_JMP32`.
const JUMPS: [u8; 2] = [5, 6];

const EXIT: u8 = 0x95;

/// Where execution goes on. Distances count from the instruction itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Behind it: one slot on, or two.
    Next(usize),
    Jump(i64),
    /// There, or behind it.
    Branch(i64),
    End,
}

pub fn flow(instruction: &Instruction) -> Flow {
    let Instruction { code, off, imm, .. } = *instruction;
    match code {
        Instruction::LOAD_IMMEDIATE => Flow::Next(2),
        Instruction::CALL => Flow::Next(1),
        EXIT => Flow::End,
        0x05 => Flow::Jump(1 + off as i64),
        0x06 => Flow::Jump(1 + imm as i64),
        code if JUMPS.contains(&(code & 7)) => Flow::Branch(1 + off as i64),
        _ => Flow::Next(1),
    }
}
