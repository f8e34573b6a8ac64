//! Management messages, declared as tables: the name of each field, its TYPE, and the kind of its
//! VALUE.

/// Declares a message, its decoder and its encoder. Lists come last, as nested messages of one
/// TYPE.
macro_rules! record {
    (
        $(#[$about:meta])*
        $name:ident$(<$life:lifetime>)? {
            $($(#[$doc:meta])* $field:ident: $number:literal => $kind:ty,)*
        }
        $(then $(#[$list_doc:meta])* $list:ident: $list_number:literal => [$item:ident])?
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name$(<$life>)? {
            $($(#[$doc])* pub $field: $kind,)*
            $($(#[$list_doc])* pub $list: Vec<$item>,)?
        }

        impl<'a> $crate::management::record::Record<'a> for record!(@type $name $($life)?) {
            fn read(outer: &$crate::tlv::Element<'a>) -> Result<Self, $crate::tlv::DecodeError> {
                use $crate::management::field::Field;
                $(let mut $field: Option<record!(@kind $kind)> = None;)*
                $(let mut $list: Vec<$item> = Vec::new();)?
                for element in $crate::tlv::Reader::within(outer) {
                    let element = element?;
                    match element.number {
                        $($number => Field::read(&mut $field, &element)?,)*
                        $($list_number => $list.push($crate::management::record::Record::read(&element)?),)?
                        _ => {}
                    }
                }
                let missing = |number| $crate::tlv::DecodeError { offset: outer.value_offset(), number, fault: $crate::tlv::Fault::Missing };
                Ok(Self {
                    $($field: $field.or_else(Field::absent).ok_or_else(|| missing($number))?,)*
                    $($list,)?
                })
            }

            fn write_fields<B: $crate::tlv::Buffer + ?Sized>(&self, out: &mut B) {
                use $crate::management::field::Field;
                $(Field::write(&self.$field, $number, out);)*
                $(for item in &self.$list {
                    $crate::tlv::put_nested(out, $list_number, |out| $crate::management::record::Record::write_fields(item, out));
                })?
            }
        }
    };
    (@type $name:ident $life:lifetime) => { $name<'a> };
    (@type $name:ident) => { $name };
    (@kind $kind:ty) => { $kind };
}

pub(super) use record;

use crate::tlv::{Buffer, DecodeError, Element};

/// A message that consists of fields. The trait is private to this crate, so that other crates
/// cannot add messages.
pub trait Record<'a>: Sized {
    /// Decodes the fields in the VALUE of `outer`.
    ///
    /// # Errors
    /// A field is missing, or a known field is malformed.
    fn read(outer: &Element<'a>) -> Result<Self, DecodeError>;

    /// Appends the fields.
    fn write_fields<B: Buffer + ?Sized>(&self, out: &mut B);
}
