//! Signed Interests of version 0.3 ("Signed Interest"), and command Interests of version 0.2 (NDN
//! Packet Format 0.2.1, "Signed Interest").

use super::borrowed::Interest;
use super::draft::InterestDraft;
use crate::name::Component;
use crate::number;
use crate::signature::{SignatureError, SignatureInfo, SignedPortion, Signer};
use crate::tlv::{Buffer, DecodeError, Element, put_element};

/// Fields of a signed Interest that protect it against replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SigningFields<'a> {
    /// SignatureNonce: random octets, usually 8.
    pub nonce: Option<&'a [u8]>,
    /// SignatureTime in milliseconds since 1970.
    pub time_ms: Option<u64>,
    /// SignatureSeqNum.
    pub sequence: Option<u64>,
}

impl<'a> InterestDraft<'a> {
    /// Appends the Interest with its parameters, which may be empty, signed by the rules of version
    /// 0.3.
    pub fn write_signed(
        &self,
        signer: &Signer,
        fields: &SigningFields,
        out: &mut (impl Buffer + ?Sized),
    ) {
        self.write_digested(out, |out, written| {
            let SigningFields { nonce, time_ms, sequence } = *fields;
            SignatureInfo { nonce, time_ms, sequence, ..signer.info() }
                .write(number::INTEREST_SIGNATURE_INFO, out);
            let octets = out.written();
            let part = |range| octets.get(range).unwrap_or_default();
            let parts = [
                part(written.before_digest.clone()),
                part(written.behind_digest.clone()),
                part(written.parameters_at..octets.len()),
            ];
            let signature = signer.key.sign(&SignedPortion::new(parts));
            put_element(out, number::INTEREST_SIGNATURE_VALUE, signature.as_slice());
        });
    }
}

/// Place of an Interest's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureForm {
    /// InterestSignatureInfo and InterestSignatureValue, as in version 0.3.
    Elements,
    /// The last two components of the name, as in version 0.2. The two components before them are a
    /// timestamp and random octets.
    Components,
}

/// Signature of an Interest, not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterestSignature<'a> {
    /// Place of the signature.
    pub form: SignatureForm,
    /// SignatureInfo. In version 0.2, the time is the timestamp in the name, and the nonce is the
    /// name's random octets.
    pub info: SignatureInfo<'a>,
    /// The octets that the signature covers.
    pub portion: SignedPortion<'a>,
    /// VALUE of the signature.
    pub value: &'a [u8],
}

impl InterestSignature<'_> {
    /// Compares a DigestSha256 signature with SHA-256 of the octets that it covers.
    ///
    /// # Errors
    /// The Interest is damaged, or its signature has another type.
    pub fn check_digest(&self) -> Result<(), SignatureError> {
        self.portion.check_digest(self.value)
    }
}

impl<'a> Interest<'a> {
    /// The signature, of either version. `None` if the Interest is not signed.
    ///
    /// # Errors
    /// InterestSignatureInfo is malformed.
    pub fn signature(&self) -> Result<Option<InterestSignature<'a>>, DecodeError> {
        match (self.signature_info, self.signature_value, self.signed_tail()) {
            (Some(info), Some(value), Some(tail)) => {
                let info = SignatureInfo::decode(&info)?;
                let (before, behind) = self.around_digest();
                let portion = SignedPortion::new([before, behind, tail]);
                Ok(Some(InterestSignature { form: SignatureForm::Elements, info, portion, value }))
            }
            _ => Ok(self.component_signature()),
        }
    }

    /// The components before and after the digest of the parameters.
    fn around_digest(&self) -> (&'a [u8], &'a [u8]) {
        let value = self.name.value();
        let is_digest =
            |component: &Component| u32::from(component.number) == number::PARAMETERS_DIGEST;
        let before: usize = self
            .name
            .components()
            .take_while(|component| !is_digest(component))
            .map(|component| component.whole.len())
            .sum();
        let own =
            self.name.components().find(is_digest).map_or(0, |component| component.whole.len());
        (&value[..before], &value[before + own..])
    }

    fn component_signature(&self) -> Option<InterestSignature<'a>> {
        let mut tail = self.name.suffix(self.name.len().checked_sub(4)?).components();
        let [time, random, info, value] = [tail.next()?, tail.next()?, tail.next()?, tail.next()?];
        let is_generic = |component: Component| u32::from(component.number) == number::GENERIC;
        if ![time, random, info, value].into_iter().all(is_generic)
            || time.value.len() != 8
            || random.value.len() != 8
        {
            return None;
        }
        let info = Element::only(info.value).ok()?.expect(number::SIGNATURE_INFO).ok()?;
        let info = SignatureInfo::decode(&info).ok()?;
        let signature = Element::only(value.value).ok()?.expect(number::SIGNATURE_VALUE).ok()?;
        let signed = self.name.value().len() - value.whole.len();
        Some(InterestSignature {
            form: SignatureForm::Components,
            info: SignatureInfo {
                time_ms: crate::tlv::nni(time.value),
                nonce: Some(random.value),
                ..info
            },
            portion: SignedPortion::new([&self.name.value()[..signed], &[], &[]]),
            value: signature.value,
        })
    }
}
