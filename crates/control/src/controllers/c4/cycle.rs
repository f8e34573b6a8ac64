//! The numbers that one recovery hands to the next.

/// The time from the end of a recovery to the end of the next, and the probe in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cycle {
    /// Nominal rate at its beginning.
    pub rate: f64,
    /// Nominal rate when Probing began, if it did.
    pub probed: Option<f64>,
    /// The application limited some of what was acknowledged since then.
    pub limited: bool,
    /// Eras that ended in the present state.
    pub eras: u32,
}
