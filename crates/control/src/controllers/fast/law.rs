//! The law of a version of FAST: how the window moves towards its target.

use super::delay::Delay;
use narrows_units::Time;

/// Fewest packets of the window.
pub const MIN_WINDOW: f64 = 2.0;

/// How the window moves once a queue can be seen.
pub trait WindowLaw: Send {
    /// An acknowledgement of new data, at a window of `w` packets. Returns the window after it.
    fn on_ack(&mut self, w: f64, seen: &AckView<'_>) -> f64;

    /// Something else moves the window: what was decided before does not hold any more.
    fn suspend(&mut self);

    /// When [`on_timer`](WindowLaw::on_timer) is wanted.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The timer's time has come, at a window of `w` packets. Returns the window after it.
    fn on_timer(&mut self, now: Time, w: f64) -> f64 {
        let _ = now;
        w
    }
}

/// The measurements that an acknowledgement gives to a law.
pub struct AckView<'a> {
    pub now: Time,
    /// Packets acknowledged.
    pub packets: f64,
    /// Of these, packets sent while the window was the limit.
    pub limited: f64,
    /// Packets in flight when the newest packet acknowledged was sent, that one included.
    pub flight: f64,
    pub alpha: f64,
    pub delay: &'a Delay,
    pub round: Past,
}

/// The latest round that has ended, and whether it just did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Past {
    pub ended: bool,
    pub packets: u32,
    pub acks: u32,
}
