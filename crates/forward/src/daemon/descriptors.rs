//! Limit of the files and sockets that this process may have open.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises this process's limit of open descriptors (`RLIMIT_NOFILE`) to the maximum that the system
/// allows, and returns the limit in force. `None` if the number is not limited. A forwarder needs
/// one descriptor for each connection.
pub fn raise_descriptor_limit() -> Option<u64> {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        limit.current = limit.maximum;
        // If the system refuses, the present limit holds.
        let _ = setrlimit(Resource::Nofile, limit);
    }
    descriptor_limit()
}

/// The limit of open descriptors in force. `None` if there is no limit.
pub(super) fn descriptor_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}
