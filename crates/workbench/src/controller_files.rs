//! Controllers beside those of the registry: QUIC stacks, and files with BPF programs and learned
//! policies.

use crate::policies;
use narrows_control::Entry;

/// Registers the controllers of QUIC stacks that the program has, and the loader that lets users
/// choose controllers by file name. Only the first call has an effect.
pub fn can_be_named() {
    narrows_control::load_files_by(entry);
    #[cfg(feature = "quic")]
    stacks_can_be_named();
}

#[cfg(feature = "quic")]
fn stacks_can_be_named() {
    static REGISTERED: std::sync::Once = std::sync::Once::new();
    REGISTERED.call_once(|| {
        for entry in narrows_guests::entries() {
            narrows_control::register(entry).expect("no other controller has the name of a stack");
        }
    });
}

fn entry(path: &str) -> Result<&'static Entry, String> {
    if policies::is_policy(path) { policies::entry(path) } else { narrows_bpf::files::entry(path) }
}
