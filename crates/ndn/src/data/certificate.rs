//! Certificates (NDN Certificate Format 2.0).

use super::borrowed::Data;
use super::draft::DataDraft;
use super::meta::{ContentType, MetaInfo};
use crate::name::NameRef;
use crate::signature::{KeyError, PublicKey, Signer, ValidityPeriod};
use crate::tlv::{Buffer, DecodeError};
use thiserror::Error;

/// Reason why a Data packet is not a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CertificateError {
    /// The ContentType is not 2.
    #[error("its ContentType is not 2 (key)")]
    NotKey,
    /// The name does not end with KEY, a key's identifier, an issuer and a version.
    #[error("its name does not end in /KEY/<key>/<issuer>/<version>")]
    Name,
    /// The certificate has no validity period.
    #[error("it has no ValidityPeriod")]
    NoValidity,
    /// SignatureInfo is malformed.
    #[error(transparent)]
    Signature(#[from] DecodeError),
    /// The content is not a supported public key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// A certificate: Data whose content is a public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate<'a> {
    /// The Data packet. Its signature is not checked.
    pub data: Data<'a>,
    /// The certified key.
    pub key: PublicKey,
    /// Validity period of the certificate.
    pub validity: ValidityPeriod,
}

impl<'a> Certificate<'a> {
    /// Number of components after the name of the identity: KEY, the key's identifier, the issuer,
    /// the version.
    const TAIL: usize = 4;

    /// Decodes a certificate.
    ///
    /// # Errors
    /// The Data packet is not a certificate.
    pub fn new(data: Data<'a>) -> Result<Certificate<'a>, CertificateError> {
        if data.meta.content_type != Some(ContentType::Key) {
            return Err(CertificateError::NotKey);
        }
        let tail = data.name.suffix(data.name.len().saturating_sub(Self::TAIL));
        if tail.len() < Self::TAIL
            || tail.component(0).is_none_or(|component| component.value != b"KEY")
        {
            return Err(CertificateError::Name);
        }
        let validity = data.signature()?.validity.ok_or(CertificateError::NoValidity)?;
        Ok(Certificate {
            data,
            key: PublicKey::from_spki(data.content.unwrap_or_default())?,
            validity,
        })
    }

    /// Name of the identity that owns the key.
    pub fn identity(&self) -> NameRef<'a> {
        self.data.name.without_last(Self::TAIL)
    }

    /// Name of the key. Signatures name the key by it too.
    pub fn key_name(&self) -> NameRef<'a> {
        self.data.name.without_last(Self::TAIL - 2)
    }

    /// Appends a signed certificate with this name for `key`. Its freshness period is one hour.
    /// `signer` contains the validity period.
    pub fn write(
        name: NameRef,
        key: &PublicKey,
        signer: &Signer,
        out: &mut (impl Buffer + ?Sized),
    ) {
        const FRESHNESS_MS: u64 = 3_600_000;
        let meta = MetaInfo {
            content_type: Some(ContentType::Key),
            freshness_ms: Some(FRESHNESS_MS),
            final_block: None,
        };
        DataDraft { name, meta, content: Some(&key.to_spki()) }.write(signer, out);
    }
}
