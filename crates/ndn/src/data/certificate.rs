//! Certificates (NDN Certificate Format 2.0).

use super::borrowed::Data;
use super::draft::DataDraft;
use super::meta::{ContentType, MetaInfo};
use crate::name::NameRef;
use crate::signature::{KeyError, PublicKey, Signer, ValidityPeriod};
use crate::tlv::{Buffer, DecodeError};
use thiserror::Error;

/// Why a Data is no certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CertificateError {
    /// Its ContentType is not 2.
    #[error("its ContentType is not 2, that of keys")]
    NotKey,
    /// Its name does not end in KEY, a key's identifier, an issuer and a version.
    #[error("its name does not end in /KEY/<key>/<issuer>/<version>")]
    Name,
    /// It does not say when it is valid.
    #[error("it has no ValidityPeriod")]
    NoValidity,
    /// SignatureInfo is malformed.
    #[error(transparent)]
    Signature(#[from] DecodeError),
    /// Its content is no key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// A certificate: a Data whose content is a public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate<'a> {
    /// The Data. Its signature is not checked.
    pub data: Data<'a>,
    /// The key that it certifies.
    pub key: PublicKey,
    /// When it is valid.
    pub validity: ValidityPeriod,
}

impl<'a> Certificate<'a> {
    /// The components behind the name of the identity: KEY, the key's identifier, the issuer, the
    /// version.
    const TAIL: usize = 4;

    /// The certificate that `data` is.
    ///
    /// # Errors
    /// If the Data is no certificate.
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

    /// The name of the identity to which the key belongs.
    pub fn identity(&self) -> NameRef<'a> {
        self.data.name.without_last(Self::TAIL)
    }

    /// The name of the key, by which signatures name it too.
    pub fn key_name(&self) -> NameRef<'a> {
        self.data.name.without_last(Self::TAIL - 2)
    }

    /// Appends a certificate of this name for `key`, fresh for an hour, signed. The signer says
    /// when it is valid.
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
