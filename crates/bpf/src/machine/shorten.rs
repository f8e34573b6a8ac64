//! Fewer operations with the same result. Compilers for BPF copy a value before they compute with
//! it, since an instruction writes its first operand, and put constants and addresses of fields
//! into registers; here an operation names its operands apart from its result, so that most of
//! those moves are not needed.
//!
//! Loads, stores, calls and jumps stay, in their order: what a program may touch, and for how long,
//! is judged as of its instructions. One load needs no judging: the load of a callback's first
//! argument, the socket's address.

use super::operation::{Operation, OperationKind, REGISTERS, Register, atomic};
use crate::program::address;

/// Where else the value of a register is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    /// In this register, [`Register::ZERO`] for a constant,
    base: Register,
    /// with this added.
    more: u64,
    /// Only the lowest 32 bits of that, all others zero.
    low: bool,
}

/// The values of all registers on the way to an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Known([Value; REGISTERS]);

/// Which registers, one bit for each.
type Set = u16;

/// Registers 1 to 5, the arguments of calls.
const ARGUMENTS: Set = 0b11_1110;

/// The shape of an operation: the registers that it reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Arithmetic of the first operand and a second one, on 64 bits or the lowest 32.
    Arithmetic {
        wide: bool,
        from_register: bool,
    },
    /// Of the first operand alone.
    Change,
    /// Of the second operand alone.
    Move,
    Constant,
    Load,
    StoreConstant,
    Store,
    Atomic,
    /// Compares the first operand with a second one.
    Branch {
        wide: bool,
        from_register: bool,
    },
    Jump,
    Call,
    End,
    Nothing,
}

fn role(kind: OperationKind) -> Role {
    use OperationKind::*;
    match kind {
        Mov64Imm | Mov32Imm => Role::Constant,
        Mov64Reg | Mov32Reg | MovSigned8To64 | MovSigned16To64 | MovSigned32To64
        | MovSigned8To32 | MovSigned16To32 => Role::Move,
        Neg64 | Neg32 | Swap16 | Swap32 | Swap64 | Low16 | Low32 => Role::Change,
        SignedDiv64Imm | SignedMod64Imm => Role::Arithmetic { wide: true, from_register: false },
        SignedDiv64Reg | SignedMod64Reg => Role::Arithmetic { wide: true, from_register: true },
        SignedDiv32Imm | SignedMod32Imm => Role::Arithmetic { wide: false, from_register: false },
        SignedDiv32Reg | SignedMod32Reg => Role::Arithmetic { wide: false, from_register: true },
        Jump => Role::Jump,
        Atomic32 | Atomic64 => Role::Atomic,
        CallFunction | CallKernel => Role::Call,
        Socket8 | Socket16 | Socket32 | Socket64 => Role::Load,
        Exit | Poison => Role::End,
        Nothing => Role::Nothing,
        _ => {
            let code = kind.code().unwrap_or_default();
            let wide = matches!(code & 7, 5 | 7);
            let from_register = code & 8 != 0;
            match code & 7 {
                1 => Role::Load,
                2 => Role::StoreConstant,
                3 => Role::Store,
                5 | 6 => Role::Branch { wide, from_register },
                _ => Role::Arithmetic { wide, from_register },
            }
        }
    }
}

/// The kind with a constant as second operand, if there is such a kind.
fn with_constant(kind: OperationKind) -> Option<OperationKind> {
    OperationKind::of(kind.code()? & !8)
}

/// The content of registers at a function's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A callback of the kernel's: where its arguments are, the first of which is the socket.
    Arguments,
    /// Anything.
    Any,
}

/// Takes the operations of one function to fewer with the same result: others become
/// [`OperationKind::Nothing`]. The first stays where it is.
pub fn shorten(operations: &mut [Operation], entry: Entry) {
    substitute(operations, entry);
    drop_unread(operations);
}

/// Where a jump of the operation leads, if it is one.
fn target(at: usize, operation: &Operation) -> Option<usize> {
    operation.kind.jumps().then(|| (at + 1).wrapping_add_signed(operation.off as isize))
}

/// Operations take their operands from where they were first, and constants as such.
fn substitute(operations: &mut [Operation], entry: Entry) {
    let given = if entry == Entry::Arguments { bit(Register::R1) } else { 0 };
    let written = written_once_at_most(operations, given);
    let mut known = Known::nothing();
    if entry == Entry::Arguments {
        known.0[Register::R1 as usize] = Value::constant(address::of(address::ARGUMENTS, 0));
    }
    let mut ways = Ways::of(operations);
    // Constants that hold from the first jump on until the function's end, however an operation is
    // reached.
    let mut lasting = None;
    let mut falls_in = true;
    for (at, operation) in operations.iter_mut().enumerate() {
        let jump = target(at, operation);
        if jump.is_some() || ways.to[at] != Way::None {
            lasting.get_or_insert_with(|| known.constants(written));
        }
        known = match (&ways.to[at], falls_in) {
            (Way::None, true) => known,
            (Way::Ahead(from), true) => known.also(from),
            (Way::Ahead(from), false) => **from,
            (Way::Back, _) | (Way::None, false) => lasting.unwrap_or(Known::nothing()),
        };
        known.follow(operation);
        if let Some(target) = jump {
            ways.add(at, target, &known);
        }
        falls_in = !matches!(role(operation.kind), Role::Jump | Role::End);
    }
}

/// How an operation is reached by jumps.
#[derive(Clone, PartialEq, Eq)]
enum Way {
    /// By none so far.
    None,
    /// Only by some that stand before it: what is known after each of those that were followed.
    Ahead(Box<Known>),
    /// By one that stands behind it, too.
    Back,
}

/// The ways to all operations of a function.
struct Ways {
    to: Vec<Way>,
}

impl Ways {
    fn of(operations: &[Operation]) -> Ways {
        let mut to = vec![Way::None; operations.len()];
        for (at, operation) in operations.iter().enumerate() {
            if let Some(target) = target(at, operation).filter(|target| *target <= at) {
                to[target] = Way::Back;
            }
        }
        Ways { to }
    }

    /// The jump `at` leads to `target`, and this is known when it does.
    fn add(&mut self, at: usize, target: usize, known: &Known) {
        if target <= at {
            return;
        }
        match &mut self.to[target] {
            none @ Way::None => *none = Way::Ahead(Box::new(*known)),
            Way::Ahead(before) => **before = before.also(known),
            Way::Back => {}
        }
    }
}

/// Registers that at most one operation writes, or none where they were `given` something before.
fn written_once_at_most(operations: &[Operation], given: Set) -> Set {
    let mut once = given;
    let mut again = 0;
    for operation in operations {
        let writes = may_write(operation);
        again |= once & writes;
        once |= writes;
    }
    !again
}

impl Known {
    fn nothing() -> Known {
        Known(Register::ALL.map(Value::of))
    }

    /// Those of these registers that hold constants, and nothing of the others.
    fn constants(&self, of: Set) -> Known {
        let constant = |register: Register| {
            of & bit(register) != 0 && self.get(register).base == Register::ZERO
        };
        Known(Register::ALL.map(|register| {
            if constant(register) { self.get(register) } else { Value::of(register) }
        }))
    }

    /// That which both know.
    fn also(&self, other: &Known) -> Known {
        Known(Register::ALL.map(|register| {
            if self.get(register) == other.get(register) {
                self.get(register)
            } else {
                Value::of(register)
            }
        }))
    }

    fn get(&self, register: Register) -> Value {
        self.0[register as usize]
    }

    /// A register is written, with a value that is known to be found elsewhere, too, or another.
    fn write(&mut self, register: Register, value: Option<Value>) {
        for other in Register::ALL {
            if self.get(other).base == register {
                self.0[other as usize] = Value::of(other);
            }
        }
        let value = value.filter(|value| value.base != register).unwrap_or(Value::of(register));
        self.0[register as usize] = value;
    }

    /// The register that an operand may be taken from, of which 64 or the lowest 32 bits count.
    fn source(&self, register: Register, wide: bool) -> Register {
        let Value { base, more, low } = self.get(register);
        if more == 0 && !(low && wide) && base != Register::ZERO { base } else { register }
    }

    /// An address is formed of an earlier one.
    fn address(&self, operation: &mut Operation) {
        let Value { base, more, low } = self.get(operation.left);
        if !low {
            (operation.left, operation.imm) = (base, operation.imm.wrapping_add(more));
        }
    }

    /// A load of the first argument becomes the constant that is loaded, one from the socket a kind
    /// of its own.
    fn load_shown(&self, operation: &mut Operation) -> Option<Value> {
        if operation.left != Register::ZERO {
            return None;
        }
        if (operation.kind, operation.imm)
            == (OperationKind::Load64, address::of(address::ARGUMENTS, 0))
        {
            (operation.kind, operation.imm) =
                (OperationKind::Mov64Imm, address::of(address::SOCKET, 0));
            return Some(Value::constant(operation.imm));
        }
        let kind = match operation.kind {
            OperationKind::Load8 => OperationKind::Socket8,
            OperationKind::Load16 => OperationKind::Socket16,
            OperationKind::Load32 => OperationKind::Socket32,
            OperationKind::Load64 => OperationKind::Socket64,
            other => other,
        };
        if operation.imm >> 32 == address::SOCKET {
            operation.kind = kind;
        }
        None
    }

    fn follow(&mut self, operation: &mut Operation) {
        match role(operation.kind) {
            Role::Constant => {
                let constant = if operation.kind == OperationKind::Mov32Imm {
                    operation.imm as u32 as u64
                } else {
                    operation.imm
                };
                self.write(operation.dst, Some(Value::constant(constant)));
            }
            Role::Move => {
                let value = match operation.kind {
                    OperationKind::Mov64Reg => Some(self.get(operation.src)),
                    OperationKind::Mov32Reg => self.get(operation.src).lowest(),
                    _ => None,
                };
                operation.src =
                    self.source(operation.src, operation.kind != OperationKind::Mov32Reg);
                self.write(operation.dst, value);
            }
            Role::Change => {
                operation.left = self.source(operation.left, true);
                self.write(operation.dst, None);
            }
            Role::Arithmetic { wide, from_register } => {
                if from_register {
                    self.second(operation, wide);
                }
                let before = self.get(operation.left);
                let more = match operation.kind {
                    OperationKind::Add64Imm if !before.low => Some(operation.imm),
                    OperationKind::Sub64Imm if !before.low => Some(operation.imm.wrapping_neg()),
                    _ => None,
                };
                let Some(more) = more else {
                    operation.left = self.source(operation.left, wide);
                    return self.write(operation.dst, None);
                };
                let value = Value { more: before.more.wrapping_add(more), ..before };
                (operation.kind, operation.left, operation.imm) =
                    (OperationKind::Add64Imm, value.base, value.more);
                self.write(operation.dst, Some(value));
            }
            Role::Load => {
                self.address(operation);
                let value = self.load_shown(operation);
                self.write(operation.dst, value);
            }
            Role::Store => {
                self.address(operation);
                // Of all bits as many as are stored count.
                operation.src =
                    self.source(operation.src, operation.kind == OperationKind::Store64Reg);
            }
            Role::Branch { wide, from_register } => {
                if from_register {
                    self.second(operation, wide);
                }
                operation.left = self.source(operation.left, wide);
            }
            Role::Atomic => {
                if operation.imm as i32 & atomic::FETCH != 0 {
                    self.write(operation.src, None);
                    self.write(Register::R0, None);
                }
            }
            Role::Call => self.write(Register::R0, None),
            Role::StoreConstant | Role::Jump | Role::End | Role::Nothing => {}
        }
    }

    /// The second operand of arithmetic or a comparison.
    fn second(&self, operation: &mut Operation, wide: bool) {
        let value = self.get(operation.src);
        match with_constant(operation.kind).filter(|_| value.base == Register::ZERO) {
            Some(kind) => (operation.kind, operation.imm) = (kind, value.more),
            None => operation.src = self.source(operation.src, wide),
        }
    }
}

impl Value {
    /// That of a register of which nothing is known.
    fn of(register: Register) -> Value {
        Value { base: register, more: 0, low: false }
    }

    fn constant(more: u64) -> Value {
        Value { base: Register::ZERO, more, low: false }
    }

    /// Its lowest 32 bits.
    fn lowest(self) -> Option<Value> {
        match self {
            Value { base: Register::ZERO, more, .. } => {
                Some(Value { more: more as u32 as u64, ..self })
            }
            Value { more: 0, .. } => Some(Value { low: true, ..self }),
            _ => None,
        }
    }
}

fn bit(register: Register) -> Set {
    1 << register as u8
}

fn reads(operation: &Operation) -> Set {
    let left = bit(operation.left);
    let src = bit(operation.src);
    match role(operation.kind) {
        Role::Arithmetic { from_register: true, .. }
        | Role::Branch { from_register: true, .. }
        | Role::Store => left | src,
        Role::Arithmetic { .. }
        | Role::Branch { .. }
        | Role::Change
        | Role::Load
        | Role::StoreConstant => left,
        Role::Move => src,
        Role::Atomic => left | src | bit(Register::R0),
        Role::Call => ARGUMENTS,
        Role::End => bit(Register::R0),
        Role::Constant | Role::Jump | Role::Nothing => 0,
    }
}

/// Registers that are certainly written.
fn writes(operation: &Operation) -> Set {
    match role(operation.kind) {
        Role::Arithmetic { .. } | Role::Change | Role::Move | Role::Constant | Role::Load => {
            bit(operation.dst)
        }
        Role::Call => bit(Register::R0),
        _ => 0,
    }
}

/// Registers that may be written.
fn may_write(operation: &Operation) -> Set {
    match role(operation.kind) {
        Role::Atomic => bit(operation.src) | bit(Register::R0),
        _ => writes(operation),
    }
}

/// Operations whose result nothing reads become none, but for the first.
fn drop_unread(operations: &mut [Operation]) {
    let mut jumps_to = vec![Vec::new(); operations.len()];
    for (at, operation) in operations.iter().enumerate() {
        if let Some(target) = target(at, operation) {
            jumps_to[target].push(at as u32);
        }
    }
    let mut read_from = vec![0; operations.len() + 1];
    // Those behind which something may have changed: the last first.
    let mut waiting: Vec<u32> = (0..operations.len() as u32).collect();
    while let Some(at) = waiting.pop() {
        let at = at as usize;
        let before = read_behind(at, &operations[at], &read_from) & !writes(&operations[at])
            | reads(&operations[at]);
        if before != read_from[at] {
            read_from[at] = before;
            waiting.extend(
                at.checked_sub(1)
                    .map(|at| at as u32)
                    .into_iter()
                    .chain(jumps_to[at].iter().copied()),
            );
        }
    }
    for (at, operation) in operations.iter_mut().enumerate().skip(1) {
        let computes = matches!(
            role(operation.kind),
            Role::Arithmetic { .. } | Role::Change | Role::Move | Role::Constant
        );
        if computes && read_behind(at, operation, &read_from) & bit(operation.dst) == 0 {
            *operation = Operation::NOTHING;
        }
    }
}

/// The registers that are read after an operation before they are written.
fn read_behind(at: usize, operation: &Operation, read_from: &[Set]) -> Set {
    let there = target(at, operation).map_or(0, |target| read_from[target]);
    match role(operation.kind) {
        Role::Jump => there,
        Role::End => 0,
        _ => there | read_from[at + 1],
    }
}
