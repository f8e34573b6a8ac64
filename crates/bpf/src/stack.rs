//! The stack that the functions of a program take, as the kernel's verifier counts it
//! (`check_max_stack_depth` of kernel/bpf/verifier.c), seen without running them.

use crate::program::{Function, Instruction, Program, address};

/// Most bytes of all functions that are being executed, `MAX_BPF_STACK`.
pub(crate) const BYTES: usize = 512;

/// Most functions in each other, `MAX_CALL_FRAMES`.
pub(crate) const FRAMES: usize = 8;

/// The frames of programs that are compiled to machine code have a multiple of this
/// (`round_up_stack_depth`).
const STEP: usize = 16;

/// The functions that a function calls, or gives to a helper that calls them.
pub(crate) fn called(program: &Program, function: &Function) -> Vec<usize> {
    let mut all: Vec<usize> = (function.start..function.start + function.length)
        .filter_map(|at| match program.code[at] {
            Instruction { code: Instruction::CALL, src: 1, imm, .. } => {
                usize::try_from(at as i64 + 1 + imm as i64).ok()
            }
            Instruction { code: Instruction::LOAD_IMMEDIATE, .. } => {
                let value = program.immediate_at(at);
                usize::try_from(value & !address::FUNCTION)
                    .ok()
                    .filter(|_| value & address::FUNCTION != 0)
            }
            _ => None,
        })
        .filter(|start| {
            program.functions.binary_search_by_key(start, |function| function.start).is_ok()
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Bytes of the frame of a function, as far down as the constant offsets from register 10 in its
/// code reach.
pub(crate) fn frame(program: &Program, function: &Function) -> usize {
    // Distances from register 10 of the registers that hold such.
    let mut from_frame = [None::<i64>; 16];
    from_frame[10] = Some(0);
    let mut lowest = 0;
    for instruction in &program.code[function.start..function.start + function.length] {
        let Instruction { code, dst, src, off, imm } = *instruction;
        let dst = dst as usize & 15;
        let src = src as usize & 15;
        match code & 7 {
            1 => {
                lowest = lowest.min(from_frame[src].map_or(0, |base| base + off as i64));
                from_frame[dst] = None;
            }
            2 | 3 => lowest = lowest.min(from_frame[dst].map_or(0, |base| base + off as i64)),
            _ if code == 0xbf && off == 0 => from_frame[dst] = from_frame[src],
            _ if code == 0x07 => {
                from_frame[dst] = from_frame[dst].map(|base| base + imm as i64);
                lowest = lowest.min(from_frame[dst].unwrap_or(0));
            }
            _ if code == Instruction::CALL => from_frame[..6].fill(None),
            0 | 4 | 7 => from_frame[dst] = None,
            _ => {}
        }
        from_frame[10] = Some(0);
    }
    usize::try_from(-lowest).unwrap_or_default().next_multiple_of(STEP)
}
