//! How many files and sockets this process may have open.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises this process's limit of open descriptors (`RLIMIT_NOFILE`) to the most that the system
/// allows it, and returns the limit in force. `None` means that the number is not limited. A
/// forwarder has one descriptor for each connection.
pub fn raise_descriptor_limit() -> Option<u64> {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        limit.current = limit.maximum;
        // The present limit holds if the system refuses.
        let _ = setrlimit(Resource::Nofile, limit);
    }
    descriptor_limit()
}

/// The limit of open descriptors in force, if there is one.
pub(super) fn descriptor_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}
