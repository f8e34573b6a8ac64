//! Signals that a sender keeps and tells only if its controller needs them.

use narrows_params::Need;

/// Signals that a controller is told beside those that all are told. The others cost nothing where
/// nobody needs them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// Delivery rate samples.
    pub rates: bool,
    /// The application's limits are looked for after every burst, not only at writes. So they are
    /// where no delivery rates are sampled, and with numbered acknowledgements.
    pub broad_app_limits: bool,
    /// The outstanding data, the window in force and how far bursts fill it: `una`, `next`,
    /// `outstanding`, `window`, `cwnd_limited` and `most_outstanding` of
    /// [`Feedback`](narrows_control::Feedback).
    pub outstanding: bool,
}

impl Signals {
    /// Those that a controller with these needs is told.
    pub fn of(needs: &[Need]) -> Signals {
        Signals {
            rates: needs.contains(&Need::RateSample),
            broad_app_limits: needs.contains(&Need::BroadAppLimits),
            outstanding: needs.contains(&Need::Outstanding),
        }
    }
}
