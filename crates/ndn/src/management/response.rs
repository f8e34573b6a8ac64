//! ControlResponse.

use super::parameters::ControlParameters;
use super::record::{Record, record};
use crate::tlv::{Buffer, DecodeError, Element, Reader, put_nested};

record! {
    /// The fields with the result of a command.
    #[derive(Copy)]
    Outcome<'a> {
        /// StatusCode.
        code: 102 => u64,
        /// StatusText.
        text: 103 => &'a str,
    }
}

/// ControlResponse: the answer to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlResponse<'a> {
    /// StatusCode: 200 if the command was executed; otherwise as in HTTP.
    pub code: u64,
    /// StatusText.
    pub text: &'a str,
    /// ControlParameters. They are always written, even if empty, because some clients reject
    /// answers without them. They may be absent in a received answer.
    pub parameters: Option<ControlParameters<'a>>,
}

impl<'a> ControlResponse<'a> {
    /// TYPE of ControlResponse.
    pub const NUMBER: u32 = 101;

    /// Decodes `content`, which must be exactly one ControlResponse.
    ///
    /// # Errors
    /// The octets are not a ControlResponse, code or text is missing, or a known field is
    /// malformed.
    pub fn decode(content: &'a [u8]) -> Result<ControlResponse<'a>, DecodeError> {
        let outer = Element::only(content)?.expect(Self::NUMBER)?;
        let Outcome { code, text } = Record::read(&outer)?;
        let mut parameters = None;
        for element in Reader::within(&outer) {
            let element = element?;
            if element.number == ControlParameters::NUMBER {
                parameters = Some(ControlParameters::from_element(&element)?);
            }
        }
        Ok(ControlResponse { code, text, parameters })
    }

    /// Appends the ControlResponse.
    pub fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, Self::NUMBER, |out| {
            Outcome { code: self.code, text: self.text }.write_fields(out);
            self.parameters.unwrap_or_default().write(out);
        });
    }
}
