//! Notes on controllers from files.

use narrows_control::{FileForm, kept_files};

/// Returns the notes for users of the loaded files: the notes from loading each file, and that no
/// kernel has verified the BPF objects.
pub fn notes() -> Vec<String> {
    let files = kept_files();
    let of_loading = files.iter().flat_map(|(entry, file)| {
        file.notes.iter().map(|note| format!("{}: {note}", entry.name()))
    });
    let mut notes: Vec<String> = of_loading.collect();
    let objects = files.iter().filter(|(_, file)| file.form == FileForm::Object);
    let names: Vec<&str> = objects.map(|(entry, _)| entry.name()).collect();
    if !names.is_empty() {
        let names = names.join(" and ");
        notes.push(format!("{names}: not checked by a kernel verifier; run sudo narrows inspect FILE --kernel to ask this host's"));
    }
    notes
}
