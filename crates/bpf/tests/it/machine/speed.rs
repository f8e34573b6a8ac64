//! How long an instruction takes on this machine: says nothing on a busy one.

use crate::assembled::{EXIT, Host, SOCKET, call, connection, mov, op, program, set};
use narrows_bpf::Machine;
use narrows_bpf::socket::Field;
use std::time::Instant;

#[test]
#[ignore = "measures: cargo test --release -p narrows-bpf --test it -- --ignored --nocapture speed"]
fn of_a_loop_with_loads_stores_and_arithmetic() {
    const WINDOW: Field = Field::of("tcp_sock.snd_cwnd");
    const SRTT: Field = Field::of("tcp_sock.srtt_us");
    let round = [
        op(0x61, 3, 6, WINDOW.offset() as i16, 0),
        op(0x61, 4, 6, SRTT.offset() as i16, 0),
        op(0x2f, 3, 4, 0, 0),
        op(0x77, 3, 0, 0, 3),
        op(0x7b, 10, 3, -8, 0),
        op(0x25, 3, 0, 1, 1000),
        op(0x07, 7, 0, 0, 1),
        op(0x79, 5, 10, -8, 0),
        op(0xac, 7, 5, 0, 0),
        op(0x07, 2, 0, 0, -1),
        op(0x55, 2, 0, -11, 0),
    ];
    const ROUNDS: u64 = 1000;
    let code = [op(0x79, 6, 1, 0, 0), set(2, ROUNDS as i32), set(7, 0)]
        .into_iter()
        .chain(round)
        .chain([mov(0, 7), EXIT]);
    let mut machine = connection(program(code));
    WINDOW.set(machine.socket_mut(), 10);
    SRTT.set(machine.socket_mut(), 8 * 30_000);
    call(&mut machine, &[SOCKET]).unwrap();
    let only = machine.code().callback("only").unwrap();
    let mut host = Host::default();
    let mut best = f64::MAX;
    for _ in 0..30 {
        let begun = Instant::now();
        for _ in 0..100 {
            machine.call(only, &[SOCKET], &mut host).unwrap();
        }
        let each =
            begun.elapsed().as_nanos() as f64 / (100 * (5 + ROUNDS * round.len() as u64)) as f64;
        best = best.min(each);
    }
    println!("{best:.2} ns per instruction");
    let short = program([op(0x79, 6, 1, 0, 0), mov(0, 6), EXIT]);
    println!(
        "{:.1} ns per callback of three instructions",
        callback(&mut connection(short), "only")
    );
    let mut reno = crate::reno::reno(100);
    for (path, value) in
        [("tcp_sock.snd_cwnd", 100), ("tcp_sock.snd_ssthresh", 50), ("tcp_sock.is_cwnd_limited", 1)]
    {
        Field::of(path).set(reno.socket_mut(), value);
    }
    println!(
        "{:.1} ns per cong_avoid of tests/programs/reno.bpf.c",
        callback(&mut reno, "cong_avoid")
    );
    println!("{} bytes for a connection of it", reno.bytes());
}

/// Nanoseconds of a callback, in the best of many batches.
fn callback(machine: &mut Machine, name: &str) -> f64 {
    const BATCH: u32 = 2000;
    let callback = machine.code().callback(name).unwrap();
    let mut host = Host::default();
    let mut best = f64::MAX;
    for _ in 0..200 {
        let begun = Instant::now();
        for _ in 0..BATCH {
            machine.call(callback, &[SOCKET, 0, 0], &mut host).unwrap();
        }
        best = best.min(begun.elapsed().as_nanos() as f64 / BATCH as f64);
    }
    best
}
