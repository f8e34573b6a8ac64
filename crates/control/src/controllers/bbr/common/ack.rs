//! An acknowledgement in BBR's terms: whole microseconds and packets.

use crate::parts::micros::micros;
use crate::{CaState, Feedback};

/// The content of one acknowledgement.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// When, in µs.
    pub now: u64,
    /// Packets newly delivered.
    pub acked: u32,
    /// Packets newly lost.
    pub losses: u32,
    /// Packets in flight before.
    pub in_flight_before: u32,
    /// Packets in flight after.
    pub in_flight: u32,
    /// The round trip in µs, if measured.
    pub rtt: Option<u32>,
    /// True if the receiver probably delayed it.
    pub delayed: bool,
    /// The smoothed round trip in µs; 0 before the first.
    pub srtt: u64,
    /// The bandwidth sample, if valid.
    pub sample: Option<Sample>,
    /// Totals.
    pub counts: Counts,
    /// The transport's state.
    pub ca_state: CaState,
}

/// A bandwidth sample.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Packets delivered over the interval.
    pub delivered: u32,
    /// In µs, not 0.
    pub interval: u64,
    /// Packets delivered when the sampled packet was sent.
    pub prior_delivered: u64,
    /// True if the application limited the sender then.
    pub app_limited: bool,
}

/// The connection's totals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Packets delivered.
    pub delivered: u64,
    /// Packets declared lost.
    pub lost: u64,
    /// The time of the latest delivery, in µs.
    pub delivered_at: u64,
}

impl Ack {
    /// Digests `feedback`; `last_delivery` is the time of the latest delivery before it, in µs.
    pub fn new(feedback: &Feedback<'_>, last_delivery: u64) -> Ack {
        let now = micros(feedback.now);
        let acked = feedback.acked.len() as u32;
        let timed = feedback.rate.and_then(|rate| Some((rate, rate.interval?)));
        let sample = timed.and_then(|(rate, interval)| {
            let interval = interval.as_micros();
            (interval > 0).then_some(Sample {
                delivered: rate.delivered,
                interval,
                prior_delivered: rate.prior_delivered,
                app_limited: rate.app_limited,
            })
        });
        Ack {
            now,
            acked,
            losses: feedback.lost.len() as u32,
            in_flight_before: feedback.in_flight_before,
            in_flight: feedback.in_flight,
            rtt: feedback.rtt.map(|rtt| u32::try_from(rtt.as_micros()).unwrap_or(u32::MAX)),
            delayed: timed.is_some_and(|(rate, _)| rate.ack_delayed),
            srtt: feedback.srtt.as_micros(),
            sample,
            counts: Counts {
                delivered: feedback.totals.delivered,
                lost: feedback.totals.lost,
                delivered_at: if acked > 0 { now } else { last_delivery },
            },
            ca_state: feedback.ca_state,
        }
    }
}
