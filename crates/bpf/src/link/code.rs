//! Functions: found, taken over with all that they call, and tied to what they name.

use super::elf::{Elf, Meaning, OF_CALL, OF_LOAD, Relocation, Symbol};
use super::externs::Externs;
use super::maps::Maps;
use super::regions::Regions;
use crate::callable::{Callable, Verdict};
use crate::problem::Problem;
use crate::program::{Function, Instruction, Mention, Poisoned, address};
use std::collections::{BTreeMap, BTreeSet};

/// The source of a call of a function of the program (`BPF_PSEUDO_CALL`).
const OF_FUNCTION: u8 = 1;

/// The source of a call of a kfunc (`BPF_PSEUDO_KFUNC_CALL`).
const OF_KFUNC: u8 = 2;

/// The most instructions. Ours; the kernel looks at a million at most, on all paths together
/// (`BPF_COMPLEXITY_LIMIT_INSNS`).
const MOST_INSTRUCTIONS: usize = 1 << 17;

const INSTRUCTION: u64 = 8;

/// A section, and the offset of the first instruction in it, in bytes.
pub(super) type Place = (usize, u64);

/// A function of the object.
#[derive(Clone, Copy, Debug)]
struct Known<'a> {
    name: &'a str,
    /// In bytes.
    length: u64,
}

/// An address that an instruction names, whose place in the code is known once all is taken over.
enum Pending {
    Call(Place),
    Address(Place),
}

/// The names that the instructions of an object may use.
pub(super) struct Names<'a> {
    pub elf: &'a Elf<'a>,
    pub regions: &'a Regions,
    pub maps: &'a Maps,
    pub externs: &'a Externs,
    pub callable: &'a dyn Callable,
}

/// The functions that have been taken over.
pub(super) struct Code<'a> {
    names: Names<'a>,
    known: BTreeMap<Place, Known<'a>>,
    /// The index of the first instruction of each.
    taken: BTreeMap<Place, usize>,
    open: Vec<Place>,
    pending: Vec<(usize, Pending)>,
    pub instructions: Vec<Instruction>,
    pub functions: Vec<Function>,
    pub poison: Vec<Poisoned>,
    /// Instructions whose constant says whether something exists.
    pub questions: BTreeSet<usize>,
    /// Mentions of the kernel's structures.
    pub mentions: Vec<Mention>,
    /// Requirements that are not met, each once.
    pub unmet: Vec<Problem>,
    pub kfuncs: Vec<String>,
    /// Indices of the maps that are named.
    pub maps: Vec<usize>,
}

impl<'a> Code<'a> {
    pub fn new(names: Names<'a>) -> Code<'a> {
        let functions =
            names.elf.symbols.iter().filter(|symbol| symbol.meaning == Meaning::Function);
        let place = |symbol: &Symbol<'a>| {
            Some((
                (symbol.section?, symbol.value),
                Known { name: symbol.name, length: symbol.size },
            ))
        };
        let known = functions.filter_map(place).collect();
        Code {
            names,
            known,
            taken: BTreeMap::new(),
            open: Vec::new(),
            pending: Vec::new(),
            instructions: Vec::new(),
            functions: Vec::new(),
            poison: Vec::new(),
            questions: BTreeSet::new(),
            mentions: Vec::new(),
            unmet: Vec::new(),
            kfuncs: Vec::new(),
            maps: Vec::new(),
        }
    }

    /// The function of a name.
    pub fn named(&self, name: &str) -> Option<Place> {
        self.known.iter().find(|(_, known)| known.name == name).map(|(place, _)| *place)
    }

    /// The name of the function at a place.
    pub fn name(&self, place: Place) -> Option<&'a str> {
        self.known.get(&place).map(|known| known.name)
    }

    /// The names of functions that were not taken over.
    pub fn left(&self) -> Vec<&'a str> {
        self.known
            .iter()
            .filter(|(place, _)| !self.taken.contains_key(place))
            .map(|(_, known)| known.name)
            .collect()
    }

    /// Takes a function over, with all that it calls. The index of its first instruction.
    pub fn take(&mut self, place: Place, wanted_by: &str) -> Result<usize, Problem> {
        let start = self.want(place, wanted_by)?;
        while let Some(next) = self.open.pop() {
            self.tie(next)?;
        }
        Ok(start)
    }

    /// Sees to it that a function is taken over. The index of its first instruction.
    fn want(&mut self, place: Place, wanted_by: &str) -> Result<usize, Problem> {
        if let Some(start) = self.taken.get(&place) {
            return Ok(*start);
        }
        let (section, offset) = place;
        let found = self.names.elf.sections.get(section);
        let name = found.map_or("", |section| section.name);
        let known = *self.known.get(&place).ok_or_else(|| {
            let reason =
                format!("it needs a function at {offset} of section {name}, where none begins");
            Problem::damaged(format!("function {wanted_by}"), reason)
        })?;
        let bytes = found
            .filter(|section| section.executable && known.length > 0 && known.length % INSTRUCTION == 0 && offset % INSTRUCTION == 0)
            .and_then(|section| section.data.get(usize::try_from(offset).ok()?..)?.get(..usize::try_from(known.length).ok()?))
            .ok_or_else(|| {
                let reason = format!("its {} bytes at {offset} of section {name} are not instructions of 8 bytes within it", known.length);
                Problem::damaged(format!("function {}", known.name), reason)
            })?;
        let start = self.instructions.len();
        let length = bytes.len() / INSTRUCTION as usize;
        if start + length > MOST_INSTRUCTIONS {
            let reason = format!("with it there are more than {MOST_INSTRUCTIONS} instructions");
            return Err(Problem::new(
                format!("function {}", known.name),
                reason,
                "make the program smaller",
            ));
        }
        self.instructions.extend(bytes.chunks_exact(INSTRUCTION as usize).map(decode));
        self.functions.push(Function { name: known.name.to_owned(), start, length });
        self.taken.insert(place, start);
        self.open.push(place);
        Ok(start)
    }

    /// Ties the instructions of a function to what they name.
    fn tie(&mut self, place: Place) -> Result<(), Problem> {
        let (section, offset) = place;
        let start = self.taken[&place];
        let Known { name, length } = self.known[&place];
        let count = (length / INSTRUCTION) as usize;
        let in_function = |reason: String| Problem::damaged(format!("function {name}"), reason);
        if let Some((odd, _)) = self
            .names
            .elf
            .relocations_within(section, offset, offset + length)
            .find(|(byte, _)| byte % INSTRUCTION != 0)
        {
            return Err(in_function(format!("the relocation at {odd} is of no instruction")));
        }
        let mut within = 0;
        while within < count {
            let at = start + within;
            let byte = offset + within as u64 * INSTRUCTION;
            let instruction = self.instructions[at];
            let relocation = self.names.elf.relocation(section, byte).copied();
            let wide = instruction.code == Instruction::LOAD_IMMEDIATE;
            if wide && within + 1 == count {
                return Err(in_function("it ends within a load of a 64-bit immediate".to_owned()));
            }
            if wide && self.names.elf.relocation(section, byte + INSTRUCTION).is_some() {
                return Err(in_function(format!(
                    "the relocation at {} is of half an instruction",
                    byte + INSTRUCTION
                )));
            }
            match (instruction.code, relocation) {
                (Instruction::LOAD_IMMEDIATE, Some(Relocation { kind: OF_LOAD, symbol })) => {
                    self.load(at, &symbol, name)?
                }
                (Instruction::CALL, Some(Relocation { kind: OF_CALL, symbol })) => {
                    self.call(at, &symbol, name)?
                }
                (code, Some(Relocation { kind, symbol })) => {
                    let reason = format!(
                        "the relocation at {byte} (kind {kind}, {}) is of an instruction of code {code:#04x}",
                        symbol.name
                    );
                    return Err(in_function(reason));
                }
                (Instruction::CALL, None) if instruction.src == OF_FUNCTION => {
                    let target = (byte / INSTRUCTION) as i64 + 1 + instruction.imm as i64;
                    let target = u64::try_from(target).map_err(|_| {
                        in_function(format!("the call at {byte} leads before its section"))
                    })?;
                    self.calls(at, (section, target * INSTRUCTION), name)?;
                }
                (Instruction::CALL, None) if instruction.src != 0 => {
                    return Err(in_function(format!(
                        "the call at {byte} is of kind {}, without a relocation",
                        instruction.src
                    )));
                }
                (Instruction::LOAD_IMMEDIATE, None) if instruction.src != 0 => {
                    return Err(in_function(format!(
                        "the immediate at {byte} is of kind {}, without a relocation",
                        instruction.src
                    )));
                }
                _ => {}
            }
            within += 1 + wide as usize;
        }
        Ok(())
    }

    fn calls(&mut self, at: usize, place: Place, name: &str) -> Result<(), Problem> {
        self.want(place, name)?;
        self.pending.push((at, Pending::Call(place)));
        Ok(())
    }

    fn call(&mut self, at: usize, symbol: &Symbol<'a>, name: &str) -> Result<(), Problem> {
        let Some(section) = symbol.section else {
            match self.kfunc(symbol, name) {
                Some(index) => {
                    (self.instructions[at].src, self.instructions[at].imm) =
                        (OF_KFUNC, index as i32)
                }
                None if symbol.weak => {
                    self.poison.push(Poisoned {
                        instruction: at,
                        what: format!("the kernel's function {}", symbol.name),
                    });
                }
                None => {}
            }
            return Ok(());
        };
        // If others do not see a function, the symbol is the symbol of the section, and the
        // instruction has the rest of the way, less one.
        let addend = self.instructions[at].imm as i64 + 1;
        let target = i64::try_from(symbol.value / INSTRUCTION)
            .ok()
            .and_then(|first| u64::try_from(first.checked_add(addend)?).ok());
        let target = target.and_then(|target| target.checked_mul(INSTRUCTION));
        let reason = || format!("a call of {} leads out of its section", symbol.name);
        let target =
            target.ok_or_else(|| Problem::damaged(format!("function {name}"), reason()))?;
        self.calls(at, (section, target), name)
    }

    /// Notes what the program insists on and does not get.
    pub fn want_in_vain(&mut self, problem: Problem) {
        if !self.unmet.contains(&problem) {
            self.unmet.push(problem);
        }
    }

    /// The index of a function of the kernel. `None` if nobody here knows it, which is noted if the
    /// program insists.
    fn kfunc(&mut self, symbol: &Symbol, name: &str) -> Option<usize> {
        let refused =
            |reason: String, remedy: &str| Problem::new(format!("function {name}"), reason, remedy);
        let problem = match self.names.callable.kfunc(symbol.name) {
            Verdict::Known => None,
            Verdict::Unknown | Verdict::Refused(_) if symbol.weak => return None,
            Verdict::Unknown => {
                let reason = format!(
                    "it needs {} of the kernel, which the simulator does not have",
                    symbol.name
                );
                Some(refused(
                    reason,
                    "declare it __weak and ask for it by bpf_ksym_exists, or do without it",
                ))
            }
            Verdict::Refused(why) => Some(refused(
                format!("it needs {} of the kernel: {why}", symbol.name),
                "do without it",
            )),
        };
        if let Some(problem) = problem {
            self.want_in_vain(problem);
            return None;
        }
        let known = self.kfuncs.iter().position(|known| known == symbol.name);
        Some(known.unwrap_or_else(|| {
            self.kfuncs.push(symbol.name.to_owned());
            self.kfuncs.len() - 1
        }))
    }

    /// A load of the address of something.
    fn load(&mut self, at: usize, symbol: &Symbol<'a>, name: &str) -> Result<(), Problem> {
        let Some(section) = symbol.section else {
            let value = match self.names.externs.find(symbol, name) {
                Ok(Some(offset)) => {
                    address::of(address::DATA + self.names.regions.configuration() as u64, offset)
                }
                Ok(None) => {
                    self.questions.insert(at);
                    self.kfunc(symbol, name).map_or(0, |index| address::KFUNC | index as u64)
                }
                Err(problem) => {
                    self.want_in_vain(problem);
                    0
                }
            };
            self.immediate(at, value);
            return Ok(());
        };
        let offset = symbol.value.wrapping_add(self.instructions[at].imm as i64 as u64);
        let sections = &self.names.elf.sections;
        if let Some(map) = self.names.maps.at(section, offset) {
            let number = self.maps.iter().position(|named| *named == map).unwrap_or_else(|| {
                self.maps.push(map);
                self.maps.len() - 1
            });
            self.immediate(at, address::MAP | number as u64);
        } else if let Some(region) = self.names.regions.of_section(section) {
            let offset = u32::try_from(offset)
                .ok()
                .filter(|offset| *offset as u64 <= sections[section].size)
                .ok_or_else(|| {
                    let reason = format!(
                        "it names byte {offset} of section {}, which has {}",
                        sections[section].name, sections[section].size
                    );
                    Problem::damaged(format!("function {name}"), reason)
                })?;
            self.immediate(at, address::of(address::DATA + region as u64, offset));
        } else if sections[section].executable {
            self.want((section, offset), name)?;
            self.pending.push((at, Pending::Address((section, offset))));
        } else {
            let reason = format!(
                "it names {} in section {}, which is neither data nor a map",
                symbol.name, sections[section].name
            );
            self.want_in_vain(Problem::new(
                format!("function {name}"),
                reason,
                "keep what it reads in .data, .rodata, .bss or .maps",
            ));
            self.immediate(at, 0);
        }
        Ok(())
    }

    fn immediate(&mut self, at: usize, value: u64) {
        (self.instructions[at].src, self.instructions[at].imm) = (0, value as i32);
        self.instructions[at + 1].imm = (value >> 32) as i32;
    }

    /// Writes where functions are, now that all are taken over.
    pub fn settle(&mut self) {
        for (at, pending) in std::mem::take(&mut self.pending) {
            match pending {
                Pending::Call(place) => {
                    self.instructions[at].src = OF_FUNCTION;
                    self.instructions[at].imm = (self.taken[&place] as i64 - at as i64 - 1) as i32;
                }
                Pending::Address(place) => {
                    self.immediate(at, address::FUNCTION | self.taken[&place] as u64)
                }
            }
        }
    }

    /// The index of the instruction at a byte of a section, if it was taken over.
    pub fn index_of(&self, section: usize, byte: u64) -> Option<usize> {
        let ((_, from), start) = self.taken.range((section, 0)..=(section, byte)).next_back()?;
        let within = byte - from;
        (within < self.known[&(section, *from)].length && within.is_multiple_of(INSTRUCTION))
            .then_some(start + (within / INSTRUCTION) as usize)
    }
}

fn decode(bytes: &[u8]) -> Instruction {
    Instruction {
        code: bytes[0],
        dst: bytes[1] & 0xf,
        src: bytes[1] >> 4,
        off: i16::from_le_bytes([bytes[2], bytes[3]]),
        imm: i32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]),
    }
}
