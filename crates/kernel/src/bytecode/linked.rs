//! `try_core` of a controller's object, linked for an interpreter in user space as libbpf links it for the kernel.

use object::elf::{R_BPF_64_32, R_BPF_64_64};
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionIndex};
use std::ops::Range;

/// Bytes of one.
const INSTRUCTION: usize = 8;

/// The instructions of `try_core` and all it calls. `address` answers where the data of a section are.
pub fn try_core(object: &[u8], mut address: impl FnMut(&str) -> u64) -> Vec<u8> {
    let file = object::File::parse(object).expect("an object");
    let program = file.symbols().find(|symbol| symbol.name() == Ok("try_core")).expect("every controller has it");
    let called = file.section_by_name(".text");
    let mut code = Vec::new();
    let mut parts: Vec<(SectionIndex, Range<usize>, usize)> = Vec::new();
    let start = program.address() as usize;
    let own = program.section_index().expect("a function lies in a section");
    let text = called.iter().map(|section| (section.index(), 0..section.size() as usize));
    for (index, range) in [(own, start..start + program.size() as usize)].into_iter().chain(text) {
        let bytes = file.section_by_index(index).and_then(|section| section.data()).expect("a section of instructions");
        parts.push((index, range.clone(), code.len()));
        code.extend_from_slice(&bytes[range]);
    }
    for (index, range, base) in &parts {
        for (offset, relocation) in file.section_by_index(*index).expect("just found").relocations() {
            if !range.contains(&(offset as usize)) {
                continue;
            }
            let at = offset as usize - range.start + base;
            let RelocationTarget::Symbol(symbol) = relocation.target() else { panic!("{relocation:?}") };
            let symbol = file.symbol_by_index(symbol).expect("a symbol");
            let section = symbol.section_index().expect("nothing is undefined");
            let addend = i32::from_le_bytes(word(&code, at + 4));
            match relocation.flags() {
                RelocationFlags::Elf { r_type: R_BPF_64_64 } => {
                    let name = file.section_by_index(section).and_then(|section| section.name()).expect("a section with a name");
                    let value = address(name) + symbol.address() + addend as u64;
                    code[at + 4..at + 8].copy_from_slice(&(value as u32).to_le_bytes());
                    code[at + 12..at + 16].copy_from_slice(&((value >> 32) as u32).to_le_bytes());
                }
                RelocationFlags::Elf { r_type: R_BPF_64_32 } => {
                    let (_, range, base) = parts.iter().find(|(index, ..)| *index == section).expect("only .text is called");
                    let target = (symbol.address() as usize - range.start + base) / INSTRUCTION;
                    let distance = (target as i32 + addend + 1) - (at / INSTRUCTION + 1) as i32;
                    code[at + 4..at + 8].copy_from_slice(&distance.to_le_bytes());
                }
                other => panic!("{other:?}"),
            }
        }
    }
    code
}

/// The content of a section of the object.
pub fn data(object: &[u8], section: &str) -> Vec<u8> {
    let file = object::File::parse(object).expect("an object");
    let section = file.section_by_name(section).unwrap_or_else(|| panic!("{section}"));
    section.data().expect("a section of data").to_vec()
}

fn word(code: &[u8], at: usize) -> [u8; 4] {
    code[at..at + 4].try_into().expect("instructions are whole")
}
