//! NackReason.

use crate::number;
use crate::tlv::{Buffer, DecodeError, Element, Reader, put_nested, put_nni};

/// Reason why an Interest is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NackReason {
    /// No reason, or an unknown one.
    None,
    /// 50: congestion.
    Congestion,
    /// 100: the nonce has been seen before, so the Interest may be looping.
    Duplicate,
    /// 150: no route leads to the name.
    NoRoute,
    /// 160: the path label does not fit the routes (RFC 9531). The RFC names no number for NDN, and
    /// no registry assigns this one.
    InvalidLabel,
}

impl NackReason {
    fn code(self) -> Option<u64> {
        match self {
            NackReason::None => None,
            NackReason::Congestion => Some(50),
            NackReason::Duplicate => Some(100),
            NackReason::NoRoute => Some(150),
            NackReason::InvalidLabel => Some(160),
        }
    }

    fn from_code(code: u64) -> NackReason {
        const KNOWN: [NackReason; 4] = [
            NackReason::Congestion,
            NackReason::Duplicate,
            NackReason::NoRoute,
            NackReason::InvalidLabel,
        ];
        KNOWN.into_iter().find(|reason| reason.code() == Some(code)).unwrap_or(NackReason::None)
    }

    /// Decodes the reason in a Nack.
    pub(super) fn decode(outer: &Element) -> Result<NackReason, DecodeError> {
        for element in Reader::within(outer) {
            let element = element?;
            if element.number == number::lp::NACK_REASON {
                return Ok(NackReason::from_code(element.nni()?));
            }
        }
        Ok(NackReason::None)
    }

    /// Appends a Nack.
    pub(super) fn write(self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, number::lp::NACK, |out| {
            if let Some(code) = self.code() {
                put_nni(out, number::lp::NACK_REASON, code);
            }
        });
    }
}
