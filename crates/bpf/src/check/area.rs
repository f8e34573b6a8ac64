//! A program's own structures in the private area of a connection (`icsk_ca_priv`) that have the
//! name of a structure of the kernel: where they are declared with `preserve_access_index`, as all
//! of a kernel's `vmlinux.h` is, their members are looked for where the kernel's lie.

use super::place::place;
use crate::program::{Function, Instruction, Mention, Program, Use};
use std::collections::BTreeMap;

/// The area, as it is named.
const AREA: &str = "icsk_ca_priv";

/// One line for each member that was moved. Values of registers are followed from instruction to
/// instruction, up to jumps that are always taken.
pub(crate) fn mistaken(program: &Program) -> Vec<String> {
    let mentions: BTreeMap<usize, &Mention> =
        program.mentions.iter().map(|mention| (mention.instruction, mention)).collect();
    program.functions.iter().flat_map(|function| of(program, function, &mentions)).collect()
}

fn of(program: &Program, function: &Function, mentions: &BTreeMap<usize, &Mention>) -> Vec<String> {
    let mut found = Vec::new();
    let mut from_area = [false; 16];
    for at in function.start..function.start + function.length {
        let Instruction { code, dst, src, .. } = program.code[at];
        let dst = dst as usize & 15;
        let src = src as usize & 15;
        let mention = mentions.get(&at);
        if mention.is_some_and(|mention| mention.how == Use::Locates && mention.what.contains(AREA))
        {
            from_area[dst] = true;
            continue;
        }
        let base = if code & 7 == 1 { src } else { dst };
        if let Some(mention) = mention.filter(|mention| mention.moved && from_area[base]) {
            let structure = mention.what.split(['.', '[']).next().unwrap_or_default();
            found.push(format!(
                "{}: struct {structure} in the private area is taken for the kernel's, in which {} lies elsewhere: give it another name, or declare it without preserve_access_index",
                place(program, at),
                mention.what
            ));
        }
        match code {
            0xbf => from_area[dst] = from_area[src],
            // A constant is added, or a register: the compiler adds where the area lies to where
            // the socket is.
            0x07 => {}
            0x0f => from_area[dst] |= from_area[src],
            Instruction::CALL => from_area[..6].fill(false),
            // A jump that is always taken, or the end: what follows is reached from elsewhere.
            0x05 | 0x06 | 0x95 => from_area.fill(false),
            _ if matches!(code & 7, 0 | 1 | 4 | 7) => from_area[dst] = false,
            _ => {}
        }
    }
    found
}
