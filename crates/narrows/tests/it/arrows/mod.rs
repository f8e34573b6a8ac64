//! Rules of the architecture: which crate may depend on which, and which code is banned from crates
//! that run in every world.

mod circles;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All crates. Each may depend only on those before it.
const ORDER: [&str; 39] = [
    "bindings",
    "cores",
    "files",
    "units",
    "params",
    "wire",
    "dice",
    "rand_pcg",
    "measure",
    "contract",
    "control",
    "quic",
    "bpf",
    "path",
    "transport",
    "network",
    "icn",
    "ndn",
    "scenario",
    "traffic",
    "sim",
    "guests",
    "agents",
    "kernel",
    "live",
    "forward",
    "ndn-load",
    "sheet",
    "figure",
    "capture",
    "report",
    "deploy",
    "fit",
    "evidence",
    "workbench",
    "cli",
    "narrows",
    "my-controller",
    "python",
];

/// Dependencies that the order would allow and that are wrong all the same: worlds do not know each
/// other, and a report simulates nothing.
const FORBIDDEN: [(&str, &str); 7] = [
    ("live", "sim"),
    ("forward", "sim"),
    ("forward", "live"),
    ("report", "sim"),
    ("report", "kernel"),
    ("report", "live"),
    ("report", "forward"),
];

/// Crates that run in every world. They use no clock, no I/O, no thread, and no order that depends
/// on a hash.
const WORLDLESS: [&str; 13] = [
    "cores",
    "units",
    "params",
    "wire",
    "measure",
    "contract",
    "control",
    "path",
    "transport",
    "network",
    "icn",
    "ndn",
    "traffic",
];

/// Words that worldless crates may not contain, each with the reason. The names of float functions
/// are banned because their results depend on the machine.
const BANNED: [(&str, &str); 23] = [
    (
        "const ENTRY",
        "each crate that reads it would compile it again, some without optimising; make it a static",
    ),
    (
        "const ENTRIES",
        "each crate that reads it would compile it again, some without optimising; make it a static",
    ),
    ("std::time", "time comes from the world, as narrows_units::Time"),
    ("Instant", "time comes from the world, as narrows_units::Time"),
    ("SystemTime", "time comes from the world, as narrows_units::Time"),
    ("HashMap", "its order is random; use BTreeMap or an index"),
    ("HashSet", "its order is random; use BTreeSet or an index"),
    ("std::fs", "I/O belongs to worlds"),
    ("std::io", "I/O belongs to worlds"),
    ("std::net", "I/O belongs to worlds"),
    ("std::thread", "threads belong to worlds"),
    (".powi(", "its result depends on the machine; multiply"),
    (".powf(", "its result depends on the machine; use libm::pow"),
    (".mul_add(", "its result depends on the machine; multiply and add"),
    (".exp(", "its result depends on the machine; use libm::exp"),
    (".exp2(", "its result depends on the machine; use libm::exp2"),
    (".ln(", "its result depends on the machine; use libm::log"),
    (".ln_1p(", "its result depends on the machine; use libm::log1p"),
    (".log2(", "its result depends on the machine; use libm::log2"),
    (".log10(", "its result depends on the machine; use libm::log10"),
    (".cbrt(", "its result depends on the machine; use libm::cbrt"),
    (".sin(", "its result depends on the machine; use libm::sin"),
    (".cos(", "its result depends on the machine; use libm::cos"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns every crate of the workspace with the workspace crates that it depends on, including its
/// tests' dependencies.
fn arrows() -> Vec<(String, Vec<String>)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(root().join("Cargo.toml"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let room = |value: &Value| {
        let name = value["name"].as_str().expect("a name").to_owned();
        name.strip_prefix("narrows-").map_or(name.clone(), str::to_owned)
    };
    let ours = |dependency: &&Value| dependency["path"].is_string();
    let packages = metadata["packages"].as_array().expect("packages");
    let arrows = |package: &Value| {
        package["dependencies"]
            .as_array()
            .expect("dependencies")
            .iter()
            .filter(ours)
            .map(room)
            .collect()
    };
    packages.iter().map(|package| (room(package), arrows(package))).collect()
}

fn place(room: &str) -> usize {
    ORDER
        .iter()
        .position(|known| *known == room)
        .unwrap_or_else(|| panic!("the crate \"{room}\" has no place in {ORDER:?}; give it one"))
}

#[test]
fn a_crate_depends_only_on_those_before_it() {
    let arrows = arrows();
    assert!(
        arrows.iter().any(|(from, to)| from == "narrows" && !to.is_empty()),
        "no arrows found: {arrows:?}"
    );
    for (from, all) in arrows {
        for to in all {
            assert!(
                place(&to) < place(&from),
                "{from} depends on {to}, which does not stand before it in {ORDER:?}"
            );
        }
    }
}

#[test]
fn worlds_do_not_know_each_other_and_reports_know_no_world() {
    for (from, all) in arrows() {
        for (a, b) in FORBIDDEN {
            assert!(from != a || !all.iter().any(|to| to == b), "{a} depends on {b}");
        }
    }
}

/// Crates that talk to QUIC stacks, which measure time in instants and give peers addresses. All
/// other rules of worldless crates apply.
const OF_STACKS: [&str; 2] = ["guests", "quic"];

/// Words allowed in these crates: instants that the world gives, addresses that nobody reads, seeds
/// of real connections that differ in each process, and the trait by which stacks write logs.
const OF_STACKS_MAY: [&str; 5] = ["std::time", "Instant", "SystemTime", "std::net", "std::io"];

#[test]
fn what_every_world_runs_has_no_clock_no_io_and_no_arithmetic_of_the_machine() {
    let mut found = Vec::new();
    let mut files = 0;
    for room in WORLDLESS.into_iter().chain(OF_STACKS) {
        let source = root().join("crates").join(room).join("src");
        for file in if source.is_dir() { rust_files(&source) } else { Vec::new() } {
            files += 1;
            let text = fs::read_to_string(&file).expect("readable source");
            for (index, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                let may = |word: &str| OF_STACKS.contains(&room) && OF_STACKS_MAY.contains(&word);
                let of_line = |word: &str| contains_word(code, word) && !may(word);
                for (banned, why) in BANNED.iter().filter(|(banned, _)| of_line(banned)) {
                    let file = file.strip_prefix(root()).unwrap_or(&file).display();
                    found.push(format!("{file}:{}: {banned}: {why}", index + 1));
                }
            }
        }
    }
    assert!(files > 20, "only {files} files found");
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Files of worldless crates that may contain unsafe code: they call the C cores.
const UNSAFE: [&str; 3] =
    ["crates/cores/src/call.rs", "crates/cores/src/equations.rs", "crates/cores/src/router.rs"];

#[test]
fn what_every_world_runs_is_safe_but_for_the_calls_of_the_kernels_cores() {
    let mut found = Vec::new();
    for room in WORLDLESS {
        let source = root().join("crates").join(room).join("src");
        for file in if source.is_dir() { rust_files(&source) } else { Vec::new() } {
            let text = fs::read_to_string(&file).expect("readable source");
            let is_unsafe = |line: &str| {
                ["unsafe", "unsafe_code"]
                    .iter()
                    .any(|word| contains_word(line.split("//").next().unwrap_or_default(), word))
            };
            if text.lines().any(is_unsafe) {
                found.push(
                    file.strip_prefix(root())
                        .expect("a file of the workspace")
                        .display()
                        .to_string(),
                );
            }
        }
    }
    assert_eq!(found, UNSAFE);
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let files = |path: PathBuf| match path.is_dir() {
        true => rust_files(&path),
        false if path.extension().is_some_and(|extension| extension == "rs") => vec![path],
        false => Vec::new(),
    };
    paths.into_iter().flat_map(files).collect()
}

/// True if `code` contains `word` with no letter or digit on either side of it.
fn contains_word(code: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    let (opens, closes) = (word.starts_with(inside), word.ends_with(inside));
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back().is_some_and(inside);
        let after = code[at + word.len()..].chars().next().is_some_and(inside);
        !(opens && before || closes && after)
    })
}

#[test]
fn words_are_found_whole() {
    assert!(contains_word("let now = Instant::now();", "Instant"));
    assert!(!contains_word("fn instantly() {} struct Instantaneous;", "Instant"));
    assert!(contains_word("x.exp()", ".exp(") && !contains_word("x.exp_m1()", ".exp("));
}
