//! Blocks of pages that commands generate. They stand between `<!-- WORD: COMMAND -->` and
//! `<!-- end of WORD -->`.

use std::path::{Path, PathBuf};
use std::{env, fs};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the pages below a folder of the documentation, in order of their paths.
pub fn pages(folder: &str) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    below(&root().join(folder), &mut pages);
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
    {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => below(&path, files),
            false => files.push(path),
        }
    }
}

/// Returns the page with each block that begins with `word` generated again by its command.
pub fn rewritten(page: &Path, word: &str, block: &mut dyn FnMut(&str) -> String) -> String {
    let written = fs::read_to_string(page).expect("a page");
    let (begin, end) = (format!("<!-- {word}: "), format!("<!-- end of {word} -->"));
    let (mut text, mut rest) = (String::new(), written.as_str());
    while let Some((before, after)) = rest.split_once(&begin) {
        let (command, old) = after
            .split_once(" -->")
            .unwrap_or_else(|| panic!("{}: a {word} without -->", page.display()));
        text += &format!("{before}{begin}{command} -->\n{}\n{end}", block(command));
        rest = old
            .split_once(&end)
            .unwrap_or_else(|| panic!("{}: a {word} that does not end", page.display()))
            .1;
    }
    text + rest
}

/// Writes a file if documentation is to be updated. True if the file has other content.
pub fn is_stale(path: &Path, text: &str) -> bool {
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    fs::read_to_string(path).unwrap_or_default() != text
}
