//! The objects of the programs in tests/programs. Most are committed, so that most tests need no
//! clang; `UPDATE_OBJECTS=1` compiles them again.

use narrows_bpf::compile::Clang;
use narrows_bpf::{Callable, Program, Settings, Verdict, link};
use narrows_cores::CORE_HEADERS;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Knows each helper but tail calls (12), and each kfunc but `tcp_nowhere`.
pub struct Most;

impl Callable for Most {
    fn helper(&self, number: i32, _: &str) -> Verdict {
        match number {
            12 => {
                Verdict::Refused("it calls bpf_tail_call, which callbacks cannot follow".to_owned())
            }
            1..=211 => Verdict::Known,
            _ => Verdict::Unknown,
        }
    }

    fn kfunc(&self, name: &str) -> Verdict {
        if name == "tcp_nowhere" { Verdict::Unknown } else { Verdict::Known }
    }
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The programs whose objects are committed.
pub const COMMITTED: [&str; 8] =
    ["reno", "cubic", "kinds", "defects", "stalls", "lacking", "forward", "core"];

/// As committed.
pub fn object(program: &str) -> Vec<u8> {
    let path = path(program);
    fs::read(&path)
        .unwrap_or_else(|error| panic!("{}: {error}: UPDATE_OBJECTS=1 makes it", path.display()))
}

fn path(program: &str) -> PathBuf {
    tests().join("objects").join(format!("{program}.bpf.o"))
}

/// Linked, with what is named as well.
pub fn linked(program: &str, settings: &Settings) -> Program {
    link(program, &object(program), settings, &Most).unwrap_or_else(|error| panic!("{error}"))
}

/// Compiled now. `None` without clang or libbpf's headers.
pub fn compiled(program: &str, defect: &str, arguments: &[&str]) -> Option<Vec<u8>> {
    let source = source(program);
    let Ok(clang) = Clang::find(&source) else {
        eprintln!("left out: there is no clang");
        return None;
    };
    let defined = format!("-D{defect}");
    let mut arguments = arguments.to_vec();
    if !defect.is_empty() {
        arguments.push(&defined);
    }
    match clang.compile_with(&source, &[], &arguments) {
        Ok(compiled) => {
            assert_eq!(compiled.said, "", "{program} {defect}");
            Some(compiled.object)
        }
        Err(narrows_bpf::compile::CompileError::NoHeaders { .. }) => {
            eprintln!("left out: there are no headers of libbpf");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// The source and the clang of each committed object: a line each, with the hash of
/// its source.
const MADE: &str = "made.txt";

fn source(program: &str) -> PathBuf {
    let source = |end: &str| tests().join("programs").join(format!("{program}{end}"));
    if source(".c").exists() { source(".c") } else { source(".bpf.c") }
}

/// The line of a program whose source is as it is now: FNV-1a of its text and, of a function in C,
/// of the headers that are put around it.
fn made(program: &str) -> String {
    let mut text = fs::read(source(program)).expect("it is there");
    if program == "core" {
        text.extend(CORE_HEADERS.iter().flat_map(|(_, text)| text.bytes()));
        text.extend(include_bytes!("../../src/compile/around_core.h"));
    }
    let hash = text.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{program} {hash:016x}")
}

/// Needs no clang: an object that was not compiled again after its source changed is found
/// everywhere.
#[test]
fn the_committed_objects_were_made_of_the_sources_as_they_are() {
    if env::var_os("UPDATE_OBJECTS").is_some() {
        return;
    }
    let noted = fs::read_to_string(tests().join("objects").join(MADE))
        .expect("tests/objects/made.txt is there");
    let lines: Vec<&str> = noted.lines().skip(1).collect();
    assert_eq!(lines, COMMITTED.map(made), "UPDATE_OBJECTS=1 compiles them again");
}

/// The objects that clang makes of the sources now and the committed ones are the same to us; to
/// the instruction where it is the clang that made them. Where it stands on this machine is not in
/// the objects, nor what debuggers need.
#[test]
fn the_committed_objects_are_those_of_the_sources() {
    let updates = env::var_os("UPDATE_OBJECTS").is_some();
    let Ok(clang) = Clang::find(&source("reno")) else { return };
    let notes = tests().join("objects").join(MADE);
    let same_clang = updates
        || fs::read_to_string(&notes).expect("it is there").lines().next()
            == Some(clang.version.as_str());
    for program in COMMITTED {
        let map = format!("-ffile-prefix-map={}=.", env!("CARGO_MANIFEST_DIR"));
        let Some(compiled) = compiled(program, "", &[&map]) else { return };
        if updates {
            let path = path(program);
            fs::write(&path, &compiled).expect("tests/objects can be written");
            let stripped =
                Command::new("llvm-strip").arg("-g").arg(&path).status().expect("llvm-strip runs");
            assert!(stripped.success());
        }
        let ops = (program == "forward").then(|| "cubic_again".to_owned());
        let settings = Settings { ops, ..Settings::default() };
        let now = link(program, &compiled, &settings, &Most);
        let committed = link(program, &object(program), &settings, &Most);
        let show = |program: Result<Program, narrows_bpf::LoadError>| match program {
            Err(error) => error.to_string(),
            Ok(program) => {
                let code = if same_clang { &program.code[..] } else { &[] };
                format!(
                    "{:?} {:?} {:?} {:?} {code:?}",
                    program.callbacks.keys(),
                    program.variables,
                    program.maps,
                    program.kfuncs
                )
            }
        };
        assert_eq!(show(now), show(committed), "{program}: UPDATE_OBJECTS=1 compiles it again");
    }
    if updates {
        let lines = [clang.version].into_iter().chain(COMMITTED.map(made)).map(|line| line + "\n");
        fs::write(notes, lines.collect::<String>()).expect("tests/objects can be written");
    }
}
