//! Packets on their way to the far end of a link.

use narrows_units::Time;
use std::collections::VecDeque;

/// A packet on its way to the far end.
#[derive(Clone, Debug)]
pub(super) struct Crossing<P> {
    pub(super) packet: P,
    pub(super) arrival: Time,
}

/// The first packet, if it has arrived by `now`.
#[inline]
pub(super) fn pop_arrived<P>(wire: &mut VecDeque<Crossing<P>>, now: Time) -> Option<(Time, P)> {
    if wire.front()?.arrival > now {
        return None;
    }
    wire.pop_front().map(|Crossing { packet, arrival }| (arrival, packet))
}
