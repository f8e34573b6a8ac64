//! Helpers of controllers' unit tests.

use crate::parts::linux::{Callbacks, Linux, Socket};
use crate::{CaState, Congestion, Controller, Feedback, Outstanding, Totals};
pub use narrows_contract::testing::{
    acked, acked_one, acknowledge, acknowledging, at, inspect, near, send, setup,
};
use narrows_units::Time;

/// A loss or a mark, of which nobody hears more before all is acknowledged.
pub fn lose<T: Callbacks>(linux: &mut Linux<T>, now: Time, why: Congestion) {
    let Socket { una, next, delivered, .. } = linux.socket;
    let lost = Feedback {
        una,
        next,
        outstanding: Outstanding { packets: 1, ..Outstanding::default() },
        totals: Totals { delivered, ..Totals::default() },
        ..Feedback::at(now)
    };
    linux.on_feedback(&Feedback { congestion: Some(why), ca_state: CaState::Recovery, ..lost });
    let window = linux.decision().window.whole();
    linux.on_feedback(&Feedback { ended: Some(CaState::Recovery), window, ..lost });
}
