//! Trust: the keys whose signatures a consumer accepts.

use super::armour::octets_of;
use super::identity::IdentityError;
use narrows_ndn::signature::{
    CertificateTime, KeyLocator, PublicKey, SignatureType, ValidityPeriod,
};
use narrows_ndn::{Certificate, Data, Name};
use std::fmt;

/// The trusted keys. Without any, Data of every signer is accepted. A digest is checked in any
/// case.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    keys: Vec<TrustedKey>,
}

#[derive(Clone, Debug)]
struct TrustedKey {
    name: Name,
    key: PublicKey,
    validity: ValidityPeriod,
}

/// How Data was signed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignatureStatus {
    /// By a trusted key with this name.
    Verified(String),
    /// By a key with this name. The signature was not checked.
    By(String),
    /// By no key: the Data has a digest or no signature.
    Nobody,
}

impl fmt::Display for SignatureStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SignatureStatus::Verified(key) => write!(f, "signed by {key}, verified"),
            SignatureStatus::By(key) => write!(f, "signed by {key}, not verified"),
            SignatureStatus::Nobody => write!(f, "not signed by a key"),
        }
    }
}

/// Reason why Data is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// The digest is wrong.
    #[error("its digest is wrong: it was damaged on the way")]
    Damaged,
    /// The signature fields are malformed.
    #[error("its signature cannot be read: {0}")]
    Malformed(String),
    /// No key signed the Data.
    #[error("no key has signed it, and only Data of trusted keys is wanted")]
    Unsigned,
    /// The signer is not a trusted key.
    #[error("it is signed by {signer}, which is not one of the trusted keys: {trusted}")]
    UntrustedSigner {
        /// Name of the key, as the Data states it.
        signer: String,
        /// Names of the trusted keys.
        trusted: String,
    },
    /// The Data names a trusted key, but that key did not make the signature.
    #[error("its signature is not by {0}, whose name it bears: it was forged or damaged")]
    Forged(String),
    /// The certificate of the key is not valid at this time.
    #[error("the certificate of {key} is valid from {from} to {to} only; get a newer one")]
    Expired {
        /// Name of the key.
        key: String,
        /// Start of the validity period.
        from: String,
        /// End of the validity period.
        to: String,
    },
}

impl Trust {
    /// Trusts the key of a certificate file: octets, base64, or PEM. The signature on the
    /// certificate is not checked: the caller has decided to trust it.
    ///
    /// # Errors
    /// The file holds no certificate of an Ed25519 or ECDSA P-256 key.
    pub fn add(&mut self, certificate: &[u8]) -> Result<(), IdentityError> {
        let octets = octets_of(certificate)?;
        let certificate = Certificate::new(Data::decode(&octets)?)?;
        let name = certificate.key_name().into();
        self.keys.push(TrustedKey { name, key: certificate.key, validity: certificate.validity });
        Ok(())
    }

    /// Checks Data at a time in seconds since 1970. The name of the Data need not begin with the
    /// identity in the key's name.
    ///
    /// # Errors
    /// The Data is damaged, or some keys are trusted and none of them signed it.
    pub fn check(&self, data: &Data<'_>, now_s: u64) -> Result<SignatureStatus, TrustError> {
        let info = data.signature().map_err(|error| TrustError::Malformed(error.to_string()))?;
        let signer = match info.signature_type {
            SignatureType::DigestSha256 => {
                data.check_digest().map_err(|_| TrustError::Damaged)?;
                return if self.keys.is_empty() {
                    Ok(SignatureStatus::Nobody)
                } else {
                    Err(TrustError::Unsigned)
                };
            }
            SignatureType::Null if self.keys.is_empty() => return Ok(SignatureStatus::Nobody),
            SignatureType::Null => return Err(TrustError::Unsigned),
            _ => match info.key_locator {
                Some(KeyLocator::Name(name)) => name.to_string(),
                _ => "a key without a name".to_owned(),
            },
        };
        if self.keys.is_empty() {
            return Ok(SignatureStatus::By(signer));
        }
        // Packets name the key or one of its certificates.
        let named = |trusted: &&TrustedKey| matches!(info.key_locator, Some(KeyLocator::Name(name)) if trusted.name.as_ref().is_prefix_of(&name));
        let mut forged = None;
        for trusted in self.keys.iter().filter(named) {
            let key = trusted.name.as_ref().to_string();
            if trusted.key.signature_type() != info.signature_type
                || trusted.key.verify(&data.signed_portion(), data.signature_value).is_err()
            {
                forged = Some(TrustError::Forged(key));
                continue;
            }
            let ValidityPeriod { not_before, not_after } = trusted.validity;
            if !trusted.validity.contains(CertificateTime::from_unix(now_s)) {
                return Err(TrustError::Expired {
                    key,
                    from: not_before.to_string(),
                    to: not_after.to_string(),
                });
            }
            return Ok(SignatureStatus::Verified(key));
        }
        let trusted = || {
            self.keys
                .iter()
                .map(|trusted| trusted.name.as_ref().to_string())
                .collect::<Vec<_>>()
                .join(", ")
        };
        Err(forged.unwrap_or_else(|| TrustError::UntrustedSigner { signer, trusted: trusted() }))
    }
}
