//! Rates of a link, as far as they are known.

use narrows_units::Rate;

/// Rates of a face's link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkRates {
    /// Rate towards this host. An initial guess if `measured` is true.
    pub inward: Rate,
    /// True if the rate towards this host is measured from the traffic of the link.
    pub measured: bool,
    /// Rate away from this host, if it is known.
    pub out: Option<Rate>,
    /// True if the rates include headers below NDN. A measured rate never does.
    pub gross: bool,
}

impl LinkRates {
    /// Rates that are known in both directions.
    pub const fn known(inward: Rate, out: Rate, gross: bool) -> LinkRates {
        LinkRates { inward, measured: false, out: Some(out), gross }
    }
}
