//! Which instructions can be reached, as if nothing were missing. Constants are followed, so that
//! what stands behind a question which is answered with no, or a version that is another, is not.

use crate::flow::{Flow, flow};
use crate::program::{Instruction, Program, address};
use std::collections::BTreeMap;

/// How an instruction can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    Never,
    /// Only past a branch on whether something exists, of which the answer is not clear here.
    Guarded,
    /// By what happens alone.
    Plain,
}

/// Knowledge about a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Value {
    constant: Option<u64>,
    /// Whether it depends on whether something exists.
    asked: bool,
}

/// Knowledge before an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    registers: [Value; 11],
    /// Whether something that was asked lies on the stack.
    stored: bool,
    reach: Reach,
}

impl State {
    /// At the beginning of a function.
    fn fresh(reach: Reach) -> State {
        State { registers: [Value::default(); 11], stored: false, reach }
    }

    /// Takes what holds in another as well. Whether that changed anything.
    fn join(&mut self, other: &State) -> bool {
        let before = *self;
        for (mine, theirs) in self.registers.iter_mut().zip(&other.registers) {
            mine.constant = mine.constant.filter(|constant| theirs.constant == Some(*constant));
            mine.asked |= theirs.asked;
        }
        self.stored |= other.stored;
        self.reach = self.reach.max(other.reach);
        *self != before
    }
}

struct Walk<'a> {
    program: &'a Program,
    /// Where paths may meet.
    states: BTreeMap<usize, State>,
    open: Vec<usize>,
    reached: Vec<Reach>,
    /// Whether each function, by its first instruction, asks if something exists.
    asking: BTreeMap<usize, bool>,
}

/// How each instruction can be reached from some. The shape of the program must have been found
/// right.
pub(super) fn walk(program: &Program, entries: impl Iterator<Item = usize>) -> Vec<Reach> {
    let asks = |start: usize, length: usize| {
        program.questions.range(start..start + length).next().is_some()
    };
    let asking = program
        .functions
        .iter()
        .map(|function| (function.start, asks(function.start, function.length)))
        .collect();
    let reached = vec![Reach::Never; program.code.len()];
    let mut walk = Walk { program, states: BTreeMap::new(), open: Vec::new(), reached, asking };
    for entry in entries {
        walk.meet(entry, State::fresh(Reach::Plain));
    }
    while let Some(at) = walk.open.pop() {
        let state = walk.states[&at];
        walk.follow(at, state);
    }
    walk.reached
}

impl Walk<'_> {
    fn meet(&mut self, at: usize, state: State) {
        let changed = match self.states.get_mut(&at) {
            Some(known) => known.join(&state),
            None => {
                self.states.insert(at, state);
                true
            }
        };
        if changed {
            self.open.push(at);
        }
    }

    /// From an instruction to where paths may meet.
    fn follow(&mut self, mut at: usize, mut state: State) {
        let program = self.program;
        loop {
            let Some(instruction) = program.code.get(at) else { return };
            self.reached[at] = self.reached[at].max(state.reach);
            let target = |distance: i64| (at as i64 + distance) as usize;
            match flow(instruction) {
                Flow::End => return,
                Flow::Jump(distance) => return self.meet(target(distance), state),
                Flow::Branch(distance) => {
                    let (taken, asked) = branches(instruction, &state);
                    if asked && taken.is_none() {
                        state.reach = state.reach.min(Reach::Guarded);
                    }
                    if taken != Some(false) {
                        self.meet(target(distance), state);
                    }
                    if taken != Some(true) {
                        self.meet(at + 1, state);
                    }
                    return;
                }
                Flow::Next(slots) => {
                    self.step(at, instruction, &mut state);
                    at += slots;
                }
            }
        }
    }

    fn step(&mut self, at: usize, instruction: &Instruction, state: &mut State) {
        let Instruction { code, dst, src, off, imm } = *instruction;
        let dst = dst as usize;
        let source = state.registers.get(src as usize).copied().unwrap_or_default();
        let asks = self.program.questions.contains(&at);
        match code & 7 {
            _ if code == Instruction::LOAD_IMMEDIATE => {
                let value = self.program.immediate_at(at);
                let function = (value & address::FUNCTION != 0)
                    .then_some((value & !address::FUNCTION) as usize);
                if let Some(function) =
                    function.filter(|function| self.asking.contains_key(function))
                {
                    self.meet(function, State::fresh(state.reach));
                }
                state.registers[dst] = Value { constant: Some(value), asked: asks };
            }
            _ if code == Instruction::CALL => {
                let mut result = Value::default();
                if src == 1 {
                    let function = (at as i64 + 1 + imm as i64) as usize;
                    let mut inside = State::fresh(state.reach);
                    inside.registers[1..6].copy_from_slice(&state.registers[1..6]);
                    result.asked = self.asking.get(&function).copied().unwrap_or_default();
                    self.meet(function, inside);
                }
                state.registers[..6].fill(Value::default());
                state.registers[0] = result;
            }
            // A load.
            1 => {
                state.registers[dst] = if src == 10 {
                    Value { constant: None, asked: state.stored }
                } else {
                    self.configured(code, &source, off)
                };
            }
            // A store of a register.
            3 => state.stored |= source.asked,
            4 | 7 => {
                let operand = if code & 8 != 0 {
                    source
                } else {
                    Value { constant: Some(imm as i64 as u64), asked: asks }
                };
                state.registers[dst] = arithmetic(code, off, state.registers[dst], operand);
            }
            _ => {}
        }
    }

    /// The value that a load reads of the kernel's configuration, which never changes.
    fn configured(&self, code: u8, base: &Value, off: i16) -> Value {
        let read = || {
            let place = base.constant?.checked_add_signed(off as i64)?;
            let region = self
                .program
                .regions
                .get(usize::try_from((place >> 32).checked_sub(address::DATA)?).ok()?)?;
            let width = [4, 2, 1, 8][(code >> 3 & 3) as usize];
            let bytes = region
                .bytes
                .get(place as u32 as usize..)?
                .get(..width)
                .filter(|_| region.name == ".kconfig")?;
            Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | *byte as u64))
        };
        let constant = read();
        Value { constant, asked: constant.is_some() }
    }
}

fn arithmetic(code: u8, off: i16, a: Value, b: Value) -> Value {
    let narrow = code & 7 == 4;
    let asked = a.asked | b.asked;
    let cut = |value: u64| if narrow { value as u32 as u64 } else { value };
    let shift = |by: u64| (by & if narrow { 31 } else { 63 }) as u32;
    let both = |compute: fn(u64, u64) -> u64| Some(compute(a.constant?, b.constant?));
    let zero = a.constant.map(cut) == Some(0) || b.constant.map(cut) == Some(0);
    let constant = match code & 0xf0 {
        0xb0 if off == 0 => return Value { constant: b.constant.map(cut), asked: b.asked },
        0x00 => both(u64::wrapping_add),
        0x10 => both(u64::wrapping_sub),
        0x20 | 0x50 if zero => Some(0),
        0x20 => both(u64::wrapping_mul),
        0x40 => both(|a, b| a | b),
        0x50 => both(|a, b| a & b),
        0xa0 => both(|a, b| a ^ b),
        0x60 => a.constant.zip(b.constant).map(|(a, b)| cut(a) << shift(b)),
        0x70 => a.constant.zip(b.constant).map(|(a, b)| cut(a) >> shift(b)),
        0xc0 if narrow => a.constant.zip(b.constant).map(|(a, b)| (a as i32 >> shift(b)) as u64),
        0xc0 => a.constant.zip(b.constant).map(|(a, b)| (a as i64 >> shift(b)) as u64),
        _ => None,
    };
    Value { constant: constant.map(cut), asked }
}

/// Whether a branch is taken, if that is known, and whether it depends on whether something exists.
fn branches(instruction: &Instruction, state: &State) -> (Option<bool>, bool) {
    let Instruction { code, dst, src, imm, .. } = *instruction;
    let a = state.registers[dst as usize];
    let b = if code & 8 != 0 {
        state.registers[src as usize]
    } else {
        Value { constant: Some(imm as i64 as u64), asked: false }
    };
    let taken = a.constant.zip(b.constant).and_then(|(a, b)| {
        let (a, b) =
            if code & 7 == 6 { (a as i32 as i64 as u64, b as i32 as i64 as u64) } else { (a, b) };
        let (below, signed_below) = if code & 7 == 6 {
            ((a as u32) < b as u32, (a as i32) < b as i32)
        } else {
            (a < b, (a as i64) < b as i64)
        };
        Some(match code & 0xf0 {
            0x10 => a == b,
            0x20 => !below && a != b,
            0x30 => !below,
            0x40 => a & b & if code & 7 == 6 { u32::MAX as u64 } else { u64::MAX } != 0,
            0x50 => a != b,
            0x60 => !signed_below && a != b,
            0x70 => !signed_below,
            0xa0 => below,
            0xb0 => below || a == b,
            0xc0 => signed_below,
            0xd0 => signed_below || a == b,
            _ => return None,
        })
    });
    (taken, a.asked | b.asked)
}
