//! Puts `papers/` of the repository into the program.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root =
        Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo says where")).join("../../papers");
    let root = root.canonicalize().expect("papers/ stands beside crates/");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut code = String::from("&[\n");
    for folder in sorted(&root).iter().filter(|path| path.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        let experiments = folder.join("why");
        let inside = if experiments.is_dir() { sorted(&experiments) } else { Vec::new() };
        for file in sorted(folder).iter().chain(&inside).filter(|path| path.is_file()) {
            let name = |path: &Path, root: &Path| {
                path.strip_prefix(root).expect("a file of the folder").display().to_string()
            };
            let _ = writeln!(
                code,
                "    ({:?}, {:?}, include_str!({:?})),",
                name(folder, &root),
                name(file, folder),
                file.display().to_string()
            );
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
