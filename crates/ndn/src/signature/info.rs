//! SignatureInfo and InterestSignatureInfo.

use super::kind::SignatureType;
use super::validity::ValidityPeriod;
use crate::name::NameRef;
use crate::number;
use crate::tlv::{
    Buffer, DecodeError, Element, Fault, Order, Reader, put_element, put_nested, put_nni,
};

/// KeyLocator: identifies the key that verifies a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyLocator<'a> {
    /// Name of the key or of a certificate.
    Name(NameRef<'a>),
    /// KeyDigest: the digest of the key.
    Digest(&'a [u8]),
}

impl<'a> KeyLocator<'a> {
    /// Decodes the locator in `outer`. `None` for an unknown kind.
    fn decode(outer: &Element<'a>) -> Result<Option<KeyLocator<'a>>, DecodeError> {
        match Reader::within(outer).next().transpose()? {
            Some(element) if element.number == number::NAME => {
                Ok(Some(KeyLocator::Name(NameRef::decode(&element)?)))
            }
            Some(element) if element.number == number::KEY_DIGEST => {
                Ok(Some(KeyLocator::Digest(element.value)))
            }
            _ => Ok(None),
        }
    }

    fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, number::KEY_LOCATOR, |out| match self {
            KeyLocator::Name(name) => name.write(out),
            KeyLocator::Digest(digest) => put_element(out, number::KEY_DIGEST, digest),
        });
    }
}

/// SignatureInfo of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureInfo<'a> {
    /// SignatureType.
    pub signature_type: SignatureType,
    /// KeyLocator.
    pub key_locator: Option<KeyLocator<'a>>,
    /// ValidityPeriod, in certificates only.
    pub validity: Option<ValidityPeriod>,
    /// SignatureNonce, in Interests only.
    pub nonce: Option<&'a [u8]>,
    /// SignatureTime in milliseconds since 1970, in Interests only.
    pub time_ms: Option<u64>,
    /// SignatureSeqNum, in Interests only.
    pub sequence: Option<u64>,
}

impl<'a> SignatureInfo<'a> {
    /// The SignatureInfo of a signature of this type, without other fields.
    pub fn new(signature_type: SignatureType) -> SignatureInfo<'a> {
        SignatureInfo {
            signature_type,
            key_locator: None,
            validity: None,
            nonce: None,
            time_ms: None,
            sequence: None,
        }
    }

    /// Decodes a SignatureInfo or InterestSignatureInfo.
    ///
    /// # Errors
    /// The element is malformed, or has no SignatureType.
    pub fn decode(outer: &Element<'a>) -> Result<SignatureInfo<'a>, DecodeError> {
        let mut signature_type = None;
        let mut info = SignatureInfo::new(SignatureType::Null);
        let mut order = Order::default();
        for element in Reader::within(outer) {
            let element = element?;
            let place = match element.number {
                number::SIGNATURE_TYPE => 1,
                number::KEY_LOCATOR => 2,
                number::SIGNATURE_NONCE => 3,
                number::SIGNATURE_TIME => 4,
                number::SIGNATURE_SEQ_NUM => 5,
                number::VALIDITY_PERIOD => 6,
                _ => 0,
            };
            if !order.admits(place, &element)? {
                continue;
            }
            match place {
                1 => signature_type = Some(SignatureType::from_code(element.nni()?)),
                2 => info.key_locator = KeyLocator::decode(&element)?,
                3 if element.value.is_empty() => return Err(element.fail(Fault::WrongLength)),
                3 => info.nonce = Some(element.value),
                4 => info.time_ms = Some(element.nni()?),
                5 => info.sequence = Some(element.nni()?),
                _ => info.validity = Some(ValidityPeriod::decode(&element)?),
            }
        }
        let missing = DecodeError {
            offset: outer.value_offset(),
            number: number::SIGNATURE_TYPE,
            fault: Fault::Missing,
        };
        Ok(SignatureInfo { signature_type: signature_type.ok_or(missing)?, ..info })
    }

    /// Appends an element of TYPE `number` with these fields.
    pub fn write(&self, number: u32, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, number, |out| {
            put_nni(out, number::SIGNATURE_TYPE, self.signature_type.code());
            if let Some(locator) = self.key_locator {
                locator.write(out);
            }
            if let Some(nonce) = self.nonce {
                put_element(out, number::SIGNATURE_NONCE, nonce);
            }
            if let Some(time) = self.time_ms {
                put_nni(out, number::SIGNATURE_TIME, time);
            }
            if let Some(sequence) = self.sequence {
                put_nni(out, number::SIGNATURE_SEQ_NUM, sequence);
            }
            if let Some(validity) = self.validity {
                validity.write(out);
            }
        });
    }
}
