//! What is known of the rates of a link.

use narrows_units::Rate;

/// The rates of a face's link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkRates {
    /// Towards this host; a guess if it is measured.
    pub inward: Rate,
    /// The rate towards this host is found out from what the link carries.
    pub measured: bool,
    /// Away from it, if it is known.
    pub out: Option<Rate>,
    /// They include headers below NDN; what is measured does not.
    pub gross: bool,
}

impl LinkRates {
    /// Both are known.
    pub const fn known(inward: Rate, out: Rate, gross: bool) -> LinkRates {
        LinkRates { inward, measured: false, out: Some(out), gross }
    }
}
