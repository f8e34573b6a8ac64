//! Arbitrary instructions in the machine of BPF programs: refused, answered or ended by a fault, and nothing else.

#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows_bpf::{Code, Function, Instruction, Machine, MapSpec, Program, Region, World, address};
use std::sync::Arc;

struct Nowhere;

impl World for Nowhere {
    fn uptime(&self) -> u64 {
        1_000_000_000_000
    }

    fn hz(&self) -> u32 {
        250
    }

    fn random(&mut self) -> u32 {
        4
    }

    fn print(&mut self, _: &str) {}
}

fuzz_target!(|data: &[u8]| {
    let instruction = |bytes: &[u8]| Instruction {
        code: bytes[0],
        dst: bytes[1] & 15,
        src: bytes[1] >> 4,
        off: i16::from_le_bytes([bytes[2], bytes[3]]),
        imm: i32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]),
    };
    let code: Vec<Instruction> = data.chunks_exact(8).map(instruction).collect();
    // Each instruction that ends a function begins another.
    let mut functions = Vec::new();
    let mut start = 0;
    for end in (1..=code.len()).filter(|end| code[end - 1].code == 0x95) {
        functions.push(Function { name: format!("f{start}"), start, length: end - start });
        start = end;
    }
    let map = |kind, key_size, value_size, max_entries| MapSpec { name: "map".to_owned(), kind, key_size, value_size, max_entries, flags: 0 };
    let program = Program {
        callbacks: [("init".to_owned(), 0)].into(),
        kfuncs: vec!["tcp_slow_start".to_owned(), "tcp_cong_avoid_ai".to_owned(), "bpf_iter_num_next".to_owned()],
        maps: vec![map(1, 4, 16, 8), map(2, 4, 8, 100), map(24, 4, 16, 0), map(27, 0, 0, 4096)],
        regions: vec![Region { name: ".bss".to_owned(), bytes: vec![0; 64], writable: true }],
        code,
        functions,
        ..Program::default()
    };
    let Ok(code) = Code::new(Arc::new(program)) else { return };
    let init = code.callback("init").expect("it is there");
    let mut machine = Machine::new(Arc::new(code)).with_most_jumps(1000);
    for _ in 0..2 {
        if let Err(fault) = machine.call(init, &[address::of(address::SOCKET, 0), 1, 2, 3, address::of(address::SAMPLE, 0)], &mut Nowhere) {
            assert!(!fault.to_string().is_empty());
        }
    }
    assert!(machine.bytes() < 64 << 20);
});
