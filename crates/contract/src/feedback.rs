//! The feedback that a controller is told once per acknowledgement.

use crate::Tag;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Ecn, Signal};

/// Everything one acknowledgement (or one batch of Data) says, after loss detection.
#[derive(Clone, Copy, Debug)]
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
    /// First segment not cumulatively acknowledged, after it (`snd_una`).
    pub una: u64,
    /// First segment never sent (`snd_nxt`).
    pub next: u64,
    /// Outstanding data after it.
    pub outstanding: Outstanding,
    /// The window in force when it arrived, in whole segments: the decision's, or in a
    /// reduction that which the transport had spread so far
    /// ([`Reduction::Transport`](crate::Reduction::Transport)).
    pub window: u32,
    /// True if the window was full at the end of a burst since the round before (`is_cwnd_limited`
    /// as Linux `tcp_cwnd_validate` keeps it, after each burst).
    pub cwnd_limited: bool,
    /// Segments outstanding at the end of the burst by which that was judged: in a round in which
    /// no burst filled the window, of the burst that left the most (`max_packets_out`).
    pub most_outstanding: u32,
    /// The receiver's counts of the ECN bits.
    pub ecn: EcnDelta,
    /// The signal that routers wrote for us.
    pub signal: Option<Signal>,
    /// Counts since the connection began.
    pub totals: Totals,
    /// Smoothed round trip (RFC 6298), this acknowledgement included; zero before the first sample.
    pub srtt: Span,
    /// The transport's state after this acknowledgement.
    pub ca_state: CaState,
    /// Set on the one acknowledgement that opens a new recovery: a reduction is due now, at most
    /// once per window of data.
    pub congestion: Option<Congestion>,
    /// The latest reduction proved spurious, for which [`on_undo`](crate::Controller::on_undo) was
    /// called just before.
    pub undone: bool,
    /// The state that this acknowledgement ended, since it covers all that was sent before:
    /// [`CaState::Recovery`], [`CaState::Loss`] or [`CaState::Cwr`]. A reduction that is due
    /// follows it. `None` where an undo ended the state.
    pub ended: Option<CaState>,
    /// A tail loss probe turned out to have repaired a loss: the reduction that is due is for that
    /// one (RFC 8985 section 7.4, Linux `tcp_process_tlp_ack`).
    pub probe_loss: bool,
    /// It acknowledges cumulatively a segment that was sent more than once (Linux
    /// `FLAG_RETRANS_DATA_ACKED`). Never with numbered transmissions.
    pub resent_acked: bool,
    /// The receiver reports that something came twice (RFC 2883). Never with numbered
    /// transmissions.
    pub duplicate: bool,
}

/// The segments that were sent and are not cumulatively acknowledged (Linux `packets_out` and its
/// parts); of numbered transmissions, those whose fate may still change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outstanding {
    /// All of them (`packets_out`).
    pub packets: u32,
    /// Acknowledged selectively (`sacked_out`).
    pub sacked: u32,
    /// Presumed lost, whether sent again or not (`lost_out`).
    pub lost: u32,
    /// Retransmissions in flight (`retrans_out`).
    pub resent: u32,
}

impl Feedback<'_> {
    /// An acknowledgement at `now` that says nothing yet; a world fills in what it knows.
    #[inline]
    pub fn at(now: Time) -> Feedback<'static> {
        Feedback {
            now,
            acked: &[],
            lost: &[],
            rtt: None,
            rate: None,
            in_flight_before: 0,
            in_flight: 0,
            una: 0,
            next: 0,
            outstanding: Outstanding::default(),
            window: 0,
            cwnd_limited: false,
            most_outstanding: 0,
            ecn: EcnDelta::default(),
            signal: None,
            totals: Totals::default(),
            srtt: Span::ZERO,
            ca_state: CaState::Open,
            congestion: None,
            undone: false,
            ended: None,
            probe_loss: false,
            resent_acked: false,
            duplicate: false,
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
    /// The answer of [`Controller::on_sent`](crate::Controller::on_sent) for that transmission.
    pub tag: Tag,
    /// True if the application had nothing more to send then.
    pub app_limited: bool,
    /// True if the window was what limited sending in the round that sent it (Linux
    /// `tcp_is_cwnd_limited`): only then may the window grow.
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
    /// The answer of [`Controller::on_sent`](crate::Controller::on_sent) for it.
    pub tag: Tag,
}

/// A delivery rate sample (draft-cheng-iccrg-delivery-rate-estimation-02; Linux
/// `net/ipv4/tcp_rate.c`): what was delivered since the *sampled* segment was sent, the newest that
/// this acknowledgement delivers.
#[derive(Clone, Copy, Debug)]
pub struct RateSample {
    /// Segments delivered since then, until now.
    pub delivered: u32,
    /// The longer of `send_interval` and `ack_interval`. `None` if that is shorter than the least
    /// round trip, which can only be an artefact: the sample says nothing of the rate.
    pub interval: Option<Span>,
    /// From the departure of the segment most recently acknowledged when the sampled one left, to
    /// the departure of the sampled one.
    pub send_interval: Span,
    /// From the latest delivery when the sampled segment left, until now.
    pub ack_interval: Span,
    /// The connection's delivered count when the sampled segment was sent.
    pub prior_delivered: u64,
    /// Packets that the receiver counted with CE since then.
    pub delivered_ce: u32,
    /// One past the sampled segment's number.
    pub end: u64,
    /// The sampled segment had been sent more than once.
    pub resent: bool,
    /// True if the sampled segment was sent while the application was the limit: a lower bound.
    pub app_limited: bool,
    /// True if the receiver probably delayed this acknowledgement: a single segment acknowledged
    /// alone, later than the known minimum.
    pub ack_delayed: bool,
}

impl RateSample {
    /// A sample of `delivered` segments over `interval`, of a segment sent when `prior_delivered`
    /// were delivered: nothing marked, nothing repeated, not limited by the application.
    #[inline]
    pub fn over(delivered: u32, interval: Span, prior_delivered: u64) -> RateSample {
        RateSample {
            delivered,
            interval: Some(interval),
            send_interval: interval,
            ack_interval: interval,
            prior_delivered,
            delivered_ce: 0,
            end: 0,
            resent: false,
            app_limited: false,
            ack_delayed: false,
        }
    }
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
///
/// ```text
///  +------+  SACKs or duplicates  +----------+
///  | Open |<--------------------->| Disorder |
///  +------+   the hole is filled  +----------+
///   ^  |  marks                     |      | losses proven
///   |  +----------> +-----+ <-------+      v
///   |               | Cwr |          +----------+
///   |<--------------+-----+--------->| Recovery |   all: the retransmission timer expires -> Loss
///   |  a window later                +----------+
///   +----- everything sent before is settled, or the reduction proves needless (also of Loss);
///          to Disorder while SACKs remain
/// ```
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

impl CaState {
    /// True if a connection may go from `before` to this state.
    pub fn may_follow(self, before: CaState) -> bool {
        match self {
            // An undo leads to disorder while SACKs remain.
            CaState::Open | CaState::Disorder | CaState::Loss => true,
            CaState::Cwr => matches!(before, CaState::Open | CaState::Disorder),
            // Numbered transmissions that left in recovery may be lost and reduce again.
            CaState::Recovery => true,
        }
    }
}

/// Why a reduction is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Congestion {
    /// Segments were declared lost.
    Loss,
    /// The receiver echoed marks.
    Mark,
}
