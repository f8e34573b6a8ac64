//! Pieces put together to packets.

use super::fragment::MAX_PIECES;
use super::header::Header;
use super::packet::LpPacket;
use crate::tlv::MAX_PACKET;
use narrows_units::{Span, Time};
use std::collections::VecDeque;
use thiserror::Error;

/// Why a piece is thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ReassemblyError {
    /// It has no Sequence, no octets, a FragIndex not below its FragCount, or a FragCount above
    /// 400.
    #[error("Sequence, FragIndex, FragCount or Fragment is missing or out of range")]
    Malformed,
    /// It says another FragCount than the pieces before it. All of them are thrown away.
    #[error("FragCount differs from that of the packet's other pieces")]
    Inconsistent,
    /// The pieces, or the fields beside them, are larger than any packet. All of them are thrown
    /// away.
    #[error("the pieces or the fields beside them add up to more than 8800 octets")]
    TooLarge,
}

/// The packets and pieces that a [`Reassembler`] threw away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReassemblyCounters {
    /// Packets of which pieces were missing when their time was over.
    pub expired: u64,
    /// Packets that gave way to newer ones.
    pub evicted: u64,
    /// Pieces that were there already.
    pub repeated: u64,
}

/// Puts the pieces of packets together that come in on one face, in any order.
///
/// It keeps at most 64 packets of at most 8800 octets each, and as much of fields, for half a
/// second after the first piece that came.
#[derive(Clone, Debug, Default)]
pub struct Reassembler {
    /// In the order of their first pieces.
    partial: VecDeque<Partial>,
    /// The room that they take.
    octets: usize,
    counters: ReassemblyCounters,
}

#[derive(Clone, Debug)]
struct Partial {
    /// Sequence of the piece with FragIndex 0.
    first: u64,
    /// When it is thrown away.
    deadline: Time,
    /// The pieces; empty for those that have not come.
    pieces: Vec<Vec<u8>>,
    /// The number of those that have.
    came: usize,
    /// Their octets.
    octets: usize,
    /// An LpPacket without Fragment: the fields of the first piece, and of the others PitToken and
    /// CongestionMark.
    header: Vec<u8>,
}

/// The fate of a piece.
enum Fate {
    Kept,
    Repeated,
    Whole,
}

impl Reassembler {
    /// The packets that are kept.
    pub const MAX_PARTIAL: usize = 64;
    /// How long a packet's pieces are kept.
    pub const TIMEOUT: Span = Span::from_millis(500);

    /// A reassembler that has no pieces.
    pub fn new() -> Reassembler {
        Reassembler::default()
    }

    /// Counts of packets and pieces thrown away so far.
    pub fn counters(&self) -> ReassemblyCounters {
        self.counters
    }

    /// The next time at which something expires.
    pub fn due(&self) -> Option<Time> {
        self.partial.front().map(|partial| partial.deadline)
    }

    /// Throws away what has expired.
    pub fn expire(&mut self, now: Time) {
        while self.due().is_some_and(|due| due <= now) {
            self.remove(0);
            self.counters.expired += 1;
        }
    }

    /// Octets that its pieces take, with the lists that hold them.
    pub fn octets(&self) -> usize {
        self.octets
    }

    /// The most octets that it takes more after this piece. The fields beside it are not counted
    /// here, only by [`octets`](Reassembler::octets).
    pub fn needs(piece: &LpPacket) -> usize {
        let count = piece.header.frag_count.unwrap_or(1).min(MAX_PIECES as u64) as usize;
        Partial::LIST * count + Partial::SELF + piece.fragment.map_or(0, <[u8]>::len)
    }

    /// Takes out the packet in this place.
    fn remove(&mut self, at: usize) -> Option<Partial> {
        let partial = self.partial.remove(at)?;
        self.octets -= partial.size();
        Some(partial)
    }

    /// Takes a piece ([`LpPacket::is_piece`]). If it completes a packet, appends that to `out` as
    /// an LpPacket that says nothing of fragmentation, and returns true.
    ///
    /// # Errors
    /// The piece does not belong to any packet.
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
            Ok(Fate::Kept) => Ok(false),
            Ok(Fate::Repeated) => {
                self.counters.repeated += 1;
                Ok(false)
            }
            Ok(Fate::Whole) => {
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

    /// Where the packet is whose first piece has the Sequence `first`, and which is new if there
    /// was no such packet.
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
            came: 0,
            octets: 0,
            header: Vec::new(),
        };
        self.octets += partial.size();
        self.partial.push_back(partial);
        self.partial.len() - 1
    }
}

impl Partial {
    /// Octets of a place for a piece, and of the packet's own fields.
    const LIST: usize = size_of::<Vec<u8>>();
    const SELF: usize = size_of::<Partial>();

    /// Octets that it takes.
    fn size(&self) -> usize {
        Self::LIST * self.pieces.len() + Self::SELF + self.octets + self.header.len()
    }

    fn add(
        &mut self,
        index: usize,
        count: usize,
        header: &Header,
        fragment: &[u8],
    ) -> Result<Fate, ReassemblyError> {
        if count != self.pieces.len() {
            return Err(ReassemblyError::Inconsistent);
        }
        if !self.pieces[index].is_empty() {
            return Ok(Fate::Repeated);
        }
        self.octets += fragment.len();
        if self.octets > MAX_PACKET {
            return Err(ReassemblyError::TooLarge);
        }
        self.pieces[index] = fragment.to_vec();
        self.came += 1;
        self.merge(index, header);
        if self.header.len() > MAX_PACKET {
            return Err(ReassemblyError::TooLarge);
        }
        Ok(if self.came == count { Fate::Whole } else { Fate::Kept })
    }

    /// Adds what the piece says of the whole packet.
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
