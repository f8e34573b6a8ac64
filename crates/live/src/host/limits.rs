//! What the kernel lets this process have.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Lets this process have as many files open as it may.
pub fn raise_file_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // Where this fails, the limit as it is may be enough.
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).ok();
}
