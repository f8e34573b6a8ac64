//! The environment of a function of the kernel while a program calls it.

use super::maps::Maps;
use super::ticks::ticks;
use crate::blame::blame;
use crate::fault::{Access, Reason};
use crate::memory::Memory;
use crate::program::{MapSpec, Program, address};
use crate::socket::Field;

/// Everything outside of a connection.
pub trait World {
    /// Nanoseconds since the host started.
    fn uptime(&self) -> u64;

    /// Ticks per second (`CONFIG_HZ`).
    fn hz(&self) -> u32;

    /// Ticks since the world began, in 64 bits ([`ticks`]).
    fn ticks(&self) -> u64 {
        ticks(self.uptime(), self.hz())
    }

    /// A draw of 32 bits.
    fn random(&mut self) -> u32;

    /// A program prints a line, without a line feed.
    fn print(&mut self, line: &str);

    /// A program asked for kernel memory that is not there (`bpf_probe_read_kernel`), and got
    /// zeros.
    fn could_not_read(&mut self) {}
}

/// Errors as functions answer them (include/uapi/asm-generic/errno-base.h, errno.h): negative.
pub mod errno {
    const fn negative(number: i64) -> u64 {
        -number as u64
    }

    /// No such entry.
    pub const NO_ENTRY: u64 = negative(2);
    /// The list is too long: a map is full, an index beyond its end.
    pub const TOO_BIG: u64 = negative(7);
    /// Try again: a ring is full.
    pub const AGAIN: u64 = negative(11);
    /// No memory.
    pub const NO_MEMORY: u64 = negative(12);
    /// Bad address.
    pub const FAULT: u64 = negative(14);
    /// There is one already.
    pub const EXISTS: u64 = negative(17);
    /// Invalid argument.
    pub const INVALID: u64 = negative(22);
    /// Out of range.
    pub const RANGE: u64 = negative(34);
    /// No such option.
    pub const NO_OPTION: u64 = negative(92);
}

/// Bytes that a function handles at the cost of one jump, so that long ones cannot hold a run up.
const BYTES_PER_JUMP: usize = 64;

/// A connection while a callback is executed.
pub struct Context<'a> {
    /// The program that runs.
    pub program: &'a Program,
    /// Its memory.
    pub memory: &'a mut Memory,
    /// Its maps.
    pub maps: &'a mut Maps,
    /// All else.
    pub world: &'a mut dyn World,
    /// Jumps back and calls that are left for this callback.
    pub left: u32,
    /// Those that it has in all.
    pub most: u32,
    /// Members of the socket that are kept only for programs that look at them are kept.
    pub details: bool,
}

/// One call of a function.
pub struct Call<'a, 'b> {
    pub context: &'a mut Context<'b>,
    /// The function's.
    pub name: &'static str,
    /// Registers 1 to 5.
    pub arguments: &'a [u64; 5],
}

impl Context<'_> {
    /// The map that a handle means.
    pub fn map(&self, handle: u64, name: &'static str) -> Result<(usize, &MapSpec), Reason> {
        let index = (handle & !address::MAP) as usize;
        match self.program.maps.get(index).filter(|_| handle & address::MAP != 0) {
            Some(map) => Ok((index, map)),
            None => Err(argument(name, handle, "the map", "the address of a map of the program")),
        }
    }

    /// Takes jumps off for so many bytes.
    pub fn charge(&mut self, bytes: usize) -> Result<(), Reason> {
        let jumps = u32::try_from(bytes / BYTES_PER_JUMP).unwrap_or(u32::MAX);
        self.left = self.left.checked_sub(jumps).ok_or(Reason::Endless(self.most))?;
        Ok(())
    }
}

impl Call<'_, '_> {
    /// The lowest 32 bits of an argument.
    #[inline(always)]
    pub fn short(&self, index: usize) -> u32 {
        self.arguments[index] as u32
    }

    /// The map whose handle is an argument.
    pub fn map(&self, index: usize) -> Result<usize, Reason> {
        Ok(self.context.map(self.arguments[index], self.name)?.0)
    }

    /// Refuses an argument that does not point to the beginning of a region.
    #[inline(always)]
    fn needs(
        &self,
        index: usize,
        region: u64,
        parameter: &'static str,
        wanted: &'static str,
    ) -> Result<(), Reason> {
        let given = self.arguments[index];
        if given == address::of(region, 0) {
            return Ok(());
        }
        Err(argument(self.name, given, parameter, wanted))
    }

    /// Refuses an argument that is not the connection's socket.
    #[inline(always)]
    pub fn needs_socket(&self, index: usize) -> Result<(), Reason> {
        let wanted = "the socket that the callback was given";
        self.needs(index, address::SOCKET, "the socket", wanted)
    }

    /// Refuses an argument that is not the sample that the callback was given.
    pub fn needs_sample(&self, index: usize) -> Result<(), Reason> {
        let wanted = "the sample that the callback was given";
        self.needs(index, address::SAMPLE, "the sample", wanted)
    }

    /// A member of the socket, of a signed one its sign-extended bits.
    #[inline(always)]
    pub fn wide(&self, field: Field) -> u64 {
        debug_assert!(
            self.context.details || !field.is_detail(),
            "{} reads what nobody keeps: Service::reads_details must have it",
            self.name
        );
        field.get(self.context.memory.socket())
    }

    /// The lowest 32 bits of a member of the socket.
    #[inline(always)]
    pub fn get(&self, field: Field) -> u32 {
        self.wide(field) as u32
    }

    /// Gives a member of the socket the lowest bits of a value.
    #[inline(always)]
    pub fn set(&mut self, field: Field, value: impl Into<u64>) {
        field.set(self.context.memory.socket_mut(), value.into());
    }

    /// A member of the sample, of a signed one its sign-extended bits.
    #[inline(always)]
    pub fn sampled(&self, field: Field) -> u64 {
        field.get(self.context.memory.sample())
    }

    /// So many bytes at an address.
    pub fn read(&mut self, at: u64, size: usize) -> Result<Vec<u8>, Reason> {
        // A size that no region has costs nothing.
        match self.context.memory.read(at, size) {
            Some(bytes) => {
                let bytes = bytes.to_vec();
                self.context.charge(size)?;
                Ok(bytes)
            }
            None => Err(blame(
                self.context.memory,
                self.context.program,
                Access { writes: false, size },
                at,
            )),
        }
    }

    /// Writes bytes at an address.
    pub fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), Reason> {
        self.context.charge(bytes.len())?;
        match self.context.memory.write(at, bytes.len()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(blame(
                self.context.memory,
                self.context.program,
                Access { writes: true, size: bytes.len() },
                at,
            )),
        }
    }

    /// Writes so many zeros at an address.
    pub fn fill(&mut self, at: u64, size: usize) -> Result<(), Reason> {
        match self.context.memory.write(at, size) {
            Some(place) => {
                place.fill(0);
                self.context.charge(size)
            }
            None => Err(blame(
                self.context.memory,
                self.context.program,
                Access { writes: true, size },
                at,
            )),
        }
    }

    /// A text up to its zero, at most `most` bytes.
    pub fn text(&mut self, at: u64, most: usize) -> Result<Vec<u8>, Reason> {
        let region = self.context.memory.region(at >> 32);
        let rest = region.get(at as u32 as usize..).unwrap_or_default();
        let rest = &rest[..rest.len().min(most)];
        let length = rest.iter().position(|byte| *byte == 0);
        match length.or((rest.len() == most).then_some(most)) {
            Some(length) => self.read(at, length),
            None => self.read(at, rest.len() + 1),
        }
    }

    /// A fault for an argument.
    pub fn refuse(&self, index: usize, parameter: &'static str, wanted: &'static str) -> Reason {
        argument(self.name, self.arguments[index], parameter, wanted)
    }
}

fn argument(
    function: &'static str,
    found: u64,
    parameter: &'static str,
    wanted: &'static str,
) -> Reason {
    Reason::Argument { function, found: format!("{found:#x}"), parameter, wanted }
}
