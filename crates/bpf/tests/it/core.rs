//! A controller of one function in C, tests/programs/core.c, in what is put around it: its
//! parameters, its decisions against its arithmetic in Rust, and what is refused.

use crate::assembled::{Host, SOCKET};
use crate::objects::object;
use narrows_bpf::compile::{Clang, CompileError};
use narrows_bpf::recording::Recording;
use narrows_bpf::socket::fields as f;
use narrows_bpf::{Code, Machine, Settings, SimulatedKernel, files, link};
use narrows_control::Choice;
use narrows_units::Random;
use std::fs;
use std::sync::Arc;

fn core(gain: u32) -> Machine {
    let mut program = link("core.c", &object("core"), &Settings::default(), &SimulatedKernel)
        .unwrap_or_else(|error| panic!("{error}"));
    let variable = program
        .variables
        .iter()
        .find(|variable| variable.name == "gain")
        .expect("a parameter")
        .clone();
    program.regions[variable.region].bytes[variable.offset..variable.offset + 4]
        .copy_from_slice(&gain.to_le_bytes());
    Machine::new(Arc::new(
        Code::new(Arc::new(program)).unwrap_or_else(|refusal| panic!("{refusal}")),
    ))
}

#[test]
fn its_constants_are_parameters_and_its_name_is_that_of_its_function() {
    let program = link("core.c", &object("core"), &Settings::default(), &SimulatedKernel)
        .unwrap_or_else(|error| panic!("{error}"));
    let parameters: Vec<(&str, i64)> = program
        .variables
        .iter()
        .map(|variable| (variable.name.as_str(), variable.initial))
        .collect();
    assert_eq!(parameters, [("gain", 1000), ("keep", 700)]);
    assert_eq!((program.name.as_str(), program.flags), ("own", 1));
    let callbacks: Vec<&str> = program.callbacks.keys().map(String::as_str).collect();
    assert_eq!(
        callbacks,
        ["cong_avoid", "cwnd_event", "init", "pkts_acked", "set_state", "ssthresh", "undo_cwnd"]
    );
}

/// Each callback against the same in Rust, under random losses and acknowledgements.
#[test]
fn it_decides_what_its_arithmetic_says() {
    let mut random = Random::stream(5, "core");
    let mut host = Host::default();
    for gain in [1000, 300, 2500] {
        let mut machine = core(gain);
        let [init, acked, avoid, threshold, undo] =
            ["init", "pkts_acked", "cong_avoid", "ssthresh", "undo_cwnd"]
                .map(|name| machine.code().callback(name).expect("it has it"));
        for (field, value) in [
            (f::CWND, 10),
            (f::SSTHRESH, 64),
            (f::CWND_CLAMP, u32::MAX as u64),
            (f::MSS_CACHE, 1448),
        ] {
            field.set(machine.socket_mut(), value);
        }
        // Before the connection begins, the function hears of nothing.
        f::CWND_LIMITED.set(machine.socket_mut(), 1);
        machine.call(avoid, &[SOCKET, 0, 3], &mut host).unwrap();
        assert_eq!(f::CWND.get(machine.socket()), 10);
        machine.call(init, &[SOCKET], &mut host).unwrap();
        f::CA_INITIALIZED.set(machine.socket_mut(), 1);
        let mut window = 10_u64;
        let mut left = 64;
        let mut credit = 0_u64;
        let mut losses = 0_u64;
        for _ in 0..5_000 {
            if random.below(50) == 0 {
                let answer = machine.call(threshold, &[SOCKET], &mut host).unwrap();
                losses += 1;
                assert_eq!(answer, (window * 700 / 1000).max(2));
                let before = window;
                (window, left) = (answer, answer);
                for (field, value) in
                    [(f::CWND, window), (f::SSTHRESH, left), (f::PRIOR_CWND, before)]
                {
                    field.set(machine.socket_mut(), value);
                }
                assert_eq!(machine.call(undo, &[SOCKET], &mut host).unwrap(), before.max(window));
            } else {
                let newly = 1 + random.below(9);
                let limited = random.chance(0.8);
                f::CWND_LIMITED.set(machine.socket_mut(), limited as u64);
                machine
                    .call(
                        acked,
                        &[SOCKET, narrows_bpf::address::of(narrows_bpf::address::SAMPLE, 0)],
                        &mut host,
                    )
                    .unwrap();
                machine.call(avoid, &[SOCKET, 0, newly], &mut host).unwrap();
                if limited && window < left {
                    window = (window + newly).min(left);
                } else if limited {
                    credit += newly * gain as u64;
                    let step = 1000 * window;
                    (window, credit) = (window + credit / step, credit % step);
                }
            }
            let socket = machine.socket();
            assert_eq!((f::CWND.get(socket), f::SSTHRESH.get(socket)), (window, left));
            assert_eq!(f::PRIVATE.get(socket), credit | losses << 32);
        }
    }
}

/// The words of clang about a source, or `None` without it or libbpf's headers.
fn said(source: &str) -> Option<String> {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let file = directory.path().join("mine.c");
    fs::write(&file, source).expect("it can be written");
    match Clang::find(&file).ok()?.compile(&file, &[]) {
        Err(CompileError::NoHeaders { .. }) => None,
        Err(error) => Some(error.to_string()),
        Ok(compiled) => Some(compiled.said),
    }
}

const BEGIN: &str = "#include \"core.h\"\nstruct mine_constants { core_u32 gain; };\n";

#[test]
fn what_the_compiler_refuses_is_told_with_the_users_own_line() {
    let decide = "static void mine_decide(const struct mine_constants *c, struct mine_state *s, const struct core_input *in, struct core_output *out)";
    let Some(large) =
        said(&format!("{BEGIN}struct mine_state {{ core_u64 each[14]; }};\n{decide}\n{{\n}}\n"))
    else {
        return;
    };
    assert!(
        large.contains("the state of a connection has more than 104 bytes, which is all that a socket has for it: remember less"),
        "{large}"
    );
    let wrong = said(&format!(
        "{BEGIN}struct mine_state {{ core_u32 x; }};\n{decide}\n{{\n\tout->window = 3;\n}}\n"
    ))
    .expect("a compiler");
    assert!(
        wrong.contains("mine.c:6:7: error: no member named 'window' in 'struct core_output'"),
        "{wrong}"
    );
    let paced = format!(
        "{BEGIN}#define CORE_PACES\nstruct mine_state {{ core_u32 x; }};\n{decide}\n{{\n\tout->pacing_rate = 1000;\n}}\n"
    );
    assert_eq!(said(&paced).as_deref(), Some(""));
}

/// The header is ours, and found only for a source that has the function.
#[test]
fn a_function_of_another_name_is_told() {
    let text = "#include \"core.h\"\nstruct mine_constants { core_u32 gain; };\nstruct mine_state { core_u32 x; };\n\
                static void decide(const struct mine_constants *c, struct mine_state *s, const struct core_input *in, struct core_output *out) {}\n";
    let Some(said) = said(text) else { return };
    assert!(
        said.contains("it includes core.h and has no function mine_decide, ")
            && !said.contains("file not found"),
        "{said}"
    );
}

/// A source of one function is recorded with all that makes a controller of it.
#[test]
fn its_calls_can_be_recorded() {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let file = directory.path().join("recorded_core.c");
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/core.c"))
        .expect("it is there");
    fs::write(&file, text).expect("it can be written");
    if said("").is_none() {
        return;
    }
    let session = narrows_control::Session::default();
    let _session = session.enter();
    let entry = files::entry(&session, &file.display().to_string())
        .unwrap_or_else(|refused| panic!("{refused}"));
    let choice: Choice =
        format!("{}?gain=700", entry.name()).parse().unwrap_or_else(|error| panic!("{error}"));
    let recording = Recording::of(&choice, 250).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(recording.program.name, "own");
}
