//! `THIRD-PARTY.txt` names everything that is part of the program or of the Python package, with
//! its licence. `make docs` generates the file from `Cargo.lock` and the packages' own files.

use crate::blocks::root;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Platform of the releases. Other platforms need other packages.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";
/// Crates that releases distribute.
const OURS: [&str; 2] = ["narrows", "narrows-python"];
/// Accepted licences, the preferred first. Each is compatible with a program of any licence if its
/// notice is included.
const TAKEN: [&str; 11] = [
    "MIT",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "Unlicense",
    "CC0-1.0",
    "Unicode-3.0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
];
/// Parts in other languages inside packages: the package, the part, and its file with the notice.
const INSIDE: [(&str, &str, &str); 2] = [
    ("notosans", "Noto Sans, by which figures are drawn (OFL-1.1)", "fonts/LICENSE_OFL.txt"),
    (
        "libbpf-sys",
        "libbpf, of which the program with kernel controllers has a copy (BSD-2-Clause of two)",
        "libbpf/LICENSE.BSD-2-Clause",
    ),
];
/// Third-party files in this repository: the part, and the file with its notice.
const KEPT: [(&str, &str); 1] = [(
    "plotly.js, which every page of a report has, compressed (MIT)",
    "crates/report/src/page/assets/plotly.LICENSE.txt",
)];

/// A third-party package.
struct Package {
    name: String,
    line: String,
    licences: Vec<&'static str>,
    folder: std::path::PathBuf,
}

#[test]
fn every_part_of_others_is_named_with_its_licence() {
    if cfg!(not(all(target_arch = "x86_64", target_os = "linux"))) {
        return eprintln!("left out: the packages are those of {PLATFORM}");
    }
    let text = notices(&packages());
    let file = root().join("THIRD-PARTY.txt");
    if env::var_os("UPDATE_DOCS").is_some() {
        return fs::write(file, text).expect("a file");
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    let differs = kept.lines().zip(text.lines()).find(|(kept, now)| kept != now);
    assert!(
        kept == text,
        "THIRD-PARTY.txt is not that of Cargo.lock: `make docs` writes it; first other line {differs:?}"
    );
}

/// Returns the packages from which a release is built, by name and version.
fn packages() -> Vec<Package> {
    let arguments = [
        "metadata",
        "--locked",
        "--offline",
        "--format-version",
        "1",
        "--features",
        "narrows/bpf",
        "--filter-platform",
        PLATFORM,
    ];
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all: BTreeMap<String, Value> =
        list(&metadata["packages"]).into_iter().map(|own| (text(&own["id"]), own)).collect();
    let needs: BTreeMap<String, Vec<Value>> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|own| (text(&own["id"]), list(&own["deps"])))
        .collect();
    let mut open: Vec<String> = all
        .iter()
        .filter(|(_, own)| OURS.contains(&own["name"].as_str().expect("a name")))
        .map(|(id, _)| id.clone())
        .collect();
    assert_eq!(open.len(), OURS.len(), "{OURS:?} are not all there");
    let mut reached = BTreeSet::new();
    while let Some(id) = open.pop() {
        if reached.insert(id.clone()) {
            // Packages that only tests need are not distributed.
            let given = |need: &&Value| {
                list(&need["dep_kinds"]).iter().any(|kind| kind["kind"].as_str() != Some("dev"))
            };
            open.extend(needs[&id].iter().filter(given).map(|need| text(&need["pkg"])));
        }
    }
    let mut packages: Vec<Package> = reached
        .iter()
        .map(|id| &all[id])
        .filter(|own| own["source"].is_string())
        .map(package)
        .collect();
    packages.sort_by(|a, b| a.line.cmp(&b.line));
    packages
}

fn package(own: &Value) -> Package {
    let text = |key: &str| own[key].as_str().unwrap_or_default();
    let line = format!(
        "{} {}, {}: {}",
        text("name"),
        text("version"),
        text("license"),
        text("repository")
    );
    let folder = Path::new(text("manifest_path")).parent().expect("a folder").to_owned();
    Package {
        name: text("name").to_owned(),
        licences: chosen(text("license"), &line),
        line,
        folder,
    }
}

/// Returns the licences chosen from an SPDX expression.
fn chosen(expression: &str, line: &str) -> Vec<&'static str> {
    let all = expression.split(" AND ").map(|part| {
        let choices: Vec<&str> = part
            .trim_matches(['(', ')'])
            .split(" OR ")
            .flat_map(|choice| choice.split('/'))
            .map(str::trim)
            .collect();
        TAKEN
            .into_iter()
            .find(|taken| choices.contains(taken))
            .unwrap_or_else(|| panic!("{line}: none of its licences is one of {TAKEN:?}"))
    });
    all.collect()
}

fn notices(packages: &[Package]) -> String {
    let mut text = String::from(
        "Parts of Narrows by others\n\n\
         Narrows is licensed under MIT or Apache-2.0. Programs and Python packages made of it hold or are made by the packages below, which the\n\
         file Cargo.lock names. Where a package has a choice of licences, the first of these is taken:\n",
    );
    text += &format!("{}.\n\n", TAKEN.join(", "));
    packages
        .iter()
        .for_each(|package| text += &format!("- {}\n", package.line.trim_end_matches([' ', ':'])));
    // Equal texts of several packages appear once.
    let mut texts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for package in packages {
        for notice in files(package) {
            let of = texts.entry(notice).or_default();
            if !of.contains(&package.name.as_str()) {
                of.push(&package.name);
            }
        }
    }
    let mut by_name: Vec<(Vec<&str>, String)> =
        texts.into_iter().map(|(text, names)| (names, text)).collect();
    by_name.sort();
    for (names, notice) in by_name {
        text += &format!("\n{}\n{}\n\n{notice}\n", "=".repeat(80), names.join(", "));
    }
    for (name, part, file) in INSIDE {
        let package = packages
            .iter()
            .find(|package| package.name == name)
            .unwrap_or_else(|| panic!("{name} is no part any more"));
        let notice = fs::read_to_string(package.folder.join(file)).expect("a notice");
        text += &format!("\n{}\n{part}\n\n{}\n", "=".repeat(80), tidy(&notice));
    }
    for (part, file) in KEPT {
        let notice = fs::read_to_string(root().join(file)).expect("a notice");
        text += &format!("\n{}\n{part}\n\n{}\n", "=".repeat(80), tidy(&notice));
    }
    text
}

/// Returns the texts of the chosen licences, and further notices, from the files of a package.
fn files(package: &Package) -> Vec<String> {
    let begins =
        |name: &str, with: &[&str]| with.iter().any(|begin| name.to_lowercase().starts_with(begin));
    let mut names: Vec<String> = fs::read_dir(&package.folder)
        .expect("a package")
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| {
            begins(name, &["license", "licence", "copying", "notice", "copyright", "unlicense"])
        })
        .collect();
    names.sort();
    // If a package has one file for each licence, only the chosen licences' files are taken.
    let of = |licence: &str| licence.split(['-', ' ']).next().unwrap_or_default().to_lowercase();
    let chosen: Vec<String> = package.licences.iter().map(|licence| of(licence)).collect();
    let others = |name: &str| {
        TAKEN.iter().map(|licence| of(licence)).any(|word| name.to_lowercase().contains(&word))
    };
    let is_chosen = |name: &String| {
        chosen.iter().any(|word| name.to_lowercase().contains(word)) || !others(name)
    };
    names
        .into_iter()
        .filter(is_chosen)
        .map(|name| tidy(&fs::read_to_string(package.folder.join(name)).unwrap_or_default()))
        .collect()
}

/// Removes spaces at the ends of lines.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> =
        text.trim_matches(['\u{feff}', '\n', '\r', ' ']).lines().map(str::trim_end).collect();
    lines.join("\n")
}
