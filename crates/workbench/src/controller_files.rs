//! Controllers from files: BPF programs and learned policies.

use crate::policies;
use narrows_control::Entry;

/// Registers the loader that lets users choose controllers by file name.
pub fn can_be_named() {
    narrows_control::load_files_by(entry);
}

fn entry(path: &str) -> Result<&'static Entry, String> {
    if policies::is_policy(path) { policies::entry(path) } else { narrows_bpf::files::entry(path) }
}
