//! A program's limits of stack, calls and time; and nothing of one callback reaches the next.

use crate::assembled::{EXIT, Host, answer, call, connection, functions, mov, op, program, set};
use narrows_bpf::{Instruction, Reason};

/// A call from instruction `from` to instruction `to`.
fn call_of(from: i32, to: i32) -> Instruction {
    op(0x85, 0, 1, 0, to - from - 1)
}

#[test]
fn functions_take_five_arguments_and_leave_four_registers() {
    let caller: Vec<_> = (1..10).map(|register| set(register, register as i32)).collect();
    let mut caller = [caller, vec![call_of(9, 15)]].concat();
    // 15 from the function, and 6 + 7 + 8 + 9 that it had no part in.
    caller.extend([
        op(0x0f, 0, 6, 0, 0),
        op(0x0f, 0, 7, 0, 0),
        op(0x0f, 0, 8, 0, 0),
        op(0x0f, 0, 9, 0, 0),
        EXIT,
    ]);
    let mut callee = vec![set(0, 0)];
    callee.extend((1..6).map(|register| op(0x0f, 0, register, 0, 0)));
    callee.extend((6..10).map(|register| set(register, 1000)));
    callee.push(EXIT);
    assert_eq!(answer(functions([("caller", caller), ("callee", callee)])), 15 + 30);
}

#[test]
fn a_function_may_write_the_frame_of_its_caller_by_a_pointer() {
    let caller = vec![
        op(0x7a, 10, 0, -8, 1),
        mov(1, 10),
        op(0x07, 1, 0, 0, -8),
        call_of(3, 6),
        op(0x79, 0, 10, -8, 0),
        EXIT,
    ];
    // Its own frame lies elsewhere.
    let callee = vec![op(0x7a, 10, 0, -8, 5), op(0x7a, 1, 0, 0, 42), op(0x79, 0, 10, -8, 0), EXIT];
    assert_eq!(answer(functions([("caller", caller), ("callee", callee)])), 42);
}

#[test]
fn the_stack_is_zero_when_a_callback_begins() {
    let mut machine = connection(program([op(0x79, 0, 10, -64, 0), op(0x7a, 10, 0, -64, 7), EXIT]));
    assert_eq!(call(&mut machine, &[]), Ok(0));
    assert_eq!(call(&mut machine, &[]), Ok(0));
}

#[test]
fn a_connection_has_as_much_stack_as_its_program_names() {
    let with =
        |bytes: i16| connection(program([op(0x7a, 10, 0, -bytes, 7), set(0, 0), EXIT])).bytes();
    assert_eq!(with(512) - with(16), 496);
}

#[test]
fn arguments_are_those_of_the_call_and_cannot_be_written() {
    let sum = [op(0x79, 0, 1, 0, 0), op(0x79, 2, 1, 32, 0), op(0x0f, 0, 2, 0, 0), EXIT];
    let mut machine = connection(program(sum));
    assert_eq!(call(&mut machine, &[1, 0, 0, 0, 5]), Ok(6));
    // Those that were not given are zero, not what the call before had.
    assert_eq!(call(&mut machine, &[1]), Ok(1));
}

#[test]
fn a_loop_may_turn_as_often_as_is_allowed_and_no_more() {
    // Register 2 counts down to 0: one turn less than its value goes back, and the callback itself
    // is a call.
    let turns = |count: i32| {
        program([set(2, count), op(0x07, 2, 0, 0, -1), op(0x55, 2, 0, -2, 0), set(0, 1), EXIT])
    };
    assert_eq!(answer(turns(1 << 20)), 1);
    let fault = call(&mut connection(turns((1 << 20) + 1)), &[]).unwrap_err();
    assert_eq!((fault.reason, fault.instruction), (Reason::Endless(1 << 20), 2));
    // After the fault the connection is as before: the next callback has all its turns again.
    let mut machine = connection(turns(50)).with_most_jumps(50);
    assert_eq!([call(&mut machine, &[]), call(&mut machine, &[])], [Ok(1), Ok(1)]);
    assert_eq!(
        call(&mut connection(turns(51)).with_most_jumps(50), &[]).unwrap_err().reason,
        Reason::Endless(50)
    );
}

#[test]
fn eight_functions_may_be_in_each_other() {
    // Each of these calls the next; the last returns its depth.
    let chain = |count: usize| {
        let name = |index: usize| ["a", "b", "c", "d", "e", "f", "g", "h", "i"][index];
        let one = |index: usize| {
            let code = if index + 1 < count {
                vec![call_of(0, 2), EXIT]
            } else {
                vec![set(0, count as i32), EXIT]
            };
            (name(index), code)
        };
        functions((0..count).map(one))
    };
    assert_eq!(answer(chain(8)), 8);
    assert_eq!(call(&mut connection(chain(9)), &[]).unwrap_err().reason, Reason::Deep(8));
}

#[test]
fn the_stack_of_all_functions_together_is_512_bytes() {
    let two = |outer: i16, inner: i16| {
        let caller = vec![op(0x7a, 10, 0, -outer, 7), call_of(1, 3), EXIT];
        functions([
            ("caller", caller),
            ("callee", vec![op(0x7a, 10, 0, -inner, 7), set(0, 1), EXIT]),
        ])
    };
    assert_eq!(answer(two(256, 256)), 1);
    // In whole 16 bytes.
    assert_eq!(answer(two(8, 496)), 1);
    let fault = call(&mut connection(two(8, 504)), &[]).unwrap_err();
    assert_eq!((fault.reason, fault.instruction), (Reason::Stack { needed: 528, most: 512 }, 1));
}

#[test]
fn each_connection_has_its_own_data() {
    let count = [
        op(0x18, 1, 0, 0, 0),
        op(0, 0, 0, 0, 8),
        op(0x79, 0, 1, 0, 0),
        op(0x07, 0, 0, 0, 1),
        op(0x7b, 1, 0, 0, 0),
        EXIT,
    ];
    let mut program = program(count);
    program.regions.push(narrows_bpf::Region {
        name: ".data".to_owned(),
        bytes: 41_u64.to_le_bytes().to_vec(),
        writable: true,
    });
    let mut one = connection(program);
    let mut other = one.clone();
    let only = one.code().callback("only").unwrap();
    let mut host = Host::default();
    let mut next = |machine: &mut narrows_bpf::Machine| machine.call(only, &[], &mut host).unwrap();
    assert_eq!((next(&mut one), next(&mut one), next(&mut other)), (42, 43, 42));
}
