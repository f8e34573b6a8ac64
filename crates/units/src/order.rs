//! The order of calls.

use crate::Time;

/// Asserts, in builds that assert, that the calls of a state machine come in time order. It takes
/// no room and does nothing in other builds.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeOrder {
    #[cfg(debug_assertions)]
    latest: Time,
}

impl TimeOrder {
    /// A call at `now`.
    ///
    /// # Panics
    /// In builds that assert, if an earlier call was later.
    #[inline]
    #[track_caller]
    pub fn call(&mut self, now: Time) {
        #[cfg(debug_assertions)]
        {
            assert!(now >= self.latest, "a call at {now:?} after one at {:?}", self.latest);
            self.latest = now;
        }
        let _ = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_at_one_time_are_in_order_and_an_earlier_one_is_not() {
        let mut order = TimeOrder::default();
        [1, 1, 2].into_iter().for_each(|nanos| order.call(Time::from_nanos(nanos)));
        let earlier = std::panic::catch_unwind(move || order.call(Time::from_nanos(1)));
        assert_eq!(earlier.is_err(), cfg!(debug_assertions));
    }
}
