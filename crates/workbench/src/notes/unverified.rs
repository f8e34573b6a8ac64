//! Notes on controllers from files.

use narrows_control::{KeptFile, kept_files, kept_objects};

/// Returns the notes for users of the loaded files: the notes from loading each file, and that no
/// kernel has verified the BPF objects.
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
