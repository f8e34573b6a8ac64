//! Watchers of a world.

use narrows_control::LogSink;
use narrows_transport::{Observer, Seen, Sender};
use narrows_units::Time;

/// A world is compiled for `()`, which watches nothing and costs nothing, and once for all
/// observers.
pub(crate) trait Watch {
    /// False if nobody watches: a world then gathers nothing.
    const WATCHES: bool;

    fn on_packet(&mut self, seen: &Seen);

    fn on_sender(&mut self, at: Time, flow: usize, sender: &Sender);

    fn on_sent(&mut self, at: Time, flow: usize, sender: &Sender);

    fn own_log(&mut self, flow: usize) -> Option<LogSink>;
}

impl Watch for () {
    const WATCHES: bool = false;

    #[inline(always)]
    fn on_packet(&mut self, _: &Seen) {}

    #[inline(always)]
    fn on_sender(&mut self, _: Time, _: usize, _: &Sender) {}

    #[inline(always)]
    fn on_sent(&mut self, _: Time, _: usize, _: &Sender) {}

    fn own_log(&mut self, _: usize) -> Option<LogSink> {
        None
    }
}

impl Watch for &mut dyn Observer {
    const WATCHES: bool = true;

    fn on_packet(&mut self, seen: &Seen) {
        (**self).on_packet(seen);
    }

    fn on_sender(&mut self, at: Time, flow: usize, sender: &Sender) {
        (**self).on_sender(at, flow, sender);
    }

    fn on_sent(&mut self, at: Time, flow: usize, sender: &Sender) {
        (**self).on_sent(at, flow, sender);
    }

    fn own_log(&mut self, flow: usize) -> Option<LogSink> {
        (**self).own_log(flow)
    }
}
