//! Programs with changed bits: none makes the machine panic, run on or grow. 100,000 at each test;
//! NARROWS_MUTATIONS says how many others.

use crate::assembled::{EXIT, Host, SOCKET, constant, functions, helper, mov, op, set};
use narrows_bpf::socket::Field;
use narrows_bpf::{Code, Instruction, Machine, MapSpec, Program, Reason, Region, address};
use narrows_units::Random;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most jumps back and calls here, so that loops without an end are told soon.
const JUMPS: u32 = 2000;

/// More than the maps of a connection may hold (16 MiB), and all else.
const MOST_BYTES: usize = 64 << 20;

/// A program with something of everything: the socket, a value of its own, maps, a ring, texts,
/// loops, functions, atomic operations.
fn everything() -> Program {
    let field = |path: &str| Field::of(path).offset() as i16;
    let window = field("tcp_sock.snd_cwnd");
    let private = field("tcp_sock.inet_conn.icsk_ca_priv[0]");
    let map = |index: u64, dst: u8| constant(dst, address::MAP | index);
    let data = |offset: u32, dst: u8| constant(dst, address::of(address::DATA, offset));
    let stack = |dst: u8, offset: i32| [mov(dst, 10), op(0x07, dst, 0, 0, offset)];
    let mut main = vec![op(0x79, 6, 1, 0, 0), op(0x61, 7, 6, window, 0)];
    // Arithmetic on the window, in a loop.
    main.extend([
        set(2, 9),
        op(0x0f, 7, 2, 0, 0),
        op(0x3c, 7, 2, 1, 0),
        op(0x27, 7, 0, 0, 3),
        op(0x67, 7, 0, 0, 2),
        op(0xc4, 7, 0, 0, 1),
    ]);
    main.extend([
        op(0x07, 2, 0, 0, -1),
        op(0x56, 2, 0, -7, 0),
        op(0xbf, 3, 7, 16, 0),
        op(0xdc, 3, 0, 0, 32),
        op(0x87, 3, 0, 0, 0),
    ]);
    // The area of the connection.
    main.extend([
        op(0x7b, 6, 3, private, 0),
        op(0x7a, 6, 0, private + 96, 1),
        op(0xdb, 6, 2, private + 8, 1),
        op(0x63, 6, 7, field("tcp_sock.snd_ssthresh"), 0),
    ]);
    // A map: update, look-up, a change in place, deletion.
    main.extend([op(0x62, 10, 0, -4, 3), op(0x7a, 10, 0, -16, 5), op(0x7a, 10, 0, -24, 5)]);
    main.extend(
        map(0, 1)
            .into_iter()
            .chain(stack(2, -4))
            .chain(stack(3, -24))
            .chain([set(4, 0), helper(2)]),
    );
    main.extend(map(0, 1).into_iter().chain(stack(2, -4)).chain([
        helper(1),
        op(0x15, 0, 0, 3, 0),
        set(1, 2),
        op(0xdb, 0, 1, 8, 0xe1),
        op(0x79, 8, 0, 0, 0),
    ]));
    main.extend(map(1, 1).into_iter().chain(stack(2, -4)).chain([
        helper(1),
        op(0x15, 0, 0, 1, 0),
        op(0x7a, 0, 0, 0, 1),
    ]));
    main.extend(map(0, 1).into_iter().chain(stack(2, -4)).chain([helper(3)]));
    // A value of the socket, and a record.
    main.extend(map(2, 1).into_iter().chain([
        mov(2, 6),
        set(3, 0),
        set(4, 1),
        helper(107),
        op(0x15, 0, 0, 1, 0),
        op(0x7a, 0, 0, 8, 7),
    ]));
    main.extend(map(3, 1).into_iter().chain([
        set(2, 16),
        set(3, 0),
        helper(131),
        op(0x15, 0, 0, 4, 0),
        op(0x7a, 0, 0, 0, 1),
        mov(1, 0),
        set(2, 0),
        helper(132),
    ]));
    // Texts.
    main.extend(
        data(0, 3)
            .into_iter()
            .chain(stack(1, -48))
            .chain([set(2, 24)])
            .chain(stack(4, -24))
            .chain([set(5, 16), helper(165)]),
    );
    main.extend(
        stack(1, -48)
            .into_iter()
            .chain([set(2, 24), set(3, 0)])
            .chain(stack(4, -16))
            .chain([helper(105)]),
    );
    main.extend(data(0, 1).into_iter().chain([set(2, 14), mov(3, 7), set(4, 1), helper(6)]));
    main.extend(
        stack(1, -48).into_iter().chain([set(2, 20)]).chain(data(0, 3)).chain([helper(113)]),
    );
    // Functions of the kernel, of the program, and a loop by the kernel.
    main.extend([
        mov(1, 6),
        set(2, 3),
        op(0x85, 0, 2, 0, 0),
        mov(1, 6),
        set(2, 10),
        set(3, 4),
        op(0x85, 0, 2, 0, 1),
    ]);
    let inner = |at: usize, start: usize| op(0x85, 0, 1, 0, start as i32 - at as i32 - 1);
    let length = main.len() + 2 + 1 + 2 + 5 + 2;
    main.extend([mov(1, 7), set(2, 5)]);
    main.push(inner(main.len(), length));
    main.extend(constant(2, address::FUNCTION | (length + 6) as u64));
    main.extend([set(1, 5), mov(3, 10), op(0x07, 3, 0, 0, -16), set(4, 0), helper(181)]);
    main.extend([mov(0, 7), EXIT]);
    assert_eq!(main.len(), length);
    let add = vec![
        op(0x7b, 10, 1, -8, 0),
        op(0x0f, 1, 2, 0, 0),
        op(0x79, 0, 10, -8, 0),
        op(0x2f, 0, 1, 0, 0),
        op(0x05, 0, 0, 0, 0),
        EXIT,
    ];
    let round =
        vec![op(0x79, 3, 2, 0, 0), op(0x0f, 3, 1, 0, 0), op(0x7b, 2, 3, 0, 0), set(0, 0), EXIT];
    let mut program = functions([("cong_avoid", main), ("add", add), ("round", round)]);
    program.kfuncs = ["tcp_slow_start", "tcp_cong_avoid_ai"].map(str::to_owned).to_vec();
    let map = |kind, key_size, value_size, max_entries| MapSpec {
        name: "map".to_owned(),
        kind,
        key_size,
        value_size,
        max_entries,
        flags: 0,
    };
    program.maps =
        vec![map(1, 4, 16, 8), map(2, 4, 8, 100_000), map(24, 4, 16, 0), map(27, 0, 0, 4096)];
    program.regions = vec![
        Region {
            name: ".rodata".to_owned(),
            bytes: b"w=%u c=%lld %s\0\0\0".to_vec(),
            writable: false,
        },
        Region { name: ".bss".to_owned(), bytes: vec![0; 64], writable: true },
    ];
    program
}

/// The behaviour of a program: answers, faults in one of these ways, or a refusal. It is the same
/// if its operations are its instructions one by one: answers, faults with their places, draws,
/// prints, the socket and the data.
pub(super) fn outcome(program: Program) -> &'static str {
    let program = Arc::new(program);
    let (code, literal) = match (Code::new(program.clone()), Code::literal(program)) {
        (Ok(code), Ok(literal)) => (code, literal),
        (code, literal) => {
            assert!(code.is_err() && literal.is_err());
            return "refused";
        }
    };
    let (outcome, seen) = executed(code);
    let (_, wanted) = executed(literal);
    assert_eq!(seen, wanted);
    outcome
}

/// All that can be seen of callbacks.
#[derive(Debug, PartialEq)]
struct Seen {
    answers: Vec<Result<u64, String>>,
    drawn: u32,
    printed: Vec<String>,
    memory: Vec<Vec<u8>>,
}

/// The kind of outcome of two callbacks, and what is seen of them.
fn executed(code: Code) -> (&'static str, Seen) {
    let mut machine = Machine::new(Arc::new(code)).with_most_jumps(JUMPS);
    for (path, value) in [
        ("tcp_sock.snd_cwnd", 10),
        ("tcp_sock.snd_ssthresh", 100),
        ("tcp_sock.snd_cwnd_clamp", 1000),
    ] {
        Field::of(path).set(machine.socket_mut(), value);
    }
    let only = machine.code().callback("cong_avoid").expect("a callback");
    let mut host = Host::default();
    let mut outcome = "answers";
    let mut answers = Vec::new();
    for _ in 0..2 {
        let answer =
            machine.call(only, &[SOCKET, 1, 2, 3, address::of(address::SAMPLE, 0)], &mut host);
        if let Err(fault) = &answer {
            // Words are found for each.
            assert!(fault.to_string().len() > 20);
            outcome = match fault.reason {
                Reason::Endless(_) => "endless",
                Reason::Full { .. } => "full",
                Reason::Argument { .. } => "argument",
                Reason::Deep(_) | Reason::Stack { .. } => "too deep",
                Reason::NoWindow
                | Reason::ZeroWidth
                | Reason::Other(_)
                | Reason::Reserved(_)
                | Reason::Missing(_) => "against a rule",
                _ => "memory",
            };
        }
        answers.push(answer.map_err(|fault| fault.to_string()));
    }
    assert!(machine.bytes() < MOST_BYTES, "{} bytes", machine.bytes());
    let memory =
        vec![machine.socket().to_vec(), machine.data(0).to_vec(), machine.data(1).to_vec()];
    (outcome, Seen { answers, drawn: host.drawn, printed: host.printed, memory })
}

/// Helpers that work, by their numbers.
const WORKING: [i32; 24] = [
    1, 2, 3, 5, 6, 7, 105, 106, 107, 108, 113, 115, 118, 130, 131, 132, 134, 164, 165, 181, 182,
    194, 201, 203,
];

fn one_of<T: Copy>(random: &mut Random, values: &[T]) -> T {
    values[random.below(values.len() as u64) as usize]
}

fn number(random: &mut Random) -> i32 {
    match random.below(3) {
        0 => one_of(random, &[0, 1, -1, 8, -8, 16, 512, 4096, i32::MAX, i32::MIN]),
        1 => random.below(64) as i32 - 32,
        _ => random.bits() as i32 >> random.below(32),
    }
}

/// Changes an instruction to another that mostly is one, too.
fn mutate(code: &mut [Instruction], random: &mut Random) {
    let at = random.below(code.len() as u64) as usize;
    let other = code[random.below(code.len() as u64) as usize];
    let written = random.below(10) as u8;
    let read = random.below(11) as u8;
    let instruction = &mut code[at];
    let from_register = instruction.code & 8 != 0;
    match (instruction.code & 7, random.below(4)) {
        (_, 3) if random.chance(0.2) => {
            *instruction = Instruction {
                code: random.bits() as u8,
                dst: written,
                src: read,
                off: number(random) as i16,
                imm: number(random),
            };
        }
        (_, 2) if random.chance(0.3) => *instruction = other,
        _ if instruction.code == 0x85 => match instruction.src {
            0 => instruction.imm = one_of(random, &WORKING),
            1 => instruction.imm = number(random),
            _ => instruction.imm ^= 1,
        },
        (0, _) => {
            instruction.imm = if random.chance(0.5) {
                number(random)
            } else {
                instruction.imm ^ 1 << random.below(31)
            }
        }
        (1, 0) => instruction.dst = written,
        (1, 1) => instruction.src = read,
        (2 | 3, 0) => instruction.dst = read,
        (3, 1) => instruction.src = written,
        (2, 1) => instruction.imm = number(random),
        (1..=3, _) => instruction.off = number(random) as i16,
        (4 | 7, 0) => instruction.dst = written,
        (4 | 7, 1) => {
            instruction.code = instruction.code & 15
                | one_of(
                    random,
                    &[0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x90, 0xa0, 0xb0, 0xc0],
                )
        }
        (5 | 6, 0) => {
            instruction.code = instruction.code & 15
                | one_of(
                    random,
                    &[0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0xa0, 0xb0, 0xc0, 0xd0],
                )
        }
        (5 | 6, 1) => instruction.off = random.below(40) as i16 - 20,
        _ if from_register => instruction.src = read,
        _ => instruction.imm = number(random),
    }
}

#[test]
fn the_program_with_everything_runs() {
    assert_eq!(outcome(everything()), "answers");
}

#[test]
fn mutated_programs_answer_or_fault() {
    let count: u64 = std::env::var("NARROWS_MUTATIONS")
        .map_or(100_000, |count| count.parse().expect("NARROWS_MUTATIONS is a number"));
    let original = everything();
    let mut random = Random::stream(count, "mutations");
    let mut outcomes: BTreeMap<&str, u64> = BTreeMap::new();
    for _ in 0..count {
        let mut program = original.clone();
        for _ in 0..=random.below(4) {
            mutate(&mut program.code, &mut random);
        }
        if random.chance(0.05) {
            let map = &mut program.maps[random.below(4) as usize];
            let value = random.bits() as u32 >> random.below(32);
            match random.below(4) {
                0 => map.kind = value % 32,
                1 => map.key_size = value,
                2 => map.value_size = value,
                _ => map.max_entries = value,
            }
        }
        *outcomes.entry(outcome(program)).or_default() += 1;
    }
    eprintln!("{outcomes:?}");
    for wanted in ["answers", "refused", "memory", "argument", "against a rule"] {
        assert!(outcomes.contains_key(wanted), "none of {count} {wanted}: {outcomes:?}");
    }
}
