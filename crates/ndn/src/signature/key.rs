//! Keys for signing and verifying.

use super::info::{KeyLocator, SignatureInfo};
use super::kind::SignatureType;
use super::portion::{SignatureError, SignedPortion};
use super::validity::ValidityPeriod;
use ed25519_dalek::Signer as _;
use ed25519_dalek::pkcs8::KeypairBytes;
use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use p256::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, LineEnding,
    SecretDocument,
};
use thiserror::Error;

/// Error: octets are not a key of a supported kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// The octets are not a private key.
    #[error(
        "this is not a private key in PKCS#8 for Ed25519 or ECDSA on P-256; `openssl pkcs8 -topk8 -nocrypt` converts keys in other forms"
    )]
    Private,
    /// The octets are not a public key.
    #[error("this is not a SubjectPublicKeyInfo (DER) for Ed25519 or ECDSA on P-256")]
    Public,
}

/// PEM label of private keys (RFC 7468, section 10).
const PEM_LABEL: &str = "PRIVATE KEY";

/// A key that signs packets. The same key and packet always give the same signature.
#[derive(Clone)]
pub enum SigningKey {
    /// DigestSha256, which needs no key.
    Digest,
    /// No signature, for load tests.
    Null,
    /// Ed25519.
    Ed25519(Box<ed25519_dalek::SigningKey>),
    /// ECDSA on P-256, with the nonces of RFC 6979.
    EcdsaP256(Box<p256::ecdsa::SigningKey>),
}

impl SigningKey {
    /// Reads an Ed25519 or P-256 key from PKCS#8 in DER.
    ///
    /// # Errors
    /// The octets are not such a key.
    pub fn from_pkcs8(der: &[u8]) -> Result<SigningKey, KeyError> {
        let ed25519 = || {
            ed25519_dalek::SigningKey::from_pkcs8_der(der)
                .ok()
                .map(|key| SigningKey::Ed25519(Box::new(key)))
        };
        let ecdsa = || {
            p256::ecdsa::SigningKey::from_pkcs8_der(der)
                .ok()
                .map(|key| SigningKey::EcdsaP256(Box::new(key)))
        };
        ed25519().or_else(ecdsa).ok_or(KeyError::Private)
    }

    /// Reads an Ed25519 or P-256 key from PKCS#8 in PEM, `-----BEGIN PRIVATE KEY-----`, as openssl
    /// writes it.
    ///
    /// # Errors
    /// The text is not such a key. Keys with a password are refused.
    pub fn from_pkcs8_pem(text: &str) -> Result<SigningKey, KeyError> {
        let (label, der) = SecretDocument::from_pem(text.trim()).map_err(|_| KeyError::Private)?;
        if label == PEM_LABEL {
            SigningKey::from_pkcs8(der.as_bytes())
        } else {
            Err(KeyError::Private)
        }
    }

    /// The key as PKCS#8 in PEM, for openssl. `None` if there is no key.
    pub fn to_pkcs8_pem(&self) -> Option<String> {
        let pem = match self {
            SigningKey::Digest | SigningKey::Null => return None,
            // The form without the public key is readable by every version of openssl.
            SigningKey::Ed25519(key) => {
                KeypairBytes { secret_key: key.to_bytes(), public_key: None }
                    .to_pkcs8_pem(LineEnding::LF)
            }
            SigningKey::EcdsaP256(key) => key.to_pkcs8_pem(LineEnding::LF),
        };
        Some(pem.expect("a key has a PEM form").to_string())
    }

    /// The Ed25519 key of a seed (RFC 8032, section 5.1.5).
    pub fn ed25519(seed: &[u8; 32]) -> SigningKey {
        SigningKey::Ed25519(Box::new(ed25519_dalek::SigningKey::from_bytes(seed)))
    }

    /// The ECDSA key of a scalar on P-256, big-endian.
    ///
    /// # Errors
    /// The scalar is 0 or not below the order of the group.
    pub fn ecdsa_p256(scalar: &[u8; 32]) -> Result<SigningKey, KeyError> {
        let key = p256::ecdsa::SigningKey::from_slice(scalar).map_err(|_| KeyError::Private)?;
        Ok(SigningKey::EcdsaP256(Box::new(key)))
    }

    /// The key that verifies the signatures. `None` if there is no key.
    pub fn public_key(&self) -> Option<PublicKey> {
        match self {
            SigningKey::Digest | SigningKey::Null => None,
            SigningKey::Ed25519(key) => Some(PublicKey::Ed25519(Box::new(key.verifying_key()))),
            SigningKey::EcdsaP256(key) => {
                Some(PublicKey::EcdsaP256(Box::new(*key.verifying_key())))
            }
        }
    }

    /// Type of the signatures.
    pub fn signature_type(&self) -> SignatureType {
        match self {
            SigningKey::Digest => SignatureType::DigestSha256,
            SigningKey::Null => SignatureType::Null,
            SigningKey::Ed25519(_) => SignatureType::Ed25519,
            SigningKey::EcdsaP256(_) => SignatureType::Ecdsa,
        }
    }

    /// Signs the octets of `portion`.
    pub fn sign(&self, portion: &SignedPortion) -> SignatureOctets {
        match self {
            SigningKey::Digest => SignatureOctets::new(&portion.digest()),
            SigningKey::Null => SignatureOctets::new(&[]),
            SigningKey::Ed25519(key) => {
                SignatureOctets::new(&key.sign(&portion.contiguous()).to_bytes())
            }
            SigningKey::EcdsaP256(key) => {
                let signature: p256::ecdsa::Signature = key
                    .sign_prehash(&portion.digest())
                    .expect("a digest of 32 octets can be signed");
                SignatureOctets::new(signature.to_der().as_bytes())
            }
        }
    }
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SigningKey({:?})", self.signature_type())
    }
}

/// VALUE of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureOctets {
    octets: [u8; 72],
    length: usize,
}

impl SignatureOctets {
    fn new(octets: &[u8]) -> SignatureOctets {
        let mut all = [0; 72];
        all[..octets.len()].copy_from_slice(octets);
        SignatureOctets { octets: all, length: octets.len() }
    }

    /// The octets.
    pub fn as_slice(&self) -> &[u8] {
        &self.octets[..self.length]
    }
}

/// A signing key, and the information about it in packets.
#[derive(Clone, Copy, Debug)]
pub struct Signer<'a> {
    /// The key.
    pub key: &'a SigningKey,
    /// KeyLocator of its public half.
    pub locator: Option<KeyLocator<'a>>,
    /// ValidityPeriod, for certificates.
    pub validity: Option<ValidityPeriod>,
}

impl<'a> Signer<'a> {
    /// DigestSha256, which needs no key.
    pub const DIGEST: Signer<'static> =
        Signer { key: &SigningKey::Digest, locator: None, validity: None };

    /// SignatureInfo of a packet.
    pub(crate) fn info(&self) -> SignatureInfo<'a> {
        SignatureInfo {
            key_locator: self.locator,
            validity: self.validity,
            ..SignatureInfo::new(self.key.signature_type())
        }
    }
}

/// A key that verifies signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublicKey {
    /// Ed25519.
    Ed25519(Box<ed25519_dalek::VerifyingKey>),
    /// ECDSA on P-256.
    EcdsaP256(Box<p256::ecdsa::VerifyingKey>),
}

impl PublicKey {
    /// Reads an Ed25519 or P-256 key from a SubjectPublicKeyInfo in DER, as in certificates.
    ///
    /// # Errors
    /// The octets are not such a key.
    pub fn from_spki(der: &[u8]) -> Result<PublicKey, KeyError> {
        let ed25519 = || {
            ed25519_dalek::VerifyingKey::from_public_key_der(der)
                .ok()
                .map(|key| PublicKey::Ed25519(Box::new(key)))
        };
        let ecdsa = || {
            p256::ecdsa::VerifyingKey::from_public_key_der(der)
                .ok()
                .map(|key| PublicKey::EcdsaP256(Box::new(key)))
        };
        ed25519().or_else(ecdsa).ok_or(KeyError::Public)
    }

    /// The key as a SubjectPublicKeyInfo in DER.
    pub fn to_spki(&self) -> Vec<u8> {
        let document = match self {
            PublicKey::Ed25519(key) => key.to_public_key_der(),
            PublicKey::EcdsaP256(key) => key.to_public_key_der(),
        };
        document.expect("a public key has a DER form").into_vec()
    }

    /// Type of the signatures that the key verifies.
    pub fn signature_type(&self) -> SignatureType {
        match self {
            PublicKey::Ed25519(_) => SignatureType::Ed25519,
            PublicKey::EcdsaP256(_) => SignatureType::Ecdsa,
        }
    }

    /// Verifies a SignatureValue.
    ///
    /// # Errors
    /// The value is malformed, or is not the signature of `portion` by this key.
    pub fn verify(&self, portion: &SignedPortion, value: &[u8]) -> Result<(), SignatureError> {
        match self {
            PublicKey::Ed25519(key) => {
                let signature = ed25519_dalek::Signature::from_slice(value)
                    .map_err(|_| SignatureError::Malformed)?;
                key.verify_strict(&portion.contiguous(), &signature)
                    .map_err(|_| SignatureError::Differs)
            }
            PublicKey::EcdsaP256(key) => {
                let signature = p256::ecdsa::Signature::from_der(value)
                    .map_err(|_| SignatureError::Malformed)?;
                key.verify_prehash(&portion.digest(), &signature)
                    .map_err(|_| SignatureError::Differs)
            }
        }
    }
}
