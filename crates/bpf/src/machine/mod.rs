//! The machine: a program's callbacks, executed one at a time for one connection. Safe by
//! construction: every instruction is checked when it is decoded, and every access to memory when
//! it is made.

mod code;
mod decode;
mod operation;
mod refusal;
mod run;
mod shorten;

pub use code::{Callback, Code};
pub use refusal::{Refusal, Unfit};

use crate::fault::Fault;
use crate::functions::{Context, Maps, Stored, World};
use crate::memory::{Memory, SAMPLE_SIZE};
use crate::program::address;
use crate::socket::SIZE;
use run::Run;
use std::sync::Arc;

/// Most jumps back and calls in one callback, where nothing else is asked for (ours: the kernel's
/// verifier judges a million instructions).
pub const MOST_JUMPS: u32 = 1 << 20;

/// One connection's program: the code, which all share, and what is the connection's own.
#[derive(Clone, Debug)]
pub struct Machine {
    code: Arc<Code>,
    memory: Memory,
    maps: Maps,
    most_jumps: u32,
}

impl Machine {
    /// At the beginning of a connection: data as in the object, maps empty, the socket zero.
    pub fn new(code: Arc<Code>) -> Machine {
        let memory = Memory::new(code.program(), code.stack() as usize);
        let maps = Maps::new(&code.program().maps);
        Machine { code, memory, maps, most_jumps: MOST_JUMPS }
    }

    /// The same with a callback ended by a fault after so many jumps back and calls.
    pub fn with_most_jumps(self, most_jumps: u32) -> Machine {
        Machine { most_jumps, ..self }
    }

    /// The program's code.
    pub fn code(&self) -> &Arc<Code> {
        &self.code
    }

    /// Bytes that the connection has for itself.
    pub fn bytes(&self) -> usize {
        size_of::<Machine>() + self.memory.held() + self.maps.bytes()
    }

    /// The socket, whose fields are those of [`socket::Field`](crate::socket::Field).
    #[inline(always)]
    pub fn socket(&self) -> &[u8; SIZE] {
        self.memory.socket()
    }

    /// The private area, to fill it before a callback.
    #[inline(always)]
    pub fn socket_mut(&mut self) -> &mut [u8; SIZE] {
        self.memory.socket_mut()
    }

    /// The sample to fill before a callback that is given one.
    #[inline(always)]
    pub fn sample_mut(&mut self) -> &mut [u8; SAMPLE_SIZE] {
        self.memory.sample_mut()
    }

    /// The data of a section, by its index in [`Program::regions`](crate::Program::regions).
    pub fn data(&self, section: usize) -> &[u8] {
        self.memory.region(address::DATA + section as u64)
    }

    /// The data of a section, to change it from outside.
    pub fn data_mut(&mut self, section: usize) -> &mut [u8] {
        self.memory.region_mut(address::DATA + section as u64)
    }

    /// Takes out what the socket has in maps of sockets (`BPF_MAP_TYPE_SK_STORAGE`).
    pub(crate) fn take_storage(&mut self) -> Stored {
        self.maps.take_storage(&mut self.memory)
    }

    /// Gives the socket, from which it was taken out, what another has there.
    pub(crate) fn put_storage(&mut self, values: &Stored) {
        self.maps.put_storage(values, &mut self.memory);
    }

    /// Calls a callback with these arguments, at most five. Pointers are those of [`address`]: the
    /// socket, the first argument of every member of `struct tcp_congestion_ops`, is
    /// `address::of(address::SOCKET, 0)`.
    pub fn call(
        &mut self,
        callback: Callback,
        arguments: &[u64],
        world: &mut dyn World,
    ) -> Result<u64, Box<Fault>> {
        self.memory.begin(arguments);
        let Machine { code, memory, maps, most_jumps } = self;
        let context = Context {
            program: code.program(),
            memory,
            maps,
            world,
            left: *most_jumps,
            most: *most_jumps,
            details: code.looks_at_details(),
        };
        let answer = Run::callback(code, callback, context, address::of(address::ARGUMENTS, 0));
        self.maps.settle(&mut self.memory);
        answer
    }
}
