//! How much stack the functions of a program take, as far as it can be seen without running them.

use crate::program::{Function, Instruction};

/// Most bytes on the stack, over all functions that are being executed (`MAX_BPF_STACK`, kernel/bpf/verifier.c `check_max_stack_depth`).
pub const MOST: u32 = 512;

/// Most functions in each other (`MAX_CALL_FRAMES`, include/linux/bpf_verifier.h).
pub const MOST_DEEP: usize = 8;

/// The register that points behind a function's frame.
const FRAME: u8 = 10;

/// What a function's frame takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Bytes from its end that some instruction names, in whole 16 as the kernel counts (`round_up_stack_depth`).
    pub named: u32,
    /// True if it also computes with the address of its frame: anything below may be used.
    pub computed: bool,
}

/// Reads a function from its first instruction to its last. An address in the frame counts where it is formed, so that jumps do not matter.
pub fn frame(code: &[Instruction], function: &Function) -> Frame {
    let mut frame = Frame { named: 0, computed: false };
    // What each register is known to hold: a distance from the end of the frame.
    let mut known: [Option<i64>; 16] = [None; 16];
    known[FRAME as usize] = Some(0);
    let mut deepest = 0;
    for instruction in &code[function.start..function.start + function.length] {
        let Instruction { code, dst, src, off, imm } = *instruction;
        let (dst, src) = (dst as usize & 15, src as usize & 15);
        match code {
            // Loads, and stores: by the register that is the address.
            0x61 | 0x69 | 0x71 | 0x79 | 0x81 | 0x89 | 0x91 => {
                deepest = deepest.min(known[src].map_or(0, |at| at + off as i64));
                known[dst] = None;
            }
            0x62 | 0x6a | 0x72 | 0x7a | 0x63 | 0x6b | 0x73 | 0x7b | 0xc3 | 0xdb | 0xcb | 0xd3 => {
                deepest = deepest.min(known[dst].map_or(0, |at| at + off as i64));
                if matches!(code, 0xc3 | 0xdb) {
                    (known[src], known[0]) = (None, None);
                }
            }
            0xbf if off == 0 => known[dst] = known[src],
            0x07 => {
                known[dst] = known[dst].map(|at| at + imm as i64);
                deepest = deepest.min(known[dst].unwrap_or(0));
            }
            0x85 => known[..6].fill(None),
            // Other arithmetic, and constants.
            0x18 => known[dst] = None,
            _ if matches!(code & 7, 4 | 7) => {
                frame.computed |= known[dst].is_some() || code & 8 != 0 && known[src].is_some();
                known[dst] = None;
            }
            _ => {}
        }
        known[FRAME as usize] = Some(0);
    }
    frame.named = ((-deepest).clamp(0, i32::MAX as i64) as u32).next_multiple_of(16);
    frame
}
