//! A producer's key and certificate.
//!
//! Source: NDN Certificate Format 2.0. Key names are formed as ndn-cxx forms them.

use super::armour::{CertificateFileError, octets_of};
use narrows_ndn::signature::{
    CertificateTime, KeyError, KeyLocator, Signer, SigningKey, ValidityPeriod,
};
use narrows_ndn::{Certificate, CertificateError, Data, Interest, Name};
use sha2::{Digest, Sha256};

/// Reason why a key and a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The key cannot be read.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The certificate file has a wrong encoding.
    #[error("the certificate cannot be read: {0}")]
    Armour(#[from] CertificateFileError),
    /// The packet is not a certificate.
    #[error("the packet is not a certificate: {0}")]
    Certificate(#[from] CertificateError),
    /// The certificate is not a Data packet.
    #[error("the certificate is not a Data packet: {0}")]
    Malformed(#[from] narrows_ndn::tlv::DecodeError),
    /// The certificate belongs to another key.
    #[error(
        "the certificate {0} belongs to another key; make one for this key with `narrows ndn key`"
    )]
    Other(String),
}

/// A key with its certificate. Data that it signs contains the name of the key, so that consumers
/// who have the certificate can check the signature.
#[derive(Clone, Debug)]
pub struct Identity {
    key: SigningKey,
    key_name: Name,
    certificate: Vec<u8>,
}

impl Identity {
    /// Makes an identity from a key in PEM (PKCS#8; Ed25519 or ECDSA on P-256) and a certificate
    /// file: octets, base64, or PEM.
    ///
    /// # Errors
    /// The key or the certificate cannot be read, or they do not belong together.
    pub fn new(key: &str, certificate: &[u8]) -> Result<Identity, IdentityError> {
        let key = SigningKey::from_pkcs8_pem(key)?;
        let octets = octets_of(certificate)?;
        let certificate = Certificate::new(Data::decode(&octets)?)?;
        if key.public_key().as_ref() != Some(&certificate.key) {
            return Err(IdentityError::Other(certificate.data.name.to_string()));
        }
        let key_name = certificate.key_name().into();
        Ok(Identity { key, key_name, certificate: octets })
    }

    /// Makes an identity with the name `identity` for a key. The key itself signs the certificate,
    /// which is valid for `days` from `now_s` on, in seconds since 1970. The key's identifier is
    /// the first 8 octets of the digest of its public half.
    ///
    /// # Errors
    /// `key` is a digest and has no public half.
    pub fn certify(
        identity: &Name,
        key: SigningKey,
        now_s: u64,
        days: u32,
    ) -> Result<Identity, KeyError> {
        let public = key.public_key().ok_or(KeyError::Private)?;
        let digest = Sha256::digest(public.to_spki());
        let key_name = identity.clone().generic(b"KEY").generic(&digest[..8]);
        let name = key_name.clone().generic(b"self").version(now_s.saturating_mul(1_000_000));
        let end = now_s.saturating_add(u64::from(days) * 86_400);
        let validity = ValidityPeriod {
            not_before: CertificateTime::from_unix(now_s),
            not_after: CertificateTime::from_unix(end),
        };
        let mut certificate = Vec::new();
        let signer = Signer {
            key: &key,
            locator: Some(KeyLocator::Name(key_name.as_ref())),
            validity: Some(validity),
        };
        Certificate::write(name.as_ref(), &public, &signer, &mut certificate);
        Ok(Identity { key, key_name, certificate })
    }

    /// Name of the key: the name of the identity, `KEY`, and the key's identifier.
    pub fn key_name(&self) -> &Name {
        &self.key_name
    }

    /// The signing key.
    pub fn key(&self) -> &SigningKey {
        &self.key
    }

    /// The Data packet of the certificate.
    pub fn certificate(&self) -> &[u8] {
        &self.certificate
    }

    /// The certificate, if the Interest requests it.
    pub(super) fn certificate_for(&self, interest: &Interest<'_>) -> Option<&[u8]> {
        let name = Data::decode(&self.certificate).ok()?.name;
        let asked = interest.name == name
            || interest.can_be_prefix
                && self.key_name.as_ref().is_prefix_of(&interest.name)
                && interest.name.is_prefix_of(&name);
        asked.then_some(&self.certificate)
    }

    /// Signer for the producer's Data.
    pub(super) fn signer(&self) -> Signer<'_> {
        Signer {
            key: &self.key,
            locator: Some(KeyLocator::Name(self.key_name.as_ref())),
            validity: None,
        }
    }
}
