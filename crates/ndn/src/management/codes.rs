//! Enumerations of the management protocol.

use super::field::Field;
use crate::tlv::{Buffer, DecodeError, Element, Fault, put_nni};

macro_rules! codes {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $word:ident = $code:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$doc])* $word = $code,)*
        }

        impl $name {
            /// The variant with number `code`. `None` for an unknown number.
            pub fn from_code(code: u64) -> Option<$name> {
                match code {
                    $($code => Some($name::$word),)*
                    _ => None,
                }
            }

            /// Number of the variant.
            pub fn code(self) -> u64 {
                self as u64
            }
        }

        impl<'a> Field<'a> for $name {
            fn read(field: &mut Option<$name>, element: &Element<'a>) -> Result<(), DecodeError> {
                if field.is_none() {
                    *field = Some($name::from_code(element.nni()?).ok_or_else(|| element.fail(Fault::WrongValue))?);
                }
                Ok(())
            }

            fn write<B: Buffer + ?Sized>(&self, number: u32, out: &mut B) {
                put_nni(out, number, self.code());
            }
        }
    };
}

codes! {
    /// FaceScope: whether the remote end of a face is on the same host.
    FaceScope {
        /// The remote end is on another host.
        NonLocal = 0,
        /// The remote end is on the same host.
        Local = 1,
    }
}

codes! {
    /// FacePersistency: the events that end a face.
    FacePersistency {
        /// An error of the socket or a command ends the face.
        Persistent = 0,
        /// Idleness ends the face too: a received packet created it.
        OnDemand = 1,
        /// Only a command ends the face.
        Permanent = 2,
    }
}

codes! {
    /// LinkType: the receivers of the packets that a face sends.
    LinkType {
        /// One neighbour.
        PointToPoint = 0,
        /// All neighbours, which receive each other's packets too.
        MultiAccess = 1,
        /// Neighbours that may not receive each other's packets.
        AdHoc = 2,
    }
}

codes! {
    /// FaceEventKind: the change of a face.
    FaceEventKind {
        /// The face was created.
        Created = 1,
        /// The face was removed.
        Destroyed = 2,
        /// The face works again.
        Up = 3,
        /// The face stopped working.
        Down = 4,
    }
}

/// Bits of a face's Flags.
pub mod face_flags {
    /// The face may exchange IncomingFaceId and NextHopFaceId.
    pub const LOCAL_FIELDS: u64 = 1;
    /// The face retransmits lost packets.
    pub const RELIABILITY: u64 = 2;
    /// The face marks packets when its queue is congested.
    pub const CONGESTION_MARKING: u64 = 4;
}

/// Bits of a route's Flags.
pub mod route_flags {
    /// Longer prefixes inherit the route.
    pub const CHILD_INHERIT: u64 = 1;
    /// The prefix and longer ones inherit no routes from shorter prefixes.
    pub const CAPTURE: u64 = 2;
}
