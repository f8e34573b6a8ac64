//! Tells the crate which versions of the stacks it is built with, from the lock file.

use std::path::Path;
use std::{env, fs};

/// The crates of stacks, each with the name of the variable that gets version and checksum.
const CRATES: [(&str, &str); 2] = [("noq-proto", "NOQ_ORIGIN"), ("quinn-proto", "QUINN_ORIGIN")];

fn main() {
    let here = env::var("CARGO_MANIFEST_DIR").expect("cargo says where");
    // Where this crate is a dependency of another workspace, the lock file is not beside it.
    let lock = Path::new(&here).join("../../Cargo.lock");
    let text = fs::read_to_string(&lock).unwrap_or_default();
    for (package, variable) in CRATES {
        println!("cargo:rustc-env={variable}={}", locked(&text, package).unwrap_or_default());
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", lock.display());
}

/// Version and checksum of a package in a lock file, with a space between them.
fn locked(text: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut packages = text.split("[[package]]");
    let found = packages.find(|part| part.lines().any(|line| line == name))?;
    let value = |key: &str| {
        let line = found.lines().find_map(|line| line.strip_prefix(key))?;
        Some(line.trim_start_matches(" = ").trim_matches('"'))
    };
    Some(format!("{} {}", value("version")?, value("checksum")?))
}
