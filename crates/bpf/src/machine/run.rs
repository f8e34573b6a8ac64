//! Executes operations.

use super::code::{Callback, Code};
use super::operation::{Operation, OperationKind, REGISTERS, atomic};
use crate::blame::blame;
use crate::fault::{Access, Fault, Reason};
use crate::functions::{self, Context, Service, errno};
use crate::program::address;
use crate::socket::{Field, RATE_SAMPLE_SIZE};
use crate::stack::{BYTES, FRAMES};

/// Most rounds of `bpf_loop` (`BPF_MAX_LOOPS`, include/linux/bpf.h).
const MOST_ROUNDS: u64 = 8 << 20;

const WINDOW: Field = Field::of("tcp_sock.snd_cwnd");

/// One callback while it is executed.
pub struct Run<'a> {
    code: &'a Code,
    callback: Callback,
    context: Context<'a>,
    /// The call depth: functions that are being executed.
    deep: usize,
    /// Stack bytes of their frames.
    used: u32,
    /// The index of the latest operation that wrote the congestion window.
    stored_window: Option<usize>,
}

impl<'a> Run<'a> {
    /// Runs a callback with `first` in register 1. Returns the callback's return value.
    pub fn callback(
        code: &'a Code,
        callback: Callback,
        context: Context<'a>,
        first: u64,
    ) -> Result<u64, Box<Fault>> {
        let mut run = Run { code, callback, context, deep: 0, used: 0, stored_window: None };
        let function = code.function(callback);
        let start = code.routine(function).start;
        let answer = run.call(function, start, |registers| registers[1] = first)?;
        if let Some(at) = run.stored_window.filter(|_| WINDOW.get(run.context.memory.socket()) == 0)
        {
            return Err(run.fault(at, Reason::NoWindow));
        }
        if let Some(ring) = run.context.maps.reserved() {
            let name = code.program().maps[ring].name.clone();
            return Err(run.fault(start, Reason::Reserved(name)));
        }
        Ok(answer)
    }

    #[cold]
    fn fault(&self, operation: usize, reason: Reason) -> Box<Fault> {
        let program = self.code.program();
        let at = self.code.origin(operation);
        let (function, start) = program
            .function_at(at)
            .map_or((String::new(), 0), |function| (function.name.clone(), function.start));
        let callback = self.code.name(self.callback).to_owned();
        Box::new(Fault {
            callback,
            function,
            instruction: at - start,
            line: program.lines.at(at),
            reason,
        })
    }

    #[cold]
    fn refused(&self, at: usize, address: u64, access: Access) -> Box<Fault> {
        let reason = if self.is_sequence(address, &access) {
            Reason::OldControl { access, address }
        } else {
            blame(self.context.memory, self.code.program(), access, address)
        };
        self.fault(at, reason)
    }

    /// True if a read in `cong_control` takes the second argument for the pointer to the rate
    /// sample. Programs for Linux before 6.10 do so. Since then this argument is the acknowledged
    /// sequence number (see [`Reason::OldControl`]).
    fn is_sequence(&self, address: u64, access: &Access) -> bool {
        let arguments = self.context.memory.region(address::ARGUMENTS);
        let sequence = u64::from_le_bytes(arguments[8..16].try_into().expect("eight bytes"));
        let in_sample =
            address.checked_sub(sequence).is_some_and(|offset| offset < RATE_SAMPLE_SIZE as u64);
        let number = (1..1 << 32).contains(&sequence);
        self.code.name(self.callback) == "cong_control" && !access.writes && number && in_sample
    }

    /// Slow path of a store to an address outside of writable memory. It may be a field of the
    /// socket that the kernel lets a program write. Any other address is a fault.
    #[inline(never)]
    fn store_elsewhere<const N: usize>(
        &mut self,
        at: usize,
        address: u64,
        bytes: [u8; N],
    ) -> Result<(), Box<Fault>> {
        if !self.context.memory.store_in_socket(address, bytes) {
            return Err(self.refused(at, address, Access { writes: true, size: N }));
        }
        if address as u32 as usize == WINDOW.offset() {
            self.stored_window = Some(at);
        }
        Ok(())
    }

    #[inline(always)]
    fn store_anywhere<const N: usize>(
        &mut self,
        at: usize,
        address: u64,
        bytes: [u8; N],
    ) -> Result<(), Box<Fault>> {
        if self.context.memory.store(address, bytes) {
            Ok(())
        } else {
            self.store_elsewhere(at, address, bytes)
        }
    }

    /// Counts a backward jump or a call against the limit of the callback. It is a fault if the
    /// limit is used up.
    #[inline(always)]
    fn count(&mut self, at: usize) -> Result<(), Box<Fault>> {
        match self.context.left.checked_sub(1) {
            Some(left) => {
                self.context.left = left;
                Ok(())
            }
            None => Err(self.fault(at, Reason::Endless(self.context.most))),
        }
    }

    /// Calls a function of the program from the operation `from`. `put` writes the arguments into
    /// the registers of the new frame.
    #[inline(always)]
    fn call(
        &mut self,
        function: usize,
        from: usize,
        put: impl FnOnce(&mut [u64; REGISTERS]),
    ) -> Result<u64, Box<Fault>> {
        self.count(from)?;
        if self.deep == FRAMES {
            return Err(self.fault(from, Reason::Deep(FRAMES)));
        }
        let routine = self.code.routine(function);
        let needed = self.used + routine.frame;
        if needed > BYTES as u32 {
            return Err(self.fault(from, Reason::Stack { needed, most: BYTES as u32 }));
        }
        let end = address::of(address::STACK, self.code.stack() - self.used.min(self.code.stack()));
        self.deep += 1;
        self.used = needed;
        let mut registers = [0; REGISTERS];
        put(&mut registers);
        registers[10] = end;
        let answer = self.execute(routine.start, &mut registers);
        self.used -= routine.frame;
        self.deep -= 1;
        answer
    }

    /// Calls a function of the program with arguments in registers 1 to 5, and is not inlined. The
    /// caller is the program itself or a kernel helper such as `bpf_loop`.
    #[inline(never)]
    fn call_inner(
        &mut self,
        function: usize,
        from: usize,
        arguments: &[u64; 5],
    ) -> Result<u64, Box<Fault>> {
        self.call(function, from, |registers| registers[1..6].copy_from_slice(arguments))
    }

    #[inline(never)]
    fn execute(
        &mut self,
        start: usize,
        registers: &mut [u64; REGISTERS],
    ) -> Result<u64, Box<Fault>> {
        let operations: &[Operation] = self.code.operations();
        let mut next = start;
        loop {
            let at = next;
            let operation = &operations[at];
            next += 1;
            macro_rules! dst {
                () => {
                    registers[operation.dst as usize]
                };
            }
            macro_rules! src {
                () => {
                    registers[operation.src as usize]
                };
            }
            macro_rules! left {
                () => {
                    registers[operation.left as usize]
                };
            }
            // The operation on 64 or 32 bits, with a constant or a register.
            macro_rules! wide {
                (imm, $f:expr) => {
                    dst!() = $f(left!(), operation.imm)
                };
                (reg, $f:expr) => {
                    dst!() = $f(left!(), src!())
                };
            }
            macro_rules! narrow {
                (imm, $f:expr) => {
                    dst!() = $f(left!() as u32, operation.imm as u32) as u64
                };
                (reg, $f:expr) => {
                    dst!() = $f(left!() as u32, src!() as u32) as u64
                };
            }
            macro_rules! jump_if {
                ($condition:expr) => {
                    if $condition {
                        next = next.wrapping_add_signed(operation.off as isize);
                        if operation.off < 0 {
                            self.count(at)?;
                        }
                    }
                };
            }
            macro_rules! compare {
                (64 imm, $f:expr) => {
                    jump_if!($f(&left!(), &operation.imm))
                };
                (64 reg, $f:expr) => {
                    jump_if!($f(&left!(), &src!()))
                };
                (32 imm, $f:expr) => {
                    jump_if!($f(&(left!() as u32), &(operation.imm as u32)))
                };
                (32 reg, $f:expr) => {
                    jump_if!($f(&(left!() as u32), &(src!() as u32)))
                };
                (s64 imm, $f:expr) => {
                    jump_if!($f(&(left!() as i64), &(operation.imm as i64)))
                };
                (s64 reg, $f:expr) => {
                    jump_if!($f(&(left!() as i64), &(src!() as i64)))
                };
                (s32 imm, $f:expr) => {
                    jump_if!($f(&(left!() as i32), &(operation.imm as i32)))
                };
                (s32 reg, $f:expr) => {
                    jump_if!($f(&(left!() as i32), &(src!() as i32)))
                };
            }
            macro_rules! load {
                ($kind:ty) => {{
                    let address = left!().wrapping_add(operation.imm);
                    match self.context.memory.load(address) {
                        Some(bytes) => dst!() = <$kind>::from_le_bytes(bytes) as i64 as u64,
                        None => {
                            return Err(self.refused(
                                at,
                                address,
                                Access { writes: false, size: size_of::<$kind>() },
                            ));
                        }
                    }
                }};
            }
            macro_rules! socket {
                ($kind:ty) => {{
                    match self.context.memory.load_from_socket(operation.imm) {
                        Some(bytes) => dst!() = <$kind>::from_le_bytes(bytes) as u64,
                        None => {
                            return Err(self.refused(
                                at,
                                operation.imm,
                                Access { writes: false, size: size_of::<$kind>() },
                            ));
                        }
                    }
                }};
            }
            macro_rules! store {
                ($value:expr, $kind:ty, $distance:expr) => {{
                    let address = left!().wrapping_add($distance);
                    let bytes = ($value as $kind).to_le_bytes();
                    self.store_anywhere(at, address, bytes)?;
                }};
            }
            match operation.kind {
                OperationKind::Add64Imm => wide!(imm, u64::wrapping_add),
                OperationKind::Add64Reg => wide!(reg, u64::wrapping_add),
                OperationKind::Add32Imm => narrow!(imm, u32::wrapping_add),
                OperationKind::Add32Reg => narrow!(reg, u32::wrapping_add),
                OperationKind::Sub64Imm => wide!(imm, u64::wrapping_sub),
                OperationKind::Sub64Reg => wide!(reg, u64::wrapping_sub),
                OperationKind::Sub32Imm => narrow!(imm, u32::wrapping_sub),
                OperationKind::Sub32Reg => narrow!(reg, u32::wrapping_sub),
                OperationKind::Mul64Imm => wide!(imm, u64::wrapping_mul),
                OperationKind::Mul64Reg => wide!(reg, u64::wrapping_mul),
                OperationKind::Mul32Imm => narrow!(imm, u32::wrapping_mul),
                OperationKind::Mul32Reg => narrow!(reg, u32::wrapping_mul),
                OperationKind::Div64Imm => wide!(imm, divide_64),
                OperationKind::Div64Reg => wide!(reg, divide_64),
                OperationKind::Div32Imm => narrow!(imm, divide_32),
                OperationKind::Div32Reg => narrow!(reg, divide_32),
                OperationKind::SignedDiv64Imm => wide!(imm, divide_signed_64),
                OperationKind::SignedDiv64Reg => wide!(reg, divide_signed_64),
                OperationKind::SignedDiv32Imm => narrow!(imm, divide_signed_32),
                OperationKind::SignedDiv32Reg => narrow!(reg, divide_signed_32),
                OperationKind::Mod64Imm => wide!(imm, rest_64),
                OperationKind::Mod64Reg => wide!(reg, rest_64),
                OperationKind::Mod32Imm => narrow!(imm, rest_32),
                OperationKind::Mod32Reg => narrow!(reg, rest_32),
                OperationKind::SignedMod64Imm => wide!(imm, rest_signed_64),
                OperationKind::SignedMod64Reg => wide!(reg, rest_signed_64),
                OperationKind::SignedMod32Imm => narrow!(imm, rest_signed_32),
                OperationKind::SignedMod32Reg => narrow!(reg, rest_signed_32),
                OperationKind::Or64Imm => wide!(imm, |a, b| a | b),
                OperationKind::Or64Reg => wide!(reg, |a, b| a | b),
                OperationKind::Or32Imm => narrow!(imm, |a, b| a | b),
                OperationKind::Or32Reg => narrow!(reg, |a, b| a | b),
                OperationKind::And64Imm => wide!(imm, |a, b| a & b),
                OperationKind::And64Reg => wide!(reg, |a, b| a & b),
                OperationKind::And32Imm => narrow!(imm, |a, b| a & b),
                OperationKind::And32Reg => narrow!(reg, |a, b| a & b),
                OperationKind::Xor64Imm => wide!(imm, |a, b| a ^ b),
                OperationKind::Xor64Reg => wide!(reg, |a, b| a ^ b),
                OperationKind::Xor32Imm => narrow!(imm, |a, b| a ^ b),
                OperationKind::Xor32Reg => narrow!(reg, |a, b| a ^ b),
                OperationKind::Lsh64Imm => wide!(imm, |a: u64, b| a.wrapping_shl(b as u32)),
                OperationKind::Lsh64Reg => wide!(reg, |a: u64, b| a.wrapping_shl(b as u32)),
                OperationKind::Lsh32Imm => narrow!(imm, u32::wrapping_shl),
                OperationKind::Lsh32Reg => narrow!(reg, u32::wrapping_shl),
                OperationKind::Rsh64Imm => wide!(imm, |a: u64, b| a.wrapping_shr(b as u32)),
                OperationKind::Rsh64Reg => wide!(reg, |a: u64, b| a.wrapping_shr(b as u32)),
                OperationKind::Rsh32Imm => narrow!(imm, u32::wrapping_shr),
                OperationKind::Rsh32Reg => narrow!(reg, u32::wrapping_shr),
                OperationKind::Arsh64Imm => {
                    wide!(imm, |a, b| (a as i64).wrapping_shr(b as u32) as u64)
                }
                OperationKind::Arsh64Reg => {
                    wide!(reg, |a, b| (a as i64).wrapping_shr(b as u32) as u64)
                }
                OperationKind::Arsh32Imm => narrow!(imm, |a, b| (a as i32).wrapping_shr(b) as u32),
                OperationKind::Arsh32Reg => narrow!(reg, |a, b| (a as i32).wrapping_shr(b) as u32),
                OperationKind::Neg64 => dst!() = left!().wrapping_neg(),
                OperationKind::Neg32 => dst!() = (left!() as u32).wrapping_neg() as u64,
                OperationKind::Mov64Imm => dst!() = operation.imm,
                OperationKind::Mov64Reg => dst!() = src!(),
                OperationKind::Mov32Imm => dst!() = operation.imm as u32 as u64,
                OperationKind::Mov32Reg => dst!() = src!() as u32 as u64,
                OperationKind::MovSigned8To64 => dst!() = src!() as i8 as i64 as u64,
                OperationKind::MovSigned16To64 => dst!() = src!() as i16 as i64 as u64,
                OperationKind::MovSigned32To64 => dst!() = src!() as i32 as i64 as u64,
                OperationKind::MovSigned8To32 => dst!() = src!() as i8 as i32 as u32 as u64,
                OperationKind::MovSigned16To32 => dst!() = src!() as i16 as i32 as u32 as u64,
                OperationKind::Swap16 => dst!() = (left!() as u16).swap_bytes() as u64,
                OperationKind::Swap32 => dst!() = (left!() as u32).swap_bytes() as u64,
                OperationKind::Swap64 => dst!() = left!().swap_bytes(),
                OperationKind::Low16 => dst!() = left!() as u16 as u64,
                OperationKind::Low32 => dst!() = left!() as u32 as u64,
                OperationKind::Jump => jump_if!(true),
                OperationKind::JumpEq64Imm => compare!(64 imm, u64::eq),
                OperationKind::JumpEq64Reg => compare!(64 reg, u64::eq),
                OperationKind::JumpEq32Imm => compare!(32 imm, u32::eq),
                OperationKind::JumpEq32Reg => compare!(32 reg, u32::eq),
                OperationKind::JumpNe64Imm => compare!(64 imm, u64::ne),
                OperationKind::JumpNe64Reg => compare!(64 reg, u64::ne),
                OperationKind::JumpNe32Imm => compare!(32 imm, u32::ne),
                OperationKind::JumpNe32Reg => compare!(32 reg, u32::ne),
                OperationKind::JumpGt64Imm => compare!(64 imm, u64::gt),
                OperationKind::JumpGt64Reg => compare!(64 reg, u64::gt),
                OperationKind::JumpGt32Imm => compare!(32 imm, u32::gt),
                OperationKind::JumpGt32Reg => compare!(32 reg, u32::gt),
                OperationKind::JumpGe64Imm => compare!(64 imm, u64::ge),
                OperationKind::JumpGe64Reg => compare!(64 reg, u64::ge),
                OperationKind::JumpGe32Imm => compare!(32 imm, u32::ge),
                OperationKind::JumpGe32Reg => compare!(32 reg, u32::ge),
                OperationKind::JumpLt64Imm => compare!(64 imm, u64::lt),
                OperationKind::JumpLt64Reg => compare!(64 reg, u64::lt),
                OperationKind::JumpLt32Imm => compare!(32 imm, u32::lt),
                OperationKind::JumpLt32Reg => compare!(32 reg, u32::lt),
                OperationKind::JumpLe64Imm => compare!(64 imm, u64::le),
                OperationKind::JumpLe64Reg => compare!(64 reg, u64::le),
                OperationKind::JumpLe32Imm => compare!(32 imm, u32::le),
                OperationKind::JumpLe32Reg => compare!(32 reg, u32::le),
                OperationKind::JumpSgt64Imm => compare!(s64 imm, i64::gt),
                OperationKind::JumpSgt64Reg => compare!(s64 reg, i64::gt),
                OperationKind::JumpSgt32Imm => compare!(s32 imm, i32::gt),
                OperationKind::JumpSgt32Reg => compare!(s32 reg, i32::gt),
                OperationKind::JumpSge64Imm => compare!(s64 imm, i64::ge),
                OperationKind::JumpSge64Reg => compare!(s64 reg, i64::ge),
                OperationKind::JumpSge32Imm => compare!(s32 imm, i32::ge),
                OperationKind::JumpSge32Reg => compare!(s32 reg, i32::ge),
                OperationKind::JumpSlt64Imm => compare!(s64 imm, i64::lt),
                OperationKind::JumpSlt64Reg => compare!(s64 reg, i64::lt),
                OperationKind::JumpSlt32Imm => compare!(s32 imm, i32::lt),
                OperationKind::JumpSlt32Reg => compare!(s32 reg, i32::lt),
                OperationKind::JumpSle64Imm => compare!(s64 imm, i64::le),
                OperationKind::JumpSle64Reg => compare!(s64 reg, i64::le),
                OperationKind::JumpSle32Imm => compare!(s32 imm, i32::le),
                OperationKind::JumpSle32Reg => compare!(s32 reg, i32::le),
                OperationKind::JumpSet64Imm => compare!(64 imm, |a, b| a & b != 0),
                OperationKind::JumpSet64Reg => compare!(64 reg, |a, b| a & b != 0),
                OperationKind::JumpSet32Imm => compare!(32 imm, |a, b| a & b != 0),
                OperationKind::JumpSet32Reg => compare!(32 reg, |a, b| a & b != 0),
                OperationKind::Load8 => load!(u8),
                OperationKind::Load16 => load!(u16),
                OperationKind::Load32 => load!(u32),
                OperationKind::Load64 => load!(u64),
                OperationKind::Socket8 => socket!(u8),
                OperationKind::Socket16 => socket!(u16),
                OperationKind::Socket32 => socket!(u32),
                OperationKind::Socket64 => socket!(u64),
                OperationKind::LoadSigned8 => load!(i8),
                OperationKind::LoadSigned16 => load!(i16),
                OperationKind::LoadSigned32 => load!(i32),
                OperationKind::Store8Imm => store!(operation.imm, u8, operation.off as i64 as u64),
                OperationKind::Store16Imm => {
                    store!(operation.imm, u16, operation.off as i64 as u64)
                }
                OperationKind::Store32Imm => {
                    store!(operation.imm, u32, operation.off as i64 as u64)
                }
                OperationKind::Store64Imm => {
                    store!(operation.imm, u64, operation.off as i64 as u64)
                }
                OperationKind::Store8Reg => store!(src!(), u8, operation.imm),
                OperationKind::Store16Reg => store!(src!(), u16, operation.imm),
                OperationKind::Store32Reg => store!(src!(), u32, operation.imm),
                OperationKind::Store64Reg => store!(src!(), u64, operation.imm),
                OperationKind::Atomic32 | OperationKind::Atomic64 => {
                    self.atomically(at, operation, registers)?
                }
                OperationKind::CallFunction => {
                    registers[0] =
                        self.call_inner(operation.imm as usize, at, arguments(registers))?;
                }
                OperationKind::CallKernel => {
                    self.count(at)?;
                    registers[0] = self.call_kernel(operation.imm, arguments(registers), at)?;
                }
                OperationKind::Exit => return Ok(registers[0]),
                OperationKind::Poison | OperationKind::Nothing => {
                    let missing =
                        self.code.program().poison_at(self.code.origin(at)).unwrap_or_default();
                    return Err(self.fault(at, Reason::Missing(missing.to_owned())));
                }
            }
        }
    }

    #[inline(never)]
    fn atomically(
        &mut self,
        at: usize,
        operation: &Operation,
        registers: &mut [u64; REGISTERS],
    ) -> Result<(), Box<Fault>> {
        let address = registers[operation.left as usize].wrapping_add(operation.off as i64 as u64);
        let wide = operation.kind == OperationKind::Atomic64;
        let size = if wide { 8 } else { 4 };
        let memory = &self.context.memory;
        let before = if wide {
            memory.load(address).map(u64::from_le_bytes)
        } else {
            memory.load(address).map(|bytes| u32::from_le_bytes(bytes) as u64)
        };
        let Some(before) = before else {
            return Err(self.refused(at, address, Access { writes: false, size }));
        };
        let operand = registers[operation.src as usize];
        let compared = if wide { registers[0] } else { registers[0] as u32 as u64 };
        let after = match operation.imm as i32 {
            atomic::EXCHANGE => operand,
            atomic::COMPARE => {
                if before == compared {
                    operand
                } else {
                    before
                }
            }
            imm => match imm & !atomic::FETCH {
                atomic::ADD => before.wrapping_add(operand),
                atomic::OR => before | operand,
                atomic::AND => before & operand,
                _ => before ^ operand,
            },
        };
        if wide {
            self.store_anywhere(at, address, after.to_le_bytes())?;
        } else {
            self.store_anywhere(at, address, (after as u32).to_le_bytes())?;
        }
        match operation.imm as i32 {
            atomic::COMPARE => registers[0] = before,
            imm if imm & atomic::FETCH != 0 => registers[operation.src as usize] = before,
            _ => {}
        }
        Ok(())
    }

    #[inline(never)]
    fn call_kernel(
        &mut self,
        index: u64,
        arguments: &[u64; 5],
        at: usize,
    ) -> Result<u64, Box<Fault>> {
        let (service, name) = self.code.service(index);
        match service {
            Service::Loop => self.rounds(arguments, at),
            Service::ForEachElement => self.elements(arguments, at),
            _ => {
                if service.changes_window() {
                    self.stored_window = Some(at);
                }
                functions::call(service, name, arguments, &mut self.context)
                    .map_err(|reason| self.fault(at, reason))
            }
        }
    }

    /// The function of the program whose address, `value`, was passed to the kernel helper `name`.
    fn passed(&self, value: u64, name: &'static str, at: usize) -> Result<usize, Box<Fault>> {
        self.code.function_of(value).ok_or_else(|| {
            let found = format!("{value:#x}");
            let parameter = "the function";
            self.fault(
                at,
                Reason::Argument {
                    function: name,
                    found,
                    parameter,
                    wanted: "a function of the program",
                },
            )
        })
    }

    /// `bpf_loop(rounds, function, context, flags)`.
    fn rounds(
        &mut self,
        &[rounds, function, context, flags, _]: &[u64; 5],
        at: usize,
    ) -> Result<u64, Box<Fault>> {
        let function = self.passed(function, "bpf_loop", at)?;
        let rounds = rounds as u32 as u64;
        if flags != 0 {
            return Ok(errno::INVALID);
        }
        if rounds > MOST_ROUNDS {
            return Ok(errno::TOO_BIG);
        }
        for round in 0..rounds {
            if self.call_inner(function, at, &[round, context, 0, 0, 0])? != 0 {
                return Ok(round + 1);
            }
        }
        Ok(rounds)
    }

    /// `bpf_for_each_map_elem(map, function, context, flags)`.
    fn elements(
        &mut self,
        &[map, function, context, flags, _]: &[u64; 5],
        at: usize,
    ) -> Result<u64, Box<Fault>> {
        let name = "bpf_for_each_map_elem";
        let function = self.passed(function, name, at)?;
        if flags != 0 {
            return Ok(errno::INVALID);
        }
        let keys = self.context.keys(map, name).map_err(|reason| self.fault(at, reason))?;
        let mut visited = 0;
        for key in keys.iter() {
            let element =
                self.context.element(map, &key, name).map_err(|reason| self.fault(at, reason))?;
            let Some((key, value)) = element else { continue };
            visited += 1;
            let stop = self.call_inner(function, at, &[map, key, value, context, 0])? != 0;
            self.context.memory.release(key >> 32);
            if stop {
                break;
            }
        }
        Ok(visited)
    }
}

/// Registers 1 to 5.
#[inline(always)]
fn arguments(registers: &[u64; REGISTERS]) -> &[u64; 5] {
    registers[1..].first_chunk().expect("more registers than arguments")
}

fn divide_64(a: u64, b: u64) -> u64 {
    a.checked_div(b).unwrap_or(0)
}

fn divide_32(a: u32, b: u32) -> u32 {
    a.checked_div(b).unwrap_or(0)
}

fn divide_signed_64(a: u64, b: u64) -> u64 {
    if b == 0 { 0 } else { (a as i64).wrapping_div(b as i64) as u64 }
}

fn divide_signed_32(a: u32, b: u32) -> u32 {
    if b == 0 { 0 } else { (a as i32).wrapping_div(b as i32) as u32 }
}

fn rest_64(a: u64, b: u64) -> u64 {
    a.checked_rem(b).unwrap_or(a)
}

fn rest_32(a: u32, b: u32) -> u32 {
    a.checked_rem(b).unwrap_or(a)
}

fn rest_signed_64(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { (a as i64).wrapping_rem(b as i64) as u64 }
}

fn rest_signed_32(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { (a as i32).wrapping_rem(b as i32) as u32 }
}
