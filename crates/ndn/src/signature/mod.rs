//! Signatures (NDN Packet Format 0.3, "Signature").

mod info;
mod key;
mod kind;
mod portion;
mod validity;

pub use info::{KeyLocator, SignatureInfo};
pub use key::{KeyError, PublicKey, SignatureOctets, Signer, SigningKey};
pub use kind::SignatureType;
pub use portion::{SignatureError, SignedPortion};
pub use validity::{CertificateTime, ValidityPeriod};
