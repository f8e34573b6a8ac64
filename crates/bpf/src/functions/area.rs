//! The structures that the kernel's own controllers keep in a socket's private area, byte for byte.

use super::context::Call;
use crate::socket::fields::PRIVATE;

/// The members of the private area, integers one behind another. A gap that C leaves for alignment
/// is a member, too.
pub(super) trait Area: Sized {
    /// Bytes.
    const SIZE: usize;

    /// Reads as many bytes.
    fn read(bytes: &[u8]) -> Self;

    /// Writes as many bytes.
    fn write(&self, bytes: &mut [u8]);

    /// That of a connection.
    fn of(call: &Call<'_, '_>) -> Self {
        Self::read(&call.context.memory.socket()[PRIVATE.offset()..][..Self::SIZE])
    }

    /// Keeps it for a connection.
    fn keep(&self, call: &mut Call<'_, '_>) {
        self.write(&mut call.context.memory.socket_mut()[PRIVATE.offset()..][..Self::SIZE]);
    }
}

macro_rules! area {
    ($(#[$attribute:meta])* $name:ident { $($(#[$note:meta])* $member:ident: $type:ty,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(super) struct $name {
            $($(#[$note])* pub $member: $type,)*
        }

        impl $crate::functions::area::Area for $name {
            const SIZE: usize = $(size_of::<$type>() +)* 0;

            fn read(bytes: &[u8]) -> $name {
                let mut rest = bytes;
                $(let $member = <$type>::from_le_bytes(*rest.split_off(..size_of::<$type>()).and_then(|bytes| bytes.first_chunk()).expect("as many"));)*
                let _ = rest;
                $name { $($member,)* }
            }

            fn write(&self, bytes: &mut [u8]) {
                let mut at = 0;
                $(
                    bytes[at..at + size_of::<$type>()].copy_from_slice(&self.$member.to_le_bytes());
                    at += size_of::<$type>();
                )*
                let _ = at;
            }
        }
    };
}
pub(super) use area;
