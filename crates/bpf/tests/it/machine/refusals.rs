//! The words of every refusal of a program that is not executed at all.

use crate::assembled::{EXIT, functions, helper, op, program, refusal, set};
use narrows_bpf::{Instruction, MapSpec, Program};
use std::fmt::Write;

fn one(instruction: Instruction) -> Program {
    program([instruction, set(0, 0), EXIT])
}

fn map(kind: u32, key_size: u32, value_size: u32, max_entries: u32) -> Program {
    let mut program = program([set(0, 0), EXIT]);
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

fn kernel(name: &str) -> Program {
    let mut program = one(op(0x85, 0, 2, 0, 0));
    program.kfuncs.push(name.to_owned());
    program
}

#[test]
fn every_refusal_has_its_words() {
    let mut astray = program([set(0, 0), EXIT]);
    astray.callbacks.insert("init".to_owned(), 1);
    let cases: Vec<(&str, Program)> = vec![
        ("no instruction", one(op(0xff, 0, 0, 0, 0))),
        ("unused field", one(op(0x0f, 1, 2, 0, 5))),
        ("unknown variant", one(op(0x07, 1, 0, 1, 5))),
        ("half a constant", program([op(0x18, 1, 0, 0, 5), op(0xb7, 0, 0, 0, 0), EXIT])),
        (
            "constant of a map's descriptor",
            program([op(0x18, 1, 1, 0, 5), op(0, 0, 0, 0, 0), EXIT]),
        ),
        ("register 11", one(op(0x0f, 1, 11, 0, 0))),
        ("frame pointer", one(op(0xb7, 10, 0, 0, 0))),
        ("frame pointer loaded", one(op(0x79, 10, 1, 0, 0))),
        ("frame pointer by an atomic operation", one(op(0xdb, 1, 10, 0, 1))),
        ("unknown atomic operation", one(op(0xdb, 1, 2, 0, 0x70))),
        ("packet", one(op(0x20, 0, 0, 0, 0))),
        ("may_goto", one(op(0xe5, 0, 0, 0, 0))),
        ("jump behind the end", one(op(0x05, 0, 0, 2, 0))),
        ("jump before the beginning", one(op(0x55, 1, 0, -2, 0))),
        (
            "jump into a constant",
            program([op(0x05, 0, 0, 1, 0), op(0x18, 1, 0, 0, 5), op(0, 0, 0, 0, 0), EXIT]),
        ),
        (
            "jump into another function",
            functions([("a", vec![op(0x05, 0, 0, 0, 0)]), ("b", vec![EXIT])]),
        ),
        ("call to nowhere", one(op(0x85, 0, 1, 0, 0))),
        ("no end", program([set(0, 0)])),
        ("end by a condition", program([EXIT, op(0x15, 0, 0, -2, 0)])),
        ("call through a pointer", one(op(0x8d, 1, 0, 0, 0))),
        ("call of another kind", one(op(0x85, 0, 3, 0, 0))),
        ("no helper", one(helper(9999))),
        ("helper of others", one(helper(9))),
        ("timers", one(helper(169))),
        ("tail call", one(helper(12))),
        ("no function of the kernel", kernel("tcp_v4_connect")),
        ("map of another kind", map(14, 4, 4, 1)),
        ("array with a long key", map(2, 8, 4, 1)),
        ("hash without a key", map(1, 0, 4, 1)),
        ("no value", map(1, 4, 0, 1)),
        ("no entries", map(2, 4, 4, 0)),
        ("storage with entries", map(24, 4, 4, 1)),
        ("ring of an odd size", map(27, 0, 0, 4097)),
        ("callback astray", astray),
    ];
    let mut text = String::new();
    for (name, program) in cases {
        writeln!(text, "{name}\n  {}", refusal(program)).unwrap();
    }
    insta::assert_snapshot!(text);
}
