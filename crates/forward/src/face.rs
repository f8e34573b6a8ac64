//! State of a face.

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

/// Idle time after which an on-demand datagram face ends.
pub(crate) const IDLE: Span = Span::from_secs(600);

/// MTU of UDP faces: the MTU of Ethernet with room for a tunnel.
pub(crate) const UDP_MTU: usize = 1400;
/// Lowest MTU of a face.
pub(crate) const LEAST_MTU: usize = 64;
pub(crate) const LARGEST: usize = narrows_ndn::tlv::MAX_PACKET;

/// Default MTU of a UDP face, and the largest datagram that crosses the path to the neighbour
/// without fragmentation.
pub(crate) fn udp_mtu(peer: SocketAddr) -> (usize, usize) {
    let most = if peer.ip().is_loopback() { LARGEST } else { UDP_MTU };
    // A neighbour that has no route now may be reached later.
    let largest = largest_datagram(peer).unwrap_or(usize::MAX);
    (most.min(largest).max(LEAST_MTU), largest)
}

/// Properties of a new face.
#[derive(Clone, Debug)]
pub struct FaceSetup {
    /// URI of the neighbour.
    pub remote: FaceUri,
    /// URI of the local end.
    pub local: FaceUri,
    /// When the face ends.
    pub persistency: FacePersistency,
    /// True if the neighbour is on this host.
    pub is_local: bool,
    /// MTU: most octets of a packet.
    pub mtu: usize,
    /// True if the MTU follows the path MTU downwards.
    pub follows_path: bool,
    /// True if the face ends after 600 s without a packet.
    pub ends_idle: bool,
    /// Rates towards this host and away from it, if they are known.
    pub rates: Option<LinkRates>,
    /// Octets of headers below NDN in each datagram. `None` for IP, UDP and Ethernet.
    pub headers: Option<u16>,
    /// Whether the neighbour understands MIRCC.
    pub understands: crate::config::MirccSupport,
    /// Sends Nacks for congestion to the neighbour even if it does not understand MIRCC.
    pub nacks: bool,
    /// Policing: refuses primary Interests of the neighbour that request more than 1.25 times the
    /// rate it was sent, as a mean over a second.
    pub police: bool,
}

impl FaceSetup {
    /// An on-demand face: a neighbour created it, and nothing is known about the neighbour yet. It
    /// ends with its stream, or after 600 s without a datagram.
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
            understands: crate::config::MirccSupport::Auto,
            nacks: false,
            police: false,
        }
    }
}

/// Packet and octet counters of a face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FaceTraffic {
    /// Octets received.
    pub(crate) octets_in: u64,
    /// Octets sent.
    pub(crate) octets_out: u64,
    /// Packets that were malformed or broke a rule of the link.
    pub(crate) malformed: u64,
    /// Packets among the malformed ones whose names have too many components.
    pub(crate) long_names: u64,
    /// Packets that did not fit, and Data that would have waited too long.
    pub(crate) dropped: u64,
    /// Packets that the socket did not accept.
    pub(crate) refused: u64,
}

#[derive(Debug)]
pub(crate) struct Face {
    /// Number of the face in the management protocol.
    pub(crate) id: u64,
    /// Slot of the face in the node, once it has one.
    pub(crate) slot: FaceId,
    pub(crate) setup: FaceSetup,
    pub(crate) link: Link,
    pub(crate) traffic: FaceTraffic,
    /// Time at which the face was created.
    pub(crate) made: Time,
    /// True if a neighbour on another host created the face.
    pub(crate) is_guest: bool,
    pub(crate) latest: Time,
    /// True if the node knows that the neighbour understands MIRCC.
    pub(crate) speaks: bool,
    /// Mean size in octets of the Data received.
    pub(crate) mean_data: f64,
    /// Datagrams held back by pacing.
    pub(crate) egress: Egress,
    /// Puts congestion marks on Data, if the neighbour asked for them.
    pub(crate) marker: Option<Marker>,
    /// Detects a path behind the face that is slower than the rate of the face.
    pub(crate) suspicion: Suspicion,
    /// True if the stream has ended and is not yet replaced.
    pub(crate) is_broken: bool,
    /// True if subscribers of face events were told that the face is down.
    pub(crate) reported_down: bool,
    /// Losses that the log has already reported.
    pub(crate) told: LoggedLosses,
}

/// Losses of a face that the log has already reported.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoggedLosses {
    at: Option<Time>,
    unsent: u64,
    malformed: u64,
    long_names: u64,
}

/// Interval between two log lines about the losses of a face.
const LOSS_LOG_INTERVAL: Span = Span::from_secs(10);

/// Packets of a face that were lost since the previous log line.
pub(crate) struct Losses {
    pub(crate) unsent: u64,
    pub(crate) malformed: u64,
    pub(crate) long_names: u64,
}

impl LoggedLosses {
    /// Losses to report. `None` if there are no new ones, or the previous line is less than 10 s
    /// old.
    pub(crate) fn news(&mut self, now: Time, traffic: &FaceTraffic) -> Option<Losses> {
        let FaceTraffic { malformed, long_names, dropped, refused, .. } = *traffic;
        let unsent = dropped + refused;
        if (unsent, malformed) == (self.unsent, self.malformed)
            || self.at.is_some_and(|at| now.since(at) < LOSS_LOG_INTERVAL)
        {
            return None;
        }
        let news = Losses {
            unsent: unsent.saturating_sub(self.unsent),
            malformed: malformed - self.malformed,
            long_names: long_names - self.long_names,
        };
        *self = LoggedLosses { at: Some(now), unsent, malformed, long_names };
        Some(news)
    }
}

/// Default octets of headers below NDN in each datagram: IPv4 or IPv6, UDP, and 14 that Linux
/// shapers count.
const HEADERS: [u16; 2] = [20 + 8 + 14, 40 + 8 + 14];
/// Size of Data assumed before any has arrived.
const ASSUMED_DATA_SIZE: f64 = 1100.0;

impl Face {
    pub(crate) fn new(now: Time, id: u64, setup: FaceSetup) -> Face {
        let shows_mircc_first = setup.persistency != FacePersistency::OnDemand && !setup.is_local;
        let link = Link::new(setup.mtu, setup.understands, shows_mircc_first);
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
            mean_data: ASSUMED_DATA_SIZE,
            egress: Egress::default(),
            marker: None,
            suspicion: Suspicion::default(),
            is_broken: false,
            reported_down: false,
            told: LoggedLosses::default(),
        }
    }

    /// Capabilities of the neighbour. Nacks for congestion are for neighbours that follow rates:
    /// others retransmit the Interest at once, or give up.
    pub(crate) fn neighbour(&self, now: Time) -> Neighbour {
        let rates = self.link.speaks_mircc(now);
        let nacks = match self.setup.is_local {
            _ if rates || self.setup.nacks => Nacking::Always,
            true => Nacking::ExceptCongestion,
            false => Nacking::Never,
        };
        Neighbour { rates, nacks }
    }

    /// True if nothing reaches the neighbour: its stream has ended, or a neighbour that showed
    /// MIRCC has missed three hellos.
    pub(crate) fn is_down(&self, now: Time) -> bool {
        self.is_broken || self.link.expects_hellos() && now.since(self.latest) >= REMEMBERED
    }

    /// Sets the pace of datagrams to the rate of the link, if that is known. A stream has its own
    /// pace.
    pub(crate) fn set_pace(&mut self, now: Time) {
        if matches!(self.setup.remote, FaceUri::Udp(_)) {
            self.egress.set_rate(now, self.capacities().1, self.link.mtu);
        }
    }

    /// Time at which the face ends unless a packet arrives. `None` if it does not end when idle.
    pub(crate) fn ends(&self) -> Option<Time> {
        (self.setup.ends_idle && self.setup.persistency == FacePersistency::OnDemand)
            .then(|| self.latest + IDLE)
    }

    /// Updates the mean size with a Data packet of `size` octets.
    pub(crate) fn on_data(&mut self, size: usize) {
        self.mean_data += (size as f64 - self.mean_data) / 8.0;
    }

    /// Share of the link that headers below NDN leave for packets, by the mean size of the Data
    /// received.
    pub(crate) fn share_of_packets(&self) -> f64 {
        let is_v6 =
            matches!(self.setup.remote, FaceUri::Udp(peer) | FaceUri::Tcp(peer) if peer.is_ipv6());
        let headers = self.setup.headers.unwrap_or(HEADERS[usize::from(is_v6)]);
        self.mean_data / (self.mean_data + f64::from(headers))
    }

    /// Rates available to packets, towards this host and away from it.
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
        // Shares: 1058 octets of 1100, of 1120 and of 1150.
        assert_eq!(capacities("192.0.2.1:6363", None), rates(9_618_181, 4_809_090));
        assert_eq!(capacities("[2001:db8::1]:6363", None), rates(9_446_428, 4_723_214));
        assert_eq!(capacities("192.0.2.1:6363", Some(92)), rates(9_200_000, 4_600_000));
    }
}
