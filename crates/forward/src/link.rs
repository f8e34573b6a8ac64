//! NDNLPv2 on one face: from octets to packets of the node, and back.

use crate::config::MirccSupport;
use crate::name::{PacketName, Token, Wire};
use narrows_icn::{
    Budget, Class, Data, FaceId, Hint, Interest, Nack, NackReason, Packet, Route, Spare, Steer,
};
use narrows_ndn::lp::{
    self, Fragmenter, Header, LabelFlags, LpPacket, Mircc, NO_CACHE, PathLabel, PitToken,
    Reassembler,
};
use narrows_ndn::{self as ndn, tlv::MAX_PACKET};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Ecn, Rates};

/// How long a neighbour counts as understanding MIRCC after it has sent MIRCC fields: three hellos.
pub(crate) const REMEMBERED: Span = Span::from_secs(60);
/// Intervals between hellos: to a neighbour that has not sent MIRCC fields, and to one that has.
/// Our choice.
const HELLOS: (Span, Span) = (Span::from_secs(10), Span::from_secs(20));
/// A hello: an IDLE packet with the class field only. A neighbour that does not know the field
/// treats the packet as a sign of life.
const HELLO: &[u8] = &[0x64, 0x05, 0xfd, 0x03, 0x8c, 0x01, 0x00];
/// Number of packets sent and received after which a neighbour without MIRCC fields counts as not
/// understanding them. From then on, only every [`SELDOM`]th packet to it carries them.
const PATIENCE: u64 = 1000;
const SELDOM: u64 = 64;

/// Result of receiving octets.
#[derive(Debug)]
pub(crate) enum Received {
    /// A packet for the node.
    Packet(Packet<PacketName>),
    /// A fragment, or a hello.
    Nothing,
}

/// Reason why received octets are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// They are not a link packet, or are a link packet that must be dropped.
    Link,
    /// They hold neither an Interest nor Data.
    Network,
    /// The name has too many components.
    LongName,
    /// There is no room for another fragment.
    NoRoom,
}

/// State of NDNLPv2 on a face.
#[derive(Debug)]
pub(crate) struct Link {
    reassembler: Reassembler,
    fragmenter: Fragmenter,
    /// A reassembled packet.
    whole: Vec<u8>,
    /// MTU: most octets of a packet.
    pub(crate) mtu: usize,
    pub(crate) understands: MirccSupport,
    /// True if this host created the face: MIRCC fields then go to the neighbour before it has sent
    /// any.
    pub(crate) shows_mircc_first: bool,
    /// Time at which the neighbour last sent MIRCC fields.
    shown: Option<Time>,
    /// Time of the next hello.
    hello: Time,
    /// Packets sent and received since the neighbour last sent MIRCC fields.
    sent: u64,
    received: u64,
    /// True if IncomingFaceId and NextHopFaceId are enabled.
    pub(crate) local_fields: bool,
}

impl Link {
    pub(crate) fn new(mtu: usize, understands: MirccSupport, shows_mircc_first: bool) -> Link {
        Link {
            reassembler: Reassembler::new(),
            fragmenter: Fragmenter::default(),
            whole: Vec::new(),
            mtu,
            understands,
            shows_mircc_first,
            shown: None,
            hello: Time::ZERO,
            sent: 0,
            received: 0,
            local_fields: false,
        }
    }

    /// True if the neighbour understands MIRCC: by configuration, or because it has sent MIRCC
    /// fields recently.
    pub(crate) fn speaks_mircc(&self, now: Time) -> bool {
        match self.understands {
            MirccSupport::On => true,
            MirccSupport::Off => false,
            MirccSupport::Auto => self.shown.is_some_and(|shown| now < shown + REMEMBERED),
        }
    }

    /// A hello, if one is due. Hellos show MIRCC to the neighbour while there is no other traffic.
    /// They go to neighbours to which the daemon made the face, and to neighbours that have sent
    /// MIRCC fields.
    pub(crate) fn hello(&mut self, now: Time) -> Option<&'static [u8]> {
        let speaks = self.speaks_mircc(now);
        if now < self.hello
            || self.understands == MirccSupport::Off
            || !(self.shows_mircc_first || speaks)
        {
            return None;
        }
        self.hello = now + if speaks { HELLOS.1 } else { HELLOS.0 };
        Some(HELLO)
    }

    /// True if the neighbour has shown MIRCC, so that it sends hellos while it has nothing else to
    /// send.
    pub(crate) fn expects_hellos(&self) -> bool {
        self.shows_mircc_first && self.shown.is_some()
    }

    /// Resets the state for a new stream or the end of the face. `pieces` is the fragment budget of
    /// its thread.
    pub(crate) fn restart(&mut self, pieces: &mut Budget) {
        pieces.release(self.reassembler.octets() as u64);
        (self.reassembler, self.hello) = (Reassembler::new(), Time::ZERO);
    }

    /// Discards fragments whose packets have not become complete in time.
    pub(crate) fn expire(&mut self, now: Time, pieces: &mut Budget) {
        let before = self.reassembler.octets();
        if before > 0 {
            self.reassembler.expire(now);
            pieces.replace(before as u64, self.reassembler.octets() as u64);
        }
    }

    /// True if the next packet is to carry MIRCC fields.
    pub(crate) fn writes_mircc(&mut self, now: Time) -> bool {
        if self.understands == MirccSupport::Off || self.speaks_mircc(now) {
            return self.understands != MirccSupport::Off;
        }
        self.sent += 1;
        self.shows_mircc_first
            && (self.sent.min(self.received) < PATIENCE || self.sent.is_multiple_of(SELDOM))
    }

    /// Decodes one link packet into a packet from `spare`. An ECN mark counts as a congestion mark.
    /// An Interest without a nonce gets `nonce`. `pieces` is the fragment budget.
    pub(crate) fn receive(
        &mut self,
        now: Time,
        ecn: Ecn,
        wire: &[u8],
        nonce: u32,
        spare: &mut Spare<PacketName>,
        pieces: &mut Budget,
    ) -> Result<Received, Fault> {
        let mut packet = LpPacket::decode(wire).map_err(|_| Fault::Link)?;
        self.received += 1;
        if ecn == Ecn::Ce {
            packet.header.congestion_mark = packet.header.congestion_mark.max(Some(1));
        }
        if packet.header.mircc.any() {
            self.shown = Some(now);
            (self.sent, self.received) = (0, 0);
        }
        if !packet.is_fragment() {
            return self.packet(&mut packet, nonce, wire.len(), spare);
        }
        let before = self.reassembler.octets() as u64;
        if !pieces.admits(before, Reassembler::needs(&packet) as u64) {
            return Err(Fault::NoRoom);
        }
        let mut whole = std::mem::take(&mut self.whole);
        whole.clear();
        let complete = self.reassembler.take(now, &packet, &mut whole).map_err(|_| Fault::Link);
        pieces.replace(before, self.reassembler.octets() as u64);
        let received = complete.and_then(|complete| match complete {
            true => self.packet(
                &mut LpPacket::decode(&whole).map_err(|_| Fault::Link)?,
                nonce,
                whole.len(),
                spare,
            ),
            false => Ok(Received::Nothing),
        });
        self.whole = whole;
        received
    }

    fn packet(
        &self,
        packet: &mut LpPacket<'_>,
        nonce: u32,
        size: usize,
        spare: &mut Spare<PacketName>,
    ) -> Result<Received, Fault> {
        let Some(fragment) = packet.fragment else { return Ok(Received::Nothing) };
        if fragment.len() > MAX_PACKET {
            return Err(Fault::Network);
        }
        let header = &mut packet.header;
        if self.understands == MirccSupport::Off {
            header.mircc = Mircc::default();
        }
        let size = Bytes::new(size as u64);
        Ok(Received::Packet(match (header.nack, fragment.first()) {
            (Some(reason), _) => {
                let (rates, route) = (header.mircc.rates(), route(&header.mircc));
                let interest = self.interest(fragment, header, nonce, size)?;
                spare.nack(Nack { interest, reason: reason_of(reason), rates, route })
            }
            (None, Some(5)) => spare.interest(self.interest(fragment, header, nonce, size)?),
            (None, _) => spare.data(data(fragment, header, size)?),
        }))
    }

    fn interest(
        &self,
        fragment: &[u8],
        header: &Header<'_>,
        nonce: u32,
        size: Bytes,
    ) -> Result<Interest<PacketName>, Fault> {
        let decoded = ndn::Interest::decode(fragment).map_err(|_| Fault::Network)?;
        if decoded.name.len() > MOST_COMPONENTS {
            return Err(Fault::LongName);
        }
        if header.cache_policy.is_some() || header.next_hop_face.is_some() && !self.local_fields {
            return Err(Fault::Network);
        }
        let label = header.mircc.path_label.as_ref();
        let hint = match header.next_hop_face {
            Some(face) => Hint::Face(FaceId(u32::try_from(face).unwrap_or(u32::MAX))),
            None => {
                label.filter(|label| label.flags != LabelFlags::Discovery).map_or(Hint::None, hint)
            }
        };
        let strict = label.is_some_and(|label| label.flags == LabelFlags::Strict);
        let token =
            header.pit_token.and_then(|token| Token::new(token.as_slice())).unwrap_or_default();
        let (name, grown) = match decoded.nonce {
            Some(_) => (PacketName::of_packet(fragment, &decoded.name), 0),
            None => {
                let mut with_nonce = Vec::with_capacity(fragment.len() + 6);
                decoded.write_with_nonce(nonce, &mut with_nonce);
                // The name precedes the nonce and follows a header that may have grown. The hop
                // limit follows both.
                let start = offset(fragment, decoded.name.value()) + header_length(&with_nonce)
                    - header_length(fragment);
                (
                    PacketName::within(&with_nonce, &decoded.name, start),
                    with_nonce.len() - fragment.len(),
                )
            }
        };
        let hop_limit_at = decoded.hop_limit.map(|limit| limit.position + grown);
        Ok(Interest {
            name,
            nonce: decoded.nonce.unwrap_or(nonce),
            can_be_prefix: decoded.can_be_prefix,
            must_be_fresh: decoded.must_be_fresh,
            hop_limit: decoded.hop_limit.map_or(u8::MAX, |limit| limit.value),
            class: if header.mircc.class == Some(1) { Class::Secondary } else { Class::Primary },
            lifetime: decoded.lifetime(),
            srtt: header.mircc.round_trip(),
            size,
            steer: Steer { hint, strict },
            via: decoded.forwarding_hint.map(|hint| hint.iter().map(PacketName::new).collect()),
            token,
            body: Wire::interest(hop_limit_at),
        })
    }

    /// Encodes a packet as link packets and passes each of them to `send`. Returns false if the
    /// packet does not fit.
    pub(crate) fn send(
        &mut self,
        now: Time,
        packet: &Packet<PacketName>,
        incoming: Option<u64>,
        scratch: &mut Scratch,
        mut send: impl FnMut(&[u8]),
    ) -> bool {
        let mircc = self.writes_mircc(now);
        let mut header = Header::default();
        let fragment: &[u8] = match packet {
            Packet::Interest(interest) => {
                if mircc {
                    header.mircc = fields_of_interest(interest);
                }
                patched(interest, &mut scratch.network)
            }
            Packet::Data(data) => {
                header.pit_token = PitToken::new(data.token.octets());
                header.congestion_mark = data.marked.then_some(1);
                header.incoming_face = incoming.filter(|_| self.local_fields);
                if data.no_cache {
                    header.cache_policy = Some(NO_CACHE);
                }
                if mircc {
                    header.mircc = fields_of_route(data.rates, &data.route);
                }
                data.body.octets(&data.name)
            }
            Packet::Nack(nack) => {
                header.pit_token = PitToken::new(nack.interest.token.octets());
                header.nack = Some(reason_to(nack.reason));
                if mircc {
                    header.mircc = fields_of_route(nack.rates, &nack.route);
                    header.mircc.class = Some(nack.interest.class as u8);
                }
                nack.interest.body.octets(&nack.interest.name)
            }
        };
        let Ok(mut pieces) = self.fragmenter.pieces(&header, fragment, self.mtu) else {
            return false;
        };
        loop {
            scratch.link.clear();
            if !pieces.write_next(&mut scratch.link) {
                return true;
            }
            send(&scratch.link);
        }
    }
}

/// Most components of a name. The NDN Packet Format leaves this limit to forwarders.
const MOST_COMPONENTS: usize = 64;

/// Longest freshness period: 584 years in nanoseconds. Longer ones are shortened to it.
const LONGEST_MS: u64 = u64::MAX / 1_000_000;

/// Buffers for outgoing packets.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    network: Vec<u8>,
    link: Vec<u8>,
}

/// Octets of an Interest, with the hop limit that the node has decremented.
fn patched<'a>(interest: &'a Interest<PacketName>, scratch: &'a mut Vec<u8>) -> &'a [u8] {
    let octets = interest.body.octets(&interest.name);
    let Some(at) = interest.body.hop_limit_at() else { return octets };
    scratch.clear();
    scratch.extend_from_slice(octets);
    scratch[at] = interest.hop_limit;
    scratch
}

fn data(fragment: &[u8], header: &Header<'_>, size: Bytes) -> Result<Data<PacketName>, Fault> {
    let decoded = ndn::Data::decode(fragment).map_err(|_| Fault::Network)?;
    if decoded.name.len() > MOST_COMPONENTS {
        return Err(Fault::LongName);
    }
    let route = route(&header.mircc);
    Ok(Data {
        name: PacketName::of_packet(fragment, &decoded.name),
        marked: header.is_marked(),
        no_cache: header.cache_policy == Some(NO_CACHE),
        size,
        rates: header.mircc.rates(),
        freshness: Span::from_millis(decoded.meta.freshness_ms.unwrap_or(0).min(LONGEST_MS)),
        route,
        token: Token::default(),
        body: Wire::DATA,
    })
}

/// Position of `part` in `whole`.
fn offset(whole: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
}

/// Number of octets before the value of a packet.
fn header_length(packet: &[u8]) -> usize {
    narrows_ndn::tlv::Element::first(packet, 0).map_or(0, |element| element.value_offset())
}

fn fields_of_interest(interest: &Interest<PacketName>) -> Mircc {
    let flags = if interest.steer.strict { LabelFlags::Strict } else { LabelFlags::Fallback };
    Mircc {
        class: Some(interest.class as u8),
        round_trip_us: (!interest.srtt.is_zero()).then(|| interest.srtt.as_micros()),
        path_label: Some(label(&interest.steer.hint, flags).unwrap_or_default()),
        ..Mircc::default()
    }
}

fn fields_of_route(rates: Rates, route: &Route) -> Mircc {
    let limited = |rate: Rate| (rate != Rates::UNLIMITED.primary).then(|| rate.as_bps());
    Mircc {
        primary_bps: limited(rates.primary),
        secondary_bps: limited(rates.secondary),
        path_id: (route.id != 0).then_some(route.id),
        path_label: label(&route.hint, LabelFlags::Discovery),
        limit: (route.limit != 0).then_some(route.limit),
        ..Mircc::default()
    }
}

fn route(mircc: &Mircc) -> Route {
    Route {
        id: mircc.path_id.unwrap_or(0),
        hint: mircc.path_label.as_ref().map_or(Hint::None, hint),
        limit: mircc.limit.unwrap_or(0),
    }
}

/// Converts a path label to a hint. `Hint::None` if one of the hops has no label.
fn hint(label: &PathLabel) -> Hint {
    let labels = &label.labels;
    if labels.is_empty() || labels.iter().any(|hop| hop.is_none()) {
        Hint::None
    } else {
        Hint::Labels(*labels)
    }
}

fn label(hint: &Hint, flags: LabelFlags) -> Option<PathLabel> {
    if let Hint::Labels(labels) = *hint { Some(PathLabel { flags, labels }) } else { None }
}

fn reason_of(reason: lp::NackReason) -> NackReason {
    match reason {
        lp::NackReason::Congestion => NackReason::Congestion,
        lp::NackReason::Duplicate => NackReason::Duplicate,
        lp::NackReason::NoRoute => NackReason::NoRoute,
        lp::NackReason::InvalidLabel => NackReason::InvalidLabel,
        lp::NackReason::None => NackReason::Unknown,
    }
}

fn reason_to(reason: NackReason) -> lp::NackReason {
    match reason {
        NackReason::Congestion => lp::NackReason::Congestion,
        NackReason::Duplicate => lp::NackReason::Duplicate,
        NackReason::NoRoute => lp::NackReason::NoRoute,
        NackReason::InvalidLabel => lp::NackReason::InvalidLabel,
        NackReason::Unknown => lp::NackReason::None,
    }
}
