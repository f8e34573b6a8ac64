//! Random programs of arithmetic and jumps against an evaluation that shares nothing with the
//! machine: every operation is done on integers of 128 bits, and the result is cut to its width.

use crate::assembled::{call, connection, constant, op, program};
use narrows_bpf::{Instruction, Region, address};
use proptest::prelude::*;

/// Registers that programs compute with; the next is for the address of the result.
const REGISTERS: u8 = 9;

const SPECIAL: [u64; 12] = [
    0,
    1,
    2,
    31,
    63,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
];

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        proptest::sample::select(&SPECIAL[..]),
        any::<i16>().prop_map(|small| small as i64 as u64)
    ]
}

/// An arithmetic instruction, or a jump over as many as remain possible.
fn instruction() -> impl Strategy<Value = Instruction> {
    let operations = [
        0x00, 0x10, 0x20, 0x30, 0x31, 0x40, 0x50, 0x60, 0x70, 0x80, 0x90, 0x91, 0xa0, 0xb0, 0xb1,
        0xb2, 0xb3, 0xc0, 0xd0,
    ];
    let jumps = [0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0xa0, 0xb0, 0xc0, 0xd0];
    let registers = || (0..REGISTERS, 0..REGISTERS);
    let arithmetic = (
        proptest::sample::select(operations.to_vec()),
        any::<(bool, bool)>(),
        registers(),
        number(),
    )
        .prop_map(|(operation, (wide, from_register), (dst, src), imm)| {
            let class = if wide { 7 } else { 4 };
            let kind = operation & 0xf0;
            let variant = operation & 0x0f;
            match (kind, variant) {
                (0x80, _) => op(kind | class, dst, 0, 0, 0),
                (0xd0, _) => {
                    let bits = [16, 32, 64][(imm % 3) as usize];
                    op(
                        0xd0 | if wide {
                            7
                        } else if from_register {
                            0xc
                        } else {
                            4
                        },
                        dst,
                        0,
                        0,
                        bits,
                    )
                }
                (0xb0, 1..) => {
                    let bits = if wide {
                        [8, 16, 32][variant as usize - 1]
                    } else {
                        [8, 16, 16][variant as usize - 1]
                    };
                    op(0xb8 | class, dst, src, bits, 0)
                }
                _ if from_register => op(kind | 8 | class, dst, src, variant as i16, 0),
                _ => op(kind | class, dst, 0, variant as i16, imm as i32),
            }
        });
    let jump = (
        proptest::sample::select(jumps.to_vec()),
        any::<(bool, bool)>(),
        registers(),
        number(),
        0..6_i16,
    )
        .prop_map(|(kind, (wide, from_register), (dst, src), imm, off)| {
            let class = if wide { 5 } else { 6 };
            if from_register {
                op(kind | 8 | class, dst, src, off, 0)
            } else {
                op(kind | class, dst, 0, off, imm as i32)
            }
        });
    prop_oneof![8 => arithmetic, 1 => jump]
}

/// The lowest `bits` of a number, as a signed one or not.
fn cut(value: i128, bits: u32, signed: bool) -> i128 {
    let low = value.rem_euclid(1 << bits);
    if signed && low >> (bits - 1) == 1 { low - (1 << bits) } else { low }
}

fn evaluate(code: &[Instruction], registers: &mut [u64; REGISTERS as usize]) {
    let mut at = 0;
    while let Some(Instruction { code, dst, src, off, imm }) = code.get(at).copied() {
        at += 1;
        let wide = matches!(code & 7, 5 | 7);
        let bits = if wide { 64 } else { 32 };
        let from_register = code & 8 != 0;
        let operand = if from_register { registers[src as usize] as i128 } else { imm as i128 };
        let kind = code & 0xf0;
        if matches!(code & 7, 5 | 6) {
            let unsigned = |value: i128| cut(value, bits, false);
            let signed = |value: i128| cut(value, bits, true);
            let a = registers[dst as usize] as i128;
            let b = operand;
            let taken = match kind {
                0x10 => unsigned(a) == unsigned(b),
                0x20 => unsigned(a) > unsigned(b),
                0x30 => unsigned(a) >= unsigned(b),
                0x40 => unsigned(a) & unsigned(b) != 0,
                0x50 => unsigned(a) != unsigned(b),
                0x60 => signed(a) > signed(b),
                0x70 => signed(a) >= signed(b),
                0xa0 => unsigned(a) < unsigned(b),
                0xb0 => unsigned(a) <= unsigned(b),
                0xc0 => signed(a) < signed(b),
                _ => signed(a) <= signed(b),
            };
            if taken {
                at += off as usize;
            }
            continue;
        }
        let signed = match kind {
            0x30 | 0x90 => off == 1,
            0xc0 => true,
            _ => false,
        };
        let a = cut(registers[dst as usize] as i128, bits, signed);
        let b = cut(operand, bits, signed);
        let distance = (b & (bits as i128 - 1)) as u32;
        let bytes = |value: i128, count: usize| {
            value.to_le_bytes()[..count].iter().fold(0, |sum, byte| sum << 8 | *byte as i128)
        };
        let result = match kind {
            0x00 => a + b,
            0x10 => a - b,
            0x20 => (registers[dst as usize] as u128).wrapping_mul(b as u128) as i128,
            0x30 if b == 0 => 0,
            0x30 => a / b,
            0x40 => a | b,
            0x50 => a & b,
            0x60 => a << distance,
            0x70 => a >> distance,
            0x80 => -a,
            0x90 if b == 0 => a,
            0x90 => a % b,
            0xa0 => a ^ b,
            0xb0 if off > 0 => cut(b, off as u32, true),
            0xb0 => b,
            0xc0 => a >> distance,
            _ if code == 0xd4 => cut(registers[dst as usize] as i128, imm as u32, false),
            _ => bytes(registers[dst as usize] as i128, imm as usize / 8),
        };
        // Conversions of byte order are of all bits, whatever their class.
        registers[dst as usize] = cut(result, if kind == 0xd0 { 64 } else { bits }, false) as u64;
    }
}

/// The registers after a program, as the machine has them. Before it they are constants of the
/// program, or loaded, so that nothing is known of them.
fn executed(body: &[Instruction], registers: &[u64; REGISTERS as usize], loaded: bool) -> Vec<u64> {
    let data = || constant(REGISTERS, address::of(address::DATA, 0)).into_iter();
    let begin: Vec<Instruction> = match loaded {
        true => data()
            .chain(
                (0..REGISTERS)
                    .map(|register| op(0x79, register, REGISTERS, 8 * register as i16, 0)),
            )
            .collect(),
        false => registers
            .iter()
            .enumerate()
            .flat_map(|(register, value)| constant(register as u8, *value))
            .collect(),
    };
    let keep = data();
    let keep = keep.chain(
        (0..REGISTERS).map(|register| op(0x7b, REGISTERS, register, 8 * register as i16, 0)),
    );
    let end = [op(0x95, 0, 0, 0, 0)];
    let mut program = program(begin.into_iter().chain(body.iter().copied()).chain(keep).chain(end));
    let bytes = registers.iter().flat_map(|value| value.to_le_bytes()).collect();
    program.regions.push(Region { name: ".data".to_owned(), bytes, writable: true });
    let mut machine = connection(program);
    call(&mut machine, &[]).unwrap_or_else(|fault| panic!("{fault}"));
    machine.data(0).chunks(8).map(|value| u64::from_le_bytes(value.try_into().unwrap())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn the_machine_computes_what_integers_do(
        mut body in proptest::collection::vec(instruction(), 1..80),
        registers in proptest::array::uniform9(number()),
        loaded in any::<bool>(),
    ) {
        // No jump leads behind the last.
        let length = body.len();
        for (at, instruction) in body.iter_mut().enumerate().filter(|(_, instruction)| matches!(instruction.code & 7, 5 | 6)) {
            instruction.off = instruction.off.min((length - at - 1) as i16);
        }
        let mut expected = registers;
        evaluate(&body, &mut expected);
        prop_assert_eq!(executed(&body, &registers, loaded), expected);
    }
}
