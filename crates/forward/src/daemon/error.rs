//! Why a daemon does not start, or ends.

use std::io;

/// Why a daemon does not start, or ends.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// An address is taken or not allowed.
    #[error("cannot listen on {at}: {source}{}", remedy(source))]
    Listen {
        /// The address or path.
        at: String,
        /// The kernel's reason.
        source: io::Error,
    },
    /// The path of the UNIX socket holds something else, which stays as it is.
    #[error(
        "cannot listen on {path}: it is {kind}, not a socket; move it away, or give another path in [listen] unix or with --unix"
    )]
    NotASocket {
        /// The path.
        path: String,
        /// The kind of the file: `a regular file`.
        kind: &'static str,
    },
    /// A face of the configuration cannot be made.
    #[error("face {remote}: {problem}")]
    Face {
        /// Its URI.
        remote: String,
        /// The problem.
        problem: String,
    },
    /// The log cannot be opened.
    #[error("the log {path} cannot be opened: {source}; choose another file in [log]")]
    Log {
        /// Its path.
        path: String,
        /// The kernel's reason.
        source: io::Error,
    },
    /// The configuration has a number of threads that its faces do not allow.
    #[error("{0}")]
    Threads(String),
    /// The kernel refuses something else.
    #[error("the daemon cannot go on: {0}")]
    Io(#[from] io::Error),
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "; stop the program that listens there, perhaps a forwarder, or give other addresses in [listen]"
        }
        io::ErrorKind::PermissionDenied => {
            "; choose a path that you may write, such as one below $XDG_RUNTIME_DIR, in [listen] unix"
        }
        _ => "; give another address in [listen]",
    }
}
