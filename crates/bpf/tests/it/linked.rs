//! Objects linked: what stands in instructions, data and maps, worked by hand from the sources in
//! tests/programs.

use crate::objects::linked;
use narrows_bpf::socket::Field;
use narrows_bpf::{Instruction, MapSpec, Poisoned, Program, Settings, Variable, address};

/// A function's instructions, with the index of the first.
fn function<'a>(program: &'a Program, name: &str) -> (usize, &'a [Instruction]) {
    let function = program
        .functions
        .iter()
        .find(|function| function.name == name)
        .unwrap_or_else(|| panic!("{name}"));
    (function.start, &program.code[function.start..function.start + function.length])
}

/// The 64-bit immediates that a function loads, in order.
fn immediates(code: &[Instruction]) -> Vec<u64> {
    let pairs = code.windows(2).filter(|pair| pair[0].code == 0x18);
    pairs.map(|pair| (pair[1].imm as u32 as u64) << 32 | pair[0].imm as u32 as u64).collect()
}

fn region(program: &Program, name: &str) -> usize {
    program
        .regions
        .iter()
        .position(|region| region.name == name)
        .unwrap_or_else(|| panic!("{name}"))
}

fn at(program: &Program, name: &str, offset: u32) -> u64 {
    address::of(address::DATA + region(program, name) as u64, offset)
}

/// Offsets of loads (class 1) and stores (class 3) of a width.
fn offsets(code: &[Instruction], class: u8, base: u8) -> Vec<(u8, i16)> {
    let of = |instruction: &&Instruction| {
        instruction.code & 7 == class
            && if class == 1 { instruction.src == base } else { instruction.dst == base }
    };
    code.iter()
        .filter(of)
        .map(|instruction| {
            (8 >> [1, 2, 3, 0][(instruction.code >> 3 & 3) as usize], instruction.off)
        })
        .collect()
}

#[test]
fn a_small_controller() {
    let reno = linked("reno", &Settings::default());
    assert_eq!((reno.name.as_str(), reno.flags, reno.license.as_str()), ("own_reno", 0, "GPL"));
    assert_eq!(
        reno.callbacks.keys().collect::<Vec<_>>(),
        ["cong_avoid", "init", "ssthresh", "undo_cwnd"]
    );
    assert_eq!(reno.kfuncs, ["tcp_slow_start", "tcp_cong_avoid_ai"]);
    assert_eq!((reno.maps.len(), reno.poison.len(), reno.notes.len()), (0, 0, 0));
    let variable = |name: &str, region: usize, offset, size, signed, initial| Variable {
        name: name.into(),
        region,
        offset,
        size,
        signed,
        boolean: false,
        initial,
    };
    let rodata = region(&reno, ".rodata");
    let data = region(&reno, ".data");
    let bss = region(&reno, ".bss");
    assert_eq!(
        reno.variables,
        [
            variable("calls", bss, 0, 8, false, 0),
            variable("gain", rodata, 0, 4, true, 100),
            variable("offset", data, 0, 8, true, -3),
            variable("share", rodata, 4, 1, false, 128),
        ]
    );
    assert_eq!(
        (reno.regions[rodata].writable, reno.regions[data].writable, reno.regions[bss].writable),
        (false, true, true)
    );
    // undo_cwnd: tp->snd_cwnd and tp->prior_cwnd of our layout.
    let (_, undo) = function(&reno, "reno_undo_cwnd");
    let cwnd = Field::of("tcp_sock.snd_cwnd").offset() as i16;
    let prior = Field::of("tcp_sock.prior_cwnd").offset() as i16;
    let mut read: Vec<i16> =
        undo.iter().filter(|one| one.code == 0x61).map(|one| one.off).collect();
    read.truncate(2);
    read.sort_unstable();
    assert_eq!(read, [cwnd, prior]);
    // ssthresh calls `reduced`, which reads `share`.
    let (start, ssthresh) = function(&reno, "reno_ssthresh");
    let (reduced, code) = function(&reno, "reduced");
    let call = ssthresh.iter().position(|one| one.code == 0x85 && one.src == 1).expect("a call");
    assert_eq!((start + call + 1) as i64 + ssthresh[call].imm as i64, reduced as i64);
    assert_eq!(immediates(code), [at(&reno, ".rodata", 4)]);
    // The kfuncs, by their indices.
    let (_, avoid) = function(&reno, "reno_cong_avoid");
    let kfuncs: Vec<i32> =
        avoid.iter().filter(|one| one.code == 0x85 && one.src == 2).map(|one| one.imm).collect();
    assert_eq!(kfuncs, [0, 1]);
    let line = reno.lines.at(start).expect("the object has lines");
    assert!(
        line.file.ends_with("tests/programs/reno.bpf.c")
            && line.line == 58
            && line.text.contains("reno_ssthresh"),
        "{line:?}"
    );
    assert_eq!(
        reno.function_at(start + 1).map(|function| function.name.as_str()),
        Some("reno_ssthresh")
    );
    assert_eq!(reno.function_at(reno.code.len()), None);
}

#[test]
fn every_kind_of_name() {
    let settings = Settings { hz: 1000, also: vec!["for_all".to_owned()], ..Settings::default() };
    let kinds = linked("kinds", &settings);
    let storage = MapSpec {
        name: "storage".into(),
        kind: 24,
        key_size: 4,
        value_size: 16,
        max_entries: 0,
        flags: 1,
    };
    let by_port = MapSpec {
        name: "by_port".into(),
        kind: 1,
        key_size: 2,
        value_size: 16,
        max_entries: 16,
        flags: 0,
    };
    assert_eq!(kinds.maps, [storage, by_port]);
    assert_eq!(kinds.kfuncs, ["tcp_reno_ssthresh"]);
    assert_eq!(kinds.notes.len(), 1, "{:?}", kinds.notes);
    assert!(kinds.notes[0].contains("not_of_the_table"), "{:?}", kinds.notes);
    let values = |name: &str| {
        kinds
            .variables
            .iter()
            .find(|variable| variable.name == name)
            .map(|variable| (variable.size, variable.signed, variable.initial))
    };
    assert_eq!(values("hidden"), Some((4, true, -7)));
    assert_eq!(values("set"), Some((8, false, 0x1122_3344_5566_7788)));
    assert_eq!(values("aside"), Some((4, false, 5)));
    assert_eq!(values("colour"), Some((4, true, -2)));
    assert_eq!(values("parameters"), None);

    let (_, init) = function(&kinds, "kinds_init");
    let (turn, _) = function(&kinds, "one_turn");
    let configuration = at(&kinds, ".kconfig", 0);
    let found = immediates(init);
    assert!(found.contains(&(address::FUNCTION | turn as u64)), "{found:x?}");
    // TCP_CA_Loss is 17 in the source, and 4 in truth.
    assert!(found.contains(&4) && !found.contains(&17), "{found:x?}");
    // tcp_nowhere does not exist: its address is null.
    assert!(found.contains(&0), "{found:x?}");
    assert_eq!(found.iter().filter(|one| **one >> 32 == configuration >> 32).count(), 3);
    let values = &kinds.regions[region(&kinds, ".kconfig")].bytes;
    let mut words: Vec<u32> = values
        .chunks(8)
        .map(|word| {
            u32::from_le_bytes([
                word[0],
                *word.get(1).unwrap_or(&0),
                *word.get(2).unwrap_or(&0),
                *word.get(3).unwrap_or(&0),
            ])
        })
        .collect();
    words.sort_unstable();
    assert_eq!(words, [0, 1000, 0x06_12_00]);

    let (_, ssthresh) = function(&kinds, "kinds_ssthresh");
    let found = immediates(ssthresh);
    for expected in [
        address::MAP,
        address::MAP | 1,
        at(&kinds, ".data", 0),
        at(&kinds, ".data.aside", 0),
        at(&kinds, ".bss", 0),
    ] {
        assert!(found.contains(&expected), "{expected:x}: {found:x?}");
    }
    let (_, for_all) = function(&kinds, "for_all");
    let primes = &kinds.regions[region(&kinds, ".rodata")].bytes;
    let offset = immediates(for_all)[0] as u32 as usize;
    assert_eq!(primes[offset..offset + 5], [2, 3, 5, 7, 11]);
    // Static functions are called by the section and a distance, others by their symbols.
    let (within, code) = function(&kinds, "within");
    let called = code.iter().position(|one| one.code == 0x85).expect("a call");
    assert_eq!(
        within as i64 + called as i64 + 1 + code[called].imm as i64,
        function(&kinds, "for_all").0 as i64
    );
}

/// Structures of the source are laid out otherwise than ours; some members are wider, narrower, or
/// do not exist.
#[test]
fn every_kind_of_relocation() {
    let kinds = linked("kinds", &Settings::default());
    let (start, init) = function(&kinds, "kinds_init");
    let offset = |field: Field| field.offset() as i16;
    const SOCKET: u8 = 1;
    let reads = offsets(init, 1, SOCKET);
    // 64 and 16 bits in the source, 32 here.
    assert!(reads.contains(&(4, offset(Field::of("tcp_sock.snd_cwnd")))), "{reads:?}");
    assert!(reads.contains(&(4, offset(Field::of("tcp_sock.mss_cache")))), "{reads:?}");
    assert!(reads.contains(&(4, offset(Field::of("tcp_sock.rtt_min.s[1].v")))), "{reads:?}");
    assert!(
        reads.contains(&(
            2,
            offset(Field::of("tcp_sock.inet_conn.icsk_inet.sk.__sk_common.skc_num"))
        )),
        "{reads:?}"
    );
    assert!(
        reads.contains(&(
            4,
            offset(Field::of("tcp_sock.inet_conn.icsk_inet.sk.__sk_common.skc_rcv_saddr"))
        )),
        "{reads:?}"
    );
    // Offsets and sizes that are asked for stand in moves: the offset of rtt_min.s[2].t, three
    // times four bytes, the 24 bytes of struct minmax, and shifts that leave bits 0 to 4 of byte
    // 64, the state, and bit 3 of the byte of is_cwnd_limited.
    let moved: Vec<i32> = init.iter().filter(|one| one.code == 0xb7).map(|one| one.imm).collect();
    assert!(moved.contains(&(Field::of("tcp_sock.rtt_min.s[2].t").offset() as i32)), "{moved:?}");
    assert!(moved.contains(&12) && moved.contains(&24), "{moved:?}");
    let left: Vec<i32> = init.iter().filter(|one| one.code == 0x67).map(|one| one.imm).collect();
    assert_eq!(left, [60, 59]);
    // Exists: rcv_rtt_est 0, delivered_ecn_bytes 1, struct nowhere 0, minmax_sample 1, TCP_CA_Gone
    // 0, TCP_CA_Loss 1, a flavour's gone 0, a flavour's snd_ssthresh 1; and tcp_nowhere.
    let answers: Vec<u64> = kinds
        .questions
        .iter()
        .filter(|at| (start..start + init.len()).contains(*at))
        .map(|at| kinds.code[*at].imm as u64)
        .collect();
    assert_eq!(answers, [0, 1, 0, 1, 0, 1, 0, 1, 0]);
    // A question about something that does not exist is never reached.
    let what: Vec<&str> = kinds.poison.iter().map(|Poisoned { what, .. }| what.as_str()).collect();
    assert_eq!(what, ["tcp_sock.rcv_rtt_est.rtt_us", "the kernel's function tcp_nowhere"]);
    // Numbers of types: of struct minmax among ours, of none, and of struct minmax in the object.
    let (_, undo) = function(&kinds, "kinds_undo_cwnd");
    let mut ids = immediates(undo);
    ids.retain(|one| one >> 32 == 0);
    assert_eq!(ids.len(), 3, "{ids:?}");
    assert!(ids[0] > 0 && ids[1] == 0 && ids[2] > 0, "{ids:?}");
    let (_, control) = function(&kinds, "kinds_cong_control");
    let stores = offsets(control, 3, SOCKET);
    let rate = offset(Field::of("tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_rate"));
    assert_eq!(stores, [(8, rate), (4, offset(Field::of("tcp_sock.snd_ssthresh")))]);
    let (_, acked) = function(&kinds, "kinds_pkts_acked");
    assert!(
        offsets(acked, 1, SOCKET).contains(&(4, Field::of("ack_sample.rtt_us").offset() as i16))
    );
}
