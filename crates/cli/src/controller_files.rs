//! Controllers from files: BPF programs and learned policies.

use crate::policies;
use narrows_control::Entry;

/// Lets controllers be chosen by the names of files.
pub fn can_be_named() {
    narrows_control::load_files_by(entry);
}

/// Forgets all files that were loaded, and what else was added for one command: the next loads files as they are then.
pub fn forget() {
    policies::forget();
    narrows_bpf::files::forget();
}

fn entry(path: &str) -> Result<&'static Entry, String> {
    if policies::is_policy(path) { policies::entry(path) } else { narrows_bpf::files::entry(path) }
}
