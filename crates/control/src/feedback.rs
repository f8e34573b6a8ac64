//! What a controller is told once per acknowledgement.

use crate::Tag;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Ecn, Signal};

/// Everything one acknowledgement (or one batch of Data) says, after loss detection.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Feedback<'a> {
    /// When it was processed.
    pub now: Time,
    /// Segments newly delivered, cumulatively or selectively.
    pub acked: &'a [Acked],
    /// Transmissions newly declared lost.
    pub lost: &'a [Lost],
    /// The round trip of the newest segment acknowledged that was sent only once.
    pub rtt: Option<Span>,
    /// The delivery rate sample, in worlds that offer one.
    pub rate: Option<RateSample>,
    /// Segments in flight before this acknowledgement.
    pub in_flight_before: u32,
    /// Segments in flight after it.
    pub in_flight: u32,
    /// What the receiver saw in the ECN bits.
    pub ecn: EcnDelta,
    /// What routers wrote for us.
    pub signal: Option<Signal>,
    /// Counts since the connection began.
    pub totals: Totals,
    /// Smoothed round trip (RFC 6298), this acknowledgement included; zero before the first sample.
    pub srtt: Span,
    /// The transport's state after this acknowledgement.
    pub ca_state: CaState,
    /// Set on the one acknowledgement that opens a new recovery: a reduction is due now, at most once per window of data.
    pub congestion: Option<Congestion>,
}

impl Feedback<'_> {
    /// An acknowledgement at `now` that says nothing yet; a world fills in what it knows.
    pub fn at(now: Time) -> Feedback<'static> {
        Feedback {
            now,
            acked: &[],
            lost: &[],
            rtt: None,
            rate: None,
            in_flight_before: 0,
            in_flight: 0,
            ecn: EcnDelta::default(),
            signal: None,
            totals: Totals::default(),
            srtt: Span::ZERO,
            ca_state: CaState::Open,
            congestion: None,
        }
    }
}

/// One segment newly acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// The segment's number.
    pub number: u64,
    /// Payload.
    pub bytes: Bytes,
    /// When the latest transmission of it left.
    pub sent_at: Time,
    /// Time since then.
    pub rtt: Span,
    /// What [`Controller::on_sent`](crate::Controller::on_sent) answered for that transmission.
    pub tag: Tag,
    /// True if the application had nothing more to send then.
    pub app_limited: bool,
    /// True if the window was what limited sending in the round that sent it (Linux `tcp_is_cwnd_limited`): only then may the window grow.
    pub window_limited: bool,
}

/// One transmission declared lost.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// The segment's number.
    pub number: u64,
    /// Payload.
    pub bytes: Bytes,
    /// When the lost transmission left.
    pub sent_at: Time,
    /// What [`Controller::on_sent`](crate::Controller::on_sent) answered for it.
    pub tag: Tag,
}

/// A delivery rate sample (draft-cheng-iccrg-delivery-rate-estimation-02; Linux `net/ipv4/tcp_rate.c`).
#[derive(Clone, Copy, Debug)]
pub struct RateSample {
    /// Segments delivered over `interval`.
    pub delivered: u32,
    /// The longer of the send interval and the acknowledgement interval.
    pub interval: Span,
    /// The connection's delivered count when the sampled segment was sent.
    pub prior_delivered: u64,
    /// True if the sampled segment was sent while the application was the limit: a lower bound.
    pub app_limited: bool,
    /// True if the receiver probably delayed this acknowledgement: a single segment acknowledged alone, later than the known minimum.
    pub ack_delayed: bool,
}

/// ECN code points newly reported by the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnDelta {
    /// Packets received with ECT(0).
    pub ect0: u32,
    /// Packets received with ECT(1).
    pub ect1: u32,
    /// Packets received with CE.
    pub ce: u32,
    /// The classic echo flag (ECE) of this acknowledgement (RFC 3168).
    pub echo: bool,
}

impl EcnDelta {
    /// Packets received with this code point; none are counted of those that are not capable.
    pub fn count(&self, ecn: Ecn) -> u32 {
        match ecn {
            Ecn::NotEct => 0,
            Ecn::Ect1 => self.ect1,
            Ecn::Ect0 => self.ect0,
            Ecn::Ce => self.ce,
        }
    }
}

/// Counts of segments since the connection began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Transmissions, retransmissions included.
    pub sent: u64,
    /// Segments delivered.
    pub delivered: u64,
    /// Transmissions declared lost.
    pub lost: u64,
}

/// The transport's recovery state (Linux `enum tcp_ca_state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaState {
    /// All is well.
    #[default]
    Open,
    /// Something is missing; it may only be late.
    Disorder,
    /// The window is being lowered because of marks; nothing is lost.
    Cwr,
    /// Losses are being repaired.
    Recovery,
    /// The retransmission timer expired.
    Loss,
}

/// Why a reduction is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Congestion {
    /// Segments were declared lost.
    Loss,
    /// The receiver echoed marks.
    Mark,
}
