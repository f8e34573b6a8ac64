//! Links that do not leave the ECN field as it is.

use super::Packet;
use narrows_wire::Ecn;

/// The treatment of the ECN field of packets that reach a link's far end. Its own queue has then
/// marked what it marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnField {
    /// Nothing.
    #[default]
    Keep,
    /// Every packet leaves as not capable of ECN: a device that clears the field ("bleaching").
    Bleach,
    /// A packet marked CE leaves with the code point with which it was sent: a device that takes
    /// marks off, or the end of a tunnel that does not copy the outer field to the inner (against
    /// RFC 6040, section 4.2).
    Unmark,
}

impl EcnField {
    /// All of them.
    pub const ALL: [EcnField; 3] = [EcnField::Keep, EcnField::Bleach, EcnField::Unmark];

    /// Its name in scenarios and results.
    pub fn name(self) -> &'static str {
        match self {
            EcnField::Keep => "keep",
            EcnField::Bleach => "bleach",
            EcnField::Unmark => "unmark",
        }
    }

    /// Rewrites the field of a packet that reaches the far end.
    #[inline]
    pub(super) fn rewrite<P: Packet>(self, packet: &mut P) {
        match self {
            EcnField::Keep => {}
            EcnField::Bleach => packet.set_ecn(Ecn::NotEct),
            EcnField::Unmark if packet.ecn() == Ecn::Ce => packet.set_ecn(packet.sent_ecn()),
            EcnField::Unmark => {}
        }
    }
}
