//! Single equations of the cores, for tests that work them by hand.
#![allow(unsafe_code)]

use crate::pcc::Interval;
use crate::{pcc_allegro, pcc_vivace};

unsafe extern "C" {
    fn narrows_pcc_vivace_utility(
        _: *const pcc_vivace::Constants,
        _: *const Interval,
        starting: u32,
        mss: u32,
    ) -> i64;
    fn narrows_pcc_allegro_utility(_: *const pcc_allegro::Constants, _: *const Interval) -> i64;
    safe fn narrows_pcc_exp(x: i32) -> u32;
}

/// The utility of an interval of Vivace.
pub fn vivace_utility(
    constants: &pcc_vivace::Constants,
    interval: &Interval,
    starting: bool,
    mss: u32,
) -> i64 {
    // SAFETY: only reads what these references point to.
    unsafe { narrows_pcc_vivace_utility(constants, interval, starting as u32, mss) }
}

/// The utility of an interval of Allegro.
pub fn allegro_utility(constants: &pcc_allegro::Constants, interval: &Interval) -> i64 {
    // SAFETY: only reads what these references point to.
    unsafe { narrows_pcc_allegro_utility(constants, interval) }
}

/// e^(x/1000) in thousandths.
pub fn exp(x: i32) -> u32 {
    narrows_pcc_exp(x)
}
