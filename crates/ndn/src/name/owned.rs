//! A name that owns its octets.

use super::borrowed::NameRef;
use crate::number;
use crate::tlv::{DecodeError, put_element, put_nni};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// A name that owns its octets. It compares and hashes like the [`NameRef`] of its octets.
#[derive(Clone, Debug, Default)]
pub struct Name {
    value: Vec<u8>,
    count: usize,
}

impl Name {
    /// The name without components, `/`.
    pub const fn new() -> Name {
        Name { value: Vec::new(), count: 0 }
    }

    /// Borrows the name, as the functions of this crate need it.
    #[inline]
    pub fn as_ref(&self) -> NameRef<'_> {
        NameRef::checked(&self.value, self.count)
    }

    /// Appends a generic component.
    #[must_use]
    pub fn generic(mut self, value: &[u8]) -> Name {
        put_element(&mut self.value, number::GENERIC, value);
        self.count += 1;
        self
    }

    /// Appends a component of any TYPE.
    ///
    /// # Errors
    /// A digest (type 1 or 2) has other than 32 octets, or TYPE is 0.
    pub fn component(mut self, number: u16, value: &[u8]) -> Result<Name, DecodeError> {
        let before = self.value.len();
        put_element(&mut self.value, u32::from(number), value);
        NameRef::from_value(&self.value[before..])?;
        self.count += 1;
        Ok(self)
    }

    /// Appends a segment number.
    #[must_use]
    pub fn segment(self, segment: u64) -> Name {
        self.number(number::SEGMENT, segment)
    }

    /// Appends a version.
    #[must_use]
    pub fn version(self, version: u64) -> Name {
        self.number(number::VERSION, version)
    }

    /// Appends a sequence number.
    #[must_use]
    pub fn sequence(self, sequence: u64) -> Name {
        self.number(number::SEQUENCE_NUM, sequence)
    }

    /// Appends a keyword, such as `metadata`.
    #[must_use]
    pub fn keyword(mut self, keyword: &[u8]) -> Name {
        put_element(&mut self.value, number::KEYWORD, keyword);
        self.count += 1;
        self
    }

    /// Appends the implicit digest of a Data.
    #[must_use]
    pub fn implicit_digest(mut self, digest: &[u8; 32]) -> Name {
        put_element(&mut self.value, number::IMPLICIT_DIGEST, digest);
        self.count += 1;
        self
    }

    /// Appends all components of `other`.
    #[must_use]
    pub fn join(mut self, other: &NameRef) -> Name {
        self.value.extend_from_slice(other.value());
        self.count += other.len();
        self
    }

    fn number(mut self, number: u32, value: u64) -> Name {
        put_nni(&mut self.value, number, value);
        self.count += 1;
        self
    }
}

impl From<NameRef<'_>> for Name {
    fn from(name: NameRef) -> Name {
        Name { value: name.value().to_vec(), count: name.len() }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_ref().hash(state);
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_ref().cmp(&other.as_ref())
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
