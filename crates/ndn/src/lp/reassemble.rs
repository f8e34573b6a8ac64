//! Reassembly of fragments to packets.

use super::fragment::MAX_PIECES;
use super::header::Header;
use super::packet::LpPacket;
use crate::tlv::MAX_PACKET;
use narrows_units::{Span, Time};
use std::collections::VecDeque;
use thiserror::Error;

/// Reason why a fragment is discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ReassemblyError {
    /// The fragment has no Sequence or no octets, its FragIndex is not below its FragCount, or its
    /// FragCount is above 400.
    #[error("Sequence, FragIndex, FragCount or Fragment is missing or out of range")]
    Malformed,
    /// The FragCount differs from the FragCount of earlier fragments. All of them are discarded.
    #[error("FragCount differs between the fragments of a packet")]
    Inconsistent,
    /// The fragments or their fields are larger than any packet. All of them are discarded.
    #[error("the fragments or their fields add up to more than 8800 octets")]
    TooLarge,
}

/// Counters of the packets and fragments that a [`Reassembler`] discarded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReassemblyCounters {
    /// Packets that still lacked fragments after the timeout.
    pub expired: u64,
    /// Packets that were evicted for newer ones.
    pub evicted: u64,
    /// Fragments that had arrived before.
    pub repeated: u64,
}

/// Reassembles packets from the fragments that arrive on one face, in any order.
///
/// Keeps at most 64 packets, each with at most 8800 octets of fragments and at most 8800 octets of
/// fields, for half a second after the first fragment.
#[derive(Clone, Debug, Default)]
pub struct Reassembler {
    /// Incomplete packets, in the order of their first arrivals.
    partial: VecDeque<Partial>,
    /// Octets that the incomplete packets take.
    octets: usize,
    counters: ReassemblyCounters,
}

#[derive(Clone, Debug)]
struct Partial {
    /// Sequence of the fragment with FragIndex 0.
    first: u64,
    /// Time at which the packet is discarded.
    deadline: Time,
    /// The fragments. Those that have not arrived are empty.
    pieces: Vec<Vec<u8>>,
    /// Number of fragments that have arrived.
    arrived: usize,
    /// Octets of the fragments that have arrived.
    octets: usize,
    /// An LpPacket without Fragment: the fields of the first fragment, and PitToken and
    /// CongestionMark of the others.
    header: Vec<u8>,
}

/// Result of adding a fragment.
enum Added {
    Kept,
    Repeated,
    Whole,
}

impl Reassembler {
    /// Most incomplete packets.
    pub const MAX_PARTIAL: usize = 64;
    /// Time for which the fragments of a packet are kept.
    pub const TIMEOUT: Span = Span::from_millis(500);

    /// A reassembler without fragments.
    pub fn new() -> Reassembler {
        Reassembler::default()
    }

    /// Counters of the packets and fragments discarded so far.
    pub fn counters(&self) -> ReassemblyCounters {
        self.counters
    }

    /// Time of the next timeout.
    pub fn due(&self) -> Option<Time> {
        self.partial.front().map(|partial| partial.deadline)
    }

    /// Discards packets whose time is over.
    pub fn expire(&mut self, now: Time) {
        while self.due().is_some_and(|due| due <= now) {
            self.remove(0);
            self.counters.expired += 1;
        }
    }

    /// Octets of all fragments, including the lists that hold them.
    pub fn octets(&self) -> usize {
        self.octets
    }

    /// Most additional octets that `piece` will take. Its fields are not included here, but
    /// [`octets`](Reassembler::octets) includes them.
    pub fn needs(piece: &LpPacket) -> usize {
        let count = piece.header.frag_count.unwrap_or(1).min(MAX_PIECES as u64) as usize;
        Partial::LIST * count + Partial::SELF + piece.fragment.map_or(0, <[u8]>::len)
    }

    /// Removes the packet at index `at`.
    fn remove(&mut self, at: usize) -> Option<Partial> {
        let partial = self.partial.remove(at)?;
        self.octets -= partial.size();
        Some(partial)
    }

    /// Takes a fragment ([`LpPacket::is_fragment`]). If the fragment completes a packet, appends the
    /// packet to `out` as an LpPacket without fragmentation fields and returns true.
    ///
    /// # Errors
    /// The fragment does not belong to any packet.
    pub fn take(
        &mut self,
        now: Time,
        piece: &LpPacket,
        out: &mut Vec<u8>,
    ) -> Result<bool, ReassemblyError> {
        self.expire(now);
        let index = piece.header.frag_index.unwrap_or(0);
        let count = piece.header.frag_count.unwrap_or(1);
        let sequence = piece.header.sequence.ok_or(ReassemblyError::Malformed)?;
        let fragment = piece
            .fragment
            .filter(|fragment| !fragment.is_empty())
            .ok_or(ReassemblyError::Malformed)?;
        if index >= count || count > MAX_PIECES as u64 {
            return Err(ReassemblyError::Malformed);
        }
        let at = self.find(now, sequence.wrapping_sub(index), count as usize);
        let before = self.partial[at].size();
        let fate = self.partial[at].add(index as usize, count as usize, &piece.header, fragment);
        self.octets = self.octets - before + self.partial[at].size();
        match fate {
            Ok(Added::Kept) => Ok(false),
            Ok(Added::Repeated) => {
                self.counters.repeated += 1;
                Ok(false)
            }
            Ok(Added::Whole) => {
                let whole = self.remove(at).expect("the packet was found there");
                whole.write(out);
                Ok(true)
            }
            Err(error) => {
                self.remove(at);
                Err(error)
            }
        }
    }

    /// Index of the packet whose first fragment has the Sequence `first`. Adds the packet if it is
    /// new.
    fn find(&mut self, now: Time, first: u64, count: usize) -> usize {
        if let Some(at) = self.partial.iter().rposition(|partial| partial.first == first) {
            return at;
        }
        if self.partial.len() == Self::MAX_PARTIAL {
            self.remove(0);
            self.counters.evicted += 1;
        }
        let pieces = vec![Vec::new(); count];
        let partial = Partial {
            first,
            deadline: now + Self::TIMEOUT,
            pieces,
            arrived: 0,
            octets: 0,
            header: Vec::new(),
        };
        self.octets += partial.size();
        self.partial.push_back(partial);
        self.partial.len() - 1
    }
}

impl Partial {
    /// Octets of a list entry for a fragment, and of the packet's own fields.
    const LIST: usize = size_of::<Vec<u8>>();
    const SELF: usize = size_of::<Partial>();

    /// Octets that the packet takes.
    fn size(&self) -> usize {
        Self::LIST * self.pieces.len() + Self::SELF + self.octets + self.header.len()
    }

    fn add(
        &mut self,
        index: usize,
        count: usize,
        header: &Header,
        fragment: &[u8],
    ) -> Result<Added, ReassemblyError> {
        if count != self.pieces.len() {
            return Err(ReassemblyError::Inconsistent);
        }
        if !self.pieces[index].is_empty() {
            return Ok(Added::Repeated);
        }
        self.octets += fragment.len();
        if self.octets > MAX_PACKET {
            return Err(ReassemblyError::TooLarge);
        }
        self.pieces[index] = fragment.to_vec();
        self.arrived += 1;
        self.merge(index, header);
        if self.header.len() > MAX_PACKET {
            return Err(ReassemblyError::TooLarge);
        }
        Ok(if self.arrived == count { Added::Whole } else { Added::Kept })
    }

    /// Adds the fields of a fragment that concern the whole packet.
    fn merge(&mut self, index: usize, piece: &Header) {
        let before = std::mem::take(&mut self.header);
        let known = LpPacket::decode(&before).map_or(Header::default(), |packet| packet.header);
        let (mut header, other) = if index == 0 { (*piece, &known) } else { (known, piece) };
        header = Header { sequence: None, frag_index: None, frag_count: None, ..header };
        header.pit_token = header.pit_token.or(other.pit_token);
        header.congestion_mark = header.congestion_mark.max(other.congestion_mark);
        header.write_packet(None, &mut self.header);
    }

    fn write(self, out: &mut Vec<u8>) {
        let header =
            LpPacket::decode(&self.header).map_or(Header::default(), |packet| packet.header);
        header.write_packet(Some(&self.pieces.concat()), out);
    }
}
