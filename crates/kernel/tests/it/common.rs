//! Helpers of tests that load controllers into the kernel.
#![cfg(feature = "bpf")]

/// True if this process may load controllers. Otherwise prints that the test is left out.
pub fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        eprintln!("left out: only root may give controllers to the kernel");
    }
    root
}

/// Returns a name that no other process uses.
pub fn name(what: &str) -> String {
    format!("{what}.{}", std::process::id())
}
