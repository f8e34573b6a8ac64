//! An instruction as the machine executes it: checked, of one kind, and with a result apart from
//! what it is computed of.

/// Declares the kinds: first those that an instruction's code alone says, then the others.
macro_rules! kinds {
    (of their code: $($coded:ident = $code:literal),*; others: $($(#[$about:meta])* $other:ident),*;) => {
        /// Which operation. In names, 64 and 32 are the bits computed with, `Imm` and `Reg` where
        /// the second operand comes from.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum OperationKind {
            $($coded,)*
            $($(#[$about])* $other,)*
        }

        impl OperationKind {
            /// That of an instruction's code, if it says all.
            pub fn of(code: u8) -> Option<OperationKind> {
                match code {
                    $($code => Some(OperationKind::$coded),)*
                    _ => None,
                }
            }

            /// The instruction's code, if it says all.
            pub fn code(self) -> Option<u8> {
                match self {
                    $(OperationKind::$coded => Some($code),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    of their code:
    Add64Imm = 0x07, Add64Reg = 0x0f, Add32Imm = 0x04, Add32Reg = 0x0c,
    Sub64Imm = 0x17, Sub64Reg = 0x1f, Sub32Imm = 0x14, Sub32Reg = 0x1c,
    Mul64Imm = 0x27, Mul64Reg = 0x2f, Mul32Imm = 0x24, Mul32Reg = 0x2c,
    Div64Imm = 0x37, Div64Reg = 0x3f, Div32Imm = 0x34, Div32Reg = 0x3c,
    Or64Imm = 0x47, Or64Reg = 0x4f, Or32Imm = 0x44, Or32Reg = 0x4c,
    And64Imm = 0x57, And64Reg = 0x5f, And32Imm = 0x54, And32Reg = 0x5c,
    Lsh64Imm = 0x67, Lsh64Reg = 0x6f, Lsh32Imm = 0x64, Lsh32Reg = 0x6c,
    Rsh64Imm = 0x77, Rsh64Reg = 0x7f, Rsh32Imm = 0x74, Rsh32Reg = 0x7c,
    Neg64 = 0x87, Neg32 = 0x84,
    Mod64Imm = 0x97, Mod64Reg = 0x9f, Mod32Imm = 0x94, Mod32Reg = 0x9c,
    Xor64Imm = 0xa7, Xor64Reg = 0xaf, Xor32Imm = 0xa4, Xor32Reg = 0xac,
    Mov64Imm = 0xb7, Mov64Reg = 0xbf, Mov32Imm = 0xb4, Mov32Reg = 0xbc,
    Arsh64Imm = 0xc7, Arsh64Reg = 0xcf, Arsh32Imm = 0xc4, Arsh32Reg = 0xcc,
    JumpEq64Imm = 0x15, JumpEq64Reg = 0x1d, JumpEq32Imm = 0x16, JumpEq32Reg = 0x1e,
    JumpGt64Imm = 0x25, JumpGt64Reg = 0x2d, JumpGt32Imm = 0x26, JumpGt32Reg = 0x2e,
    JumpGe64Imm = 0x35, JumpGe64Reg = 0x3d, JumpGe32Imm = 0x36, JumpGe32Reg = 0x3e,
    JumpSet64Imm = 0x45, JumpSet64Reg = 0x4d, JumpSet32Imm = 0x46, JumpSet32Reg = 0x4e,
    JumpNe64Imm = 0x55, JumpNe64Reg = 0x5d, JumpNe32Imm = 0x56, JumpNe32Reg = 0x5e,
    JumpSgt64Imm = 0x65, JumpSgt64Reg = 0x6d, JumpSgt32Imm = 0x66, JumpSgt32Reg = 0x6e,
    JumpSge64Imm = 0x75, JumpSge64Reg = 0x7d, JumpSge32Imm = 0x76, JumpSge32Reg = 0x7e,
    JumpLt64Imm = 0xa5, JumpLt64Reg = 0xad, JumpLt32Imm = 0xa6, JumpLt32Reg = 0xae,
    JumpLe64Imm = 0xb5, JumpLe64Reg = 0xbd, JumpLe32Imm = 0xb6, JumpLe32Reg = 0xbe,
    JumpSlt64Imm = 0xc5, JumpSlt64Reg = 0xcd, JumpSlt32Imm = 0xc6, JumpSlt32Reg = 0xce,
    JumpSle64Imm = 0xd5, JumpSle64Reg = 0xdd, JumpSle32Imm = 0xd6, JumpSle32Reg = 0xde,
    Load8 = 0x71, Load16 = 0x69, Load32 = 0x61, Load64 = 0x79,
    LoadSigned8 = 0x91, LoadSigned16 = 0x89, LoadSigned32 = 0x81,
    Store8Imm = 0x72, Store16Imm = 0x6a, Store32Imm = 0x62, Store64Imm = 0x7a,
    Store8Reg = 0x73, Store16Reg = 0x6b, Store32Reg = 0x63, Store64Reg = 0x7b,
    Exit = 0x95;
    others:
    SignedDiv64Imm, SignedDiv64Reg, SignedDiv32Imm, SignedDiv32Reg,
    SignedMod64Imm, SignedMod64Reg, SignedMod32Imm, SignedMod32Reg,
    /// The lowest 8 bits of the source, their sign extended.
    MovSigned8To64, MovSigned16To64, MovSigned32To64, MovSigned8To32, MovSigned16To32,
    /// The bytes in the other order.
    Swap16, Swap32, Swap64,
    /// The lowest bits, all others zero.
    Low16, Low32,
    Jump,
    /// Which one is in `imm`, as the instruction has it.
    Atomic32, Atomic64,
    /// The function of the program with the index `imm`.
    CallFunction,
    /// The helper or function of the kernel with the index `imm`.
    CallKernel,
    /// Loads from the socket, at the address `imm`.
    Socket8, Socket16, Socket32, Socket64,
    /// A read of something that does not exist.
    Poison,
    /// None: the upper half of a constant, room between functions, or a result that nothing reads.
    Nothing;
}

impl OperationKind {
    /// True of a jump, whether or not it depends on a comparison.
    pub fn jumps(self) -> bool {
        self == OperationKind::Jump
            || (OperationKind::JumpEq64Imm as u8..=OperationKind::JumpSle32Reg as u8)
                .contains(&(self as u8))
    }
}

/// Registers of the machine. Programs have 11; with as many as four bits can name no number needs a
/// check.
pub const REGISTERS: usize = 16;

/// A register's number, which needs no check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Register {
    R0,
    R1,
    R2,
    R3,
    R4,
    R5,
    R6,
    R7,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    R15,
}

impl Register {
    /// All, in order.
    pub const ALL: [Register; REGISTERS] = {
        use Register::*;
        [R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15]
    };
    /// One that no program names: it holds 0.
    pub const ZERO: Register = Register::R11;

    /// That with this number, below 16.
    pub fn new(number: u8) -> Register {
        Register::ALL[number as usize % REGISTERS]
    }
}

/// One operation. Its parts are as they are computed with, so that none is taken apart or extended
/// when it is executed.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// Which one.
    pub kind: OperationKind,
    /// The register that is written.
    pub dst: Register,
    /// The first operand, or the base of an address.
    pub left: Register,
    /// The second operand, what is stored, or what is moved.
    pub src: Register,
    /// Of a jump the distance in operations from the next one; of an atomic operation and a store
    /// of a constant that in bytes.
    pub off: i32,
    /// A constant, its sign extended; an index; or the distance in bytes of all other loads and
    /// stores.
    pub imm: u64,
}

const _: () = assert!(size_of::<Operation>() == 16);

impl Operation {
    /// Nothing.
    pub const NOTHING: Operation = Operation {
        kind: OperationKind::Nothing,
        dst: Register::R0,
        left: Register::R0,
        src: Register::R0,
        off: 0,
        imm: 0,
    };
}

/// `imm` of an atomic operation (include/uapi/linux/bpf.h): what is done, and whether the value
/// before comes back.
pub mod atomic {
    /// Answers the value before.
    pub const FETCH: i32 = 1;
    /// Addition.
    pub const ADD: i32 = 0x00;
    /// Or.
    pub const OR: i32 = 0x40;
    /// And.
    pub const AND: i32 = 0x50;
    /// Exclusive or.
    pub const XOR: i32 = 0xa0;
    /// Exchange.
    pub const EXCHANGE: i32 = 0xe0 | FETCH;
    /// Compare with register 0 and exchange if equal.
    pub const COMPARE: i32 = 0xf0 | FETCH;
    /// A load that later accesses do not overtake.
    pub const LOAD: i32 = 0x100;
    /// A store that does not overtake earlier accesses.
    pub const STORE: i32 = 0x110;
}
