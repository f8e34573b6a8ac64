//! The portion of a packet that a signature covers.

use sha2::{Digest, Sha256};
use std::borrow::Cow;
use thiserror::Error;

/// Error: a signature does not belong to the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// SignatureValue does not have the form that its SignatureType requires.
    #[error("the SignatureValue is malformed")]
    Malformed,
    /// SignatureValue is the signature of other octets, or by another key.
    #[error("the SignatureValue does not belong to this packet and key")]
    Differs,
}

/// The octets that a signature covers, in at most three parts of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedPortion<'a> {
    parts: [&'a [u8]; 3],
}

impl<'a> SignedPortion<'a> {
    /// These parts, in this order.
    pub fn new(parts: [&'a [u8]; 3]) -> SignedPortion<'a> {
        SignedPortion { parts }
    }

    /// The parts. Some may be empty.
    pub fn parts(&self) -> [&'a [u8]; 3] {
        self.parts
    }

    /// SHA-256 of the parts.
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        self.parts.iter().for_each(|part| hash.update(part));
        hash.finalize().into()
    }

    /// All octets in a row. Copies only if several parts are not empty.
    pub(super) fn contiguous(&self) -> Cow<'a, [u8]> {
        match self.parts {
            [part, [], []] | [[], part, []] | [[], [], part] => Cow::Borrowed(part),
            parts => Cow::Owned(parts.concat()),
        }
    }

    /// Compares a SignatureValue of type DigestSha256 with the digest.
    ///
    /// # Errors
    /// The value has other than 32 octets, or is another digest.
    pub fn check_digest(&self, value: &[u8]) -> Result<(), SignatureError> {
        let value: &[u8; 32] = value.try_into().map_err(|_| SignatureError::Malformed)?;
        if *value == self.digest() { Ok(()) } else { Err(SignatureError::Differs) }
    }
}
