//! The words of every fault.

use crate::assembled::{
    EXIT, SOCKET, call, connection, constant, functions, helper, mov, op, program, set,
};
use narrows_bpf::socket::{Field, SIZE};
use narrows_bpf::{Instruction, MapSpec, Poisoned, Program, Region, address};
use std::fmt::Write;

/// A program that has the socket in register 6.
fn with_socket(rest: impl IntoIterator<Item = Instruction>) -> Program {
    program([op(0x79, 6, 1, 0, 0)].into_iter().chain(rest).chain([set(0, 0), EXIT]))
}

fn field(path: &str) -> i16 {
    Field::of(path).offset() as i16
}

fn with_map(kind: u32, code: impl IntoIterator<Item = Instruction>) -> Program {
    let mut program = program(code);
    let (key_size, value_size, max_entries) =
        if kind == 27 { (0, 0, 4096) } else { (4, 16, if kind == 24 { 0 } else { 4 }) };
    program.maps.push(MapSpec {
        name: "seen".to_owned(),
        kind,
        key_size,
        value_size,
        max_entries,
        flags: 0,
    });
    program
}

fn map(dst: u8) -> [Instruction; 2] {
    constant(dst, address::MAP)
}

/// A function of the kernel with these arguments in registers 1 to 3; the first is the socket if
/// that is in register 6.
fn kernel(name: &str, arguments: [i32; 2]) -> Program {
    let [second, third] = arguments;
    let mut program = with_socket([mov(1, 6), set(2, second), set(3, third), op(0x85, 0, 2, 0, 0)]);
    program.kfuncs.push(name.to_owned());
    program
}

#[test]
fn every_fault_has_its_words() {
    let private = field("tcp_sock.inet_conn.icsk_ca_priv[0]");
    let window = field("tcp_sock.snd_cwnd");
    let data = |writable| Region {
        name: if writable { ".bss" } else { ".rodata" }.to_owned(),
        bytes: vec![0; 8],
        writable,
    };
    let with_data = |writable, code: Vec<Instruction>| {
        let mut program = program(code);
        program.regions.push(data(writable));
        program
    };
    let lookup = |kind, index: i32, rest: Vec<Instruction>| {
        let begin = map(1).into_iter().chain([
            op(0x62, 10, 0, -4, index),
            mov(2, 10),
            op(0x07, 2, 0, 0, -4),
            helper(1),
        ]);
        with_map(kind, begin.chain(rest).chain([EXIT]))
    };
    let recursive = functions([("only", vec![op(0x85, 0, 1, 0, -1), EXIT])]);
    let mut renamed = program([op(0x79, 2, 1, 8, 0), op(0x61, 0, 2, 24, 0), EXIT]);
    renamed.callbacks = [("cong_control".to_owned(), 0)].into();
    let mut poisoned = with_socket([op(0x61, 0, 6, 0, 0)]);
    poisoned.poison.push(Poisoned { instruction: 1, what: "tcp_sock.rcv_rtt_est.time".to_owned() });
    let at_data = constant(1, address::of(address::DATA, 0)).to_vec();
    let deep = functions([
        (
            "only",
            vec![op(0x85, 0, 1, 0, 1), EXIT, op(0x7a, 10, 0, -256, 0), op(0x85, 0, 1, 0, -2), EXIT]
                [..2]
                .to_vec(),
        ),
        ("inner", vec![op(0x7a, 10, 0, -256, 0), op(0x85, 0, 1, 0, -2), EXIT]),
    ]);
    let option = |name: &[u8; 8]| {
        let begin = constant(4, u64::from_le_bytes(*name)).into_iter().chain([
            op(0x7b, 10, 4, -8, 0),
            mov(1, 6),
            set(2, 6),
            set(3, 13),
        ]);
        with_socket(begin.chain([mov(4, 10), op(0x07, 4, 0, 0, -8), set(5, 8), helper(49)]))
    };
    let cases: Vec<(&str, Program)> = vec![
        ("null", program([set(2, 0), op(0x79, 0, 2, 16, 0), EXIT])),
        ("null value of a map", lookup(2, 9, vec![op(0x79, 0, 0, 8, 0)])),
        ("number", program([set(2, 0x12345), op(0x72, 2, 0, 0, 0), EXIT])),
        ("old cong_control", renamed),
        (
            "wild",
            program(
                constant(2, address::of(77, 3)).into_iter().chain([op(0x71, 0, 2, 0, 0), EXIT]),
            ),
        ),
        ("map itself", with_map(1, map(2).into_iter().chain([op(0x79, 0, 2, 0, 0), EXIT]))),
        ("behind a value", lookup(2, 1, vec![op(0x79, 0, 0, 12, 0)])),
        ("before a value", lookup(2, 1, vec![op(0x7a, 0, 0, -8, 0)])),
        (
            "behind data",
            with_data(true, [at_data.clone(), vec![op(0x79, 0, 1, 1, 0), EXIT]].concat()),
        ),
        (
            "read-only data",
            with_data(false, [at_data.clone(), vec![op(0x7a, 1, 0, 0, 0), EXIT]].concat()),
        ),
        ("arguments", program([op(0x7a, 1, 0, 0, 0), EXIT])),
        ("behind the arguments", program([op(0x79, 0, 1, 40, 0), EXIT])),
        (
            "sample",
            program(
                constant(2, address::of(address::SAMPLE, 0))
                    .into_iter()
                    .chain([op(0x62, 2, 0, 0, 0), EXIT]),
            ),
        ),
        ("behind the frame", program([op(0x79, 0, 10, 0, 0), EXIT])),
        (
            "below the stack",
            program([
                op(0x7a, 10, 0, -8, 0),
                mov(2, 10),
                op(0x1f, 2, 1, 0, 0),
                mov(2, 10),
                set(3, -520),
                op(0x0f, 2, 3, 0, 0),
                op(0x79, 0, 2, 0, 0),
                EXIT,
            ]),
        ),
        ("behind the private area", with_socket([op(0x7a, 6, 0, private + 104, 1)])),
        ("across the end of the private area", with_socket([op(0x7a, 6, 0, private + 100, 1)])),
        ("read-only field", with_socket([op(0x62, 6, 0, field("tcp_sock.srtt_us"), 1)])),
        ("bitfield", with_socket([op(0x72, 6, 0, field("tcp_sock.is_cwnd_limited"), 1)])),
        ("across a field", with_socket([op(0x7a, 6, 0, window, 1)])),
        ("from the middle of a field", with_socket([op(0x72, 6, 0, window + 1, 1)])),
        ("behind the socket", with_socket([op(0x79, 0, 6, SIZE as i16 - 4, 0)])),
        ("missing field", poisoned),
        ("endless loop", program([op(0x05, 0, 0, -1, 0)])),
        ("deep recursion", recursive),
        ("stack of recursion", deep),
        ("window of 0", with_socket([op(0x62, 6, 0, window, 0)])),
        ("w = 0", kernel("tcp_cong_avoid_ai", [0, 1])),
        ("threshold of 0", kernel("tcp_slow_start", [1, 0])),
        ("no sample", kernel("cubictcp_acked", [0, 0])),
        ("no socket", {
            let mut program = program([set(1, 5), set(2, 1), op(0x85, 0, 2, 0, 0), EXIT]);
            program.kfuncs.push("tcp_slow_start".to_owned());
            program
        }),
        ("no map", program([set(1, 5), mov(2, 10), helper(1), EXIT])),
        ("no function", program([set(1, 5), set(2, 0), set(3, 0), set(4, 0), helper(181), EXIT])),
        (
            "key outside",
            with_map(
                1,
                map(1).into_iter().chain([
                    mov(2, 10),
                    op(0x7a, 10, 0, -8, 0),
                    op(0x07, 2, 0, 0, -2),
                    helper(1),
                    EXIT,
                ]),
            ),
        ),
        (
            "map of another kind",
            with_map(
                24,
                map(1).into_iter().chain([
                    op(0x62, 10, 0, -4, 0),
                    mov(2, 10),
                    op(0x07, 2, 0, 0, -4),
                    helper(1),
                    EXIT,
                ]),
            ),
        ),
        ("other controller", option(b"cubic\0\0\0")),
        (
            "record kept",
            with_map(27, map(1).into_iter().chain([set(2, 8), set(3, 0), helper(131), EXIT])),
        ),
        (
            "record twice",
            with_map(
                27,
                map(1).into_iter().chain([
                    set(2, 8),
                    set(3, 0),
                    helper(131),
                    mov(6, 0),
                    mov(1, 0),
                    set(2, 0),
                    helper(132),
                    mov(1, 6),
                    set(2, 0),
                    helper(132),
                    EXIT,
                ]),
            ),
        ),
        ("full maps", {
            let begin = map(1).into_iter().chain([
                op(0x62, 10, 0, -4, 0),
                mov(2, 10),
                op(0x07, 2, 0, 0, -4),
                helper(1),
                EXIT,
            ]);
            let mut program = with_map(2, begin);
            program.maps[0].value_size = 17 << 20;
            program
        }),
    ];
    let mut text = String::new();
    for (name, program) in cases {
        let mut machine = connection(program);
        // A sequence number as the second argument.
        let fault =
            call(&mut machine, &[SOCKET, 5000]).err().unwrap_or_else(|| panic!("{name}: no fault"));
        writeln!(text, "{name}\n  {fault}").unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_window_of_0_matters_when_the_callback_ends() {
    let window = field("tcp_sock.snd_cwnd");
    let mut machine =
        connection(with_socket([op(0x62, 6, 0, window, 0), op(0x62, 6, 0, window, 1)]));
    assert_eq!(call(&mut machine, &[SOCKET]), Ok(0));
    // Another's 0 is not the program's fault.
    let mut machine = connection(with_socket([]));
    assert_eq!(call(&mut machine, &[SOCKET]), Ok(0));
}

#[test]
fn what_a_program_may_write_it_can_write() {
    for (path, size) in [
        ("tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_rate", 8),
        ("tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_status", 4),
        ("tcp_sock.inet_conn.icsk_ca_priv[0]", 8),
        ("tcp_sock.inet_conn.icsk_ca_priv[1]", 8),
        ("tcp_sock.inet_conn.icsk_ack.pending", 1),
        ("tcp_sock.snd_cwnd", 4),
        ("tcp_sock.snd_cwnd_cnt", 4),
        ("tcp_sock.snd_cwnd_stamp", 4),
        ("tcp_sock.snd_ssthresh", 4),
        ("tcp_sock.ecn_flags", 1),
        ("tcp_sock.app_limited", 4),
    ] {
        let store =
            [(1, 0x72), (4, 0x62), (8, 0x7a)].iter().find(|(bytes, _)| *bytes == size).unwrap().1;
        let mut machine = connection(with_socket([op(store, 6, 0, field(path), 3)]));
        assert_eq!(call(&mut machine, &[SOCKET]), Ok(0), "{path}");
        assert_eq!(Field::of(path).get(machine.socket()), 3, "{path}");
    }
}

#[test]
fn a_field_may_be_exchanged_in_one_step() {
    let status = field("tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_status");
    let mut machine = connection(with_socket([set(0, 0), set(2, 1), op(0xc3, 6, 2, status, 0xf1)]));
    assert_eq!(call(&mut machine, &[SOCKET]), Ok(0));
    assert_eq!(
        Field::of("tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_status").get(machine.socket()),
        1
    );
    let mut machine =
        connection(with_socket([set(2, 1), op(0xc3, 6, 2, field("tcp_sock.srtt_us"), 0)]));
    assert!(
        call(&mut machine, &[SOCKET])
            .unwrap_err()
            .to_string()
            .contains("which the kernel lets no controller change")
    );
}

#[test]
fn an_address_that_was_computed_is_no_function() {
    let round = vec![set(0, 1), EXIT];
    let looping = |named: u64, more: i32| {
        let main = [set(1, 1)].into_iter().chain(constant(2, address::FUNCTION | named));
        let main: Vec<_> = main
            .chain([op(0x07, 2, 0, 0, more), set(3, 0), set(4, 0), helper(181), EXIT])
            .collect();
        assert_eq!(main.len(), 8);
        call(&mut connection(functions([("only", main), ("round", round.clone())])), &[])
    };
    assert_eq!(looping(8, 0).unwrap(), 1);
    let fault = looping(7, 1).unwrap_err().to_string();
    assert!(fault.contains("a function of the program"), "{fault}");
}
