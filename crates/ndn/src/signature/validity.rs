//! Validity of certificates (NDN Certificate Format 2.0, "ValidityPeriod").

use crate::number;
use crate::tlv::{Buffer, DecodeError, Element, Fault, Order, Reader, put_element, put_nested};
use std::fmt::{self, Display, Formatter};

/// A time in UTC, to the second, in the form of certificates: `YYYYMMDDThhmmss`. Times compare
/// chronologically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CertificateTime([u8; 15]);

impl CertificateTime {
    /// The time `seconds` after the start of 1970 in UTC. Times after the year 9999 become its end.
    pub fn from_unix(seconds: u64) -> CertificateTime {
        const LAST: u64 = 253_402_300_799;
        let seconds = seconds.min(LAST);
        let days = seconds / 86_400;
        let second = seconds % 86_400;
        // Years are counted from March, so that a leap day is the last day of its year. 400 years
        // have 146 097 days.
        let since_march_0 = days + 719_468;
        let era = since_march_0 / 146_097;
        let day = since_march_0 % 146_097;
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month_from_march = (5 * day + 2) / 153;
        let day_of_month = day - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = era * 400 + year + u64::from(month <= 2);
        let hour = second / 3600;
        let minute = second / 60 % 60;
        let second = second % 60;
        let digit =
            |number: u64, unit: u64| b'0' + u8::try_from(number / unit % 10).expect("a digit");
        let two = |number| [digit(number, 10), digit(number, 1)];
        let mut text = [b'T'; 15];
        text[..4].copy_from_slice(&[
            digit(year, 1000),
            digit(year, 100),
            digit(year, 10),
            digit(year, 1),
        ]);
        for (at, number) in [(4, month), (6, day_of_month), (9, hour), (11, minute), (13, second)] {
            text[at..at + 2].copy_from_slice(&two(number));
        }
        CertificateTime(text)
    }

    fn decode(element: &Element) -> Result<CertificateTime, DecodeError> {
        let text: [u8; 15] = element.octets()?;
        let digits = text
            .iter()
            .enumerate()
            .all(|(at, octet)| if at == 8 { *octet == b'T' } else { octet.is_ascii_digit() });
        if digits { Ok(CertificateTime(text)) } else { Err(element.fail(Fault::WrongValue)) }
    }
}

impl Display for CertificateTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|octet| write!(f, "{}", char::from(*octet)))
    }
}

/// ValidityPeriod: first and last second in which a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidityPeriod {
    /// NotBefore.
    pub not_before: CertificateTime,
    /// NotAfter.
    pub not_after: CertificateTime,
}

impl ValidityPeriod {
    /// True if the certificate is valid at `time`.
    pub fn contains(&self, time: CertificateTime) -> bool {
        self.not_before <= time && time <= self.not_after
    }

    /// Decodes a ValidityPeriod.
    pub(super) fn decode(outer: &Element) -> Result<ValidityPeriod, DecodeError> {
        let mut not_before = None;
        let mut not_after = None;
        let mut order = Order::default();
        for element in Reader::within(outer) {
            let element = element?;
            let place = match element.number {
                number::NOT_BEFORE => 1,
                number::NOT_AFTER => 2,
                _ => 0,
            };
            if order.admits(place, &element)? {
                let time = Some(CertificateTime::decode(&element)?);
                if place == 1 { not_before = time } else { not_after = time }
            }
        }
        let missing =
            |number| DecodeError { offset: outer.value_offset(), number, fault: Fault::Missing };
        Ok(ValidityPeriod {
            not_before: not_before.ok_or_else(|| missing(number::NOT_BEFORE))?,
            not_after: not_after.ok_or_else(|| missing(number::NOT_AFTER))?,
        })
    }

    /// Appends the period.
    pub(super) fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, number::VALIDITY_PERIOD, |out| {
            put_element(out, number::NOT_BEFORE, &self.not_before.0);
            put_element(out, number::NOT_AFTER, &self.not_after.0);
        });
    }
}
