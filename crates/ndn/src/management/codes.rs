//! Numbers that stand for words.

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
            /// The word that `code` stands for; `None` if it stands for nothing.
            pub fn from_code(code: u64) -> Option<$name> {
                match code {
                    $($code => Some($name::$word),)*
                    _ => None,
                }
            }

            /// The number that stands for the word.
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
    /// FaceScope: whether the other end of a face is on the same host.
    FaceScope {
        /// It is not.
        NonLocal = 0,
        /// It is.
        Local = 1,
    }
}

codes! {
    /// FacePersistency: what ends a face.
    FacePersistency {
        /// An error of its socket, or a command.
        Persistent = 0,
        /// Idleness too: a packet that came in made the face.
        OnDemand = 1,
        /// A command only.
        Permanent = 2,
    }
}

codes! {
    /// LinkType: who hears what a face sends.
    LinkType {
        /// One neighbour.
        PointToPoint = 0,
        /// All neighbours, who hear each other too.
        MultiAccess = 1,
        /// Neighbours who may not hear each other.
        AdHoc = 2,
    }
}

codes! {
    /// FaceEventKind: what happened to a face.
    FaceEventKind {
        /// It was made.
        Created = 1,
        /// It was removed.
        Destroyed = 2,
        /// It works again.
        Up = 3,
        /// It stopped working.
        Down = 4,
    }
}

/// Bits of a face's Flags.
pub mod face_flags {
    /// The face may exchange IncomingFaceId and NextHopFaceId.
    pub const LOCAL_FIELDS: u64 = 1;
    /// The face sends lost packets again.
    pub const RELIABILITY: u64 = 2;
    /// The face marks packets when its queue is congested.
    pub const CONGESTION_MARKING: u64 = 4;
}

/// Bits of a route's Flags.
pub mod route_flags {
    /// Longer prefixes inherit the route.
    pub const CHILD_INHERIT: u64 = 1;
    /// Longer prefixes inherit no route from shorter ones than this.
    pub const CAPTURE: u64 = 2;
}
