//! Puts `papers/` of the repository into the program.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo says where")).join("../../papers");
    let root = root.canonicalize().expect("papers/ stands beside crates/");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut code = String::from("&[\n");
    for folder in sorted(&root).iter().filter(|path| path.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
        for file in sorted(folder).iter().filter(|path| path.is_file()) {
            let _ = writeln!(code, "    ({:?}, {:?}, include_str!({:?})),", name(folder), name(file), file.display().to_string());
        }
    }
    code.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo says where"));
    fs::write(out.join("papers.rs"), code).expect("cargo's directory");
}

fn sorted(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a readable directory");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}
