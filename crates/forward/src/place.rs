//! Place of a forwarder, where applications connect to it.
//!
//! Source: the NDN client configuration of ndn-cxx: `NDN_CLIENT_TRANSPORT`, then `transport=` in
//! `client.conf`.

use crate::face_uri::{NDN_PORT, Remote, RemoteError, Transport};
use std::fmt;
use std::path::{Path, PathBuf};

/// Address of a forwarder for applications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A UNIX socket.
    Unix(PathBuf),
    /// TCP or UDP.
    Remote(Remote),
}

/// The usual UNIX socket.
const COMMON: &str = "/run/nfd/nfd.sock";

impl Place {
    /// Parses `unix:///run/nfd/nfd.sock`, `tcp://127.0.0.1:6363` or `udp://127.0.0.1:6363`.
    ///
    /// # Errors
    /// The text has another form.
    pub fn parse(text: &str) -> Result<Place, RemoteError> {
        match text.strip_prefix("unix://") {
            Some(path) if path.starts_with('/') => Ok(Place::Unix(path.into())),
            Some(_) => Err(RemoteError::Malformed(text.to_owned())),
            None => Remote::parse(text).map(Place::Remote),
        }
    }

    /// The place in this user's environment or configuration, or else the usual UNIX socket.
    ///
    /// # Errors
    /// The environment or the configuration contains a malformed place.
    pub fn of_user() -> Result<Place, RemoteError> {
        if let Ok(text) = std::env::var("NDN_CLIENT_TRANSPORT") {
            return Place::parse(&text);
        }
        let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".ndn/client.conf"));
        let system = ["/usr/local/etc/ndn/client.conf", "/etc/ndn/client.conf"].map(PathBuf::from);
        let read = |path: PathBuf| transport_of(&std::fs::read_to_string(path).ok()?);
        match home.into_iter().chain(system).find_map(read) {
            Some(text) => Place::parse(&text),
            None => Ok(Place::Unix(COMMON.into())),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Unix(path) => write!(f, "unix://{}", path.display()),
            Place::Remote(Remote { transport, host, port, .. }) => {
                let scheme = if *transport == Transport::Udp { "udp" } else { "tcp" };
                if host.contains(':') {
                    write!(f, "{scheme}://[{host}]")?
                } else {
                    write!(f, "{scheme}://{host}")?
                }
                if *port == NDN_PORT { Ok(()) } else { write!(f, ":{port}") }
            }
        }
    }
}

/// Value of `transport` in a client configuration, in which `;` begins a comment.
fn transport_of(text: &str) -> Option<String> {
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or("").trim());
    let mut values =
        lines.filter_map(|line| line.strip_prefix("transport")?.trim_start().strip_prefix('='));
    values.next().map(|value| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_other_programs_write_them() {
        assert_eq!(Place::parse("unix:///tmp/n.sock"), Ok(Place::Unix("/tmp/n.sock".into())));
        assert_eq!(Place::parse("tcp://127.0.0.1").unwrap().to_string(), "tcp://127.0.0.1");
        assert_eq!(
            Place::parse("udp4://127.0.0.1:1636").unwrap().to_string(),
            "udp://127.0.0.1:1636"
        );
        assert!(
            Place::parse("unix://n.sock").is_err() && Place::parse("/run/nfd/nfd.sock").is_err()
        );
        let text = "; the forwarder\n pib=sqlite\ntransport = unix:///run/a.sock ; here\ntransport=tcp://b\n";
        assert_eq!(transport_of(text).as_deref(), Some("unix:///run/a.sock"));
        assert_eq!(transport_of(";transport=unix:///x"), None);
    }
}
