//! Configuration of the daemon, from TOML.

use crate::face_uri::{Remote, RemoteError};
use crate::link_rates::LinkRates;
use narrows_icn::{CAPACITY_GUESS, StrategyChoice};
use narrows_path::LawChoice;
use narrows_units::{Bytes, Rate};
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// Configuration of a daemon.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Addresses on which the daemon listens.
    pub listen: Listen,
    /// Limits of its tables.
    pub tables: Tables,
    /// MIRCC: the rates of links.
    pub mircc: Mircc,
    /// Log of events.
    pub log: LogFile,
    /// Faces and routes that exist from the start.
    pub face: Vec<FaceEntry>,
}

/// Log of the daemon's events, one JSON object per line.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogFile {
    /// The log file. It grows without end: rotate it by copying and truncating. `None` turns the
    /// log off.
    pub file: Option<PathBuf>,
}

/// Addresses on which the daemon listens.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Listen {
    /// UNIX socket for applications. `None` for no such socket.
    pub unix: Option<PathBuf>,
    /// UDP addresses.
    pub udp: Vec<SocketAddr>,
    /// TCP addresses.
    pub tcp: Vec<SocketAddr>,
    /// Generic segmentation offload: the kernel gets several UDP packets to one neighbour at once
    /// and cuts them. Set to false for devices that cut them wrongly.
    pub offload: bool,
    /// ECN: UDP packets say that queues may mark them (ECT(0), RFC 3168) instead of dropping them.
    /// A mark on a datagram counts as a congestion mark of the packet inside.
    pub ecn: bool,
    /// MTU of faces that UDP neighbours create, in octets: larger packets are fragmented. `None`
    /// for 1400, or less if the path MTU is lower.
    pub mtu: Option<u16>,
    /// Address at which Prometheus reads counters over HTTP. `None` for none.
    pub metrics: Option<SocketAddr>,
}

impl Default for Listen {
    /// The usual UNIX socket, and port 6363 on this host only.
    fn default() -> Listen {
        let local = SocketAddr::from(([127, 0, 0, 1], crate::face_uri::NDN_PORT));
        Listen {
            unix: Some("/run/nfd/nfd.sock".into()),
            udp: vec![local],
            tcp: vec![local],
            offload: true,
            ecn: false,
            mtu: None,
            metrics: None,
        }
    }
}

/// Limits of tables.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tables {
    /// Most Data packets in the content store.
    pub content_store: usize,
    /// Most octets in the content store.
    pub content_store_size: Text<Bytes>,
    /// Most pending Interests.
    pub pending: usize,
    /// Most octets of pending Interests. Each counts for about 450 octets more than its own.
    pub pending_size: Text<Bytes>,
    /// Most pending Interests of one face.
    pub pending_per_face: usize,
    /// Most faces.
    pub faces: usize,
    /// Most routes.
    pub routes: usize,
    /// Most prefixes that have a strategy.
    pub strategies: usize,
    /// Most octets of the prefixes of routes and strategies. Each counts for 512 octets more than
    /// its own.
    pub names_size: Text<Bytes>,
    /// Most octets of fragments of incomplete packets.
    pub pieces_size: Text<Bytes>,
    /// Most octets that wait for neighbours: half for datagrams that are held back by pacing, half
    /// for packets that sockets have not accepted.
    pub queues_size: Text<Bytes>,
    /// Most octets of management datasets that clients may still request.
    pub datasets_size: Text<Bytes>,
    /// Number of forwarding threads, 1 to 64. Each has a share of the names, of the content store's
    /// limits and of the limits of pending Interests.
    pub threads: usize,
}

impl Default for Tables {
    /// 65,536 Data packets of at most 128 MB; 2^20 pending Interests of at most 256 MB, and 65,536
    /// per face; 4096 faces; 65,536 routes and 4096 strategies of at most 64 MB; 32 MB of
    /// fragments; 256 MB that wait for neighbours; 32 MB of datasets; one thread.
    fn default() -> Tables {
        Tables {
            content_store: 1 << 16,
            content_store_size: Text(Bytes::new(128_000_000)),
            pending: 1 << 20,
            pending_size: Text(Bytes::new(256_000_000)),
            pending_per_face: 1 << 16,
            faces: 4096,
            routes: 1 << 16,
            strategies: 4096,
            names_size: Text(Bytes::new(64_000_000)),
            pieces_size: Text(Bytes::new(32_000_000)),
            queues_size: Text(Bytes::new(256_000_000)),
            datasets_size: Text(Bytes::new(32_000_000)),
            threads: 1,
        }
    }
}

impl Tables {
    /// Share of one thread in a limit.
    pub(crate) fn part(&self, all: &Text<Bytes>) -> Bytes {
        Bytes::new(all.0.get().div_ceil(self.threads.max(1) as u64))
    }
}

/// Computation of rates.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mircc {
    /// Rate law of links with a known rate.
    pub law: Text<LawChoice>,
    /// Shaper: delays Interests so that their Data fits the link.
    pub shaper: bool,
    /// Most Interests that wait for a link.
    pub shaper_queue: usize,
    /// Strategy that chooses the next hop of Interests without a path.
    pub strategy: Option<Text<StrategyChoice>>,
}

impl Default for Mircc {
    fn default() -> Mircc {
        Mircc {
            law: Text("mircc?within=bounds".parse().expect("a law of the registry")),
            shaper: true,
            shaper_queue: 100,
            strategy: None,
        }
    }
}

/// A face that the daemon creates when it starts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaceEntry {
    /// The neighbour, for example `"udp4://192.0.2.1:6363"`.
    pub remote: Text<Remote>,
    /// Prefixes with a route to the neighbour.
    #[serde(default)]
    pub routes: Vec<String>,
    /// Cost of these routes.
    #[serde(default)]
    pub cost: u64,
    /// Rate of the link, including headers below NDN.
    pub link_rate: Option<Rates>,
    /// Rate available to NDN packets, without headers below NDN.
    pub rate: Option<Rates>,
    /// Octets of headers below NDN in each datagram that count against `link_rate`: IP, UDP and the
    /// layers below. The default is 42 (IPv4) or 62 (IPv6): 28 or 48 for IP and UDP, and 14 that
    /// Linux shapers count.
    pub headers: Option<u16>,
    /// Whether the neighbour understands rates. By default, its packets show it.
    #[serde(default)]
    pub mircc: MirccSupport,
    /// Sends Nacks for congestion to the neighbour even if it does not understand rates.
    #[serde(default)]
    pub nacks: bool,
    /// Policing: refuses primary Interests of the neighbour that request more than 1.25 times the
    /// rate it was sent, as a mean over a second.
    #[serde(default)]
    pub police: bool,
    /// MTU: the largest packet sent to the neighbour, in octets. Larger packets are fragmented.
    /// `None` for 8800 over TCP and on this host. `None` over UDP for 1400, or less if the path MTU
    /// is lower.
    pub mtu: Option<u16>,
    /// Permanent: the face survives errors of its socket.
    #[serde(default)]
    pub permanent: bool,
}

/// Whether a neighbour understands rates, classes and paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MirccSupport {
    /// The neighbour counts as understanding MIRCC once it sends MIRCC fields.
    #[default]
    Auto,
    /// The neighbour understands MIRCC.
    On,
    /// The neighbour does not understand MIRCC.
    Off,
}

/// Rates of a link: one for both directions, or one for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "a rate such as \"100 Mbit/s\" is expected here, or \"auto\" or \"measured\", or a rate for each direction: { in = \"auto\", out = \"10 Mbit/s\" }"
)]
pub enum Rates {
    /// One rate for both directions.
    Both(Text<LinkRate>),
    /// A rate towards this host and a rate away from it.
    Each {
        /// Towards this host: for Data that this host requests.
        r#in: Text<LinkRate>,
        /// Away from this host: for its Interests, and for Data that the neighbour requests.
        out: Text<Rate>,
    },
}

/// Source of a link's rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRate {
    /// The configuration states the rate.
    Known(Rate),
    /// Rate of the device that leads to the neighbour.
    Auto,
    /// Rate measured from the traffic of the link.
    Measured,
}

impl FromStr for LinkRate {
    type Err = String;
    fn from_str(text: &str) -> Result<LinkRate, String> {
        match text {
            "auto" => Ok(LinkRate::Auto),
            "measured" => Ok(LinkRate::Measured),
            rate => rate.parse().map(LinkRate::Known).map_err(|error| {
                format!("{error}; or \"auto\", the rate of the device, or \"measured\"")
            }),
        }
    }
}

impl Rates {
    fn has_zero(self) -> bool {
        let (inward, out) = match self {
            Rates::Both(Text(inward)) => (inward, None),
            Rates::Each { r#in: Text(inward), out: Text(out) } => (inward, Some(out)),
        };
        inward == LinkRate::Known(Rate::ZERO) || out == Some(Rate::ZERO)
    }

    /// Rates of a link. `device` returns the rate of the link's device, if it is known. `gross` is
    /// true if the rates include headers below NDN. `None` if no rate is known.
    pub fn of_link(self, device: impl FnOnce() -> Option<Rate>, gross: bool) -> Option<LinkRates> {
        let (inward, out) = match self {
            Rates::Both(Text(inward)) => (inward, None),
            Rates::Each { r#in: Text(inward), out: Text(out) } => (inward, Some(out)),
        };
        match inward {
            LinkRate::Known(rate) => Some(LinkRates::known(rate, out.unwrap_or(rate), gross)),
            LinkRate::Auto => {
                device().map(|rate| LinkRates::known(rate, out.unwrap_or(rate), gross))
            }
            LinkRate::Measured => {
                let guess = device().map_or(CAPACITY_GUESS, |rate| rate.min(CAPACITY_GUESS));
                Some(LinkRates { inward: guess, measured: true, out, gross })
            }
        }
    }
}

/// A value that is written as a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
#[serde(bound = "T: FromStr, T::Err: std::fmt::Display")]
pub struct Text<T>(pub T);

impl<T: FromStr> TryFrom<String> for Text<T>
where
    T::Err: std::fmt::Display,
{
    type Error = String;
    fn try_from(text: String) -> Result<Text<T>, String> {
        text.parse().map(Text).map_err(|error: T::Err| error.to_string())
    }
}

impl FromStr for Remote {
    type Err = RemoteError;
    fn from_str(text: &str) -> Result<Remote, RemoteError> {
        Remote::parse(text)
    }
}

/// Reason why a configuration is refused.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct ConfigError {
    path: String,
    problem: String,
}

impl Config {
    /// Reads a configuration. Errors name `path`.
    ///
    /// # Errors
    /// The text is not TOML, has an unknown key, or has a value that is malformed or out of range.
    /// The error shows the line.
    pub fn parse(text: &str, path: &str) -> Result<Config, ConfigError> {
        let fail = |problem: String| ConfigError { path: path.to_owned(), problem };
        let config: Config = toml::from_str(text).map_err(|error| {
            fail(format!(
                "{}\nhelp: docs/how-to/ndn.md has the keys and their values",
                error.to_string().trim_end()
            ))
        })?;
        if config.listen.mtu.is_some_and(|mtu| !MTUS.contains(&mtu)) {
            return Err(fail("[listen] mtu is between 64 and 8800 octets".to_owned()));
        }
        for (number, face) in config.face.iter().enumerate() {
            let at = |problem: &str| fail(format!("[[face]] number {}: {problem}", number + 1));
            if face.link_rate.is_some() && face.rate.is_some() {
                return Err(at("give link_rate or rate, not both"));
            }
            if face.link_rate.or(face.rate).is_some_and(Rates::has_zero) {
                return Err(at(
                    "a rate of 0 lets nothing through: leave it out for a link of unknown rate",
                ));
            }
            if face.mtu.is_some_and(|mtu| !MTUS.contains(&mtu)) {
                return Err(at("mtu is between 64 and 8800 octets"));
            }
            if face.headers.is_some() && face.link_rate.is_none() {
                return Err(at(
                    "headers take a part of link_rate: set link_rate, or leave headers out",
                ));
            }
            if face.headers.is_some_and(|headers| !(28..=1000).contains(&headers)) {
                return Err(at("headers are between 28 octets (IPv4 and UDP) and 1000"));
            }
            for route in &face.routes {
                route
                    .parse::<narrows_ndn::Name>()
                    .map_err(|error| at(&format!("the route \"{route}\": {error}")))?;
            }
        }
        config.check_threads().map_err(fail)?;
        Ok(config)
    }

    /// Checks that the number of threads suits the faces.
    ///
    /// # Errors
    /// The number of threads is out of range, or there are several threads and a face that needs
    /// all of its packets on one thread. A face with a rate needs one thread because law and shaper
    /// cover the whole link. A face with policing needs one too.
    pub fn check_threads(&self) -> Result<(), String> {
        let threads = self.tables.threads;
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(format!(
                "[tables] threads = {threads}: give a number from 1 to {MOST_THREADS}"
            ));
        }
        let needs_one = |face: &FaceEntry| face.police || face.link_rate.or(face.rate).is_some();
        match self.face.iter().position(needs_one) {
            Some(number) if threads > 1 => Err(format!(
                "[[face]] number {}: a face with a rate or police needs one thread, on which all of its packets are counted: set threads = 1 in [tables] instead of {threads}, or leave link_rate, rate and police out",
                number + 1
            )),
            _ => Ok(()),
        }
    }
}

/// Range of the MTU of a face.
const MTUS: std::ops::RangeInclusive<u16> = 64..=8800;

/// Most forwarding threads. Our choice.
const MOST_THREADS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_configuration_is_read() {
        let config = Config::parse(
            r#"
            [listen]
            unix = "/tmp/n.sock"
            udp = ["127.0.0.1:16363", "[::1]:16363"]
            tcp = []
            [tables]
            content_store = 1024
            content_store_size = "8 MB"
            [mircc]
            law = "mircc?eta=0.9"
            [[face]]
            remote = "udp://192.0.2.1"
            routes = ["/a/b", "/c"]
            link_rate = "10 Mbit/s"
            headers = 92
            [[face]]
            remote = "tcp4://192.0.2.2:7000"
            rate = { in = "20 Mbit/s", out = "1 Mbit/s" }
            mircc = "off"
            "#,
            "narrows.toml",
        )
        .unwrap();
        assert_eq!(config.listen.udp.len(), 2);
        assert_eq!((config.tables.content_store, config.tables.pending), (1024, 1 << 20));
        let given = |rates: Option<Rates>, gross| rates.unwrap().of_link(|| None, gross).unwrap();
        assert_eq!(
            given(config.face[0].link_rate, true),
            LinkRates::known(Rate::from_mbps(10), Rate::from_mbps(10), true)
        );
        assert_eq!(
            given(config.face[1].rate, false),
            LinkRates::known(Rate::from_mbps(20), Rate::from_mbps(1), false)
        );
        assert_eq!((config.face[0].headers, config.face[1].headers), (Some(92), None));
        assert_eq!(
            (config.face[0].mircc, config.face[1].mircc),
            (MirccSupport::Auto, MirccSupport::Off)
        );
    }

    #[test]
    fn a_rate_is_that_of_the_device_or_measured_from_at_most_10_mbit_s() {
        let text =
            |rates: &str| format!("[[face]]\nremote = \"udp://192.0.2.1\"\nlink_rate = {rates}\n");
        let of_link = |rates: &str, device: Option<u64>| {
            let config = Config::parse(&text(rates), "narrows.toml").unwrap();
            config.face[0].link_rate.unwrap().of_link(|| device.map(Rate::from_mbps), true)
        };
        let mbps = Rate::from_mbps;
        assert_eq!(
            of_link("\"auto\"", Some(100)),
            Some(LinkRates::known(mbps(100), mbps(100), true))
        );
        assert_eq!(of_link("\"auto\"", None), None);
        let measured = |inward, out| Some(LinkRates { inward, measured: true, out, gross: true });
        assert_eq!(of_link("\"measured\"", Some(100)), measured(mbps(10), None));
        assert_eq!(of_link("\"measured\"", Some(2)), measured(mbps(2), None));
        assert_eq!(
            of_link("{ in = \"measured\", out = \"5 Mbit/s\" }", None),
            measured(mbps(10), Some(mbps(5)))
        );
    }

    #[test]
    fn nothing_listens_beyond_this_host_unless_asked() {
        let listen = Config::default().listen;
        assert!(listen.udp.iter().chain(&listen.tcp).all(|address| address.ip().is_loopback()));
    }

    #[test]
    fn errors_show_the_place_and_the_remedy() {
        for (text, told) in [
            (
                "[listen]\nudpp = []",
                "unknown field `udpp`, expected one of `unix`, `udp`, `tcp`, `offload`, `ecn`, `mtu`, `metrics`",
            ),
            ("[listen]\nudp = [\"6363\"]", "invalid socket address"),
            ("[[face]]\nremote = \"udp://a\"\nlink_rate = \"10\"", "\"10\""),
            (
                "[[face]]\nremote = \"udp://a\"\nlink_rate = { in = \"10 Mbit/s\", out = \"measured\" }",
                "measured",
            ),
            ("[[face]]\nremote = \"udp://a\"\nmtu = 20", "between 64 and 8800"),
            ("[[face]]\nremote = \"udp://a\"\nrate = \"0 bit/s\"", "lets nothing through"),
            (
                "[[face]]\nremote = \"udp://a\"\nrate = \"1 Mbit/s\"\nheaders = 60",
                "take a part of link_rate",
            ),
            (
                "[[face]]\nremote = \"udp://a\"\nlink_rate = \"1 Mbit/s\"\nheaders = 20",
                "between 28 octets",
            ),
            ("[[face]]\nremote = \"udp://224.0.0.1\"", "faces are unicast"),
            ("[mircc]\nlaw = \"mirc\"", "mircc"),
        ] {
            let error = Config::parse(text, "narrows.toml").unwrap_err().to_string();
            assert!(error.starts_with("narrows.toml: ") && error.contains(told), "{error}");
        }
    }
}
