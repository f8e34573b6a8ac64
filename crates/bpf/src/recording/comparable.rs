//! Which callbacks depend on nothing but what is recorded.

use crate::functions::helper;
use crate::program::{Instruction, Program, address};
use std::collections::BTreeSet;

/// Helpers whose answers follow from what is recorded, or change nothing that is compared.
const HELPERS: [&str; 14] = [
    "jiffies64",
    "loop",
    "strncmp",
    "strtol",
    "strtoul",
    "snprintf",
    "trace_printk",
    "trace_vprintk",
    "ringbuf_output",
    "ringbuf_submit",
    "ringbuf_discard",
    "tcp_send_ack",
    "spin_lock",
    "spin_unlock",
];

/// What the names of such functions of the kernel begin with. BBR's draw random numbers.
const FUNCTIONS: [&str; 7] = ["tcp_", "cubictcp_", "dctcp_", "bpf_iter_num_", "bpf_rcu_", "bpf_cast_to_kern_ctx", "bpf_rdonly_cast"];

/// What a callback calls that is not recorded: maps, other clocks, random numbers. Empty if its calls can be compared.
pub(super) fn obstacles(program: &Program, callback: &str) -> Vec<String> {
    let mut reached = BTreeSet::new();
    let mut found = BTreeSet::new();
    let mut left: Vec<usize> = program.callbacks.get(callback).copied().into_iter().collect();
    while let Some(start) = left.pop() {
        let Some(function) = program.function_at(start).filter(|function| reached.insert(function.start)) else { continue };
        for at in function.start..function.start + function.length {
            let one = &program.code[at];
            match (one.code, one.src) {
                (Instruction::CALL, 0) => {
                    let name = u32::try_from(one.imm).ok().and_then(helper).map_or("another helper", |(name, _)| name);
                    let plain = name.trim_start_matches("bpf_");
                    if !HELPERS.contains(&plain) {
                        found.insert(format!("bpf_{plain}"));
                    }
                }
                (Instruction::CALL, 1) => left.extend((at + 1).checked_add_signed(one.imm as isize)),
                (Instruction::CALL, _) => {
                    let name =
                        usize::try_from(one.imm).ok().and_then(|index| program.kfuncs.get(index)).map_or("a function", String::as_str);
                    if !FUNCTIONS.iter().any(|known| name.starts_with(known)) {
                        found.insert(name.to_owned());
                    }
                }
                (Instruction::LOAD_IMMEDIATE, _) => {
                    let value = program.immediate_at(at);
                    if value & address::FUNCTION != 0 && value & address::MAP == 0 {
                        left.push((value & !address::FUNCTION) as usize);
                    }
                }
                _ => {}
            }
        }
    }
    found.into_iter().collect()
}
