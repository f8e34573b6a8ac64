//! Face URIs: NDN's names for the ends of faces.
//!
//! Source: NFD wiki, "FaceMgmt", and ndn-cxx's `FaceUri`. Canonical URIs have numeric addresses and
//! a port.

use nix::net::if_::{if_indextoname, if_nametoindex};
use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, SocketAddrV6};
use std::path::PathBuf;

/// Port of NDN over UDP and TCP.
pub const NDN_PORT: u16 = 6363;

/// One end of a face.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FaceUri {
    /// `udp4://192.0.2.1:6363` or `udp6://[2001:db8::1]:6363`.
    Udp(SocketAddr),
    /// `tcp4://192.0.2.1:6363` or `tcp6://[2001:db8::1]:6363`.
    Tcp(SocketAddr),
    /// A listening UNIX socket: `unix:///run/nfd/nfd.sock`.
    Unix(PathBuf),
    /// An application on a UNIX socket: `fd://7`.
    Fd(u64),
    /// A face within the daemon: `internal://`.
    Internal,
    /// The content store: `contentstore://`.
    ContentStore,
    /// The null face, which discards everything: `null://`.
    Null,
}

impl FaceUri {
    /// Scheme, for example `udp4`.
    pub fn scheme(&self) -> &'static str {
        match self {
            FaceUri::Udp(address) if address.is_ipv4() => "udp4",
            FaceUri::Udp(_) => "udp6",
            FaceUri::Tcp(address) if address.is_ipv4() => "tcp4",
            FaceUri::Tcp(_) => "tcp6",
            FaceUri::Unix(_) => "unix",
            FaceUri::Fd(_) => "fd",
            FaceUri::Internal => "internal",
            FaceUri::ContentStore => "contentstore",
            FaceUri::Null => "null",
        }
    }
}

impl fmt::Display for FaceUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.scheme())?;
        match self {
            FaceUri::Udp(address) | FaceUri::Tcp(address) => write_address(*address, f),
            FaceUri::Unix(path) => write!(f, "{}", path.display()),
            FaceUri::Fd(number) => write!(f, "{number}"),
            FaceUri::Internal | FaceUri::ContentStore | FaceUri::Null => Ok(()),
        }
    }
}

/// Writes an address. A link-local address gets the name of its interface, as in ndn-cxx:
/// `[fe80::1%eth0]:6363`.
fn write_address(address: SocketAddr, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match address {
        SocketAddr::V6(v6) if v6.scope_id() != 0 => {
            let name = if_indextoname(v6.scope_id()).ok().and_then(|name| name.into_string().ok());
            write!(
                f,
                "[{}%{}]:{}",
                v6.ip(),
                name.unwrap_or_else(|| v6.scope_id().to_string()),
                v6.port()
            )
        }
        _ => write!(f, "{address}"),
    }
}

/// Transport protocol between a face and its neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Datagrams. The default port is 6363.
    Udp,
    /// A stream. The default port is 6363.
    Tcp,
}

/// Remote end of a face to be made, as people and tools write it: `udp://router.example`,
/// `tcp4://192.0.2.1:6363`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Transport protocol.
    pub transport: Transport,
    /// Numeric address without brackets, or a host name to be looked up. A link-local address ends
    /// with its interface: `fe80::1%eth0`.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Required address family: IPv4 if true, IPv6 if false, any if `None`.
    pub only_v4: Option<bool>,
}

/// Reason why a text is not a remote end of a face.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// The text is not of the form `scheme://host:port`.
    #[error("\"{0}\" is not a face URI: write \"udp4://192.0.2.1:6363\"")]
    Malformed(String),
    /// The protocol is not supported.
    #[error("faces over {0} are not supported: use udp4, udp6, tcp4 or tcp6")]
    Unsupported(String),
    /// The address is not unicast: a face has one neighbour.
    #[error("{0} is not the address of one host: faces are unicast")]
    NotUnicast(IpAddr),
    /// A link-local address lacks its interface, or another address has one.
    #[error(
        "{0}: a link-local address needs its interface, and no other address may have one: write [fe80::1%eth0]"
    )]
    Zone(String),
    /// The address belongs to the other family.
    #[error("{0} is not an address for {1}")]
    WrongFamily(IpAddr, String),
}

impl Remote {
    /// Parses a URI. The default port is 6363.
    ///
    /// # Errors
    /// The text is malformed, its scheme is not supported, or its address does not belong to one
    /// host.
    pub fn parse(text: &str) -> Result<Remote, RemoteError> {
        let malformed = || RemoteError::Malformed(text.to_owned());
        let (scheme, rest) = text.split_once("://").ok_or_else(malformed)?;
        let (transport, only_v4) = match scheme {
            "udp" => (Transport::Udp, None),
            "udp4" => (Transport::Udp, Some(true)),
            "udp6" => (Transport::Udp, Some(false)),
            "tcp" => (Transport::Tcp, None),
            "tcp4" => (Transport::Tcp, Some(true)),
            "tcp6" => (Transport::Tcp, Some(false)),
            _ => return Err(RemoteError::Unsupported(scheme.to_owned())),
        };
        let (host, port) = if let Some(rest) = rest.strip_prefix('[') {
            let (host, behind) = rest.split_once(']').ok_or_else(malformed)?;
            (
                host,
                behind
                    .strip_prefix(':')
                    .or(behind.is_empty().then_some(""))
                    .ok_or_else(malformed)?,
            )
        } else {
            let (host, port) = rest.split_once(':').unwrap_or((rest, ""));
            if port.contains(':') {
                return Err(malformed());
            }
            (host, port)
        };
        let port = if port.is_empty() && !rest.ends_with(':') {
            NDN_PORT
        } else {
            port.parse().map_err(|_| malformed())?
        };
        let valid =
            |character: char| character.is_ascii_alphanumeric() || "-._:%".contains(character);
        if host.is_empty() || host.len() > 253 || port == 0 || !host.chars().all(valid) {
            return Err(malformed());
        }
        if let Ok(address) = host.parse::<IpAddr>() {
            let broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
            if address.is_multicast() || address.is_unspecified() || broadcast {
                return Err(RemoteError::NotUnicast(address));
            }
            if only_v4.is_some_and(|v4| v4 != address.is_ipv4()) {
                return Err(RemoteError::WrongFamily(address, scheme.to_owned()));
            }
            if matches!(address, IpAddr::V6(address) if address.is_unicast_link_local()) {
                return Err(RemoteError::Zone(host.to_owned()));
            }
        } else if let Some((address, zone)) = host.split_once('%') {
            let Ok(address) = address.parse::<Ipv6Addr>() else { return Err(malformed()) };
            if !address.is_unicast_link_local() || zone.is_empty() || zone.contains([':', '%']) {
                return Err(RemoteError::Zone(host.to_owned()));
            }
            if only_v4 == Some(true) {
                return Err(RemoteError::WrongFamily(address.into(), scheme.to_owned()));
            }
        } else if host.contains(':') {
            return Err(malformed());
        }
        Ok(Remote { transport, host: host.to_owned(), port, only_v4 })
    }

    /// The address, if it is numeric. A link-local address needs an interface of this host.
    pub fn address(&self) -> Option<SocketAddr> {
        let Some((address, zone)) = self.host.split_once('%') else {
            return self
                .host
                .parse::<IpAddr>()
                .ok()
                .map(|address| SocketAddr::new(address, self.port));
        };
        let index = zone.parse().ok().or_else(|| if_nametoindex(zone).ok())?;
        Some(SocketAddrV6::new(address.parse().ok()?, self.port, 0, index).into())
    }

    /// Interface of a link-local address.
    pub(crate) fn zone(&self) -> Option<&str> {
        self.host.split_once('%').map(|(_, zone)| zone)
    }

    /// Canonical URI with this address.
    pub fn uri(&self, address: SocketAddr) -> FaceUri {
        match self.transport {
            Transport::Udp => FaceUri::Udp(address),
            Transport::Tcp => FaceUri::Tcp(address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn canonical(text: &str) -> Option<String> {
        let remote = Remote::parse(text).ok()?;
        Some(remote.uri(remote.address()?).to_string())
    }

    #[test]
    fn written_forms_have_one_canonical_form() {
        for (text, expected) in [
            ("udp://127.0.0.1:17001", "udp4://127.0.0.1:17001"),
            ("udp4://192.0.2.1", "udp4://192.0.2.1:6363"),
            ("udp://[2001:db8::1]", "udp6://[2001:db8::1]:6363"),
            ("tcp6://[2001:DB8::1]:80", "tcp6://[2001:db8::1]:80"),
            ("tcp://10.0.0.1:1", "tcp4://10.0.0.1:1"),
        ] {
            assert_eq!(canonical(text).as_deref(), Some(expected), "{text}");
        }
        let named = Remote::parse("udp://router.example").unwrap();
        assert_eq!(
            (named.host.as_str(), named.port, named.address()),
            ("router.example", 6363, None)
        );
    }

    #[test]
    fn texts_that_are_not_a_remote_are_refused_with_a_reason() {
        for text in [
            "",
            "127.0.0.1:1",
            "udp://",
            "udp://:6363",
            "udp://a:0",
            "udp://a:70000",
            "udp://a:",
            "udp://[::1",
            "udp://[::1]x",
            "udp://::1:5",
            "udp://a b",
        ] {
            assert!(matches!(Remote::parse(text), Err(RemoteError::Malformed(_))), "{text}");
        }
        assert!(matches!(
            Remote::parse("ether://[01:00:5e:00:17:aa]"),
            Err(RemoteError::Unsupported(_))
        ));
        assert!(matches!(Remote::parse("udp4://224.0.0.1:6363"), Err(RemoteError::NotUnicast(_))));
        assert!(matches!(
            Remote::parse("udp4://255.255.255.255:6363"),
            Err(RemoteError::NotUnicast(_))
        ));
        assert!(matches!(
            Remote::parse("udp6://127.0.0.1:6363"),
            Err(RemoteError::WrongFamily(..))
        ));
    }

    #[test]
    fn an_address_of_a_link_names_its_interface() {
        assert_eq!(canonical("udp6://[fe80::1%lo]").as_deref(), Some("udp6://[fe80::1%lo]:6363"));
        assert_eq!(canonical("tcp://[fe80::1%1]:80").as_deref(), Some("tcp6://[fe80::1%lo]:80"));
        assert_eq!(canonical("udp6://[fe80::1%nothing]"), None);
        for text in ["udp6://[fe80::1]", "udp6://[2001:db8::1%lo]", "udp6://[fe80::1%]"] {
            assert!(matches!(Remote::parse(text), Err(RemoteError::Zone(_))), "{text}");
        }
        assert!(matches!(Remote::parse("udp4://[fe80::1%lo]"), Err(RemoteError::WrongFamily(..))));
        assert!(matches!(Remote::parse("udp://example%lo"), Err(RemoteError::Malformed(_))));
    }

    proptest! {
        #[test]
        fn a_canonical_uri_is_its_own_canonical_form(v4: [u8; 4], v6: [u16; 8], port in 1u16.., is_v4: bool) {
            let address: SocketAddr = if is_v4 { (v4, port).into() } else { (v6, port).into() };
            if let Some(text) = canonical(&FaceUri::Udp(address).to_string()) {
                prop_assert_eq!(text, FaceUri::Udp(address).to_string());
            }
        }

        #[test]
        fn no_text_breaks_it(text in ".{0,40}") {
            let _ = Remote::parse(&text);
        }
    }
}
