//! Tables of transport settings, before they are checked.

use crate::text::{At, OrUnlimited, Quantity};
use narrows_units::{Bytes, Span};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Transport settings. A flow that names no preset starts from the scenario's `[transport]`.
/// Settings that neither table gives have the value of the preset.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Transport")]
pub(crate) struct RawTransport {
    /// Preset to start from. Default: the scenario's preset, or "linux" if the scenario has none.
    pub preset: Option<RawPreset>,
    /// Payload of a full segment. Linux on Ethernet: "1448 B".
    pub mss: Option<At<Quantity<Bytes>>>,
    /// Size of the headers of a data packet, from the IP header on. Linux: "52 B".
    pub headers: Option<At<Quantity<Bytes>>>,
    /// True if connections open with a handshake of one round trip. Linux: true.
    pub handshake: Option<bool>,
    /// Initial window: segments that may be sent before the first acknowledgement. Linux: 10.
    pub initial_window: Option<At<u32>>,
    /// Least retransmission timeout. Linux: "200 ms".
    pub min_rto: Option<At<Quantity<Span>>>,
    /// Retransmission timeout before the first round-trip sample. Linux: "1 s".
    pub initial_rto: Option<At<Quantity<Span>>>,
    /// Longest retransmission timeout. Linux: "120 s".
    pub max_rto: Option<At<Quantity<Span>>>,
    /// Numbers that acknowledgements carry: of segments or of transmissions. Default: "cumulative",
    /// or "numbered" for PCC in user space.
    pub acks: Option<At<RawAcks>>,
    /// Number of full segments after which the receiver must send an acknowledgement. Linux: 2, or
    /// 1 if a controller chooses numbered acknowledgements.
    pub ack_every: Option<At<u32>>,
    /// Longest delay of the acknowledgement of a single segment. Linux: "40 ms".
    pub ack_delay: Option<At<Quantity<Span>>>,
    /// Number of segments at the start that are acknowledged one by one. Linux: 16.
    pub quick_acks: Option<u32>,
    /// True if the receiver also acknowledges each segment while its window grows as with Linux's
    /// autotuning. Linux: true.
    pub receive_autotuning: Option<bool>,
    /// Receive offload and interrupt coalescing: segments that arrive in order within this time of
    /// the first of them are received together and acknowledged once. At most "10 ms". Default:
    /// "0 s", which receives each segment by itself.
    pub gro: Option<At<Quantity<Span>>>,
    /// Size of the receive buffer; "unlimited" for no limit. Default: "unlimited".
    pub receive_window: Option<At<OrUnlimited<Bytes>>>,
    /// Amount of data that a paced sender hands to the network card at once, to be sent back to
    /// back: "off" for the amount that the controller sets, "auto" for 1/1024 s at the pacing rate
    /// as in Linux, or a size such as "64 kB". Default: "off".
    pub tso: Option<At<RawTso>>,
    /// Number of segments at the start of a connection that are sent without pacing. Linux: 10.
    /// With numbered acknowledgements, pacing begins with the first segment.
    pub unpaced_start: Option<u32>,
    /// Selective acknowledgements (SACK). Linux: true.
    pub sack: Option<At<bool>>,
    /// Timestamps: each acknowledgement gives a round-trip sample, and the sender knows which
    /// transmission arrived. Linux: true.
    pub timestamps: Option<bool>,
    /// Rule that computes the retransmission timeout from round-trip samples. Default: "linux".
    pub rto: Option<RawRto>,
    /// Acknowledgements that give a sample for the smoothed round trip. Linux: "every".
    pub rtt_samples: Option<RawRttSamples>,
    /// Clock granularity: samples for the smoothed round trip are whole multiples of this time;
    /// "0 s" for exact samples. Linux: "0 s".
    pub tick: Option<At<Quantity<Span>>>,
    /// Rule that declares a segment lost. Linux: "rack".
    pub loss_detection: Option<At<RawLossDetection>>,
    /// Number of segments that must arrive beyond a hole before the hole counts as lost, from 1 to
    /// 127. Linux: 3.
    pub dupthresh: Option<At<u32>>,
    /// Algorithm that carries out a window reduction during loss recovery. Linux: "prr".
    pub recovery: Option<At<RawRecovery>>,
    /// Tail loss probes. Linux: true.
    pub tail_loss_probe: Option<bool>,
    /// F-RTO: after a timeout, only the first segment is retransmitted until it is clear whether
    /// the others were lost or late. Linux: true.
    pub frto: Option<bool>,
    /// True if window reductions that prove spurious are undone. Linux: true.
    pub undo: Option<bool>,
    /// Misbehaving receiver (ACK division): number of acknowledgements that it sends for each one
    /// that is due, each of a further part of the data. From 1 to 100; an honest receiver: 1.
    pub ack_pieces: Option<At<u32>>,
    /// Misbehaving receiver (optimistic ACKs): most segments that it acknowledges before they
    /// arrive. It never reports which of them are lost. Needs `receive_window`. An honest receiver:
    /// 0.
    pub ack_ahead: Option<At<u32>>,
}

/// Numbers that acknowledgements carry.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Acks")]
pub(crate) enum RawAcks {
    /// Numbers of segments: all below a number, and ranges above it (TCP).
    Cumulative,
    /// Numbers of transmissions; each transmission has its own (QUIC, PCC in user space). Losses
    /// are detected by count and time, and probes are sent after silence (RFC 9002).
    Numbered,
}

/// Rule that computes the retransmission timeout from round-trip samples.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Rto")]
pub(crate) enum RawRto {
    /// The minimum bounds the variation, which is the largest recent one.
    Linux,
    /// The smoothed round trip plus four times the variation. The minimum bounds the sum
    /// (RFC 6298).
    Rfc6298,
}

/// Acknowledgements that give a sample for the smoothed round trip.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "RttSamples")]
pub(crate) enum RawRttSamples {
    /// Every acknowledgement that can give one.
    Every,
    /// One acknowledgement per window of data.
    OncePerWindow,
}

/// Amount of data that a paced sender hands to the network card at once.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Tso")]
pub(crate) enum RawTso {
    /// "off" or "auto".
    Word(RawTsoWord),
    /// An amount of payload.
    Size(Quantity<Bytes>),
}

impl<'de> Deserialize<'de> for RawTso {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawTso, D::Error> {
        String::deserialize(deserializer).and_then(|text| match text.as_str() {
            "off" => Ok(RawTso::Word(RawTsoWord::Off)),
            "auto" => Ok(RawTso::Word(RawTsoWord::Auto)),
            size => size.parse().map(|size| RawTso::Size(Quantity(size))).map_err(D::Error::custom),
        })
    }
}

/// An amount that is not a fixed size.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "TsoWord")]
pub(crate) enum RawTsoWord {
    /// The amount that the controller sets.
    Off,
    /// The amount that the pacing rate gives in 1/1024 s.
    Auto,
}

/// Rule that declares a segment lost.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "LossDetection")]
pub(crate) enum RawLossDetection {
    /// Time: a segment that was sent later has arrived, and a reordering window has passed
    /// (RFC 8985).
    Rack,
    /// Count: `dupthresh` segments beyond the missing one have arrived (RFC 6675).
    Dupack,
    /// Distance: a segment `dupthresh` beyond the missing one has arrived. This rule holds until
    /// reordering is seen (Linux 2.4).
    Fack,
}

/// Algorithm that carries out a window reduction during loss recovery.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Recovery")]
pub(crate) enum RawRecovery {
    /// Reduces in proportion to the data delivered, as a share of the window (RFC 6937 as in
    /// Linux).
    Prr,
    /// Reduces in proportion to the data delivered, as a share of the data in flight (RFC 9937).
    Rfc9937,
    /// Reduces by one segment for every second acknowledgement, then slow start follows (Linux
    /// 2.4).
    RateHalving,
    /// Reduces at once: nothing is sent until the data in flight is below the new window (RFC 6675;
    /// without SACK RFC 6582, NewReno).
    Pipe,
    /// Reduces at once, and recovery ends with the first acknowledgement of new data (RFC 5681).
    /// Only without SACK.
    Reno,
}

/// A complete set of transport settings.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Preset")]
pub(crate) enum RawPreset {
    /// Linux 6.x with its default settings.
    Linux,
    /// Linux 2.4.
    #[serde(rename = "linux-2.4")]
    Linux24,
    /// The one-way TCP agents of ns-2.29.
    #[serde(rename = "ns2-2005")]
    Ns2,
}
