//! Notices to systemd: datagrams to the socket that it names in `NOTIFY_SOCKET` (sd_notify(3)).

use std::env;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;

/// Sends lines such as "READY=1", if the service manager wants them. A manager that does not hear
/// is its own affair.
pub fn notify(lines: &str) {
    let Some(name) = env::var_os("NOTIFY_SOCKET") else { return };
    let address = match name.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(Path::new(&name)),
    };
    let Ok(socket) = UnixDatagram::unbound() else { return };
    // A manager that reads late must not hold the agent up.
    let _ = socket.set_nonblocking(true);
    let _ = address.and_then(|address| socket.send_to_addr(lines.as_bytes(), &address));
}
