//! The load that a router tells.

use narrows_wire::LoadCode;

/// The load that routers tell, fixed for a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Load {
    pub(super) code: LoadCode,
    /// In hundredths, at most 255.
    pub(super) hundredths: u8,
}
