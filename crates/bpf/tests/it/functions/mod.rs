mod kernels;
mod maps;
mod rings;
mod tcp;
mod texts;
mod world;

use crate::assembled::{EXIT, Host, connection, constant, op, program};
use narrows_bpf::{Instruction, Machine, MapSpec, Mention, Region, Use, address};

/// Where programs of these tests keep what they pass by address: a section of 256 bytes, which a
/// test fills and reads from outside.
pub const AREA: u64 = address::of(address::DATA, 0);

/// The handle of the first map.
pub const MAP: u64 = address::MAP;

/// A connection that calls a function with arguments chosen at each call.
pub struct Caller {
    pub machine: Machine,
    pub host: Host,
}

impl Caller {
    /// A call of the helper with this number, in a program with these maps.
    pub fn of(number: i32, maps: &[MapSpec]) -> Caller {
        Caller::new(op(0x85, 0, 0, 0, number), &[], maps)
    }

    /// Of the kernel's function of this name.
    pub fn of_kernel(name: &str) -> Caller {
        Caller::new(op(0x85, 0, 2, 0, 0), &[name], &[])
    }

    fn new(call: Instruction, kfuncs: &[&str], maps: &[MapSpec]) -> Caller {
        Caller::with([call], kfuncs, maps)
    }

    /// Of one helper or another, as register 9 of the call says, which is the sixth word of the
    /// area: 0 for the first.
    pub fn of_each(numbers: &[i32], maps: &[MapSpec]) -> Caller {
        let mut code = constant(9, AREA).to_vec();
        code.push(op(0x79, 9, 9, 248, 0));
        for (index, number) in numbers.iter().enumerate() {
            code.extend([op(0x55, 9, 0, 2, index as i32), op(0x85, 0, 0, 0, *number), EXIT]);
        }
        Caller::with(code, &[], maps)
    }

    fn with(
        call: impl IntoIterator<Item = Instruction>,
        kfuncs: &[&str],
        maps: &[MapSpec],
    ) -> Caller {
        let load = (2..6).map(|register| op(0x79, register, 1, 8 * (register as i16 - 1), 0));
        let code = load.chain([op(0x79, 1, 1, 0, 0)]).chain(call).chain([EXIT]);
        let mut program = program(code);
        program.name = "mine".to_owned();
        program.kfuncs = kfuncs.iter().map(|name| (*name).to_owned()).collect();
        program.maps = maps.to_vec();
        // Its socket has all that every program is given: the details that a function looks at
        // are there for the function's sake.
        let what = "tcp_sock.snd_cwnd".to_owned();
        program.mentions =
            vec![Mention { instruction: 0, what, how: Use::Reads, there: true, moved: false }];
        program.regions.push(Region {
            name: ".bss".to_owned(),
            bytes: vec![0; 256],
            writable: true,
        });
        Caller { machine: connection(program), host: Host::default() }
    }

    /// The answer.
    pub fn call(&mut self, arguments: &[u64]) -> u64 {
        let only = self.machine.code().callback("only").unwrap();
        self.machine.call(only, arguments, &mut self.host).unwrap_or_else(|fault| panic!("{fault}"))
    }

    /// The answer as an error of the kernel or a small number.
    pub fn signed(&mut self, arguments: &[u64]) -> i64 {
        self.call(arguments) as i64
    }

    /// The answer of one of several helpers.
    pub fn choose(&mut self, which: u64, arguments: &[u64]) -> i64 {
        self.put(248, &which.to_le_bytes());
        self.signed(arguments)
    }

    /// Fills the area from a byte on.
    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        self.machine.data_mut(0)[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Bytes of the area.
    pub fn area(&self, at: usize, size: usize) -> &[u8] {
        &self.machine.data(0)[at..at + size]
    }
}
