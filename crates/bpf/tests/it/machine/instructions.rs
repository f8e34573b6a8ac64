//! Every kind of instruction against values computed by hand from RFC 9669.

use crate::assembled::{EXIT, answer, constant, mov, op, program, set};
use narrows_bpf::Instruction;

const MIN_64: u64 = 1 << 63;
const MIN_32: u64 = 1 << 31;
const ONES: u64 = u64::MAX;

/// The content of register 2 after `instruction`, if it held `dst` and register 3 `src`.
fn after(instruction: Instruction, dst: u64, src: u64) -> u64 {
    let code =
        constant(2, dst).into_iter().chain(constant(3, src)).chain([instruction, mov(0, 2), EXIT]);
    answer(program(code))
}

fn imm(code: u8, imm: i32) -> Instruction {
    op(code, 2, 0, 0, imm)
}

fn reg(code: u8) -> Instruction {
    op(code, 2, 3, 0, 0)
}

/// Rows of an operation: codes (64 bits with a constant, with a register, 32 bits with a constant,
/// with a register), `off`, operands that fit a constant, and both results.
type Row = ([u8; 4], i16, u64, i32, u64, u64);

const ADD: [u8; 4] = [0x07, 0x0f, 0x04, 0x0c];
const SUB: [u8; 4] = [0x17, 0x1f, 0x14, 0x1c];
const MUL: [u8; 4] = [0x27, 0x2f, 0x24, 0x2c];
const DIV: [u8; 4] = [0x37, 0x3f, 0x34, 0x3c];
const OR: [u8; 4] = [0x47, 0x4f, 0x44, 0x4c];
const AND: [u8; 4] = [0x57, 0x5f, 0x54, 0x5c];
const LSH: [u8; 4] = [0x67, 0x6f, 0x64, 0x6c];
const RSH: [u8; 4] = [0x77, 0x7f, 0x74, 0x7c];
const MOD: [u8; 4] = [0x97, 0x9f, 0x94, 0x9c];
const XOR: [u8; 4] = [0xa7, 0xaf, 0xa4, 0xac];
const MOV: [u8; 4] = [0xb7, 0xbf, 0xb4, 0xbc];
const ARSH: [u8; 4] = [0xc7, 0xcf, 0xc4, 0xcc];

const ARITHMETIC: &[Row] = &[
    (ADD, 0, ONES, 1, 0, 0),
    (ADD, 0, 0xffff_ffff, 1, 0x1_0000_0000, 0),
    (ADD, 0, 5, -7, -2_i64 as u64, 0xffff_fffe),
    (SUB, 0, 0, 1, ONES, 0xffff_ffff),
    (SUB, 0, 0x1_0000_0000, -1, 0x1_0000_0001, 1),
    (MUL, 0, 0x1_0000_0003, 3, 0x3_0000_0009, 9),
    (MUL, 0, ONES, -1, 1, 1),
    (DIV, 0, 100, 7, 14, 14),
    (DIV, 0, 100, 0, 0, 0),
    // The constant's sign is extended, and then it is unsigned.
    (DIV, 0, ONES, -2, 1, 1),
    (DIV, 0, 0x1_0000_0007, 2, 0x8000_0003, 3),
    (DIV, 1, -7_i64 as u64, 2, -3_i64 as u64, 0xffff_fffd),
    (DIV, 1, 7, -2, -3_i64 as u64, 0xffff_fffd),
    (DIV, 1, MIN_64, -1, MIN_64, 0),
    (DIV, 1, MIN_32, -1, -(MIN_32 as i64) as u64, MIN_32),
    (DIV, 1, 5, 0, 0, 0),
    (MOD, 0, 100, 7, 2, 2),
    // The dividend stays; of 32 bits the lower half.
    (MOD, 0, 0x1_0000_0007, 0, 0x1_0000_0007, 7),
    (MOD, 0, ONES, -2, 1, 1),
    (MOD, 1, -7_i64 as u64, 2, ONES, 0xffff_ffff),
    (MOD, 1, 7, -2, 1, 1),
    (MOD, 1, MIN_64, -1, 0, 0),
    (MOD, 1, MIN_32, -1, 0, 0),
    (MOD, 1, 0xffff_fff0_0000_0005, 0, 0xffff_fff0_0000_0005, 5),
    (OR, 0, 0xf0_0000_00f0, 0x0f, 0xf0_0000_00ff, 0xff),
    (OR, 0, 0, -1, ONES, 0xffff_ffff),
    (AND, 0, 0xff_ffff_ffff, -16, 0xff_ffff_fff0, 0xffff_fff0),
    (AND, 0, 0xff_ffff_ffff, 0x0f, 0x0f, 0x0f),
    (XOR, 0, 0xff_0000_00ff, 0x0f, 0xff_0000_00f0, 0xf0),
    (XOR, 0, 0, -1, ONES, 0xffff_ffff),
    (MOV, 0, 0, -1, ONES, 0xffff_ffff),
    (MOV, 0, ONES, 7, 7, 7),
    (LSH, 0, 1, 4, 16, 16),
    (LSH, 0, 0x8000_0001, 1, 0x1_0000_0002, 2),
    // Distances are taken modulo the width.
    (LSH, 0, 3, 33, 0x6_0000_0000, 6),
    (LSH, 0, 3, 65, 6, 6),
    (RSH, 0, MIN_64, 63, 1, 0),
    (RSH, 0, 0x1_8000_0000, 31, 3, 1),
    (RSH, 0, 0x1_0000_0010, 36, 0, 1),
    (ARSH, 0, MIN_64, 63, ONES, 0),
    (ARSH, 0, 0x8000_0000, 31, 1, 0xffff_ffff),
    (ARSH, 0, -16_i64 as u64, 66, -4_i64 as u64, 0xffff_fffc),
];

#[test]
fn arithmetic_has_the_values_worked_by_hand() {
    for (codes, off, a, b, wide, narrow) in ARITHMETIC {
        for (code, expected) in codes.iter().zip([wide, wide, narrow, narrow]) {
            let from_register = code & 8 != 0;
            let instruction =
                if from_register { op(*code, 2, 3, *off, 0) } else { op(*code, 2, 0, *off, *b) };
            let found = after(instruction, *a, *b as i64 as u64);
            assert_eq!(
                found, *expected,
                "code {code:#04x}, off {off}: {a:#x} and {b:#x} gave {found:#x}"
            );
        }
    }
}

#[test]
fn operations_on_one_register_have_the_values_worked_by_hand() {
    assert_eq!(after(imm(0x87, 0), 5, 0), -5_i64 as u64);
    assert_eq!(after(imm(0x87, 0), MIN_64, 0), MIN_64);
    assert_eq!(after(imm(0x84, 0), 0x1_0000_0005, 0), 0xffff_fffb);
    let value = 0x0123_4567_89ab_cdef;
    for (bits, low, swapped) in
        [(16, 0xcdef, 0xefcd), (32, 0x89ab_cdef, 0xefcd_ab89), (64, value, 0xefcd_ab89_6745_2301)]
    {
        assert_eq!(after(imm(0xd4, bits), value, 0), low);
        assert_eq!(after(imm(0xdc, bits), value, 0), swapped);
        assert_eq!(after(imm(0xd7, bits), value, 0), swapped);
    }
}

#[test]
fn moves_extend_signs() {
    let source = 0xffff_ff00_8000_8080;
    for (code, off, expected) in [
        (0xbf, 8, 0xffff_ffff_ffff_ff80),
        (0xbf, 16, 0xffff_ffff_ffff_8080),
        (0xbf, 32, 0xffff_ffff_8000_8080),
        (0xbc, 8, 0xffff_ff80),
        (0xbc, 16, 0xffff_8080),
    ] {
        assert_eq!(after(op(code, 2, 3, off, 0), 0, source), expected, "{code:#x} {off}");
    }
    assert_eq!(after(op(0xbf, 2, 3, 8, 0), 0, 0x7f), 0x7f);
}

/// Whether a jump is taken: the operation in the high half of its code, and of two numbers which
/// relation it is.
#[test]
fn jumps_are_taken_as_the_comparison_says() {
    type Compare = (u8, fn(u64, u64) -> bool, fn(u32, u32) -> bool);
    const COMPARISONS: [Compare; 11] = [
        (0x10, |a, b| a == b, |a, b| a == b),
        (0x20, |a, b| a > b, |a, b| a > b),
        (0x30, |a, b| a >= b, |a, b| a >= b),
        (0x40, |a, b| a & b != 0, |a, b| a & b != 0),
        (0x50, |a, b| a != b, |a, b| a != b),
        (0x60, |a, b| a as i64 > b as i64, |a, b| a as i32 > b as i32),
        (0x70, |a, b| a as i64 >= b as i64, |a, b| a as i32 >= b as i32),
        (0xa0, |a, b| a < b, |a, b| a < b),
        (0xb0, |a, b| a <= b, |a, b| a <= b),
        (0xc0, |a, b| (a as i64) < b as i64, |a, b| (a as i32) < b as i32),
        (0xd0, |a, b| a as i64 <= b as i64, |a, b| a as i32 <= b as i32),
    ];
    let numbers: [i32; 7] = [0, 1, 2, -1, -2, i32::MAX, i32::MIN];
    for (operation, wide, narrow) in COMPARISONS {
        for a in numbers
            .iter()
            .flat_map(|a| [*a as i64 as u64, *a as u32 as u64, *a as u32 as u64 | 5 << 32])
        {
            for b in numbers {
                for (class, from_register) in [(5, false), (5, true), (6, false), (6, true)] {
                    let code = operation | class | if from_register { 8 } else { 0 };
                    let jump =
                        if from_register { op(code, 2, 3, 1, 0) } else { op(code, 2, 0, 1, b) };
                    let code = constant(2, a)
                        .into_iter()
                        .chain(constant(3, b as i64 as u64))
                        .chain([set(0, 1), jump, set(0, 0), EXIT]);
                    let expected = if class == 5 {
                        wide(a, b as i64 as u64)
                    } else {
                        narrow(a as u32, b as u32)
                    };
                    assert_eq!(
                        answer(program(code)),
                        expected as u64,
                        "{jump:?}: {a:#x} and {b:#x}"
                    );
                }
            }
        }
    }
}

#[test]
fn jumps_go_forth_and_back_near_and_far() {
    // 3 + 2 + 1 by a loop that goes back.
    let sum = [
        set(2, 3),
        set(0, 0),
        op(0x0f, 0, 2, 0, 0),
        op(0x07, 2, 0, 0, -1),
        op(0x55, 2, 0, -3, 0),
        EXIT,
    ];
    assert_eq!(answer(program(sum)), 6);
    assert_eq!(answer(program([set(0, 1), op(0x05, 0, 0, 1, 0), set(0, 2), EXIT])), 1);
    assert_eq!(answer(program([set(0, 1), op(0x06, 0, 0, 0, 1), set(0, 2), EXIT])), 1);
    // Far back: to the second, which leaves.
    assert_eq!(answer(program([op(0x05, 0, 0, 2, 0), set(0, 9), EXIT, op(0x06, 0, 0, 0, -3)])), 9);
}

/// A program that leaves 0x8182_8384_8586_8788 on its stack and then does this with register 10.
fn with_stack(rest: impl IntoIterator<Item = Instruction>) -> u64 {
    let value = constant(1, 0x8182_8384_8586_8788);
    answer(program(value.into_iter().chain([op(0x7b, 10, 1, -8, 0)]).chain(rest)))
}

#[test]
fn loads_have_their_width_and_sign() {
    for (code, expected) in [
        (0x71, 0x88),
        (0x69, 0x8788),
        (0x61, 0x8586_8788),
        (0x79, 0x8182_8384_8586_8788),
        (0x91, 0xffff_ffff_ffff_ff88),
        (0x89, 0xffff_ffff_ffff_8788),
        (0x81, 0xffff_ffff_8586_8788),
    ] {
        assert_eq!(with_stack([op(code, 0, 10, -8, 0), EXIT]), expected, "{code:#x}");
    }
    assert_eq!(with_stack([op(0x71, 0, 10, -1, 0), EXIT]), 0x81);
}

#[test]
fn stores_have_their_width() {
    let all = [op(0x79, 0, 10, -8, 0), EXIT];
    for (code, expected) in [
        (2, 0x8182_8384_8586_87fe),
        (1, 0x8182_8384_8586_fffe),
        (0, 0x8182_8384_ffff_fffe),
        (3, 0xffff_ffff_ffff_fffe),
    ] {
        let size = [0x62, 0x6a, 0x72, 0x7a][code];
        assert_eq!(with_stack([op(size, 10, 0, -8, -2)].into_iter().chain(all)), expected);
        assert_eq!(
            with_stack([set(2, -2), op(size | 1, 10, 2, -8, 0)].into_iter().chain(all)),
            expected
        );
    }
}

#[test]
fn atomic_operations_have_the_values_worked_by_hand() {
    let before = 0x8182_8384_8586_8788_u64;
    let low = before & 0xffff_ffff;
    let high = before - low;
    let operand = 0x7fff_ffff_7fff_0001_u64;
    // The operation, what is stored, and what the register of the operand holds then.
    let wide: [(i32, u64, u64); 9] = [
        (0x00, before.wrapping_add(operand), operand),
        (0x01, before.wrapping_add(operand), before),
        (0x40, 0xffff_ffff_ffff_8789, operand),
        (0x41, 0xffff_ffff_ffff_8789, before),
        (0x50, 0x0182_8384_0586_0000, operand),
        (0x51, 0x0182_8384_0586_0000, before),
        (0xa0, 0xfe7d_7c7b_fa79_8789, operand),
        (0xa1, 0xfe7d_7c7b_fa79_8789, before),
        (0xe1, operand, before),
    ];
    for (imm, stored, register) in wide {
        let with = |rest: [Instruction; 1]| {
            let code = constant(2, operand).into_iter().chain([op(0xdb, 10, 2, -8, imm)]);
            with_stack(code.chain(rest).chain([EXIT]))
        };
        assert_eq!(with([op(0x79, 0, 10, -8, 0)]), stored, "{imm:#x}");
        assert_eq!(with([mov(0, 2)]), register, "{imm:#x}");
    }
    // Of 32 bits only the lower half is touched, and what comes back has no upper half.
    let narrow: [(i32, u64, u64); 9] = [
        (0x00, high | 0x0585_8789, operand),
        (0x01, high | 0x0585_8789, low),
        (0x40, high | 0xffff_8789, operand),
        (0x41, high | 0xffff_8789, low),
        (0x50, high | 0x0586_0000, operand),
        (0x51, high | 0x0586_0000, low),
        (0xa0, high | 0xfa79_8789, operand),
        (0xa1, high | 0xfa79_8789, low),
        (0xe1, high | 0x7fff_0001, low),
    ];
    for (imm, stored, register) in narrow {
        let with = |rest: [Instruction; 1]| {
            let code = constant(2, operand).into_iter().chain([op(0xc3, 10, 2, -8, imm)]);
            with_stack(code.chain(rest).chain([EXIT]))
        };
        assert_eq!(with([op(0x79, 0, 10, -8, 0)]), stored, "{imm:#x}");
        assert_eq!(with([mov(0, 2)]), register, "{imm:#x}");
    }
}

#[test]
fn compare_and_exchange_changes_only_what_is_equal() {
    let before = 0x8182_8384_8586_8788_u64;
    let exchange = |code, compared: u64, last: Instruction| {
        let code = constant(0, compared).into_iter().chain([
            set(2, 7),
            op(code, 10, 2, -8, 0xf1),
            last,
            EXIT,
        ]);
        with_stack(code)
    };
    let stored = op(0x79, 0, 10, -8, 0);
    assert_eq!(exchange(0xdb, before, stored), 7);
    assert_eq!(exchange(0xdb, before, mov(0, 0)), before);
    assert_eq!(exchange(0xdb, before + 1, stored), before);
    assert_eq!(exchange(0xdb, before + 1, mov(0, 0)), before);
    // Of 32 bits the lower half of register 0 is compared.
    assert_eq!(exchange(0xc3, before & 0xffff_ffff | 9 << 32, stored), before >> 32 << 32 | 7);
    assert_eq!(exchange(0xc3, before + 1, stored), before);
    assert_eq!(exchange(0xc3, before, mov(0, 0)), before & 0xffff_ffff);
}

#[test]
fn ordered_loads_and_stores_are_loads_and_stores() {
    for (code, expected) in
        [(0xd3, 0x88), (0xcb, 0x8788), (0xc3, 0x8586_8788), (0xdb, 0x8182_8384_8586_8788)]
    {
        assert_eq!(with_stack([op(code, 0, 10, -8, 0x100), EXIT]), expected);
        let mask = if code == 0xdb {
            ONES
        } else {
            (1 << [8, 16, 32][[0xd3, 0xcb, 0xc3].iter().position(|c| *c == code).unwrap()]) - 1
        };
        assert_eq!(
            with_stack([set(2, -2), op(code, 10, 2, -8, 0x110), op(0x79, 0, 10, -8, 0), EXIT]),
            0x8182_8384_8586_8788 & !mask | -2_i64 as u64 & mask
        );
    }
}

#[test]
fn operands_may_be_the_same_register() {
    assert_eq!(after(op(0x0f, 2, 2, 0, 0), 21, 0), 42);
    assert_eq!(after(reg(0x1f), 44, 2), 42);
    assert_eq!(answer(program([op(0xb7, 10 - 1, 0, 0, 3), mov(0, 9), EXIT])), 3);
}
