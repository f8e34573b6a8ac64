//! What the daemon knows of a face.

use crate::egress::Egress;
use crate::face_uri::FaceUri;
use crate::link::{Link, REMEMBERED};
use crate::link_rates::LinkRates;
use crate::marker::Marker;
use crate::sockets::path_mtu::largest_datagram;
use narrows_icn::{FaceId, Nacking, Neighbour, Suspicion};
use narrows_ndn::management::FacePersistency;
use narrows_units::{Rate, Span, Time};
use std::net::SocketAddr;

/// An on-demand datagram face ends after so long without a packet.
pub(crate) const IDLE: Span = Span::from_secs(600);

/// MTUs of faces: on UDP that of an Ethernet with some tunnel, elsewhere the largest packet.
pub(crate) const UDP_MTU: usize = 1400;
/// The least MTU of a face.
pub(crate) const LEAST_MTU: usize = 64;
pub(crate) const LARGEST: usize = narrows_ndn::tlv::MAX_PACKET;

/// The MTU of a face over UDP unless it is given, and the largest datagram that crosses the path to
/// the neighbour in one piece.
pub(crate) fn udp_mtu(peer: SocketAddr) -> (usize, usize) {
    let most = if peer.ip().is_loopback() { LARGEST } else { UDP_MTU };
    // A neighbour to whom no route leads now may be reached later.
    let largest = largest_datagram(peer).unwrap_or(usize::MAX);
    (most.min(largest).max(LEAST_MTU), largest)
}

/// A new face.
#[derive(Clone, Debug)]
pub struct FaceSetup {
    /// The neighbour.
    pub remote: FaceUri,
    /// This end.
    pub local: FaceUri,
    /// How it ends.
    pub persistency: FacePersistency,
    /// The neighbour is on this host.
    pub is_local: bool,
    /// The most octets of a packet.
    pub mtu: usize,
    /// The MTU becomes smaller where the path turns out to take less in one piece.
    pub follows_path: bool,
    /// The face ends after 600 s without a packet.
    pub ends_idle: bool,
    /// Rates towards this host and away from it, if they are known.
    pub rates: Option<LinkRates>,
    /// Octets below NDN in each datagram; those of IP, UDP and Ethernet unless it is said.
    pub headers: Option<u16>,
    /// Whether the neighbour understands MIRCC.
    pub understands: crate::config::Understands,
    /// It is told of congestion by Nacks even if it does not understand MIRCC.
    pub nacks: bool,
    /// Its primary Interests are refused that ask for more than 1.25 times the rate that it was told, as a mean over a second.
    pub police: bool,
}

impl FaceSetup {
    /// A face that a neighbour has made, of whom nothing is known so far. It ends with its stream, or after 600 s without a datagram.
    pub fn on_demand(remote: FaceUri, local: FaceUri, is_local: bool, mtu: usize) -> FaceSetup {
        FaceSetup {
            ends_idle: matches!(remote, FaceUri::Udp(_)),
            follows_path: matches!(remote, FaceUri::Udp(_)),
            remote,
            local,
            persistency: FacePersistency::OnDemand,
            is_local,
            mtu,
            rates: None,
            headers: None,
            understands: crate::config::Understands::Auto,
            nacks: false,
            police: false,
        }
    }
}

/// Packets and octets of a face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FaceTraffic {
    /// Octets received.
    pub(crate) octets_in: u64,
    /// Octets sent.
    pub(crate) octets_out: u64,
    /// Packets that were malformed, or broke a rule of the link.
    pub(crate) malformed: u64,
    /// Those of them whose names have too many components.
    pub(crate) long_names: u64,
    /// Packets that did not fit, and Data that would have waited for too long.
    pub(crate) dropped: u64,
    /// Packets that the socket did not take.
    pub(crate) refused: u64,
}

#[derive(Debug)]
pub(crate) struct Face {
    /// Its number to the outside.
    pub(crate) id: u64,
    /// Its place in the node, once it has one.
    pub(crate) slot: FaceId,
    pub(crate) setup: FaceSetup,
    pub(crate) link: Link,
    pub(crate) traffic: FaceTraffic,
    /// When it was made.
    pub(crate) made: Time,
    /// A neighbour on another host has made it.
    pub(crate) is_guest: bool,
    pub(crate) latest: Time,
    /// The node was told that the neighbour understands MIRCC.
    pub(crate) speaks: bool,
    /// Mean octets of the Data that comes in.
    pub(crate) mean_data: f64,
    /// Datagrams that wait for their turn.
    pub(crate) egress: Egress,
    /// Marks Data if it is asked for.
    pub(crate) marker: Option<Marker>,
    /// Whether the path behind it is slower than its rate.
    pub(crate) suspicion: Suspicion,
    /// Its stream has ended, and a new one is not there yet.
    pub(crate) is_broken: bool,
    /// Those who follow the events of faces were told that it is down.
    pub(crate) told_down: bool,
    /// Losses that the log has been told of.
    pub(crate) told: Told,
}

/// Losses of a face that the log has been told of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    at: Option<Time>,
    unsent: u64,
    malformed: u64,
    long_names: u64,
}

/// The time from one line about a face's losses to the next.
const TOLD: Span = Span::from_secs(10);

/// Packets of a face that were lost since the log was told last.
pub(crate) struct Losses {
    pub(crate) unsent: u64,
    pub(crate) malformed: u64,
    pub(crate) long_names: u64,
}

impl Told {
    /// Losses to be told, if there are new ones and the last line is 10 s old.
    pub(crate) fn news(&mut self, now: Time, traffic: &FaceTraffic) -> Option<Losses> {
        let FaceTraffic { malformed, long_names, dropped, refused, .. } = *traffic;
        let unsent = dropped + refused;
        if (unsent, malformed) == (self.unsent, self.malformed)
            || self.at.is_some_and(|at| now.since(at) < TOLD)
        {
            return None;
        }
        let news = Losses {
            unsent: unsent.saturating_sub(self.unsent),
            malformed: malformed - self.malformed,
            long_names: long_names - self.long_names,
        };
        *self = Told { at: Some(now), unsent, malformed, long_names };
        Some(news)
    }
}

/// Octets below NDN in each datagram unless it is said: IPv4 or IPv6, UDP, and 14 that Linux' shapers count.
const HEADERS: [u16; 2] = [20 + 8 + 14, 40 + 8 + 14];
/// Taken for the size of Data before any has come.
const ASSUMED_DATA: f64 = 1100.0;

impl Face {
    pub(crate) fn new(now: Time, id: u64, setup: FaceSetup) -> Face {
        let tells_first = setup.persistency != FacePersistency::OnDemand && !setup.is_local;
        let link = Link::new(setup.mtu, setup.understands, tells_first);
        Face {
            id,
            slot: FaceId(0),
            setup,
            link,
            traffic: FaceTraffic::default(),
            made: now,
            is_guest: false,
            latest: now,
            speaks: false,
            mean_data: ASSUMED_DATA,
            egress: Egress::default(),
            marker: None,
            suspicion: Suspicion::default(),
            is_broken: false,
            told_down: false,
            told: Told::default(),
        }
    }

    /// What the neighbour understands. Nacks of congestion are for those who follow rates: others repeat the Interest at once, or give up.
    pub(crate) fn neighbour(&self, now: Time) -> Neighbour {
        let rates = self.link.speaks_mircc(now);
        let nacks = match self.setup.is_local {
            _ if rates || self.setup.nacks => Nacking::Always,
            true => Nacking::ExceptCongestion,
            false => Nacking::Never,
        };
        Neighbour { rates, nacks }
    }

    /// True if nothing reaches the neighbour: its stream has ended, or one who showed MIRCC has missed three hellos.
    pub(crate) fn is_down(&self, now: Time) -> bool {
        self.is_broken || self.link.expects_hellos() && now.since(self.latest) >= REMEMBERED
    }

    /// Sets the pace of datagrams: that of the link if its rate is known. A stream has its own.
    pub(crate) fn set_pace(&mut self, now: Time) {
        if matches!(self.setup.remote, FaceUri::Udp(_)) {
            self.egress.set_rate(now, self.capacities().1, self.link.mtu);
        }
    }

    /// When it ends unless a packet comes.
    pub(crate) fn ends(&self) -> Option<Time> {
        (self.setup.ends_idle && self.setup.persistency == FacePersistency::OnDemand)
            .then(|| self.latest + IDLE)
    }

    /// Data of this size has come.
    pub(crate) fn on_data(&mut self, size: usize) {
        self.mean_data += (size as f64 - self.mean_data) / 8.0;
    }

    /// The share of its link that headers below NDN leave for packets, by the mean size of Data that comes in.
    pub(crate) fn share_of_packets(&self) -> f64 {
        let is_v6 =
            matches!(self.setup.remote, FaceUri::Udp(peer) | FaceUri::Tcp(peer) if peer.is_ipv6());
        let headers = self.setup.headers.unwrap_or(HEADERS[usize::from(is_v6)]);
        self.mean_data / (self.mean_data + f64::from(headers))
    }

    /// The rates available to packets, towards this host and away from it.
    pub(crate) fn capacities(&self) -> (Option<Rate>, Option<Rate>) {
        let Some(LinkRates { inward, measured, out, gross }) = self.setup.rates else {
            return (None, None);
        };
        let share = if gross { self.share_of_packets() } else { 1.0 };
        let net = |rate: Rate| Rate::from_bps((rate.as_bps() as f64 * share) as u64);
        (Some(if measured { inward } else { net(inward) }), out.map(net))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_below_ndn_take_their_part_of_a_link() {
        let capacities = |remote: &str, headers| {
            let local = FaceUri::Udp(([0, 0, 0, 0], 6363).into());
            let remote = FaceUri::Udp(remote.parse().expect("an address"));
            let rates = Some(LinkRates::known(Rate::from_mbps(10), Rate::from_mbps(5), true));
            let mut face = Face::new(
                Time::ZERO,
                1,
                FaceSetup { rates, headers, ..FaceSetup::on_demand(remote, local, false, 1400) },
            );
            face.mean_data = 1058.0;
            face.capacities()
        };
        let rates = |inward, out| (Some(Rate::from_bps(inward)), Some(Rate::from_bps(out)));
        // 1058 octets of 1100, of 1120 and of 1150.
        assert_eq!(capacities("192.0.2.1:6363", None), rates(9_618_181, 4_809_090));
        assert_eq!(capacities("[2001:db8::1]:6363", None), rates(9_446_428, 4_723_214));
        assert_eq!(capacities("192.0.2.1:6363", Some(92)), rates(9_200_000, 4_600_000));
    }
}
