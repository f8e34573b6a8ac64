//! The rates that a link tells the flows which cross it.

use narrows_units::Rate;

/// The rate that each flow may ask for, in bits of Data per second, in two classes (MIRCC, section
/// 4.2). A law with a single class has the first only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// Of primary Interests.
    pub primary: Rate,
    /// Of secondary Interests.
    pub secondary: Rate,
}

impl Rates {
    /// No limit.
    pub const UNLIMITED: Rates =
        Rates { primary: Rate::from_bps(u64::MAX), secondary: Rate::from_bps(u64::MAX) };

    /// The lower of both, class by class.
    #[inline]
    pub fn min(self, other: Rates) -> Rates {
        Rates {
            primary: self.primary.min(other.primary),
            secondary: self.secondary.min(other.secondary),
        }
    }
}
