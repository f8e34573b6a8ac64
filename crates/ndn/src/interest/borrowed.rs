//! Borrowed view of an Interest.

use super::hint::Names;
use super::hop_limit::HopLimit;
use crate::name::NameRef;
use crate::number;
use crate::tlv::{
    Buffer, DecodeError, Element, Fault, Order, Reader, element_size, put_element, put_head,
};
use narrows_units::Span;

/// Lifetime of an Interest without InterestLifetime.
pub const DEFAULT_LIFETIME: Span = Span::from_millis(4000);

/// A view of an Interest in its octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest<'a> {
    /// TLV of the Interest.
    pub wire: &'a [u8],
    /// Name. It has at least one component.
    pub name: NameRef<'a>,
    /// CanBePrefix: true if the name may be a prefix of the Data's name.
    pub can_be_prefix: bool,
    /// MustBeFresh: true if a content store may only answer with fresh Data.
    pub must_be_fresh: bool,
    /// ForwardingHint.
    pub forwarding_hint: Option<Names<'a>>,
    /// Nonce.
    pub nonce: Option<u32>,
    /// InterestLifetime in milliseconds.
    pub lifetime_ms: Option<u64>,
    /// HopLimit.
    pub hop_limit: Option<HopLimit>,
    /// VALUE of ApplicationParameters.
    pub parameters: Option<&'a [u8]>,
    /// InterestSignatureInfo, not decoded, because a forwarder does not need it.
    pub signature_info: Option<Element<'a>>,
    /// VALUE of InterestSignatureValue.
    pub signature_value: Option<&'a [u8]>,
    /// Position of Nonce, or the position where it belongs.
    nonce_at: usize,
    /// End of Nonce, or the position where it belongs.
    after_nonce: usize,
    /// Position of ApplicationParameters, or the end of the Interest.
    parameters_at: usize,
}

impl<'a> Interest<'a> {
    /// Decodes `wire`, which must be exactly one Interest.
    ///
    /// Does not compute the digest of the parameters; see [`Interest::check_parameters`].
    ///
    /// # Errors
    /// The octets are not an Interest, or are an Interest that a receiver has to reject.
    #[inline]
    pub fn decode(wire: &'a [u8]) -> Result<Interest<'a>, DecodeError> {
        let outer = Element::only(wire)?.expect(number::INTEREST)?;
        let mut elements = Reader::within(&outer);
        let name = match elements.next().transpose()? {
            Some(first) if first.number == number::NAME => NameRef::decode(&first)?,
            _ => {
                return Err(DecodeError {
                    offset: outer.value_offset(),
                    number: number::NAME,
                    fault: Fault::Missing,
                });
            }
        };
        if name.is_empty() {
            return Err(DecodeError {
                offset: outer.value_offset(),
                number: number::NAME,
                fault: Fault::WrongLength,
            });
        }
        let mut interest = Interest {
            wire,
            name,
            can_be_prefix: false,
            must_be_fresh: false,
            forwarding_hint: None,
            nonce: None,
            lifetime_ms: None,
            hop_limit: None,
            parameters: None,
            signature_info: None,
            signature_value: None,
            nonce_at: elements.offset(),
            after_nonce: elements.offset(),
            parameters_at: wire.len(),
        };
        let mut order = Order::default();
        for element in elements {
            interest.read(&element?, &mut order)?;
        }
        Ok(interest)
    }

    #[inline]
    fn read(&mut self, element: &Element<'a>, order: &mut Order) -> Result<(), DecodeError> {
        let place = match element.number {
            number::CAN_BE_PREFIX => 1,
            number::MUST_BE_FRESH => 2,
            number::FORWARDING_HINT => 3,
            number::NONCE => 4,
            number::INTEREST_LIFETIME => 5,
            number::HOP_LIMIT => 6,
            number::APPLICATION_PARAMETERS => 7,
            number::INTEREST_SIGNATURE_INFO => 8,
            number::INTEREST_SIGNATURE_VALUE => 9,
            _ => 0,
        };
        if !order.admits(place, element)? {
            return Ok(());
        }
        match place {
            1 => {
                element.empty()?;
                self.can_be_prefix = true;
            }
            2 => {
                element.empty()?;
                self.must_be_fresh = true;
            }
            3 => self.forwarding_hint = Some(Names::decode(element)?),
            4 => self.nonce = Some(u32::from_be_bytes(element.octets()?)),
            5 => self.lifetime_ms = Some(element.nni()?),
            6 => {
                self.hop_limit = Some(HopLimit {
                    value: element.octets::<1>()?[0],
                    position: element.value_offset(),
                })
            }
            7 => {
                self.parameters = Some(element.value);
                self.parameters_at = element.offset;
            }
            8 => self.signature_info = Some(*element),
            _ => self.signature_value = Some(element.value),
        }
        if place <= 4 {
            self.nonce_at = if place == 4 { element.offset } else { element.end() };
            self.after_nonce = element.end();
        }
        Ok(())
    }

    /// Lifetime: the value of InterestLifetime, or [`DEFAULT_LIFETIME`].
    #[inline]
    pub fn lifetime(&self) -> Span {
        const LONGEST: u64 = u64::MAX / 1_000_000;
        self.lifetime_ms.map_or(DEFAULT_LIFETIME, |ms| Span::from_millis(ms.min(LONGEST)))
    }

    /// The octets that the digest of the parameters covers: from ApplicationParameters to the end.
    /// Empty if the Interest has no parameters.
    pub fn digested(&self) -> &'a [u8] {
        &self.wire[self.parameters_at..]
    }

    /// The octets that a signature covers, from ApplicationParameters to the end of
    /// InterestSignatureInfo. `None` if either element is missing.
    pub(crate) fn signed_tail(&self) -> Option<&'a [u8]> {
        let end = self.signature_info?.end();
        self.wire.get(self.parameters_at..end)
    }

    /// Appends the Interest with `nonce` as its Nonce. A host adds a Nonce to an Interest without
    /// one before it sends it. No digest and no signature covers the Nonce.
    pub fn write_with_nonce(&self, nonce: u32, out: &mut (impl Buffer + ?Sized)) {
        let nonce = nonce.to_be_bytes();
        let body_at =
            self.wire.len() - Element::first(self.wire, 0).map_or(0, |element| element.value.len());
        let before = &self.wire[body_at..self.nonce_at];
        let behind = &self.wire[self.after_nonce..];
        put_head(
            out,
            number::INTEREST,
            before.len() + element_size(number::NONCE, nonce.len()) + behind.len(),
        );
        out.put(before);
        put_element(out, number::NONCE, &nonce);
        out.put(behind);
    }
}
