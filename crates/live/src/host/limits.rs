//! Resource limits of this process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the number of files that this process may have open to its maximum.
pub fn raise_file_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // If this fails, the old limit may be enough.
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).ok();
}
