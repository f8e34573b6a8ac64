//! A relocation's value into an instruction.

use super::{Change, Resolution};
use crate::program::Instruction;

/// The instruction where nothing can be relocated: a call of a helper that does not exist, as
/// libbpf has it.
const POISON: Instruction =
    Instruction { code: Instruction::CALL, dst: 0, src: 0, off: 0, imm: 0x0bad_2310 };

/// The second half of a load of a 64-bit immediate whose first is poisoned: a jump by 0.
const NOTHING: Instruction = Instruction { code: 0x05, dst: 0, src: 0, off: 0, imm: 0 };

/// Changes the instruction at an index. Whether it is poisoned.
///
/// # Errors
///
/// If the instruction is not what a compiler leaves for such a relocation.
pub(crate) fn patch(
    code: &mut [Instruction],
    at: usize,
    resolution: &Resolution,
) -> Result<bool, String> {
    let change = match resolution {
        Resolution::Missing => {
            poison(code, at);
            return Ok(true);
        }
        Resolution::Value(change) => change,
    };
    match code[at].code & 7 {
        4 | 7 => arithmetic(&mut code[at], change).map(|()| false),
        1..=3 => memory(code, at, change),
        0 => immediate(code, at, change).map(|()| false),
        _ => Err(format!(
            "its instruction has the code {:#04x}, which has nothing to relocate",
            code[at].code
        )),
    }
}

fn poison(code: &mut [Instruction], at: usize) {
    if code[at].code == Instruction::LOAD_IMMEDIATE
        && let Some(second) = code.get_mut(at + 1)
    {
        *second = NOTHING;
    }
    code[at] = POISON;
}

fn expected(got: u64, change: &Change) -> Result<(), String> {
    let Change { old, new, certain, .. } = change;
    if *certain && got != *old {
        Err(format!("its instruction has {got} where {old} stood, to become {new}"))
    } else {
        Ok(())
    }
}

fn arithmetic(instruction: &mut Instruction, change: &Change) -> Result<(), String> {
    if instruction.code & 8 != 0 {
        return Err("its instruction computes with a register, not with a constant".to_owned());
    }
    expected(instruction.imm as i64 as u64, change)?;
    instruction.imm = change.new as i32;
    Ok(())
}

/// A load or a store. Its width follows the field's, if both are unsigned integers or pointers.
fn memory(code: &mut [Instruction], at: usize, change: &Change) -> Result<bool, String> {
    expected(code[at].off as i64 as u64, change)?;
    let offset = i16::try_from(change.new)
        .map_err(|_| format!("the field lies at {}, and loads reach 32767", change.new))?;
    let Some((old, new)) = change.widths.filter(|(old, new)| old != new) else {
        code[at].off = offset;
        return Ok(false);
    };
    if !change.resizable {
        poison(code, at);
        return Ok(true);
    }
    let width = |code: u8| [4, 2, 1, 8][(code >> 3 & 3) as usize];
    let has = width(code[at].code);
    if has != old {
        return Err(format!("its instruction reads or writes {has} bytes of a field of {old}"));
    }
    let size = match new {
        4 => 0x00,
        2 => 0x08,
        1 => 0x10,
        8 => 0x18,
        _ => return Err(format!("no instruction reads or writes a field of {new} bytes")),
    };
    code[at].code = code[at].code & !0x18 | size;
    code[at].off = offset;
    Ok(false)
}

fn immediate(code: &mut [Instruction], at: usize, change: &Change) -> Result<(), String> {
    let whole = |first: &Instruction, second: &Instruction| {
        (first.code, first.src, first.off) == (Instruction::LOAD_IMMEDIATE, 0, 0)
            && (second.code, second.dst, second.src, second.off) == (0, 0, 0, 0)
    };
    match &mut code[at..] {
        [first, second, ..] if whole(first, second) => {
            expected(second.imm as u32 as u64 * (1 << 32) + first.imm as u32 as u64, change)?;
            first.imm = change.new as i32;
            second.imm = (change.new >> 32) as i32;
            Ok(())
        }
        _ => Err(format!(
            "its instruction has the code {:#04x}, and is no load of a 64-bit immediate",
            code[at].code
        )),
    }
}
