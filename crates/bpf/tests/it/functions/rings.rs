//! Ring buffers and pointers that know their length.

use super::{AREA, Caller, MAP};
use crate::assembled::{EXIT, answer, constant, helper, mov, op, program, set};
use narrows_bpf::{Instruction, MapSpec, Program};

fn ring() -> MapSpec {
    MapSpec {
        name: "told".to_owned(),
        kind: 27,
        key_size: 0,
        value_size: 0,
        max_entries: 4096,
        flags: 0,
    }
}

fn with_ring(code: impl IntoIterator<Item = Instruction>) -> Program {
    let mut program = program(code);
    program.maps.push(ring());
    program
}

#[test]
fn what_is_written_is_counted_with_its_header() {
    let mut caller = Caller::of_each(&[130, 134], &[ring()]);
    assert_eq!(caller.choose(1, &[MAP, 1]), 4096);
    assert_eq!(caller.choose(0, &[MAP, AREA, 5, 0]), 0);
    // 8 of header and 5, in whole 8; all was read.
    assert_eq!(
        [caller.choose(1, &[MAP, 0]), caller.choose(1, &[MAP, 2]), caller.choose(1, &[MAP, 3])],
        [0, 16, 16]
    );
    assert_eq!([caller.choose(0, &[MAP, AREA, 16, 0]), caller.choose(1, &[MAP, 3])], [0, 40]);
}

#[test]
fn a_record_is_zero_can_be_written_and_must_fit() {
    let reserve = |size: i32, flags: i32| {
        constant(1, MAP).into_iter().chain([set(2, size), set(3, flags), helper(131)])
    };
    let submit = [mov(1, 6), set(2, 0), helper(132)];
    let use_it = [
        mov(6, 0),
        op(0x79, 7, 6, 0, 0),
        op(0x7a, 6, 0, 0, 9),
        op(0x79, 0, 6, 0, 0),
        op(0x0f, 7, 0, 0, 0),
    ];
    let twice = || reserve(8, 0).chain(use_it).chain(submit);
    // The second has the place of the first, and is zero again.
    assert_eq!(answer(with_ring(twice().chain(twice()).chain([mov(0, 7), EXIT]))), 9);
    for (size, flags) in [(4096, 0), (5000, 0), (8, 1)] {
        assert_eq!(answer(with_ring(reserve(size, flags).chain([EXIT]))), 0, "{size} {flags}");
    }
}

#[test]
fn dynamic_pointers_stay_within_their_length() {
    // 197 from_mem, 201 read, 202 write, 203 data.
    let mut caller = Caller::of_each(&[197, 201, 202, 203], &[]);
    caller.put(0, b"0123456789abcdef");
    let pointer = AREA + 64;
    assert_eq!(
        [
            caller.choose(0, &[AREA, 16, 1, pointer]),
            caller.choose(1, &[AREA + 32, 4, pointer, 0, 0])
        ],
        [-22, -22]
    );
    assert_eq!(caller.choose(0, &[AREA, 1 << 24, 0, pointer]), -7);
    assert_eq!(caller.choose(0, &[AREA, 16, 0, pointer]), 0);
    assert_eq!(caller.choose(1, &[AREA + 32, 4, pointer, 10, 0]), 0);
    assert_eq!(caller.area(32, 5), b"abcd\0");
    assert_eq!(
        [
            caller.choose(1, &[AREA + 32, 4, pointer, 13, 0]),
            caller.choose(1, &[AREA + 32, 17, pointer, 0, 0])
        ],
        [-7, -7]
    );
    assert_eq!(caller.choose(2, &[pointer, 1, AREA + 32, 2, 0]), 0);
    assert_eq!(caller.area(0, 4), b"0ab3");
    assert_eq!(
        [
            caller.choose(2, &[pointer, 15, AREA + 32, 2, 0]),
            caller.choose(2, &[pointer, 0, AREA + 32, 2, 1])
        ],
        [-7, -22]
    );
    assert_eq!(caller.choose(3, &[pointer, 4, 12]) as u64, AREA + 4);
    assert_eq!([caller.choose(3, &[pointer, 4, 13]), caller.choose(3, &[pointer, 17, 0])], [0, 0]);
}

#[test]
fn a_record_by_a_dynamic_pointer_is_written_and_submitted() {
    let own = |register: u8| [mov(register, 10), op(0x07, register, 0, 0, -16)];
    let code = constant(1, MAP)
        .into_iter()
        .chain([set(2, 8), set(3, 0)])
        .chain(own(4))
        .chain([helper(198), mov(6, 0)]);
    let code = code.chain(own(1)).chain([
        set(2, 0),
        set(3, 8),
        helper(203),
        op(0x7a, 0, 0, 0, 5),
        op(0x79, 7, 0, 0, 0),
        op(0x0f, 6, 7, 0, 0),
    ]);
    let code = code.chain(own(1)).chain([set(2, 0), helper(199)]).chain(own(1)).chain([
        set(2, 0),
        helper(200),
        mov(0, 6),
        EXIT,
    ]);
    assert_eq!(answer(with_ring(code)), 5);
}
