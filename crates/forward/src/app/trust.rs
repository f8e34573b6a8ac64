//! Whose signatures a consumer takes.

use super::armour::octets_of;
use super::identity::IdentityError;
use narrows_ndn::signature::{
    CertificateTime, KeyLocator, PublicKey, SignatureType, ValidityPeriod,
};
use narrows_ndn::{Certificate, Data, Name};
use std::fmt;

/// The keys whose signatures count. With none, Data is taken from anybody, and its digest is checked if it has one.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    keys: Vec<Trusted>,
}

#[derive(Clone, Debug)]
struct Trusted {
    name: Name,
    key: PublicKey,
    validity: ValidityPeriod,
}

/// How Data was signed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Signed {
    /// By a key that is trusted, of this name.
    Verified(String),
    /// By a key of this name, which was not checked.
    By(String),
    /// By no key: it has its digest only, or nothing.
    Nobody,
}

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Signed::Verified(key) => write!(f, "signed by {key}, verified"),
            Signed::By(key) => write!(f, "signed by {key}, not verified"),
            Signed::Nobody => write!(f, "not signed by a key"),
        }
    }
}

/// Why Data is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Distrust {
    /// It is damaged.
    #[error("its digest is wrong: it was damaged on the way")]
    Damaged,
    /// What it says of its signature is malformed.
    #[error("its signature cannot be read: {0}")]
    Malformed(String),
    /// Nobody has signed it.
    #[error("no key has signed it, and only Data of trusted keys is wanted")]
    Unsigned,
    /// None of the trusted keys has signed it.
    #[error("it is signed by {signer}, which is none of the trusted keys: {trusted}")]
    Stranger {
        /// The name of the key, as the Data tells it.
        signer: String,
        /// The names of the trusted keys.
        trusted: String,
    },
    /// It says a trusted key's name, and the signature is not by that key.
    #[error("its signature is not by {0}, whose name it bears: it was forged or damaged")]
    Forged(String),
    /// The certificate of its key is not valid at this time.
    #[error("the certificate of {key} is valid from {from} to {to} only; get a newer one")]
    Expired {
        /// The name of the key.
        key: String,
        /// When it begins to be valid.
        from: String,
        /// When it ends.
        to: String,
    },
}

impl Trust {
    /// Trusts the key of a certificate: its file in octets, base64, or PEM. That the certificate itself is signed by somebody else is not looked at:
    /// whoever gives it has decided.
    ///
    /// # Errors
    /// The file holds no certificate of an Ed25519 or ECDSA P-256 key.
    pub fn add(&mut self, certificate: &[u8]) -> Result<(), IdentityError> {
        let octets = octets_of(certificate)?;
        let certificate = Certificate::new(Data::decode(&octets)?)?;
        let name = certificate.key_name().into();
        self.keys.push(Trusted { name, key: certificate.key, validity: certificate.validity });
        Ok(())
    }

    /// Checks Data at a time in seconds since 1970. The name that the Data has is not compared with that of the key.
    ///
    /// # Errors
    /// It is damaged; or some keys are trusted, and none of them has signed it.
    pub fn check(&self, data: &Data<'_>, now_s: u64) -> Result<Signed, Distrust> {
        let info = data.signature().map_err(|error| Distrust::Malformed(error.to_string()))?;
        let signer = match info.signature_type {
            SignatureType::DigestSha256 => {
                data.check_digest().map_err(|_| Distrust::Damaged)?;
                return if self.keys.is_empty() {
                    Ok(Signed::Nobody)
                } else {
                    Err(Distrust::Unsigned)
                };
            }
            SignatureType::Null if self.keys.is_empty() => return Ok(Signed::Nobody),
            SignatureType::Null => return Err(Distrust::Unsigned),
            _ => match info.key_locator {
                Some(KeyLocator::Name(name)) => name.to_string(),
                _ => "a key without a name".to_owned(),
            },
        };
        if self.keys.is_empty() {
            return Ok(Signed::By(signer));
        }
        // Packets name the key, or a certificate of it.
        let named = |trusted: &&Trusted| matches!(info.key_locator, Some(KeyLocator::Name(name)) if trusted.name.as_ref().is_prefix_of(&name));
        let mut forged = None;
        for trusted in self.keys.iter().filter(named) {
            let key = trusted.name.as_ref().to_string();
            if trusted.key.signature_type() != info.signature_type
                || trusted.key.verify(&data.signed_portion(), data.signature_value).is_err()
            {
                forged = Some(Distrust::Forged(key));
                continue;
            }
            let ValidityPeriod { not_before, not_after } = trusted.validity;
            if !trusted.validity.contains(CertificateTime::from_unix(now_s)) {
                return Err(Distrust::Expired {
                    key,
                    from: not_before.to_string(),
                    to: not_after.to_string(),
                });
            }
            return Ok(Signed::Verified(key));
        }
        let trusted = || {
            self.keys
                .iter()
                .map(|trusted| trusted.name.as_ref().to_string())
                .collect::<Vec<_>>()
                .join(", ")
        };
        Err(forged.unwrap_or_else(|| Distrust::Stranger { signer, trusted: trusted() }))
    }
}
