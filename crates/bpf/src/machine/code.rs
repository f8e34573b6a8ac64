//! A program made ready for the machine.

use super::decode::{Decoded, decode};
use super::operation::Operation;
use super::refusal::{Refusal, Unfit};
use crate::functions::{Service, map_fits};
use crate::program::{Function, Program, address};
use crate::stack::{BYTES, FRAMES, called, frame};
use std::sync::Arc;

/// A function as the machine calls it.
#[derive(Clone, Copy, Debug)]
pub struct Routine {
    /// The index of its first operation.
    pub start: usize,
    /// Bytes of its frame.
    pub frame: u32,
}

/// A callback that a program has, or another function of it that is called from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callback(usize);

/// A program that the machine can execute. All connections share it.
#[derive(Debug)]
pub struct Code {
    program: Arc<Program>,
    decoded: Decoded,
    routines: Vec<Routine>,
    /// Callbacks by name, then all functions by theirs, and the functions they are.
    entries: Vec<(String, usize)>,
    stack: u32,
}

impl Code {
    /// Checks all that can be checked without running it.
    pub fn new(program: Arc<Program>) -> Result<Code, Box<Refusal>> {
        let decoded = decode(&program).map_err(|(at, unfit)| refusal(&program, at, unfit))?;
        for map in &program.maps {
            map_fits(map).map_err(|why| refusal(&program, 0, Unfit::Map { name: map.name.clone(), why }))?;
        }
        let mut entries = Vec::new();
        for (name, start) in &program.callbacks {
            let function = program.functions.iter().position(|function| function.start == *start && function.length > 0);
            let outside = || refusal(&program, *start, Unfit::Callback { callback: name.clone(), target: *start });
            entries.push((name.clone(), function.ok_or_else(outside)?));
        }
        entries.extend(program.functions.iter().enumerate().map(|(index, function)| (function.name.clone(), index)));
        let frame = |function: &Function| Routine { start: function.start, frame: frame(&program, function) as u32 };
        let routines = program.functions.iter().map(frame).collect();
        let mut code = Code { program, decoded, routines, entries, stack: 0 };
        let mut known = vec![None; code.routines.len()];
        let needed = (0..code.routines.len()).map(|function| code.deepest(function, FRAMES, &mut known).unwrap_or(BYTES as u32));
        code.stack = needed.max().unwrap_or(0).min(BYTES as u32);
        Ok(code)
    }

    /// Bytes of stack from a function down. `None` where functions call each other in circles or too deep, which is found when they do. `known` holds what was
    /// found, and `Some(None)` for those on the way.
    fn deepest(&self, function: usize, deep: usize, known: &mut Vec<Option<Option<u32>>>) -> Option<u32> {
        if let Some(known) = known[function] {
            return known;
        }
        known[function] = Some(None);
        let mut below = 0;
        for start in called(&self.program, &self.program.functions[function]) {
            let called = self.routines.iter().position(|routine| routine.start == start)?;
            below = below.max(self.deepest(called, deep.checked_sub(1)?, known)?);
        }
        let frame = self.routines[function].frame;
        known[function] = Some(Some(frame.saturating_add(below)));
        known[function]?
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The callback of that name, if the program has it, or else its function of that name.
    pub fn callback(&self, name: &str) -> Option<Callback> {
        self.entries.iter().position(|(known, _)| known == name).map(Callback)
    }

    /// The name of a callback.
    pub fn name(&self, callback: Callback) -> &str {
        &self.entries[callback.0].0
    }

    /// The function that a callback is.
    pub fn function(&self, callback: Callback) -> usize {
        self.entries[callback.0].1
    }

    /// The function that an address of a function means.
    pub fn function_of(&self, value: u64) -> Option<usize> {
        let start = value.checked_sub(address::FUNCTION)?;
        self.routines.iter().position(|routine| routine.start as u64 == start)
    }

    /// Bytes of stack that every connection needs.
    pub fn stack(&self) -> u32 {
        self.stack
    }

    /// All operations.
    pub fn operations(&self) -> &[Operation] {
        &self.decoded.operations
    }

    /// A constant of 64 bits.
    pub fn constant(&self, index: i32) -> u64 {
        self.decoded.constants[index as usize]
    }

    /// A function of the program.
    pub fn routine(&self, index: usize) -> Routine {
        self.routines[index]
    }

    /// A function of the kernel, and its name.
    pub fn service(&self, index: i32) -> (Service, &'static str) {
        self.decoded.services[index as usize]
    }
}

fn refusal(program: &Program, at: usize, reason: Unfit) -> Box<Refusal> {
    let function = program.function_at(at).map_or(String::new(), |function| function.name.clone());
    Box::new(Refusal { function, instruction: at, line: program.lines.at(at), reason })
}
