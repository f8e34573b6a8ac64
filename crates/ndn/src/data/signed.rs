//! Signing and checking of Data.

use super::borrowed::Data;
use super::draft::DataDraft;
use crate::number;
use crate::signature::{SignatureError, SignatureInfo, SignedPortion, Signer};
use crate::tlv::{Buffer, DecodeError, put_element, put_nested};

impl<'a> DataDraft<'a> {
    /// Appends the signed Data packet.
    pub fn write(&self, signer: &Signer, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, number::DATA, |out| {
            let start = out.position();
            self.write_unsigned(out);
            signer.info().write(number::SIGNATURE_INFO, out);
            let portion = out.written().get(start..).unwrap_or_default();
            let signature = signer.key.sign(&SignedPortion::new([portion, &[], &[]]));
            put_element(out, number::SIGNATURE_VALUE, signature.as_slice());
        });
    }
}

impl<'a> Data<'a> {
    /// Decodes SignatureInfo.
    ///
    /// # Errors
    /// SignatureInfo is malformed.
    pub fn signature(&self) -> Result<SignatureInfo<'a>, DecodeError> {
        SignatureInfo::decode(&self.signature_info)
    }

    /// The octets that the signature covers: from Name to the end of SignatureInfo.
    pub fn signed_portion(&self) -> SignedPortion<'a> {
        SignedPortion::new([self.name_to_signature_info(), &[], &[]])
    }

    /// Compares a DigestSha256 signature with SHA-256 of the octets that it covers.
    ///
    /// # Errors
    /// The Data is damaged, or its signature has another type.
    pub fn check_digest(&self) -> Result<(), SignatureError> {
        self.signed_portion().check_digest(self.signature_value)
    }
}
