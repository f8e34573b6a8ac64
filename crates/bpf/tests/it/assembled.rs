//! Programs put together instruction by instruction, and the world they run in.

use narrows_bpf::{Code, Fault, Function, Instruction, Machine, Program, Refusal, World, address};
use std::sync::Arc;

/// An instruction of these fields.
pub const fn op(code: u8, dst: u8, src: u8, off: i16, imm: i32) -> Instruction {
    Instruction { code, dst, src, off, imm }
}

/// Both slots of a load of 64 bits.
pub fn constant(dst: u8, value: u64) -> [Instruction; 2] {
    [op(0x18, dst, 0, 0, value as i32), op(0, 0, 0, 0, (value >> 32) as i32)]
}

/// `dst = src`.
pub const fn mov(dst: u8, src: u8) -> Instruction {
    op(0xbf, dst, src, 0, 0)
}

/// `dst = value`, its sign extended.
pub const fn set(dst: u8, value: i32) -> Instruction {
    op(0xb7, dst, 0, 0, value)
}

/// A call of a helper.
pub const fn helper(number: i32) -> Instruction {
    op(0x85, 0, 0, 0, number)
}

/// The end of a function.
pub const EXIT: Instruction = op(0x95, 0, 0, 0, 0);

/// The address of the socket.
pub const SOCKET: u64 = address::of(address::SOCKET, 0);

/// A program whose one function `only` is the callback of that name.
pub fn program(code: impl IntoIterator<Item = Instruction>) -> Program {
    functions([("only", code.into_iter().collect())])
}

/// A program of these functions; the first is the callback of its name.
pub fn functions(all: impl IntoIterator<Item = (&'static str, Vec<Instruction>)>) -> Program {
    let mut program = Program { name: "assembled".to_owned(), ..Program::default() };
    for (name, code) in all {
        program.functions.push(Function {
            name: name.to_owned(),
            start: program.code.len(),
            length: code.len(),
        });
        program.code.extend(code);
    }
    program.callbacks.insert(program.functions[0].name.clone(), 0);
    program
}

/// A host that started 1000 s ago, whose draws count from 1.
#[derive(Debug, Default)]
pub struct Host {
    pub since: u64,
    pub drawn: u32,
    pub printed: Vec<String>,
}

impl World for Host {
    fn uptime(&self) -> u64 {
        1_000_000_000_000 + self.since
    }

    fn hz(&self) -> u32 {
        250
    }

    fn random(&mut self) -> u32 {
        self.drawn += 1;
        self.drawn
    }

    fn print(&mut self, line: &str) {
        self.printed.push(line.to_owned());
    }
}

/// A connection of a program.
pub fn connection(program: Program) -> Machine {
    Machine::new(Arc::new(
        Code::new(Arc::new(program)).unwrap_or_else(|refusal| panic!("{refusal}")),
    ))
}

/// Calls the program's first callback.
pub fn call(machine: &mut Machine, arguments: &[u64]) -> Result<u64, Box<Fault>> {
    let name = machine.code().program().callbacks.keys().next().expect("a callback").clone();
    let callback = machine.code().callback(&name).expect("a callback");
    machine.call(callback, arguments, &mut Host::default())
}

/// The answer of a program.
pub fn answer(program: Program) -> u64 {
    call(&mut connection(program), &[]).unwrap_or_else(|fault| panic!("{fault}"))
}

/// Why a program is not taken.
pub fn refusal(program: Program) -> Box<Refusal> {
    Code::new(Arc::new(program)).expect_err("a refusal")
}
