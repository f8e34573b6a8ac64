//! Compares the linker of narrows-bpf with libbpf: relocated against the running kernel's types,
//! each instruction must be equal. The log of libbpf has its changes.

use crate::loaded::object_of;
use crate::log::overhearing;
use libbpf_rs::ObjectBuilder;
use narrows_bpf::{Callable, Instruction, Program, Settings, Types, Verdict, link_against};
use narrows_control::TWINS;

/// The new value of an instruction.
#[derive(Debug, PartialEq, Eq)]
enum Changed {
    /// A constant or an offset.
    To(i64),
    /// Bytes of a load or store.
    Width(i64),
    Poisoned,
}

/// A change of an instruction, by its number in a function.
#[derive(Debug)]
struct Change {
    function: String,
    instruction: usize,
    what: Changed,
}

/// Parses the changes in the log of libbpf: `prog 'init': relo #1: patched insn #2 (LDX/ST/STX) off
/// 8 -> 24`.
fn told(log: &str) -> Vec<Change> {
    let one = |line: &str| {
        let (function, rest) = line.strip_prefix("libbpf: prog '")?.split_once("': relo #")?;
        let poisoned = rest.contains("substituting insn #");
        let (_, rest) = rest.split_once("insn #")?;
        let (number, rest) = rest.split_once(' ')?;
        let new = || rest.split_once(" -> ")?.1.trim().parse().ok();
        let what = match rest {
            _ if poisoned => Changed::Poisoned,
            rest if rest.contains(" mem_sz ") => Changed::Width(new()?),
            _ => Changed::To(new()?),
        };
        Some(Change { function: function.to_owned(), instruction: number.parse().ok()?, what })
    };
    log.lines().filter_map(one).collect()
}

/// Knows all functions, because nothing is executed here.
struct Everything;

impl Callable for Everything {
    fn helper(&self, _: i32, _: &str) -> Verdict {
        Verdict::Known
    }

    fn kfunc(&self, _: &str) -> Verdict {
        Verdict::Known
    }
}

/// Returns the value of an instruction at the place that libbpf changes.
fn changed(program: &Program, at: usize, like: &Changed) -> Changed {
    let Instruction { code, off, imm, .. } = program.code[at];
    // For a poisoned 64-bit load, libbpf reports both halves.
    let half = at > 0 && program.poison_at(at - 1).is_some() && code == 0x05;
    match (code & 7, like) {
        _ if half || program.poison_at(at).is_some() => Changed::Poisoned,
        (1..=3, Changed::Width(_)) => Changed::Width([4, 2, 1, 8][(code >> 3 & 3) as usize]),
        (1..=3, _) => Changed::To(off as i64),
        (0, _) => Changed::To((program.code[at + 1].imm as i64) << 32 | imm as u32 as i64),
        _ => Changed::To(imm as i64),
    }
}

/// Compares an object. Returns the number of compared changes, and true if the kernel accepted the
/// object.
fn compare(name: &str, object: &[u8], kernel: &Types) -> (usize, bool) {
    let mut taken = false;
    let log = overhearing(|| {
        taken = ObjectBuilder::default().open_memory(object).and_then(|open| open.load()).is_ok()
    });
    let told = told(&log);
    let mut functions: Vec<String> = told.iter().map(|change| change.function.clone()).collect();
    functions.sort();
    functions.dedup();
    let settings = Settings { also: functions, ..Settings::default() };
    let program = link_against(kernel, object, &settings, &Everything)
        .unwrap_or_else(|problem| panic!("{name}: {problem}"));
    for Change { function, instruction, what } in &told {
        let start = program
            .functions
            .iter()
            .find(|known| known.name == *function)
            .expect("it is linked")
            .start;
        let at = start + instruction;
        assert_eq!(
            changed(&program, at, what),
            *what,
            "{name}, {function}, instruction {instruction}"
        );
    }
    (told.len(), taken)
}

#[test]
fn relocations_are_those_of_libbpf() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("left out: only root may give programs to the kernel");
        return;
    }
    let Ok(kernel) = std::fs::read("/sys/kernel/btf/vmlinux") else {
        eprintln!("left out: there is no /sys/kernel/btf/vmlinux");
        return;
    };
    let kernel = Types::read("/sys/kernel/btf/vmlinux", &kernel).expect("the kernel's types");
    let mut compared = 0;
    for twin in TWINS {
        compared += compare(twin.kernel, object_of(twin), &kernel).0;
    }
    assert!(compared > 500, "only {compared} compared");
    // Compiled against the vmlinux.h of this project: the kernel's verifier accepts it.
    let (of_reno, taken) =
        compare("reno", include_bytes!("../../bpf/tests/objects/reno.bpf.o"), &kernel);
    assert!(of_reno > 5 && taken, "reno: {of_reno} compared, taken {taken}");
    // The kernel may lack features that the object uses, such as its configuration; that shows
    // after the relocations.
    let (of_kinds, _) =
        compare("kinds", include_bytes!("../../bpf/tests/objects/kinds.bpf.o"), &kernel);
    assert!(of_kinds > 20, "kinds: {of_kinds} compared");
    eprintln!("{} compared", compared + of_reno + of_kinds);
}
