//! Clocks, draws, loops, reads that may fail, options, and the table of all functions.

use super::{AREA, Caller};
use crate::assembled::{EXIT, SOCKET, answer, constant, functions, helper, mov, op, program, set};
use narrows_bpf::socket::Field;
use narrows_bpf::{Callable, FUNCTIONS, SimulatedKernel, Verdict, address, helper as standing};

#[test]
fn clocks_show_the_uptime() {
    // 5 ns, 118 ticks, 125, 208 ns, 160 ns of the latest tick.
    let mut caller = Caller::of_each(&[5, 118, 125, 208, 160], &[]);
    caller.host.since = 7_999_999;
    let uptime = 1_000_000_000_000 + 7_999_999;
    assert_eq!([0, 2, 3].map(|clock| caller.choose(clock, &[])), [uptime; 3]);
    // A tick is 4 ms; the count began 300 s before it wraps in 32 bits.
    assert_eq!(caller.choose(1, &[]) as u64, (1 << 32) - 300 * 250 + 1000 * 250 + 1);
    assert_eq!(caller.choose(4, &[]), 1_000_004_000_000);
}

#[test]
fn draws_are_the_flows_own_and_there_is_one_processor() {
    let mut caller = Caller::of_each(&[7, 8, 42, 93, 116], &[]);
    assert_eq!([caller.choose(0, &[]), caller.choose(0, &[])], [1, 2]);
    assert_eq!([1, 2, 3, 4].map(|which| caller.choose(which, &[AREA, SOCKET])), [0; 4]);
}

/// Calls `bpf_loop` so many times with a function that adds its round to what its context points to
/// and stops after round 10.
fn looped(rounds: u64, flags: i32) -> u64 {
    let round = vec![
        op(0x79, 3, 2, 0, 0),
        op(0x0f, 3, 1, 0, 0),
        op(0x7b, 2, 3, 0, 0),
        set(0, 0),
        op(0x55, 1, 0, 1, 10),
        set(0, 1),
        EXIT,
    ];
    let main = |function: u64| {
        let begin =
            constant(1, rounds).into_iter().chain(constant(2, address::FUNCTION | function));
        let rest = [
            op(0x7a, 10, 0, -8, 0),
            mov(3, 10),
            op(0x07, 3, 0, 0, -8),
            set(4, flags),
            helper(181),
            op(0x79, 1, 10, -8, 0),
        ];
        begin
            .chain(rest)
            .chain([op(0x67, 0, 0, 0, 32), op(0x4f, 0, 1, 0, 0), EXIT])
            .collect::<Vec<_>>()
    };
    let length = main(0).len() as u64;
    answer(functions([("only", main(length)), ("round", round)]))
}

#[test]
fn a_loop_calls_its_function_until_it_says_stop() {
    assert_eq!(looped(0, 0), 0);
    assert_eq!(looped(4, 0), 4 << 32 | 6);
    // Eleven rounds, 0 to 10.
    assert_eq!(looped(100, 0), 11 << 32 | 55);
    // Rounds are a number of 32 bits.
    assert_eq!(looped(1 << 32 | 4, 0), 4 << 32 | 6);
    assert_eq!(looped(4, 1) >> 32, (-22_i64 as u64) & 0xffff_ffff);
    assert_eq!(looped((8 << 20) + 1, 0) >> 32, (-7_i64 as u64) & 0xffff_ffff);
}

#[test]
fn numbers_are_iterated_from_the_first_to_before_the_last() {
    // Adds the numbers that an iterator on the stack gives.
    let sum = |from: i32, to: i32| {
        let own = |register| [mov(register, 10), op(0x07, register, 0, 0, -8)];
        let kernel = |index| op(0x85, 0, 2, 0, index);
        let code =
            own(1).into_iter().chain([set(2, from), set(3, to), kernel(0), mov(7, 0), set(6, 0)]);
        let code = code.chain(own(1)).chain([
            kernel(1),
            op(0x15, 0, 0, 3, 0),
            op(0x61, 0, 0, 0, 0),
            op(0x0f, 6, 0, 0, 0),
            op(0x05, 0, 0, -7, 0),
        ]);
        let code = code.chain(own(1)).chain([
            kernel(2),
            op(0x67, 7, 0, 0, 32),
            op(0x4f, 6, 7, 0, 0),
            mov(0, 6),
            EXIT,
        ]);
        let mut program = program(code);
        program.kfuncs = ["bpf_iter_num_new", "bpf_iter_num_next", "bpf_iter_num_destroy"]
            .map(str::to_owned)
            .to_vec();
        answer(program)
    };
    assert_eq!([sum(0, 5), sum(3, 5), sum(5, 5)], [10, 7, 0]);
    assert_eq!(
        [sum(6, 5) >> 32, sum(0, (8 << 20) + 1) >> 32],
        [-22_i64 as u64 & 0xffff_ffff, -7_i64 as u64 & 0xffff_ffff]
    );
}

#[test]
fn a_read_that_fails_gives_zeros() {
    // 113 bytes, 115 texts.
    let mut caller = Caller::of_each(&[113, 115], &[]);
    caller.put(0, b"text\0more");
    assert_eq!(caller.choose(0, &[AREA + 32, 6, AREA]), 0);
    assert_eq!(caller.area(32, 7), b"text\0m\0");
    assert_eq!(
        [caller.choose(0, &[AREA + 32, 6, 0]), caller.choose(0, &[AREA + 33, 2, AREA + 255])],
        [-14, -14]
    );
    assert_eq!(caller.area(32, 6), [0; 6]);
    assert_eq!(caller.choose(1, &[AREA + 32, 16, AREA]), 5);
    assert_eq!(caller.choose(1, &[AREA + 48, 3, AREA]), 3);
    assert_eq!((caller.area(32, 6), caller.area(48, 4)), (&b"text\0\0"[..], &b"te\0\0"[..]));
    assert_eq!(
        [caller.choose(1, &[AREA + 32, 4, 0]), caller.choose(1, &[AREA + 32, 0, 0])],
        [-14, 0]
    );
    assert_eq!(caller.area(32, 4), [0; 4]);
}

#[test]
fn a_pointer_is_exchanged() {
    let mut caller = Caller::of(194, &[]);
    caller.put(0, &5_u64.to_le_bytes());
    assert_eq!(
        [caller.call(&[AREA, 7]), caller.call(&[AREA, 0]), caller.call(&[AREA, 9])],
        [5, 7, 0]
    );
}

#[test]
fn options_are_those_that_a_controller_may_want() {
    const RATE: Field = Field::of("tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_rate");
    const MOST: Field = Field::of("tcp_sock.inet_conn.icsk_inet.sk.sk_max_pacing_rate");
    const STATUS: Field = Field::of("tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_status");
    // 49 set, 57 get.
    let mut caller = Caller::of_each(&[49, 57], &[]);
    for (field, value) in [(RATE, 5_000_000), (MOST, u64::MAX)] {
        field.set(caller.machine.socket_mut(), value);
    }
    caller.put(0, &1_000_000_u32.to_le_bytes());
    assert_eq!(caller.choose(0, &[SOCKET, 1, 47, AREA, 4]), 0);
    let socket = caller.machine.socket();
    assert_eq!([RATE, MOST, STATUS].map(|field| field.get(socket)), [1_000_000, 1_000_000, 1]);
    assert_eq!(caller.choose(1, &[SOCKET, 1, 47, AREA + 8, 4]), 0);
    assert_eq!(caller.area(8, 4), 1_000_000_u32.to_le_bytes());
    caller.put(0, &u32::MAX.to_le_bytes());
    assert_eq!(caller.choose(0, &[SOCKET, 1, 47, AREA, 4]), 0);
    assert_eq!(MOST.get(caller.machine.socket()), u64::MAX);
    assert_eq!(caller.choose(0, &[SOCKET, 1, 47, AREA, 8]), -22);
    // Its own name, or none, is no other controller.
    assert_eq!(caller.choose(1, &[SOCKET, 6, 13, AREA + 16, 16]), 0);
    assert_eq!(caller.area(16, 16), b"mine\0\0\0\0\0\0\0\0\0\0\0\0");
    assert_eq!(caller.choose(0, &[SOCKET, 6, 13, AREA + 16, 16]), 0);
    assert_eq!(caller.choose(0, &[SOCKET, 6, 13, AREA + 32, 16]), -2);
    caller.put(40, &[0xff; 4]);
    assert_eq!(
        [
            caller.choose(0, &[SOCKET, 6, 1, AREA, 4]),
            caller.choose(1, &[SOCKET, 6, 1, AREA + 40, 4])
        ],
        [-92, -92]
    );
    assert_eq!(caller.area(40, 4), [0; 4]);
}

#[test]
fn the_table_has_every_helper_once_and_in_order() {
    let helpers = (1..=211).map(|number| standing(number).expect("a helper of this number").0);
    let mut names: Vec<&str> = helpers.chain(FUNCTIONS.iter().map(|(name, _)| *name)).collect();
    assert_eq!(
        [1, 12, 49, 124, 211].map(|number| names[number - 1]),
        [
            "bpf_map_lookup_elem",
            "bpf_tail_call",
            "bpf_setsockopt",
            "bpf_sk_assign",
            "bpf_cgrp_storage_delete"
        ]
    );
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn the_linker_is_told_what_can_be_called() {
    let kernel = SimulatedKernel;
    assert_eq!(
        [kernel.helper(5, "init"), kernel.helper(49, "init"), kernel.kfunc("cubictcp_init")],
        [const { Verdict::Known }; 3]
    );
    assert_eq!(
        [
            kernel.helper(0, "init"),
            kernel.helper(-1, "init"),
            kernel.helper(212, "init"),
            kernel.kfunc("tcp_ack")
        ],
        [const { Verdict::Unknown }; 4]
    );
    let refused = |verdict| match verdict {
        Verdict::Refused(why) => why,
        other => panic!("{other:?}"),
    };
    assert!(
        refused(kernel.helper(49, "release"))
            .starts_with("it calls bpf_setsockopt: the kernel gives it to no callback release")
    );
    assert!(refused(kernel.helper(12, "init")).contains("tail calls are not carried out"));
    assert!(refused(kernel.helper(9, "init")).contains("gives it to no congestion controller"));
    assert!(refused(kernel.kfunc("bbr_main")).ends_with("the controller bbr alone"));
    assert!(refused(kernel.kfunc("dctcp_state")).ends_with("the controller dctcp alone"));
}
