//! Kinds of fields in management messages.

use crate::name::NameRef;
use crate::number;
use crate::tlv::{Buffer, DecodeError, Element, Fault, Reader, put_element, put_nested, put_nni};

/// A kind of field.
pub(super) trait Field<'a>: Sized {
    /// Value of an absent field. `None` if the field is required.
    fn absent() -> Option<Self> {
        None
    }

    /// Reads `element` into `field`. If there are several elements, the first counts.
    fn read(field: &mut Option<Self>, element: &Element<'a>) -> Result<(), DecodeError>;

    /// Appends the field as an element of TYPE `number`.
    fn write<B: Buffer + ?Sized>(&self, number: u32, out: &mut B);
}

/// Reads a field unless it has been read before.
fn first<T>(
    field: &mut Option<T>,
    read: impl FnOnce() -> Result<T, DecodeError>,
) -> Result<(), DecodeError> {
    if field.is_none() {
        *field = Some(read()?);
    }
    Ok(())
}

impl<'a> Field<'a> for u64 {
    fn read(field: &mut Option<u64>, element: &Element<'a>) -> Result<(), DecodeError> {
        first(field, || element.nni())
    }

    fn write<B: Buffer + ?Sized>(&self, number: u32, out: &mut B) {
        put_nni(out, number, *self);
    }
}

impl<'a> Field<'a> for &'a str {
    fn read(field: &mut Option<&'a str>, element: &Element<'a>) -> Result<(), DecodeError> {
        first(field, || element.text())
    }

    fn write<B: Buffer + ?Sized>(&self, number: u32, out: &mut B) {
        put_element(out, number, self.as_bytes());
    }
}

impl<'a> Field<'a> for NameRef<'a> {
    fn read(field: &mut Option<NameRef<'a>>, element: &Element<'a>) -> Result<(), DecodeError> {
        first(field, || NameRef::decode(element))
    }

    fn write<B: Buffer + ?Sized>(&self, number: u32, out: &mut B) {
        put_element(out, number, self.value());
    }
}

/// Strategy: an element with the name of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrategyName<'a>(pub NameRef<'a>);

impl<'a> Field<'a> for StrategyName<'a> {
    fn read(
        field: &mut Option<StrategyName<'a>>,
        element: &Element<'a>,
    ) -> Result<(), DecodeError> {
        first(field, || {
            let missing = DecodeError {
                offset: element.value_offset(),
                number: number::NAME,
                fault: Fault::Missing,
            };
            let inner = Reader::within(element).next().ok_or(missing)??;
            NameRef::decode(&inner).map(StrategyName)
        })
    }

    fn write<B: Buffer + ?Sized>(&self, number: u32, out: &mut B) {
        put_nested(out, number, |out| self.0.write(out));
    }
}

impl<'a, T: Field<'a>> Field<'a> for Option<T> {
    fn absent() -> Option<Option<T>> {
        Some(None)
    }

    fn read(field: &mut Option<Option<T>>, element: &Element<'a>) -> Result<(), DecodeError> {
        T::read(field.get_or_insert(None), element)
    }

    fn write<B: Buffer + ?Sized>(&self, number: u32, out: &mut B) {
        if let Some(value) = self {
            value.write(number, out);
        }
    }
}
