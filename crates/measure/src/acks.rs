//! The state of a sender's connection at each acknowledgement.

use narrows_units::{Rate, Span, Time};

/// A connection as an acknowledgement left it. In the kernel it is seen when the next one arrives:
/// until then it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AckSample {
    /// When.
    pub at: Time,
    /// The flow, by its number in the scenario.
    pub flow: usize,
    /// The sender's port, which tells the connections of one flow apart; 0 in the simulator.
    pub connection: u16,
    /// The congestion window, in segments.
    pub cwnd: f64,
    /// The slow start threshold in segments; `None` before the first reduction, or if the
    /// controller has none.
    pub ssthresh: Option<f64>,
    /// Segments in flight.
    pub in_flight: u32,
    /// The smoothed round trip; `None` before the first sample.
    pub srtt: Option<Span>,
    /// The latest round trip.
    pub rtt: Option<Span>,
    /// The rate of new transmissions, if they are paced: with headers in the simulator, of payload
    /// alone in the kernel (`sk_pacing_rate`).
    pub pacing: Option<Rate>,
    /// The latest sample of the delivery rate, of payload (`rate_delivered` over `rate_interval_us`
    /// of the kernel's socket); `None` in the simulator.
    pub delivery: Option<Rate>,
}
