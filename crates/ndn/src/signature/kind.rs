//! SignatureType.

/// SignatureType: the algorithm of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignatureType {
    /// 0: SHA-256 of the signed portion. It only protects against damage.
    DigestSha256,
    /// 1: RSA over SHA-256.
    Rsa,
    /// 3: ECDSA over SHA-256.
    Ecdsa,
    /// 4: HMAC with SHA-256.
    Hmac,
    /// 5: Ed25519.
    Ed25519,
    /// 200: no signature, with an empty value; for load tests.
    Null,
    /// Any other number.
    Other(u64),
}

impl SignatureType {
    /// The type with this number.
    pub fn from_code(code: u64) -> SignatureType {
        match code {
            0 => SignatureType::DigestSha256,
            1 => SignatureType::Rsa,
            3 => SignatureType::Ecdsa,
            4 => SignatureType::Hmac,
            5 => SignatureType::Ed25519,
            200 => SignatureType::Null,
            code => SignatureType::Other(code),
        }
    }

    /// Number of the type.
    pub fn code(self) -> u64 {
        match self {
            SignatureType::DigestSha256 => 0,
            SignatureType::Rsa => 1,
            SignatureType::Ecdsa => 3,
            SignatureType::Hmac => 4,
            SignatureType::Ed25519 => 5,
            SignatureType::Null => 200,
            SignatureType::Other(code) => code,
        }
    }
}
