//! How an endpoint behaves, apart from its controller.

use narrows_units::{Bytes, Span};
use std::fmt;

/// The settings of a transport endpoint. The default is the preset `linux`: Linux 6.x on an
/// Ethernet path with default system settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Transport {
    /// Payload of a full segment. 1448 B: 1500 B less IPv4 and TCP headers with the timestamp
    /// option.
    pub mss: Bytes,
    /// Headers of a data packet, from IP on: 20 + 20 + 12 B. An acknowledgement is as large, plus
    /// its SACK option.
    pub headers: Bytes,
    /// Connections open with a handshake of one round trip, which the sender knows from then on
    /// (RFC 9293 section 3.5, RFC 6298 section 2.2).
    pub handshake: bool,
    /// Window before the first acknowledgement, in segments (RFC 6928).
    pub initial_window: u32,
    /// Least retransmission timeout. 200 ms in Linux (`TCP_RTO_MIN`), 1 s in RFC 6298.
    pub min_rto: Span,
    /// Retransmission timeout before the first round trip is known (RFC 6298 section 2.1).
    pub initial_rto: Span,
    /// Longest retransmission timeout after back-off (`TCP_RTO_MAX`).
    pub max_rto: Span,
    /// The numbers that acknowledgements name: of segments or of transmissions.
    pub acks: AckFormat,
    /// Full segments after which an acknowledgement must be sent (RFC 5681 section 4.2). 1
    /// acknowledges each packet.
    pub ack_every: u32,
    /// How long a single segment may wait for its acknowledgement (`TCP_DELACK_MIN`).
    pub ack_delay: Span,
    /// Segments at the start of a connection that are acknowledged one by one
    /// (`TCP_MAX_QUICKACKS`).
    pub quick_acks: u32,
    /// The receiver also acknowledges each segment while its window grows, as Linux's autotuning
    /// makes it grow (`tcp_grow_window`, `tcp_rcv_space_adjust`).
    pub receive_autotuning: bool,
    /// Segments that arrive in order within this time of the first of them are taken in together
    /// and acknowledged once, up to 64 kB: generic receive offload with interrupt coalescing
    /// (`rx-usecs`). Zero takes in each by itself.
    pub gro: Span,
    /// The receive buffer, in bytes of payload; `None` for no limit.
    pub receive_window: Option<Bytes>,
    /// How much a paced sender hands to the network card at once, to leave back to back.
    pub tso: Tso,
    /// Segments at the start of a connection, retransmissions too, that a paced sender sends
    /// without waiting: 10 in Linux (`tcp_update_skb_after_send`: the pacing rate delays what
    /// follows the tenth), 0 elsewhere. Not for numbered acknowledgements, which pace from the
    /// first on (RFC 9002 section 7.7).
    pub unpaced_start: u32,
    /// Selective acknowledgements (RFC 2018, RFC 2883). Without them duplicate acknowledgements are
    /// counted (RFC 6582).
    pub sack: bool,
    /// Time stamps (RFC 7323): a round trip from each acknowledgement, and knowledge of which
    /// transmission arrived. Their 12 B are part of `headers`.
    pub timestamps: bool,
    /// How the retransmission timeout follows from round trips.
    pub rto: RtoRule,
    /// Which acknowledgements give a round trip to the mean.
    pub rtt_samples: RttSamples,
    /// Round trips for the timeout are whole multiples of this, at least one; zero for exact ones.
    /// Controllers are told exact ones.
    pub tick: Span,
    /// The proof that a segment is lost.
    pub loss_detection: LossDetection,
    /// Segments that must arrive beyond a hole before it counts as lost (RFC 5681 section 3.2);
    /// with RACK, before it is lost without further waiting.
    pub dupthresh: u32,
    /// How a reduction takes effect while losses are repaired.
    pub recovery: RecoveryAlgorithm,
    /// Tail loss probes (RFC 8985 section 7).
    pub tail_loss_probe: bool,
    /// After a timeout only the first segment is repeated until it is clear whether the others were
    /// lost or late (RFC 5682).
    pub frto: bool,
    /// Reductions that prove needless are taken back (RFC 3522, RFC 3708).
    pub undo: bool,
    /// Acknowledgements that a receiver sends for each that is due, each of a further part of the
    /// data (ACK division: Savage, Cardwell, Wetherall and Anderson, TCP Congestion Control with a
    /// Misbehaving Receiver, CCR 29(5), 1999, section 2.1). 1 for an honest receiver.
    pub ack_pieces: u32,
    /// Most segments that a receiver acknowledges before they arrive (optimistic ACKs, section 2.3
    /// there); what is lost of them it never reports. 0 for an honest receiver.
    pub ack_ahead: u32,
}

/// The most that [`Transport::ack_pieces`] may be: ours, to bound the events of a run.
pub const MAX_ACK_PIECES: u32 = 100;

/// The numbers that acknowledgements name: of segments or of transmissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckFormat {
    /// Segments: all below a number, and ranges above it (TCP).
    Cumulative,
    /// Transmissions: each has a number of its own, retransmissions too, and an acknowledgement
    /// names the latest ranges that arrived (RFC 9000 section 13, and PCC in user space). Losses
    /// are found by count and time (RFC 9002 section 6.1), silence by probes (section 6.2).
    Numbered,
}

impl fmt::Display for AckFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AckFormat::Cumulative => "cumulative",
            AckFormat::Numbered => "numbered",
        })
    }
}

/// How much a paced sender hands to the network card at once (TCP segmentation offload).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tso {
    /// The quantum that the controller decides.
    Off,
    /// The pacing rate times 1/1024 s, at least two segments and at most 64 kB, or the controller's
    /// quantum if that is more (Linux `tcp_tso_autosize`).
    Auto,
    /// So much payload, or the controller's quantum if that is more.
    Fixed(Bytes),
}

/// Most that offload handles as one (Linux `GSO_LEGACY_MAX_SIZE`).
pub const MAX_OFFLOAD: Bytes = Bytes::new(65_536);

/// How the retransmission timeout follows from round trips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoRule {
    /// As Linux since 2.4 (`tcp_rtt_estimator`): the floor bounds the variation, which is the
    /// largest of late.
    Linux,
    /// RFC 6298: the mean and four variations, the floor bounds the sum.
    Rfc6298,
}

impl fmt::Display for RtoRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RtoRule::Linux => "linux",
            RtoRule::Rfc6298 => "rfc6298",
        })
    }
}

/// Which acknowledgements give a round trip to the mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RttSamples {
    /// Every one that can.
    Every,
    /// One per window of data: after a sample, none until all that was sent by then is
    /// acknowledged.
    OncePerWindow,
}

impl fmt::Display for RttSamples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RttSamples::Every => "every",
            RttSamples::OncePerWindow => "once-per-window",
        })
    }
}

/// The proof that a segment is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossDetection {
    /// Time: something sent later has arrived, and a reordering window has passed (RFC 8985).
    Rack,
    /// Count: `dupthresh` segments beyond it have arrived (RFC 6675 `IsLost`).
    Dupack,
    /// Distance: a segment `dupthresh` beyond it has arrived (forward acknowledgement, Mathis and
    /// Mahdavi, SIGCOMM 1996), until segments are seen to arrive out of order; then the count,
    /// grown to the distance seen, as in Linux 2.4.
    Fack,
}

impl fmt::Display for LossDetection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LossDetection::Rack => "rack",
            LossDetection::Dupack => "dupack",
            LossDetection::Fack => "fack",
        })
    }
}

/// How a reduction takes effect while losses are repaired, for controllers that leave this to the
/// transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryAlgorithm {
    /// Spread over the acknowledgements in proportion to deliveries (RFC 6937, Linux since 3.2).
    Prr,
    /// The same as RFC 9937 has it: in proportion to what was in flight. Only with SACK; its
    /// section 6 has a form for duplicate acknowledgements, too.
    Rfc9937,
    /// One segment less for every second acknowledgement, and never more than one beyond those in
    /// flight; afterwards slow start to where the controller wants the window (Linux 2.4
    /// `tcp_cwnd_down`).
    RateHalving,
    /// At once: nothing leaves until the flight is below the new window (RFC 6675; without SACK RFC
    /// 6582, NewReno).
    Pipe,
    /// At once, and recovery ends with the first acknowledgement of new data, whatever else is
    /// missing (RFC 5681; only without SACK).
    Reno,
}

impl fmt::Display for RecoveryAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RecoveryAlgorithm::Prr => "prr",
            RecoveryAlgorithm::Rfc9937 => "rfc9937",
            RecoveryAlgorithm::RateHalving => "rate-halving",
            RecoveryAlgorithm::Pipe => "pipe",
            RecoveryAlgorithm::Reno => "reno",
        })
    }
}

impl Transport {
    /// Linux 2.4 (2001 to 2004; `net/ipv4/tcp_input.c` of 2.4.20): FACK until reordering is seen,
    /// rate halving, undo by time stamps and duplicates, two segments at first (`snd_cwnd` of a
    /// connection without a history), a first timeout of 3 s, neither probes nor F-RTO.
    pub fn linux_2_4() -> Transport {
        Transport {
            initial_window: 2,
            initial_rto: Span::from_secs(3),
            unpaced_start: 0,
            receive_autotuning: false,
            loss_detection: LossDetection::Fack,
            recovery: RecoveryAlgorithm::RateHalving,
            tail_loss_probe: false,
            frto: false,
            ..Transport::default()
        }
    }

    /// The one-way TCP agents of ns-2.29 (October 2005; `tcl/lib/ns-default.tcl`): segments of 1000
    /// B with 40 B of headers, each acknowledged by itself, two at first; counted losses, a window
    /// that falls at once, a timeout by RFC 6298 from one round trip per window in ticks of 10 ms.
    /// As it is `TCP/Sack1`; without `sack` it is `TCP/Newreno`, with `RecoveryAlgorithm::Reno` as
    /// well `TCP/Reno`. With `ack_every` 2 the sink is `DelAck`.
    pub fn ns2_2005() -> Transport {
        Transport {
            mss: Bytes::new(1000),
            headers: Bytes::new(40),
            handshake: false,
            initial_window: 2,
            initial_rto: Span::from_secs(6),
            max_rto: Span::from_secs(100_000),
            ack_every: 1,
            ack_delay: Span::from_millis(100),
            quick_acks: 0,
            unpaced_start: 0,
            receive_autotuning: false,
            timestamps: false,
            rto: RtoRule::Rfc6298,
            rtt_samples: RttSamples::OncePerWindow,
            tick: Span::from_millis(10),
            loss_detection: LossDetection::Dupack,
            recovery: RecoveryAlgorithm::Pipe,
            tail_loss_probe: false,
            frto: false,
            undo: false,
            ..Transport::default()
        }
    }
}

impl Default for Transport {
    fn default() -> Transport {
        Transport {
            mss: Bytes::new(1448),
            headers: Bytes::new(52),
            handshake: true,
            initial_window: 10,
            min_rto: Span::from_millis(200),
            initial_rto: Span::from_secs(1),
            max_rto: Span::from_secs(120),
            acks: AckFormat::Cumulative,
            ack_every: 2,
            ack_delay: Span::from_millis(40),
            quick_acks: 16,
            receive_autotuning: true,
            gro: Span::ZERO,
            receive_window: None,
            tso: Tso::Off,
            unpaced_start: 10,
            sack: true,
            timestamps: true,
            rto: RtoRule::Linux,
            rtt_samples: RttSamples::Every,
            tick: Span::ZERO,
            loss_detection: LossDetection::Rack,
            dupthresh: 3,
            recovery: RecoveryAlgorithm::Prr,
            tail_loss_probe: true,
            frto: true,
            undo: true,
            ack_pieces: 1,
            ack_ahead: 0,
        }
    }
}
