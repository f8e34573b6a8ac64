//! NDN URIs: names in text form (NDN Packet Format 0.3, "NDN URI Scheme", and "Naming Conventions"
//! of NDN-TR-22 revision 3).

use super::borrowed::NameRef;
use super::component::Component;
use super::owned::Name;
use crate::number;
use crate::tlv::nni_size;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use thiserror::Error;

/// Reason why a text is not a name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UriError {
    /// The text does not begin with a slash.
    #[error("\"{0}\" is not a name: begin with a slash, as in /{0}")]
    NoSlash(String),
    /// A component is empty.
    #[error(
        "a component of \"{0}\" is empty: remove a slash, or write ... for a component without octets"
    )]
    Empty(String),
    /// Two hexadecimal digits are missing after a percent sign.
    #[error("\"{0}\" has a % without two hexadecimal digits after it: write % itself as %25")]
    Escape(String),
    /// The TYPE before an equals sign is neither a number from 1 to 65535 nor a known word.
    #[error(
        "\"{0}\" names no type of component: write a number from 1 to 65535, or seg, off, v, t, seq, sha256digest, params-sha256; write = itself as %3D"
    )]
    Type(String),
    /// A number is missing after `seg=`, `v=` or a similar word.
    #[error("\"{0}\" needs a whole number below 2^64 after the equals sign")]
    Number(String),
    /// A digest has other than 32 octets.
    #[error("\"{0}\" needs 64 hexadecimal digits after the equals sign")]
    Digest(String),
}

/// TYPEs whose VALUEs are written as numbers, and their words.
const NUMBERS: [(u32, &str); 5] = [
    (number::SEGMENT, "seg"),
    (number::BYTE_OFFSET, "off"),
    (number::VERSION, "v"),
    (number::TIMESTAMP, "t"),
    (number::SEQUENCE_NUM, "seq"),
];

/// TYPEs of digests, and their words.
const DIGESTS: [(u32, &str); 2] =
    [(number::IMPLICIT_DIGEST, "sha256digest"), (number::PARAMETERS_DIGEST, "params-sha256")];

fn word_of(table: &[(u32, &'static str)], number: u16) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == u32::from(number)).map(|(_, word)| *word)
}

fn number_of(table: &[(u32, &'static str)], word: &str) -> Option<u16> {
    table
        .iter()
        .find(|(_, known)| *known == word)
        .and_then(|(number, _)| u16::try_from(*number).ok())
}

impl Display for Component<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(word) = word_of(&DIGESTS, self.number) {
            write!(f, "{word}=")?;
            return self.value.iter().try_for_each(|octet| write!(f, "{octet:02x}"));
        }
        if let Some((word, value)) = word_of(&NUMBERS, self.number).zip(self.nni()) {
            return write!(f, "{word}={value}");
        }
        if u32::from(self.number) != number::GENERIC {
            write!(f, "{}=", self.number)?;
        }
        if self.value.iter().all(|octet| *octet == b'.') {
            f.write_str("...")?;
        }
        self.value.iter().try_for_each(|octet| match octet {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                write!(f, "{}", char::from(*octet))
            }
            _ => write!(f, "%{octet:02X}"),
        })
    }
}

impl Display for NameRef<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("/");
        }
        self.components().try_for_each(|component| write!(f, "/{component}"))
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}

impl FromStr for Name {
    type Err = UriError;

    /// Parses a URI, for example `/a/%00/32=metadata/v=7/seg=0`, with or without `ndn:` before it
    /// and a slash at its end.
    fn from_str(text: &str) -> Result<Name, UriError> {
        let path = text.strip_prefix("ndn:").unwrap_or(text);
        let path = path.strip_prefix('/').ok_or_else(|| UriError::NoSlash(text.to_owned()))?;
        let path = path.strip_suffix('/').unwrap_or(path);
        if path.is_empty() {
            return Ok(Name::new());
        }
        path.split('/').try_fold(Name::new(), |name, component| {
            if component.is_empty() {
                return Err(UriError::Empty(text.to_owned()));
            }
            let (number, value) = parse_component(component)?;
            name.component(number, &value).map_err(|_| UriError::Digest(component.to_owned()))
        })
    }
}

fn parse_component(text: &str) -> Result<(u16, Vec<u8>), UriError> {
    let Some((word, rest)) = text.split_once('=') else {
        return Ok((number::GENERIC as u16, unescaped(text, text)?));
    };
    if let Some(number) = number_of(&NUMBERS, word) {
        let value: u64 = rest.parse().map_err(|_| UriError::Number(text.to_owned()))?;
        return Ok((number, value.to_be_bytes()[8 - nni_size(value)..].to_vec()));
    }
    if let Some(number) = number_of(&DIGESTS, word) {
        let octets: Option<Vec<u8>> = rest.as_bytes().chunks(2).map(hexadecimal).collect();
        return Ok((
            number,
            octets
                .filter(|octets| octets.len() == 32)
                .ok_or_else(|| UriError::Digest(text.to_owned()))?,
        ));
    }
    let number = word
        .parse()
        .ok()
        .filter(|number| *number > 0 && !word.starts_with(['0', '+']))
        .ok_or_else(|| UriError::Type(text.to_owned()))?;
    Ok((number, unescaped(text, rest)?))
}

/// Decodes `escaped`, a part of `text`, to octets.
fn unescaped(text: &str, escaped: &str) -> Result<Vec<u8>, UriError> {
    let mut octets = Vec::with_capacity(escaped.len());
    let mut rest = escaped.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        octets.push(match first {
            b'%' => {
                let octet = rest
                    .get(..2)
                    .and_then(hexadecimal)
                    .ok_or_else(|| UriError::Escape(text.to_owned()))?;
                rest = &rest[2..];
                octet
            }
            _ => *first,
        });
    }
    // A component of periods is written with three additional periods, so that it is never taken
    // for "this directory" or its parent.
    if octets.iter().all(|octet| *octet == b'.') {
        let periods =
            octets.len().checked_sub(3).ok_or_else(|| UriError::Empty(text.to_owned()))?;
        octets.truncate(periods);
    }
    Ok(octets)
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*digits.get(at)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}
