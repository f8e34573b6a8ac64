//! A program as the machine takes it: plain data that the linker leaves and all connections share.

use crate::lines::Lines;
use crate::problem::Problem;
use crate::types::Types;
use std::collections::{BTreeMap, BTreeSet};

/// The addresses that a program sees. An address is `region << 32 | offset`; 0 is the null pointer.
pub mod address {
    /// The frames of the functions that are being executed.
    pub const STACK: u64 = 1;
    /// The array of 64-bit arguments, to which register 1 points in a callback.
    pub const ARGUMENTS: u64 = 2;
    /// The socket, a `struct tcp_sock`.
    pub const SOCKET: u64 = 3;
    /// The `struct ack_sample` or `struct rate_sample` of a callback.
    pub const SAMPLE: u64 = 4;
    /// The first of [`Program::regions`](super::Program::regions). Values of maps lie in regions
    /// after the last of these.
    pub const DATA: u64 = 8;
    /// Set in the handle of a map: the rest is its index in
    /// [`Program::maps`](super::Program::maps).
    pub const MAP: u64 = 1 << 63;
    /// Set in the address of a function, as `bpf_loop` takes it: the rest is the index of its first
    /// instruction.
    pub const FUNCTION: u64 = 1 << 62;
    /// Set in the address of a kfunc, which programs compare with null: the rest is its index in
    /// [`Program::kfuncs`](super::Program::kfuncs).
    pub const KFUNC: u64 = 1 << 61;

    /// A place in a region.
    pub const fn of(region: u64, offset: u32) -> u64 {
        region << 32 | offset as u64
    }
}

/// One slot of 8 bytes. A load of a 64-bit immediate takes two; the second has the code 0 and the
/// upper half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Class, operation or size, source or mode.
    pub code: u8,
    /// The number of the destination's register, 0 to 15; only those up to 10 exist.
    pub dst: u8,
    /// The number of the source's register, or which kind of call this is: 0 a helper, 1 a function
    /// of the program, 2 a kfunc.
    pub src: u8,
    /// A distance in bytes or instructions.
    pub off: i16,
    /// A constant; the number of a helper; the distance of a call; the index of a kfunc.
    pub imm: i32,
}

impl Instruction {
    /// The code of the first slot of a load of a 64-bit immediate.
    pub const LOAD_IMMEDIATE: u8 = 0x18;

    /// The code of a call.
    pub const CALL: u8 = 0x85;

    /// How far from its register what it may read begins, and how many bytes that is: of a load, of
    /// an atomic operation, or of an address of anything that is formed.
    pub(crate) fn reaches(&self) -> Option<(usize, usize)> {
        let size = [4, 2, 1, 8][(self.code >> 3 & 3) as usize];
        match self.code {
            0x07 => Some((usize::try_from(self.imm).ok()?, 1)),
            code if code & 7 == 1 || code & 0xe7 == 0xc3 => {
                Some((usize::try_from(self.off).ok()?, size))
            }
            _ => None,
        }
    }
}

/// A function of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its symbol.
    pub name: String,
    /// Index of its first instruction.
    pub start: usize,
    /// Number of its instructions.
    pub length: usize,
}

/// A section of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Name of the section: `.rodata`, `.data`, `.bss`, `.kconfig`, or one of the author's.
    pub name: String,
    /// Its content when a connection begins.
    pub bytes: Vec<u8>,
    /// False for `.rodata`, those whose names begin with `.rodata.`, and `.kconfig`.
    pub writable: bool,
}

/// A map as the object defines it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapSpec {
    /// The variable.
    pub name: String,
    /// `BPF_MAP_TYPE_*` of include/uapi/linux/bpf.h.
    pub kind: u32,
    /// Bytes of a key; 0 if the kind has none.
    pub key_size: u32,
    /// Bytes of a value; 0 if the kind has none.
    pub value_size: u32,
    /// Entries, or bytes of a ring.
    pub max_entries: u32,
    /// `BPF_F_*`.
    pub flags: u32,
}

/// An instruction that reads or names something the socket does not have. To execute it is a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poisoned {
    /// Index of the instruction; for a load of a 64-bit immediate, of its first slot.
    pub instruction: usize,
    /// For example `tcp_sock.rcv_rtt_est.time`.
    pub what: String,
}

/// A part of the kernel's structures that an instruction names: the compiler leaves a relocation
/// (CO-RE) for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Index of the instruction.
    pub instruction: usize,
    /// As in the source: `tcp_sock.snd_cwnd`.
    pub what: String,
    /// The use that the instruction makes of the field.
    pub how: Use,
    /// Whether it is there.
    pub there: bool,
    /// Whether it lies elsewhere than in the structure that the object was compiled with.
    pub moved: bool,
}

/// The use that an instruction makes of the thing that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// It loads it.
    Reads,
    /// It stores it.
    Writes,
    /// It reads and writes it at once, by an atomic operation.
    Updates,
    /// It computes where it lies: for another instruction, of which it is not known what it does
    /// with it.
    Locates,
    /// It asks whether it exists.
    Asks,
}

/// An integer among a program's global variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// As in the source.
    pub name: String,
    /// Index of its region in [`Program::regions`].
    pub region: usize,
    /// Of its first byte in that region.
    pub offset: usize,
    /// Bytes: 1, 2, 4 or 8.
    pub size: usize,
    /// Whether it can be negative.
    pub signed: bool,
    /// True for a `_Bool`, which holds true or false.
    pub boolean: bool,
    /// Its value in the object, sign-extended; of an unsigned one of 8 bytes the same bits.
    pub initial: i64,
}

impl MapSpec {
    /// Its kind in words: the end of the kernel's name for it, `hash` of `BPF_MAP_TYPE_HASH`; of
    /// those that no program here can have, the number.
    pub fn kind_name(&self) -> String {
        const KINDS: [(u32, &str); 8] = [
            (1, "hash"),
            (2, "array"),
            (5, "percpu_hash"),
            (6, "percpu_array"),
            (9, "lru_hash"),
            (10, "lru_percpu_hash"),
            (24, "sk_storage"),
            (27, "ringbuf"),
        ];
        KINDS
            .iter()
            .find(|(kind, _)| *kind == self.kind)
            .map_or_else(|| format!("kind {}", self.kind), |(_, name)| (*name).to_owned())
    }
}

impl Variable {
    /// Its type as sources write it: `__u32`, `_Bool`.
    pub fn kind(&self) -> String {
        if self.boolean {
            return "_Bool".to_owned();
        }
        format!("__{}{}", if self.signed { 's' } else { 'u' }, 8 * self.size)
    }

    /// Its value in the object.
    pub fn text(&self) -> String {
        if self.boolean {
            return (self.initial != 0).to_string();
        }
        if self.signed { self.initial.to_string() } else { (self.initial as u64).to_string() }
    }
}

/// The table of callbacks in the object, which libbpf makes a map of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ops {
    /// The variable, by which the map is called.
    pub variable: String,
    /// Where the controller's name begins in it, in bytes.
    pub name_at: usize,
}

/// An object that is linked and relocated.
///
/// In `code` a load of a 64-bit immediate has the address that the machine shall see (see
/// [`address`]), and the source 0. A call of a function has the source 1 and the distance from the
/// next instruction; of a kfunc the source 2 and the index in `kfuncs`; of a helper the source 0
/// and the helper's number.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// All functions, one behind another.
    pub code: Vec<Instruction>,
    /// Sorted by start.
    pub functions: Vec<Function>,
    /// The index of the first instruction of each callback, by the member of `struct
    /// tcp_congestion_ops`.
    pub callbacks: BTreeMap<String, usize>,
    /// The functions of members of its table that the simulator does not know; a newer kernel may
    /// have them.
    pub unknown_callbacks: Vec<String>,
    /// Name of the controller, from the table.
    pub name: String,
    /// The table.
    pub ops: Ops,
    /// `TCP_CONG_*`, from the table.
    pub flags: u32,
    /// The content of the section `license`.
    pub license: String,
    /// Sections of data.
    pub regions: Vec<Region>,
    /// Those that the program names.
    pub maps: Vec<MapSpec>,
    /// Names of the functions of the kernel that the program calls.
    pub kfuncs: Vec<String>,
    /// Where instructions come from.
    pub lines: Lines,
    /// Sorted by instruction.
    pub poison: Vec<Poisoned>,
    /// Instructions whose constant says whether something exists that the program asks for.
    pub questions: BTreeSet<usize>,
    /// Its mentions of the kernel's structures, sorted by instruction.
    pub mentions: Vec<Mention>,
    /// Its unmet requirements, each with a remedy: it [cannot be
    /// taken](crate::problems) then.
    pub unmet: Vec<Problem>,
    /// Sorted by name.
    pub variables: Vec<Variable>,
    /// The object's types: what a structure in the private area of a connection has.
    pub types: Types,
    /// Hints for the user: parts of the object that are not used, and parts that may behave
    /// otherwise than it seems.
    pub notes: Vec<String>,
}

impl Program {
    /// The function that an instruction belongs to.
    pub fn function_at(&self, instruction: usize) -> Option<&Function> {
        let after = self.functions.partition_point(|function| function.start <= instruction);
        self.functions
            .get(after.checked_sub(1)?)
            .filter(|function| instruction - function.start < function.length)
    }

    /// The address or number that the load of a 64-bit immediate at this index loads.
    pub fn immediate_at(&self, instruction: usize) -> u64 {
        let high = self.code.get(instruction + 1).map_or(0, |second| second.imm as u32 as u64);
        high << 32 | self.code[instruction].imm as u32 as u64
    }

    /// Which missing thing an instruction reads, if it is poisoned.
    pub fn poison_at(&self, instruction: usize) -> Option<&str> {
        let found =
            self.poison.binary_search_by_key(&instruction, |poisoned| poisoned.instruction).ok()?;
        Some(&self.poison[found].what)
    }
}
