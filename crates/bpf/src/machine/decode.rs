//! From a program's instructions to the machine's operations: each is checked once, so that none
//! needs to be when it is executed.

use super::operation::{Operation, OperationKind, Register, atomic};
use super::refusal::Unfit;
use crate::functions::{Service, Standing, function, helper};
use crate::program::{Function, Instruction, Program};
use crate::shape::{self, FRAME, Wrong};

/// The operations of a program, one for each slot of its instructions.
#[derive(Debug, Default)]
pub struct Decoded {
    /// All functions, one behind another.
    pub operations: Vec<Operation>,
    /// The functions of the kernel that are called, and their names.
    pub services: Vec<(Service, &'static str)>,
}

/// Codes that are more than one kind (include/uapi/linux/bpf_common.h).
mod class {
    pub const LOAD_CONSTANT: u8 = 0x18;
    pub const CALL: u8 = 0x85;
    pub const JUMP: u8 = 0x05;
    pub const JUMP_FAR: u8 = 0x06;
    pub const ATOMIC_32: u8 = 0xc3;
    pub const ATOMIC_64: u8 = 0xdb;
    pub const ATOMIC_8: u8 = 0xd3;
    pub const ATOMIC_16: u8 = 0xcb;
    pub const LITTLE_END: u8 = 0xd4;
    pub const BIG_END: u8 = 0xdc;
    pub const SWAP: u8 = 0xd7;
}

/// Decodes all functions, or says at which instruction it cannot be done.
pub fn decode(program: &Program) -> Result<Decoded, (usize, Unfit)> {
    let mut decoded = Decoded::default();
    for function in &program.functions {
        let end =
            function.start.checked_add(function.length).filter(|end| *end <= program.code.len());
        let Some(end) = end.filter(|_| function.start >= decoded.operations.len()) else {
            return Err((function.start, Unfit::Open));
        };
        if let Some((at, wrong)) = shape::wrong(&program.code[function.start..end]) {
            let at = function.start + at;
            return Err((at, unfit(at, wrong)));
        }
        // Between functions there may be room, into which nothing can jump.
        decoded.operations.resize(function.start, Operation::NOTHING);
        while decoded.operations.len() < end {
            let at = decoded.operations.len();
            decoded.one(program, function, at).map_err(|unfit| (at, unfit))?;
        }
    }
    Ok(decoded)
}

impl Decoded {
    /// Appends the instruction at `at`: one operation, or the two of a constant of 64 bits.
    fn one(&mut self, program: &Program, function: &Function, at: usize) -> Result<(), Unfit> {
        let instruction = program.code[at];
        if program.poison_at(at).is_some() {
            self.operations.push(Operation { kind: OperationKind::Poison, ..Operation::NOTHING });
            if instruction.code == class::LOAD_CONSTANT && at + 1 < function.start + function.length
            {
                self.operations.push(Operation::NOTHING);
            }
            return Ok(());
        }
        if instruction.code == class::LOAD_CONSTANT {
            let upper =
                program.code.get(at + 1).filter(|_| at + 1 < function.start + function.length);
            let upper = upper.filter(|upper| {
                **upper == Instruction { imm: upper.imm, ..Instruction::default() }
            });
            let Some(upper) = upper.filter(|_| instruction.src == 0 && instruction.off == 0) else {
                return Err(Unfit::Unknown { code: instruction.code });
            };
            let imm = instruction.imm as u32 as u64 | (upper.imm as u32 as u64) << 32;
            self.operations.push(Operation {
                kind: OperationKind::Mov64Imm,
                dst: Register::new(instruction.dst),
                imm,
                ..Operation::NOTHING
            });
            self.operations.push(Operation::NOTHING);
            return Ok(());
        }
        let operation = match instruction.code {
            class::CALL => self.call(program, instruction, at)?,
            _ => simple(instruction)?,
        };
        self.operations.push(operation);
        Ok(())
    }

    fn call(
        &mut self,
        program: &Program,
        Instruction { code, dst, src, off, imm }: Instruction,
        at: usize,
    ) -> Result<Operation, Unfit> {
        if dst != 0 || off != 0 {
            return Err(Unfit::Unknown { code });
        }
        match src {
            0 => {
                let (name, standing) = helper(imm as u32).ok_or(Unfit::NoHelper(imm))?;
                self.kernel(name, standing)
            }
            1 => {
                let target = at as i64 + 1 + imm as i64;
                let called = program
                    .functions
                    .iter()
                    .position(|function| function.start as i64 == target && function.length > 0);
                let called = called.ok_or(Unfit::Call { target })?;
                Ok(Operation {
                    kind: OperationKind::CallFunction,
                    imm: called as u64,
                    ..Operation::NOTHING
                })
            }
            2 => {
                let name = usize::try_from(imm)
                    .ok()
                    .and_then(|index| program.kfuncs.get(index))
                    .ok_or(Unfit::Unknown { code })?;
                let (name, standing) =
                    function(name).ok_or_else(|| Unfit::NoFunction(name.clone()))?;
                self.kernel(name, standing)
            }
            _ => Err(Unfit::Unknown { code }),
        }
    }

    fn kernel(&mut self, name: &'static str, standing: Standing) -> Result<Operation, Unfit> {
        let service = match standing {
            Standing::Runs(service) => service,
            Standing::Refused(why) => return Err(Unfit::Refused { name: name.to_owned(), why }),
        };
        let known = self.services.iter().position(|(_, known)| *known == name);
        let index = known.unwrap_or_else(|| {
            self.services.push((service, name));
            self.services.len() - 1
        });
        Ok(Operation { kind: OperationKind::CallKernel, imm: index as u64, ..Operation::NOTHING })
    }
}

/// An address that is no function, in the machine's words.
fn unfit(at: usize, wrong: Wrong) -> Unfit {
    match wrong {
        Wrong::NoRegister(register) => Unfit::Register { register, why: "does not exist" },
        Wrong::WritesFrame => Unfit::Register { register: FRAME, why: WRITTEN },
        Wrong::Open => Unfit::Open,
        Wrong::Jump(distance) => Unfit::Jump { target: at as i64 + distance },
    }
}

const WRITTEN: &str = "is written, which holds the end of the frame";

/// Of atomic operations, which write what others only read.
fn writes(register: u8) -> Result<(), Unfit> {
    if register == FRAME { Err(Unfit::Register { register, why: WRITTEN }) } else { Ok(()) }
}

/// An operation of this kind with the parts of an instruction.
fn operation(
    kind: OperationKind,
    Instruction { dst, src, off, imm, .. }: Instruction,
) -> Operation {
    use OperationKind::{
        Load8, Load16, Load32, Load64, LoadSigned8, LoadSigned16, LoadSigned32, Store8Reg,
        Store16Reg, Store32Reg, Store64Reg,
    };
    let dst = Register::new(dst);
    let src = Register::new(src);
    let all = Operation { kind, dst, left: dst, src, off: off as i32, imm: imm as i64 as u64 };
    let far = Operation { imm: off as i64 as u64, off: 0, ..all };
    match kind {
        Load8 | Load16 | Load32 | Load64 | LoadSigned8 | LoadSigned16 | LoadSigned32 => {
            Operation { left: src, ..far }
        }
        Store8Reg | Store16Reg | Store32Reg | Store64Reg => far,
        _ => all,
    }
}

/// An instruction that needs no other thing of the program.
fn simple(instruction: Instruction) -> Result<Operation, Unfit> {
    let Instruction { code, dst, src, off, imm } = instruction;
    let unknown = Unfit::Unknown { code };
    let operation = |kind| Ok(operation(kind, instruction));
    match code & 7 {
        4 | 7 => {
            if (code, src, off, imm) == (class::LITTLE_END, 0, 0, 64) {
                // All bits, on a machine of this byte order.
                return Ok(Operation { imm: 0, ..operation(OperationKind::Or64Imm)? });
            }
            let kind = arithmetic(instruction).ok_or(unknown)?;
            operation(kind)
        }
        5 | 6 => match code {
            class::JUMP if dst == 0 && src == 0 && imm == 0 => operation(OperationKind::Jump),
            class::JUMP_FAR if dst == 0 && src == 0 && off == 0 => {
                Ok(Operation { kind: OperationKind::Jump, off: imm, ..Operation::NOTHING })
            }
            0x8d => Err(Unfit::Forbidden(
                "calls a function through a pointer, which the kernel's verifier refuses: call functions by their names, and compile with -O2",
            )),
            0xe5 => Err(Unfit::Forbidden(
                "uses may_goto (cond_break, can_loop), which is not carried out: use bpf_for or bpf_loop",
            )),
            _ => {
                let kind = OperationKind::of(code)
                    .filter(|_| if code & 8 == 0 { src == 0 } else { imm == 0 })
                    .ok_or(unknown.clone())?;
                if kind == OperationKind::Exit && (dst, src, off, imm) != (0, 0, 0, 0) {
                    return Err(unknown);
                }
                operation(kind)
            }
        },
        1 => operation(OperationKind::of(code).filter(|_| imm == 0).ok_or(unknown)?),
        2 => operation(OperationKind::of(code).filter(|_| src == 0).ok_or(unknown)?),
        3 => match code {
            class::ATOMIC_8 | class::ATOMIC_16 | class::ATOMIC_32 | class::ATOMIC_64 => {
                atomically(instruction)
            }
            _ => operation(OperationKind::of(code).filter(|_| imm == 0).ok_or(unknown)?),
        },
        _ if matches!(code & 0xe0, 0x20 | 0x40) => Err(Unfit::Forbidden(
            "loads from a packet, and a congestion controller has none: read the socket",
        )),
        _ => Err(unknown),
    }
}

fn arithmetic(Instruction { code, src, off, imm, .. }: Instruction) -> Option<OperationKind> {
    match (code, src, off, imm) {
        (class::LITTLE_END, 0, 0, 16) => return Some(OperationKind::Low16),
        (class::LITTLE_END, 0, 0, 32) => return Some(OperationKind::Low32),
        (class::BIG_END | class::SWAP, 0, 0, 16) => return Some(OperationKind::Swap16),
        (class::BIG_END | class::SWAP, 0, 0, 32) => return Some(OperationKind::Swap32),
        (class::BIG_END | class::SWAP, 0, 0, 64) => return Some(OperationKind::Swap64),
        _ => {}
    }
    let from_register = code & 8 != 0;
    let unused = if code & 0xf0 == 0x80 {
        (src, imm) == (0, 0)
    } else if from_register {
        imm == 0
    } else {
        src == 0
    };
    let kind = OperationKind::of(code).filter(|_| unused)?;
    match (kind, off) {
        (kind, 0) => Some(kind),
        (OperationKind::Div64Imm, 1) => Some(OperationKind::SignedDiv64Imm),
        (OperationKind::Div64Reg, 1) => Some(OperationKind::SignedDiv64Reg),
        (OperationKind::Div32Imm, 1) => Some(OperationKind::SignedDiv32Imm),
        (OperationKind::Div32Reg, 1) => Some(OperationKind::SignedDiv32Reg),
        (OperationKind::Mod64Imm, 1) => Some(OperationKind::SignedMod64Imm),
        (OperationKind::Mod64Reg, 1) => Some(OperationKind::SignedMod64Reg),
        (OperationKind::Mod32Imm, 1) => Some(OperationKind::SignedMod32Imm),
        (OperationKind::Mod32Reg, 1) => Some(OperationKind::SignedMod32Reg),
        (OperationKind::Mov64Reg, 8) => Some(OperationKind::MovSigned8To64),
        (OperationKind::Mov64Reg, 16) => Some(OperationKind::MovSigned16To64),
        (OperationKind::Mov64Reg, 32) => Some(OperationKind::MovSigned32To64),
        (OperationKind::Mov32Reg, 8) => Some(OperationKind::MovSigned8To32),
        (OperationKind::Mov32Reg, 16) => Some(OperationKind::MovSigned16To32),
        _ => None,
    }
}

/// Atomic operations. Nothing runs beside the program, so loads and stores that keep their order
/// are plain ones.
fn atomically(instruction: Instruction) -> Result<Operation, Unfit> {
    let Instruction { code, dst, src, imm, .. } = instruction;
    use OperationKind::{
        Atomic32, Atomic64, Load8, Load16, Load32, Load64, Store8Reg, Store16Reg, Store32Reg,
        Store64Reg,
    };
    let kind = match (code, imm) {
        (class::ATOMIC_8, atomic::LOAD) => Load8,
        (class::ATOMIC_16, atomic::LOAD) => Load16,
        (class::ATOMIC_32, atomic::LOAD) => Load32,
        (class::ATOMIC_64, atomic::LOAD) => Load64,
        (class::ATOMIC_8, atomic::STORE) => Store8Reg,
        (class::ATOMIC_16, atomic::STORE) => Store16Reg,
        (class::ATOMIC_32, atomic::STORE) => Store32Reg,
        (class::ATOMIC_64, atomic::STORE) => Store64Reg,
        (class::ATOMIC_32 | class::ATOMIC_64, _) => {
            let plain = matches!(
                imm & !atomic::FETCH,
                atomic::ADD | atomic::OR | atomic::AND | atomic::XOR
            );
            if !plain && imm != atomic::EXCHANGE && imm != atomic::COMPARE {
                return Err(Unfit::Unknown { code });
            }
            if imm & atomic::FETCH != 0 && imm != atomic::COMPARE {
                writes(src)?;
            }
            if code == class::ATOMIC_32 { Atomic32 } else { Atomic64 }
        }
        _ => return Err(Unfit::Unknown { code }),
    };
    if imm == atomic::LOAD {
        writes(dst)?;
    }
    Ok(operation(kind, instruction))
}
