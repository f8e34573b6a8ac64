//! What tests that give controllers to the kernel share.
#![cfg(feature = "bpf")]

/// Whether this process may; a word on the test that is left out if not.
pub fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        eprintln!("left out: only root may give controllers to the kernel");
    }
    root
}

/// A name that no other process takes.
pub fn name(what: &str) -> String {
    format!("{what}.{}", std::process::id())
}
