//! Sources of papers: those built into the program, and the user's folders.

use crate::error::Failure;
use narrows_report::Input;
use narrows_scenario::paper::{Figure, Paper};
use std::io;
use std::path::Path;

/// All files of the built-in papers: folder, file and text.
const BUILT_IN: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/papers.rs"));

const ABOUT: &str = "paper.toml";
const STATEMENTS: &str = "statements.toml";
/// Folder of the experiments, and prefix of their names.
const WHY: &str = "why/";

/// A paper and the files of its folder.
pub struct Source {
    /// The paper.
    pub paper: Paper,
    texts: Vec<(String, String)>,
}

/// Returns all built-in papers, by name.
pub fn built_in() -> Result<Vec<Source>, Failure> {
    let mut names: Vec<&str> = BUILT_IN.iter().map(|(name, _, _)| *name).collect();
    names.dedup();
    names.into_iter().map(named).collect()
}

/// Returns the papers with these names. A name selects a built-in paper or a folder. Without names,
/// returns all built-in papers.
pub fn chosen(names: &[String]) -> Result<Vec<Source>, Failure> {
    if names.is_empty() {
        return built_in();
    }
    names
        .iter()
        .map(|name| {
            if BUILT_IN.iter().any(|(own, _, _)| own == name) { named(name) } else { folder(name) }
        })
        .collect()
}

fn named(name: &str) -> Result<Source, Failure> {
    let of_paper = BUILT_IN.iter().filter(|(own, _, _)| *own == name);
    let texts = of_paper.map(|(_, file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
    Source::new(name, &format!("papers/{name}"), texts)
}

fn folder(name: &str) -> Result<Source, Failure> {
    let root = Path::new(name);
    if !root.join(ABOUT).is_file() {
        let mut known: Vec<&str> = BUILT_IN.iter().map(|(name, _, _)| *name).collect();
        known.dedup();
        return Err(Failure::Other(format!(
            "there is no paper \"{name}\"; give a folder that has a {ABOUT}, or one of: {}",
            known.join(", ")
        )));
    }
    let read = || -> io::Result<Vec<(String, String)>> {
        let mut texts = Vec::new();
        for within in ["", WHY] {
            let folder = root.join(within);
            if !folder.is_dir() {
                continue;
            }
            for entry in std::fs::read_dir(folder)? {
                let path = entry?.path();
                if path.is_file() {
                    let file = format!(
                        "{within}{}",
                        path.file_name().unwrap_or_default().to_string_lossy()
                    );
                    // A file that is not text cannot be a figure or a trace.
                    texts.extend(narrows_scenario::read_named(&path).ok().map(|text| (file, text)));
                }
            }
        }
        texts.sort();
        Ok(texts)
    };
    let texts = read()
        .map_err(|error| Failure::Other(format!("the folder {name} cannot be read: {error}")))?;
    let own = root
        .canonicalize()
        .ok()
        .and_then(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()));
    Source::new(&own.unwrap_or_else(|| name.to_owned()), name.trim_end_matches('/'), texts)
}

impl Source {
    fn new(name: &str, folder: &str, texts: Vec<(String, String)>) -> Result<Source, Failure> {
        let place = |file: &str| format!("{folder}/{file}");
        let (mut figures, mut experiments) = (Vec::new(), Vec::new());
        for (file, text) in texts
            .iter()
            .filter(|(file, _)| file.ends_with(".toml") && file != ABOUT && file != STATEMENTS)
        {
            let mut figure = Figure::parse(text, &place(file))?;
            if file.starts_with(WHY) {
                figure.name = format!("{WHY}{}", figure.name);
                experiments.push(figure);
            } else {
                figures.push(figure);
            }
        }
        let text =
            |name: &str| texts.iter().find(|(file, _)| file == name).map(|(_, text)| text.as_str());
        let mut paper =
            Paper::parse(name, text(ABOUT).unwrap_or(""), &place(ABOUT), figures, experiments)?;
        if let Some(text) = text(STATEMENTS) {
            paper.state(text, &place(STATEMENTS))?;
        }
        for figure in paper.figures.iter().chain(&paper.experiments) {
            let file = format!("{}.toml", figure.name);
            figure.check_statements(&paper.statements, text(&file).unwrap_or(""), &place(&file))?;
        }
        Ok(Source { paper, texts })
    }

    /// Reads a file that a figure names, from the folder of the paper.
    pub fn read(&self, name: &Path) -> io::Result<String> {
        let beside = self.texts.iter().find(|(file, _)| Path::new(file) == name);
        beside.map(|(_, text)| text.clone()).ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, "no such file in the paper's folder")
        })
    }

    /// Returns all other files that runs of the paper can read, for the record of the runs.
    pub fn inputs(&self) -> Vec<Input> {
        let beside = self.texts.iter().filter(|(file, _)| !file.ends_with(".toml"));
        beside.map(|(file, text)| Input { name: file.clone(), text: text.clone() }).collect()
    }
}
