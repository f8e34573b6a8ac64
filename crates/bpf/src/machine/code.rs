//! A program made ready for the machine.

use super::decode::decode;
use super::operation::{Operation, OperationKind};
use super::refusal::{Refusal, Unfit};
use super::shorten::{Entry, shorten};
use crate::functions::{Service, map_fits};
use crate::program::{Function, Instruction, Mention, Program, Use, address};
use crate::socket;
use crate::stack::{BYTES, FRAMES, called, frame};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A function as the machine calls it.
#[derive(Clone, Copy, Debug)]
pub struct Routine {
    /// The index of its first operation.
    pub start: usize,
    /// Bytes of its frame.
    pub frame: u32,
    /// Whether the program calls it or names its address.
    inner: bool,
}

/// A callback that a program has, or another function of it that is called from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callback(usize);

/// A program that the machine can execute. All connections share it.
#[derive(Debug)]
pub struct Code {
    program: Arc<Program>,
    /// All functions, one behind another.
    operations: Vec<Operation>,
    /// The index of each operation's instruction.
    origins: Vec<u32>,
    /// The functions of the kernel that are called, and their names.
    services: Vec<(Service, &'static str)>,
    routines: Vec<Routine>,
    /// Callbacks by name, then all functions by theirs, and the functions they are.
    entries: Vec<(String, usize)>,
    stack: u32,
    details: bool,
}

impl Code {
    /// Checks all that can be checked without running it.
    pub fn new(program: Arc<Program>) -> Result<Code, Box<Refusal>> {
        Code::made(program, shorten)
    }

    /// The same with an operation for each instruction, as it stands: slower, and to be compared
    /// with.
    pub fn literal(program: Arc<Program>) -> Result<Code, Box<Refusal>> {
        Code::made(program, |_, _| ())
    }

    fn made(
        program: Arc<Program>,
        shorten: fn(&mut [Operation], Entry),
    ) -> Result<Code, Box<Refusal>> {
        let mut decoded = decode(&program).map_err(|(at, unfit)| refusal(&program, at, unfit))?;
        let inner: BTreeSet<usize> =
            program.functions.iter().flat_map(|function| called(&program, function)).collect();
        let shown = shown_the_socket(&program, &inner);
        for function in &program.functions {
            let entry = if shown.contains(&function.start) { Entry::Arguments } else { Entry::Any };
            shorten(
                &mut decoded.operations[function.start..function.start + function.length],
                entry,
            );
        }
        let Packed { operations, origins, places } = Packed::of(decoded.operations);
        for map in &program.maps {
            map_fits(map)
                .map_err(|why| refusal(&program, 0, Unfit::Map { name: map.name.clone(), why }))?;
        }
        let mut entries = Vec::new();
        for (name, start) in &program.callbacks {
            let function = program
                .functions
                .iter()
                .position(|function| function.start == *start && function.length > 0);
            let outside = || {
                refusal(
                    &program,
                    *start,
                    Unfit::Callback { callback: name.clone(), target: *start },
                )
            };
            entries.push((name.clone(), function.ok_or_else(outside)?));
        }
        entries.extend(
            program
                .functions
                .iter()
                .enumerate()
                .map(|(index, function)| (function.name.clone(), index)),
        );
        let routine = |function: &Function| Routine {
            start: places[function.start] as usize,
            frame: frame(&program, function) as u32,
            inner: inner.contains(&function.start),
        };
        let routines = program.functions.iter().map(routine).collect();
        let services = decoded.services;
        let details = looks_at_details(&program, &services);
        let mut code =
            Code { program, operations, origins, services, routines, entries, stack: 0, details };
        let mut known = vec![None; code.routines.len()];
        let needed = (0..code.routines.len())
            .map(|function| code.deepest(function, FRAMES, &mut known).unwrap_or(BYTES as u32));
        code.stack = needed.max().unwrap_or(0).min(BYTES as u32);
        Ok(code)
    }

    /// Bytes of stack from a function down. `None` where functions call each other in circles or
    /// too deep, which is found when they do. `known` holds what was found, and `Some(None)` for
    /// those on the way.
    fn deepest(
        &self,
        function: usize,
        deep: usize,
        known: &mut Vec<Option<Option<u32>>>,
    ) -> Option<u32> {
        if let Some(known) = known[function] {
            return known;
        }
        known[function] = Some(None);
        let mut below = 0;
        for start in called(&self.program, &self.program.functions[function]) {
            let called =
                self.program.functions.iter().position(|function| function.start == start)?;
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

    /// The function that an address of a function means, if the program names that address: one
    /// that it has computed is no function, as in the kernel.
    pub fn function_of(&self, value: u64) -> Option<usize> {
        let start = value.checked_sub(address::FUNCTION)?;
        let place =
            self.program.functions.iter().position(|function| function.start as u64 == start)?;
        self.routines[place].inner.then_some(place)
    }

    /// Bytes of stack that every connection needs.
    pub fn stack(&self) -> u32 {
        self.stack
    }

    /// Whether it may look at members of the socket that are kept only for programs that name them.
    pub fn looks_at_details(&self) -> bool {
        self.details
    }

    /// All operations.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The instruction of an operation, by their indices.
    pub fn origin(&self, operation: usize) -> usize {
        self.origins[operation] as usize
    }

    /// A function of the program.
    pub fn routine(&self, index: usize) -> Routine {
        self.routines[index]
    }

    /// A function of the kernel, and its name.
    pub fn service(&self, index: u64) -> (Service, &'static str) {
        self.services[index as usize]
    }
}

/// Most programs name what they read of the socket, by relocations. One that names nothing, or that
/// reads where such a member lies without naming it, knows our layout.
fn looks_at_details(program: &Program, services: &[(Service, &str)]) -> bool {
    const ROOTS: [&str; 5] =
        ["tcp_sock", "inet_connection_sock", "inet_sock", "sock", "sock_common"];
    let of_socket =
        |mention: &Mention| ROOTS.contains(&mention.what.split('.').next().unwrap_or_default());
    let mut named =
        program.mentions.iter().filter(|mention| mention.how != Use::Asks && of_socket(mention));
    let unnamed = |(at, instruction): (usize, &Instruction)| {
        let found = program.mentions.binary_search_by_key(&at, |mention| mention.instruction);
        found.is_err()
            && instruction.reaches().is_some_and(|(offset, size)| socket::has_detail(offset, size))
    };
    program.mentions.iter().any(|mention| socket::is_detail(&mention.what))
        || named.next().is_none()
        || program.code.iter().enumerate().any(unnamed)
        || services.iter().any(|(service, _)| service.reads_details())
}

/// Where the callbacks begin that only the kernel calls, with the socket as first argument.
fn shown_the_socket(program: &Program, inner: &BTreeSet<usize>) -> BTreeSet<usize> {
    let member = |name: &String| socket::callbacks().any(|member| member == name.as_str());
    let callbacks =
        program.callbacks.iter().filter(|(name, start)| member(name) && !inner.contains(start));
    callbacks.map(|(_, start)| *start).collect()
}

/// Operations without those that do nothing.
struct Packed {
    operations: Vec<Operation>,
    origins: Vec<u32>,
    /// Where each place of before is now; one that did nothing, where the next is that does.
    places: Vec<u32>,
}

impl Packed {
    fn of(all: Vec<Operation>) -> Packed {
        let mut packed = Packed {
            operations: Vec::new(),
            origins: Vec::new(),
            places: Vec::with_capacity(all.len() + 1),
        };
        for (at, operation) in all.iter().enumerate() {
            packed.places.push(packed.operations.len() as u32);
            if operation.kind != OperationKind::Nothing {
                packed.operations.push(*operation);
                packed.origins.push(at as u32);
            }
        }
        packed.places.push(packed.operations.len() as u32);
        for (at, operation) in
            packed.operations.iter_mut().enumerate().filter(|(_, operation)| operation.kind.jumps())
        {
            let before = packed.origins[at] as usize + 1;
            let target = packed.places[before.wrapping_add_signed(operation.off as isize)];
            operation.off = target as i32 - (at as i32 + 1);
        }
        packed
    }
}

fn refusal(program: &Program, at: usize, reason: Unfit) -> Box<Refusal> {
    let function = program.function_at(at).map_or(String::new(), |function| function.name.clone());
    Box::new(Refusal { function, instruction: at, line: program.lines.at(at), reason })
}
