//! Random programs of few registers and many jumps, to wherever: shortened they do what they do
//! instruction by instruction. 20,000 at each test.

use super::mutated::outcome;
use crate::assembled::{EXIT, constant, functions, helper, op};
use narrows_bpf::{Instruction, Program, Region, address};
use narrows_units::Random;
use std::collections::BTreeMap;

const PROGRAMS: u64 = 20_000;

/// Registers of a program; the last is the end of its stack, which nothing may write.
const REGISTERS: [&[u8]; 3] =
    [&[0, 1, 2, 10], &[0, 1, 2, 3, 6, 10], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]];

const ARITHMETIC: [u8; 12] =
    [0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x90, 0xa0, 0xb0, 0xc0];
const COMPARISONS: [u8; 11] = [0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0xa0, 0xb0, 0xc0, 0xd0];
const SIZES: [u8; 4] = [0x00, 0x08, 0x10, 0x18];
const ATOMICS: [i32; 6] = [0x00, 0x01, 0x41, 0x50, 0xe1, 0xf1];

fn one_of<T: Copy>(random: &mut Random, values: &[T]) -> T {
    values[random.below(values.len() as u64) as usize]
}

fn small(random: &mut Random) -> i32 {
    random.below(40) as i32 - 8
}

/// Where a jump at `at` leads in a program of `length`, mostly ahead.
fn distance(random: &mut Random, at: usize, length: usize) -> i16 {
    let target = if random.chance(0.7) {
        at as u64 + 1 + random.below((length - at - 1) as u64)
    } else {
        random.below(length as u64)
    };
    (target as i64 - (at as i64 + 1)) as i16
}

fn instruction(random: &mut Random, registers: &[u8], at: usize, length: usize) -> Instruction {
    let written = &registers[..registers.len() - 1];
    let any = registers;
    let dst = one_of(random, written);
    let src = one_of(random, any);
    let wide = if random.chance(0.6) { 7 } else { 4 };
    match random.below(100) {
        0..12 => op(0xb0 | wide, dst, 0, 0, small(random)),
        12..28 => op(0xb8 | wide, dst, src, 0, 0),
        28..40 => op(wide, dst, 0, 0, small(random)),
        40..50 => {
            let kind = one_of(random, &ARITHMETIC);
            if random.chance(0.5) {
                op(kind | 8 | wide, dst, src, 0, 0)
            } else {
                op(kind | wide, dst, 0, 0, small(random))
            }
        }
        50..53 => op(0x80 | wide, dst, 0, 0, 0),
        53..64 => op(
            0x61 | one_of(random, &SIZES),
            dst,
            src,
            if random.chance(0.5) { 0 } else { small(random) as i16 },
            0,
        ),
        64..68 => op(0x62 | one_of(random, &SIZES), src, 0, small(random) as i16, small(random)),
        68..74 => {
            op(0x63 | one_of(random, &SIZES), src, one_of(random, any), small(random) as i16, 0)
        }
        74..77 => op(
            one_of(random, &[0xc3, 0xdb]),
            src,
            dst,
            small(random) as i16,
            one_of(random, &ATOMICS),
        ),
        77..80 => helper(one_of(random, &[5, 7])),
        80..84 => op(0x05, 0, 0, distance(random, at, length), 0),
        84..97 => {
            let kind = one_of(random, &COMPARISONS);
            let narrow = random.below(2) as u8;
            let off = distance(random, at, length);
            if random.chance(0.4) {
                op(kind | 8 | (5 + narrow), src, dst, off, 0)
            } else {
                op(kind | (5 + narrow), src, 0, off, small(random))
            }
        }
        _ => EXIT,
    }
}

/// The socket in a register, sometimes; then anything.
fn program(random: &mut Random) -> Program {
    let registers = one_of(random, &REGISTERS);
    let mut main = Vec::new();
    if random.chance(0.6) {
        main.push(op(0x79, one_of(random, &registers[..registers.len() - 1]), 1, 0, 0));
    }
    for register in &registers[..registers.len() - 1] {
        let region = one_of(
            random,
            &[address::STACK, address::ARGUMENTS, address::SOCKET, address::DATA + 1],
        );
        if *register != 1 && random.chance(0.3) {
            main.extend(constant(*register, address::of(region, random.below(32) as u32)));
        }
    }
    let length = main.len() + 3 + random.below(28) as usize;
    let begun = main.len();
    // No jump leads into the two halves of a constant.
    let body: Vec<Instruction> = (0..length - begun - 1)
        .map(|at| instruction(random, registers, at, length - begun))
        .collect();
    main.extend(body);
    main.push(EXIT);
    let mut program = functions([("cong_avoid", main)]);
    program.regions = [(".rodata", false), (".bss", true)]
        .map(|(name, writable)| Region { name: name.to_owned(), bytes: vec![7; 64], writable })
        .to_vec();
    program
}

#[test]
fn programs_of_many_jumps_do_what_their_instructions_do() {
    let mut random = Random::stream(PROGRAMS, "joins");
    let mut outcomes: BTreeMap<&str, u64> = BTreeMap::new();
    for _ in 0..PROGRAMS {
        *outcomes.entry(outcome(program(&mut random))).or_default() += 1;
    }
    for wanted in ["answers", "memory", "endless"] {
        assert!(
            outcomes.get(wanted).is_some_and(|count| count * 50 > PROGRAMS),
            "too few {wanted}: {outcomes:?}"
        );
    }
}
