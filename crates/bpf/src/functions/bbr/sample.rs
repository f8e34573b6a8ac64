//! The rate sample as BBR reads it.

use crate::functions::context::Call;
use crate::socket::fields as f;

/// Of `struct rate_sample`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    pub delivered: i32,
    pub interval_us: i64,
    pub prior_delivered: u32,
    pub losses: i32,
    pub acked_sacked: u32,
    pub prior_in_flight: u32,
    pub rtt_us: i64,
    pub is_app_limited: bool,
    pub is_ack_delayed: bool,
}

impl Sample {
    pub fn of(call: &Call<'_, '_>) -> Sample {
        Sample {
            delivered: call.sampled(f::RATE_DELIVERED_NOW) as i32,
            interval_us: call.sampled(f::RATE_INTERVAL_US) as i64,
            prior_delivered: call.sampled(f::RATE_PRIOR_DELIVERED) as u32,
            losses: call.sampled(f::RATE_LOSSES) as i32,
            acked_sacked: call.sampled(f::RATE_ACKED_SACKED) as u32,
            prior_in_flight: call.sampled(f::RATE_PRIOR_IN_FLIGHT) as u32,
            rtt_us: call.sampled(f::RATE_RTT) as i64,
            is_app_limited: call.sampled(f::RATE_IS_APP_LIMITED) != 0,
            is_ack_delayed: call.sampled(f::RATE_IS_ACK_DELAYED) != 0,
        }
    }

    /// Whether it has a rate.
    pub fn is_timed(&self) -> bool {
        self.delivered >= 0 && self.interval_us > 0
    }
}
