//! Names that are stored in the octets of their packets.

use crate::octets::Octets;
use ahash::RandomState;
use narrows_icn::{Name, Scope};
use narrows_ndn::{NameRef, tlv};
use sha2::{Digest, Sha256};
use std::cmp::Ordering;
use std::fmt;

/// A name, stored in the packet that contained it. A clone costs a reference count.
#[derive(Clone)]
pub struct PacketName {
    octets: Octets,
    start: u16,
    end: u16,
    components: u16,
}

impl PacketName {
    /// The name of a packet of at most 65,535 octets. `name` must be decoded from `packet`.
    pub(crate) fn of_packet(packet: &[u8], name: &NameRef<'_>) -> PacketName {
        let start = (name.value().as_ptr() as usize).saturating_sub(packet.as_ptr() as usize);
        PacketName::within(packet, name, start)
    }

    /// The name of a packet of at most 65,535 octets. `name` must be its decoded form. Its value
    /// begins at position `start`.
    pub(crate) fn within(packet: &[u8], name: &NameRef<'_>, start: usize) -> PacketName {
        let end = start + name.value().len();
        PacketName {
            octets: Octets::copy(packet),
            start: start as u16,
            end: end as u16,
            components: name.len() as u16,
        }
    }

    /// A name in a buffer of its own. A name longer than 65,535 octets, which no packet holds,
    /// becomes the root.
    pub fn new(name: NameRef<'_>) -> PacketName {
        let fits = u16::try_from(name.value().len()).is_ok();
        let name = if fits { name } else { NameRef::ROOT };
        PacketName::within(name.value(), &name, 0)
    }

    /// Octets of the components.
    pub fn value(&self) -> &[u8] {
        &self.octets.as_slice()[usize::from(self.start)..usize::from(self.end)]
    }

    /// Decoded form of the name.
    pub fn view(&self) -> NameRef<'_> {
        NameRef::from_value(self.value()).unwrap_or(NameRef::ROOT)
    }

    /// Octets of the first `components` components.
    fn first_octets(&self, components: usize) -> &[u8] {
        if components == usize::from(self.components) {
            return self.value();
        }
        let value = self.value();
        let mut end = 0;
        for _ in 0..components {
            end += tlv::frame_length(&value[end..], value.len()).ok().flatten().unwrap_or(0);
        }
        &value[..end]
    }
}

impl Name for PacketName {
    type Hashing = RandomState;
    type Body = Wire;
    type Token = Token;

    #[inline]
    fn components(&self) -> usize {
        usize::from(self.components)
    }

    #[inline]
    fn hash_prefix(&self, components: usize, hashing: &RandomState) -> u64 {
        hashing.hash_one(self.first_octets(components))
    }

    #[inline]
    fn has_prefix(&self, prefix: &PacketName) -> bool {
        // No component is the beginning of another component, so comparing octets is enough.
        self.value().starts_with(prefix.value())
    }

    fn first(&self, components: usize) -> PacketName {
        if components == 0 {
            // The root needs no packet.
            return PacketName { octets: Octets::default(), start: 0, end: 0, components: 0 };
        }
        let end = self.start + self.first_octets(components).len() as u16;
        PacketName {
            octets: self.octets.clone(),
            start: self.start,
            end,
            components: components as u16,
        }
    }

    fn detached(&self) -> PacketName {
        let octets = Octets::copy(self.value());
        PacketName { end: self.end - self.start, start: 0, octets, components: self.components }
    }

    fn octets(&self) -> usize {
        usize::from(self.end - self.start)
    }

    fn warm(&self) {
        self.octets.warm();
    }

    fn digest_with(&self, body: &Wire) -> Option<[u8; 32]> {
        let octets = body.octets(self);
        (!octets.is_empty()).then(|| Sha256::digest(octets).into())
    }

    #[inline]
    fn implicit_digest(&self) -> Option<[u8; 32]> {
        const HEADER: [u8; 2] = [1, 32];
        let value = self.value();
        let at = value.len().checked_sub(34)?;
        if value[at..at + 2] != HEADER {
            return None;
        }
        self.view().implicit_digest().copied()
    }

    #[inline]
    fn scope(&self) -> Scope {
        const LOCALHOST: &[u8] = b"\x08\x09localhost";
        const LOCALHOP: &[u8] = b"\x08\x08localhop";
        let value = self.value();
        if value.starts_with(LOCALHOST) {
            Scope::LocalHost
        } else if value.starts_with(LOCALHOP) {
            Scope::LocalHop
        } else {
            Scope::Global
        }
    }
}

impl PartialEq for PacketName {
    #[inline]
    fn eq(&self, other: &PacketName) -> bool {
        self.value() == other.value()
    }
}

impl Eq for PacketName {}

impl Ord for PacketName {
    #[inline]
    fn cmp(&self, other: &PacketName) -> Ordering {
        // The canonical order is the order of the octets, because TYPE and LENGTH have their
        // shortest forms.
        self.value().cmp(other.value())
    }
}

impl PartialOrd for PacketName {
    fn partial_cmp(&self, other: &PacketName) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for PacketName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.view())
    }
}

impl fmt::Display for PacketName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.view())
    }
}

/// A whole Interest or Data as it was received. Its octets are stored in its name, so that both
/// take one reference count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wire {
    is_whole: bool,
    /// Position of the hop limit of an Interest. 0 if it has none.
    hop_limit_at: u16,
}

impl Wire {
    /// The Interest that contained the name.
    pub(crate) fn interest(hop_limit_at: Option<usize>) -> Wire {
        Wire { is_whole: true, hop_limit_at: hop_limit_at.unwrap_or(0) as u16 }
    }

    /// The Data that contained the name.
    pub(crate) const DATA: Wire = Wire { is_whole: true, hop_limit_at: 0 };

    /// Octets of the packet whose name is `name`. Empty if the packet has not been encoded yet.
    pub fn octets<'a>(&self, name: &'a PacketName) -> &'a [u8] {
        if self.is_whole { name.octets.as_slice() } else { &[] }
    }

    /// Position of the hop limit's octet.
    pub(crate) fn hop_limit_at(&self) -> Option<usize> {
        (self.hop_limit_at > 0).then_some(usize::from(self.hop_limit_at))
    }
}

/// A PIT token: up to 32 octets that the answer to an Interest must return.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Token {
    length: u8,
    octets: [u8; 32],
}

impl Token {
    /// Makes a token. `None` if `octets` is empty or longer than 32 octets.
    pub fn new(octets: &[u8]) -> Option<Token> {
        let length = octets.len();
        (1..=32).contains(&length).then(|| {
            let mut token = Token { length: length as u8, octets: [0; 32] };
            token.octets[..length].copy_from_slice(octets);
            token
        })
    }

    /// Octets of the token. Empty if there is no token.
    pub fn octets(&self) -> &[u8] {
        &self.octets[..usize::from(self.length)]
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02x?}", self.octets())
    }
}
