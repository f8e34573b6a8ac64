//! The sections, symbols and relocations of an object, each checked.

use crate::problem::Problem;
use crate::types::{Placed, TypeKind, Types};
use object::LittleEndian;
use object::elf::{EM_BPF, ET_REL, SHF_EXECINSTR, SHT_NOBITS, SHT_STRTAB};
use object::read::elf::{ElfFile64, FileHeader, SectionHeader};
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SymbolKind};
use std::collections::BTreeMap;

/// Bounds of ours, so that whatever an object says, it is read in little time and memory. The
/// largest objects known have 700 kB, 100 sections and 1,000 symbols.
const MOST_BYTES: usize = 16 << 20;
const MOST_SECTIONS: usize = 1024;
const MOST_SYMBOLS: usize = 1 << 16;
const MOST_RELOCATIONS: usize = 1 << 18;
const LONGEST_NAME: usize = 4096;

/// The remedy of most that is wrong with the file as a whole.
const COMPILE: &str = "give a file that `clang -target bpf -g -O2 -c` left";

#[derive(Debug)]
pub(super) struct Section<'a> {
    pub name: &'a str,
    /// Empty for `.bss`, whose bytes are all zero.
    pub data: &'a [u8],
    /// Bytes in memory.
    pub size: u64,
    /// Whether it has instructions.
    pub executable: bool,
}

/// The kind of thing that a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Function,
    Data,
    /// A section as a whole.
    Section,
    Other,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol<'a> {
    pub name: &'a str,
    /// Index of its section. `None` if it is defined elsewhere.
    pub section: Option<usize>,
    /// From the beginning of its section.
    pub value: u64,
    pub size: u64,
    pub meaning: Meaning,
    /// Whether it may stay undefined.
    pub weak: bool,
}

/// `R_BPF_64_64`: a load of a 64-bit immediate; before clang 13 also an address in data.
pub(super) const OF_LOAD: u32 = 1;
/// `R_BPF_64_ABS64`: an address in data.
pub(super) const OF_DATA: u32 = 2;
/// `R_BPF_64_32`: a call.
pub(super) const OF_CALL: u32 = 10;

#[derive(Clone, Copy, Debug)]
pub(super) struct Relocation<'a> {
    /// `R_BPF_*`.
    pub kind: u32,
    pub symbol: Symbol<'a>,
}

/// An object.
#[derive(Debug)]
pub(super) struct Elf<'a> {
    /// By index; the first is the null section.
    pub sections: Vec<Section<'a>>,
    pub symbols: Vec<Symbol<'a>>,
    /// By the section that they change, and the offset in it.
    relocations: BTreeMap<(usize, u64), Relocation<'a>>,
    /// Offsets of variables in their sections.
    variables: BTreeMap<(usize, &'a str), u64>,
}

impl<'a> Elf<'a> {
    pub fn read(bytes: &'a [u8]) -> Result<Elf<'a>, Problem> {
        let wrong = |reason: &str, remedy: &str| Problem::new("the file", reason, remedy);
        if bytes.len() > MOST_BYTES {
            return Err(wrong(
                &format!("it has {} bytes, more than {MOST_BYTES}", bytes.len()),
                COMPILE,
            ));
        }
        match bytes.get(..6) {
            Some([0x7f, b'E', b'L', b'F', 2, 1]) => {}
            Some([0x7f, b'E', b'L', b'F', _, 2]) => {
                return Err(wrong(
                    "it is for machines of the other byte order (bpfeb)",
                    "compile it with -target bpfel",
                ));
            }
            _ => return Err(wrong("it is no ELF object of 64 bits", COMPILE)),
        }
        let damaged = |error: object::Error| Problem::damaged("the file", error.to_string());
        let file = ElfFile64::<LittleEndian>::parse(bytes).map_err(damaged)?;
        let header = file.elf_header();
        if header.e_machine(LittleEndian) != EM_BPF || header.e_type(LittleEndian) != ET_REL {
            return Err(wrong(
                "it is an object for another machine, or a linked program, and no object for BPF",
                COMPILE,
            ));
        }
        let table = file.elf_section_table();
        if table.len() > MOST_SECTIONS || file.elf_symbol_table().len() > MOST_SYMBOLS {
            return Err(wrong(
                &format!("it has more than {MOST_SECTIONS} sections or {MOST_SYMBOLS} symbols"),
                COMPILE,
            ));
        }
        let mut sections = vec![Section { name: "", data: &[], size: 0, executable: false }];
        for one in table.iter().skip(1) {
            let kind = one.sh_type(LittleEndian);
            let size = one.sh_size(LittleEndian);
            let data = one.data(LittleEndian, bytes).map_err(damaged)?;
            if kind == SHT_STRTAB
                && data.split(|byte| *byte == 0).any(|name| name.len() > LONGEST_NAME)
            {
                return Err(Problem::damaged(
                    "the file",
                    format!("a name in it has more than {LONGEST_NAME} bytes"),
                ));
            }
            let executable = one.sh_flags(LittleEndian).0 & SHF_EXECINSTR.0 != 0;
            sections.push(Section {
                name: "",
                data: if kind == SHT_NOBITS { &[] } else { data },
                size,
                executable,
            });
        }
        // Only now is it known that all names are short.
        for section in file.sections() {
            sections[section.index().0].name = section.name().map_err(damaged)?;
        }
        let mut symbols = Vec::with_capacity(file.elf_symbol_table().len());
        for symbol in file.symbols() {
            symbols.push(read_symbol(&symbol, sections.len())?);
        }
        let variable = |symbol: &Symbol<'a>| Some(((symbol.section?, symbol.name), symbol.value));
        let variables = symbols
            .iter()
            .filter(|symbol| symbol.meaning == Meaning::Data)
            .filter_map(variable)
            .collect();
        Ok(Elf { sections, symbols, relocations: relocations(&file)?, variables })
    }

    /// The relocation of the bytes at an offset of a section.
    pub fn relocation(&self, section: usize, offset: u64) -> Option<&Relocation<'a>> {
        self.relocations.get(&(section, offset))
    }

    /// Those of a part of a section, with their offsets in the section.
    pub fn relocations_within(
        &self,
        section: usize,
        from: u64,
        to: u64,
    ) -> impl Iterator<Item = (u64, &Relocation<'a>)> {
        self.relocations
            .range((section, from)..(section, to.max(from)))
            .map(|((_, offset), relocation)| (*offset, relocation))
    }

    /// Where a variable begins in its section. Types know it of `static` ones only, symbols of all.
    pub fn offset(&self, section: usize, types: &Types, placed: &Placed) -> Option<u64> {
        let one = types.get(placed.variable)?;
        match one.kind {
            TypeKind::Variable { global: false, .. } => Some(placed.offset as u64),
            _ => self.variables.get(&(section, types.name(one))).copied(),
        }
    }

    /// The first section of a name, with its index.
    pub fn section(&self, name: &str) -> Option<(usize, &Section<'a>)> {
        self.sections.iter().enumerate().skip(1).find(|(_, section)| section.name == name)
    }
}

fn read_symbol<'a>(symbol: &impl ObjectSymbol<'a>, sections: usize) -> Result<Symbol<'a>, Problem> {
    let damaged = |reason: String| Problem::damaged(format!("symbol {}", symbol.index().0), reason);
    let section = symbol.section_index().map(|index| index.0);
    if section.is_some_and(|index| index >= sections) {
        return Err(damaged(format!(
            "it lies in section {}, which does not exist",
            section.unwrap_or_default()
        )));
    }
    let meaning = match symbol.kind() {
        SymbolKind::Text => Meaning::Function,
        SymbolKind::Data => Meaning::Data,
        SymbolKind::Section => Meaning::Section,
        _ => Meaning::Other,
    };
    let name = symbol.name().map_err(|error| damaged(error.to_string()))?;
    Ok(Symbol {
        name,
        section,
        value: symbol.address(),
        size: symbol.size(),
        meaning,
        weak: symbol.is_weak(),
    })
}

fn relocations<'a>(
    file: &ElfFile64<'a, LittleEndian>,
) -> Result<BTreeMap<(usize, u64), Relocation<'a>>, Problem> {
    let mut all = BTreeMap::new();
    for section in file.sections() {
        for (offset, relocation) in section.relocations() {
            let name = || format!("section {}", section.name().unwrap_or_default());
            let (RelocationTarget::Symbol(symbol), RelocationFlags::Elf { r_type }) =
                (relocation.target(), relocation.flags())
            else {
                return Err(Problem::damaged(
                    name(),
                    format!("the relocation at {offset} names no symbol"),
                ));
            };
            let symbol = file
                .symbol_by_index(symbol)
                .map_err(|error| Problem::damaged(name(), error.to_string()))?;
            if relocation.addend() != 0 {
                return Err(Problem::damaged(
                    name(),
                    format!(
                        "the relocation at {offset} has an addend, which BPF has in its instructions"
                    ),
                ));
            }
            if all.len() == MOST_RELOCATIONS {
                return Err(Problem::new(
                    "the file",
                    format!("it has more than {MOST_RELOCATIONS} relocations"),
                    COMPILE,
                ));
            }
            let symbol = read_symbol(&symbol, file.elf_section_table().len())?;
            if all
                .insert((section.index().0, offset), Relocation { kind: r_type.0, symbol })
                .is_some()
            {
                return Err(Problem::damaged(
                    name(),
                    format!("it has two relocations at {offset}"),
                ));
            }
        }
    }
    Ok(all)
}
