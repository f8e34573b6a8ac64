//! Errors of a daemon.

use std::io;

/// Reason why a daemon does not start, or ends.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// An address is in use or not allowed.
    #[error("cannot listen on {at}: {source}{}", remedy(source))]
    Listen {
        /// Address or path.
        at: String,
        /// Error of the kernel.
        source: io::Error,
    },
    /// The path of the UNIX socket names a file that is not a socket. It is not removed.
    #[error(
        "cannot listen on {path}: it is {kind}, not a socket; move it away, or give another path in [listen] unix or with --unix"
    )]
    NotASocket {
        /// The path.
        path: String,
        /// Kind of the file, for example `a regular file`.
        kind: &'static str,
    },
    /// A face of the configuration cannot be made.
    #[error("face {remote}: {problem}")]
    Face {
        /// URI of the neighbour.
        remote: String,
        /// The problem.
        problem: String,
    },
    /// The log cannot be opened.
    #[error("the log {path} cannot be opened: {source}; choose another file in [log]")]
    Log {
        /// Path of the log.
        path: String,
        /// Error of the kernel.
        source: io::Error,
    },
    /// The faces of the configuration do not allow its number of threads.
    #[error("{0}")]
    Threads(String),
    /// Any other error of the kernel.
    #[error("the daemon cannot continue: {0}")]
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
