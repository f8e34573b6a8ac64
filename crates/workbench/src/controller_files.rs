//! Controllers beside those of the registry: QUIC stacks, and files with BPF programs and learned
//! policies.

use crate::policies;
use narrows_control::{Entry, Refused};

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
        narrows_control::ENTRIES.iter().copied().for_each(stacks_carry);
    });
}

/// Registers a controller within each QUIC stack.
#[cfg(feature = "quic")]
fn stacks_carry(entry: &'static Entry) {
    for entry in narrows_guests::adapted(entry) {
        narrows_control::register_unlisted(entry)
            .expect("the controller itself is registered once");
    }
}

/// Registers a controller of a program, and the same controller within each QUIC stack.
///
/// # Errors
///
/// A name that cannot be written, or that another controller has.
pub fn register(entry: &'static Entry) -> Result<(), Refused> {
    narrows_control::register(entry)?;
    #[cfg(feature = "quic")]
    stacks_carry(entry);
    Ok(())
}

fn entry(path: &str) -> Result<&'static Entry, String> {
    if policies::is_policy(path) { policies::entry(path) } else { narrows_bpf::files::entry(path) }
}
