//! Names in the octets of packets.

use crate::octets::Octets;
use ahash::RandomState;
use narrows_icn::{Body, Name, Scope};
use narrows_ndn::{NameRef, tlv};
use sha2::{Digest, Sha256};
use std::cmp::Ordering;
use std::fmt;

/// A name, as a part of the packet in which it came. A copy costs a reference count.
#[derive(Clone)]
pub struct PacketName {
    octets: Octets,
    start: u16,
    end: u16,
    components: u16,
}

impl PacketName {
    /// The name whose value is `octets[start..end]`; `name` must be its decoded form.
    pub(crate) fn within(octets: &Octets, name: &NameRef<'_>, start: usize) -> PacketName {
        let end = start + name.value().len();
        PacketName { octets: octets.clone(), start: start as u16, end: end as u16, components: name.len() as u16 }
    }

    /// A name of its own octets. Names longer than 65,535 octets, which no packet holds, are cut to the root.
    pub fn new(name: NameRef<'_>) -> PacketName {
        let fits = u16::try_from(name.value().len()).is_ok();
        let name = if fits { name } else { NameRef::ROOT };
        PacketName::within(&Octets::copy(name.value()), &name, 0)
    }

    /// The octets of its components.
    pub fn value(&self) -> &[u8] {
        &self.octets.as_slice()[usize::from(self.start)..usize::from(self.end)]
    }

    /// Its decoded form.
    pub fn view(&self) -> NameRef<'_> {
        NameRef::from_value(self.value()).unwrap_or(NameRef::ROOT)
    }

    /// The octets of the first components.
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
        // No component is the beginning of another one, so that octets decide.
        self.value().starts_with(prefix.value())
    }

    fn first(&self, components: usize) -> PacketName {
        let end = self.start + self.first_octets(components).len() as u16;
        PacketName { octets: self.octets.clone(), start: self.start, end, components: components as u16 }
    }

    fn detached(&self) -> PacketName {
        let octets = Octets::copy(self.value());
        PacketName { end: self.end - self.start, start: 0, octets, components: self.components }
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
        // The canonical order is that of the octets: TYPE and LENGTH have their shortest forms.
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

/// The octets of a whole Interest or Data as it came.
#[derive(Clone, Default)]
pub struct Wire {
    octets: Octets,
    /// Where the hop limit of an Interest is; 0 if it has none.
    hop_limit_at: u16,
}

impl Wire {
    pub(crate) fn interest(octets: Octets, hop_limit_at: Option<usize>) -> Wire {
        Wire { octets, hop_limit_at: hop_limit_at.unwrap_or(0) as u16 }
    }

    pub(crate) fn data(octets: Octets) -> Wire {
        Wire { octets, hop_limit_at: 0 }
    }

    /// The packet.
    pub fn octets(&self) -> &[u8] {
        self.octets.as_slice()
    }

    /// Where the octet of the hop limit is.
    pub(crate) fn hop_limit_at(&self) -> Option<usize> {
        (self.hop_limit_at > 0).then_some(usize::from(self.hop_limit_at))
    }
}

impl Body for Wire {
    fn digest(&self) -> Option<[u8; 32]> {
        let octets = self.octets();
        (!octets.is_empty()).then(|| Sha256::digest(octets).into())
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} octets", self.octets().len())
    }
}

/// A PIT token: up to 32 octets that go back with the answer.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Token {
    length: u8,
    octets: [u8; 32],
}

impl Token {
    /// `None` if it is empty or longer than 32 octets.
    pub fn new(octets: &[u8]) -> Option<Token> {
        let length = octets.len();
        (1..=32).contains(&length).then(|| {
            let mut token = Token { length: length as u8, octets: [0; 32] };
            token.octets[..length].copy_from_slice(octets);
            token
        })
    }

    /// Its octets; empty if there is none.
    pub fn octets(&self) -> &[u8] {
        &self.octets[..usize::from(self.length)]
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02x?}", self.octets())
    }
}
