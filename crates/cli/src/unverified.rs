//! Notes on controllers that were made of files.

use narrows_control::{KeptFile, kept_files, kept_objects};

/// What the users of the loaded files should know: of each file, what was seen while it was made ready; of BPF objects, that no kernel has judged them.
pub fn notes() -> Vec<String> {
    let files = kept_files();
    let mut notes: Vec<String> = files.iter().flat_map(of).collect();
    let names: Vec<&str> = kept_objects().iter().map(|(name, _)| *name).collect();
    if !names.is_empty() {
        let names = names.join(" and ");
        notes.push(format!("{names}: not checked by a kernel verifier; run sudo narrows inspect FILE --kernel to ask this host's"));
    }
    notes
}

fn of(&(name, file): &(&'static str, &'static KeptFile)) -> impl Iterator<Item = String> {
    file.notes.iter().map(move |note| format!("{name}: {note}"))
}
