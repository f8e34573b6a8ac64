//! An Interest to be encoded.

use crate::name::{Component, NameRef};
use crate::number;
use crate::tlv::{Buffer, put_element, put_nested, put_nni};
use sha2::{Digest, Sha256};
use std::ops::Range;

/// An Interest to be encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InterestDraft<'a> {
    /// Name. It needs no ParametersSha256Digest component: if there are parameters, encoding
    /// computes the digest, in the place of the component or at the end.
    pub name: NameRef<'a>,
    /// CanBePrefix: true if the name may be a prefix of the Data's name.
    pub can_be_prefix: bool,
    /// MustBeFresh: true if a content store may only answer with fresh Data.
    pub must_be_fresh: bool,
    /// Names of ForwardingHint. The element is left out if the list is empty.
    pub forwarding_hint: &'a [NameRef<'a>],
    /// Nonce. Every Interest on a link must have one.
    pub nonce: Option<u32>,
    /// InterestLifetime in milliseconds. Without the field, receivers use 4000.
    pub lifetime_ms: Option<u64>,
    /// HopLimit.
    pub hop_limit: Option<u8>,
    /// VALUE of ApplicationParameters.
    pub parameters: Option<&'a [u8]>,
}

/// Positions of the parts of an encoded Interest that digest and signature cover.
pub(crate) struct Written {
    /// Components before the digest.
    pub(crate) before_digest: Range<usize>,
    /// VALUE of the digest.
    pub(crate) digest: Range<usize>,
    /// Components after the digest.
    pub(crate) behind_digest: Range<usize>,
    /// Start of ApplicationParameters.
    pub(crate) parameters_at: usize,
}

impl<'a> InterestDraft<'a> {
    /// An Interest for the Data with exactly this name, and default values otherwise.
    pub fn new(name: NameRef<'a>) -> InterestDraft<'a> {
        InterestDraft { name, ..InterestDraft::default() }
    }

    /// Appends the Interest.
    pub fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        if self.parameters.is_some() {
            self.write_digested(out, |_, _| ())
        } else {
            put_nested(out, number::INTEREST, |out| self.write_plain(out))
        }
    }

    /// Appends the Interest with its parameters, which may be empty, and with the elements that
    /// `more` writes. Then computes the digest in the name.
    pub(crate) fn write_digested<B: Buffer + ?Sized, T>(
        &self,
        out: &mut B,
        more: impl FnOnce(&mut B, &Written) -> T,
    ) -> T {
        put_nested(out, number::INTEREST, |out| {
            let (before, digest, behind) =
                put_nested(out, number::NAME, |out| self.write_components(out));
            // A longer LENGTH of the name may have moved the components.
            let end = out.position();
            let moved = end - behind.end;
            let shifted = |range: Range<usize>| range.start + moved..range.end + moved;
            self.write_selectors(out);
            let written = Written {
                before_digest: shifted(before),
                digest: shifted(digest),
                behind_digest: shifted(behind),
                parameters_at: out.position(),
            };
            put_element(out, number::APPLICATION_PARAMETERS, self.parameters.unwrap_or_default());
            let result = more(out, &written);
            let digest =
                Sha256::digest(out.written().get(written.parameters_at..).unwrap_or_default());
            out.replace(written.digest.start, &digest);
            result
        })
    }

    fn write_plain(&self, out: &mut (impl Buffer + ?Sized)) {
        self.name.write(out);
        self.write_selectors(out);
    }

    /// Writes the components of the name with room for the digest. Returns the positions of the
    /// components before the digest, of the digest, and of the components after it.
    fn write_components(
        &self,
        out: &mut (impl Buffer + ?Sized),
    ) -> (Range<usize>, Range<usize>, Range<usize>) {
        let is_digest =
            |component: &Component| u32::from(component.number) == number::PARAMETERS_DIGEST;
        let value = self.name.value();
        let before: usize = self
            .name
            .components()
            .take_while(|component| !is_digest(component))
            .map(|component| component.whole.len())
            .sum();
        let own =
            self.name.components().find(is_digest).map_or(0, |component| component.whole.len());
        let start = out.position();
        out.put(&value[..before]);
        put_element(out, number::PARAMETERS_DIGEST, &[0; 32]);
        let behind = out.position();
        out.put(&value[before + own..]);
        (start..start + before, behind - 32..behind, behind..out.position())
    }

    fn write_selectors(&self, out: &mut (impl Buffer + ?Sized)) {
        if self.can_be_prefix {
            put_element(out, number::CAN_BE_PREFIX, &[]);
        }
        if self.must_be_fresh {
            put_element(out, number::MUST_BE_FRESH, &[]);
        }
        if !self.forwarding_hint.is_empty() {
            put_nested(out, number::FORWARDING_HINT, |out| {
                self.forwarding_hint.iter().for_each(|name| name.write(out))
            });
        }
        if let Some(nonce) = self.nonce {
            put_element(out, number::NONCE, &nonce.to_be_bytes());
        }
        if let Some(lifetime) = self.lifetime_ms {
            put_nni(out, number::INTEREST_LIFETIME, lifetime);
        }
        if let Some(limit) = self.hop_limit {
            put_element(out, number::HOP_LIMIT, &[limit]);
        }
    }
}
