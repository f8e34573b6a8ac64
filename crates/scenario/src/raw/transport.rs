//! Settings of the transport, unchecked.

use crate::text::{At, OrUnlimited, Quantity};
use narrows_units::{Bytes, Span};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// The transport's settings. A flow that names no preset begins with the scenario's `[transport]`; what neither sets is as the preset has
/// it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Transport")]
pub(crate) struct RawTransport {
    /// The settings to begin with. Default: the scenario's, "linux" without any.
    pub preset: Option<RawPreset>,
    /// Payload of a full segment. Linux on Ethernet: "1448 B".
    pub mss: Option<At<Quantity<Bytes>>>,
    /// Headers of a data packet, from IP on. Linux: "52 B".
    pub headers: Option<At<Quantity<Bytes>>>,
    /// Connections open with a handshake of one round trip. Linux: true.
    pub handshake: Option<bool>,
    /// Segments that may be sent before the first acknowledgement. Linux: 10.
    pub initial_window: Option<At<u32>>,
    /// Least retransmission timeout. Linux: "200 ms".
    pub min_rto: Option<At<Quantity<Span>>>,
    /// Retransmission timeout before the first round trip is known. Linux: "1 s".
    pub initial_rto: Option<At<Quantity<Span>>>,
    /// Longest retransmission timeout. Linux: "120 s".
    pub max_rto: Option<At<Quantity<Span>>>,
    /// What acknowledgements name. Default: "cumulative"; "numbered" for PCC in user space.
    pub acks: Option<At<RawAcks>>,
    /// Full segments after which an acknowledgement must be sent. Linux: 2; where a controller chose numbered acknowledgements: 1.
    pub ack_every: Option<At<u32>>,
    /// How long a single segment may wait for its acknowledgement. Linux: "40 ms".
    pub ack_delay: Option<At<Quantity<Span>>>,
    /// Segments at the start that are acknowledged one by one. Linux: 16.
    pub quick_acks: Option<u32>,
    /// The receiver also acknowledges each segment while its window grows, as Linux's autotuning makes it grow. Linux: true.
    pub receive_autotuning: Option<bool>,
    /// Segments that arrive in order within this time of the first of them are taken in together and acknowledged once: receive offload and
    /// interrupt coalescing. Default: "0 s", each by itself.
    pub gro: Option<At<Quantity<Span>>>,
    /// What the receiver can hold; "unlimited" for everything. Default: "unlimited".
    pub receive_window: Option<At<OrUnlimited<Bytes>>>,
    /// How much a paced sender hands to the network card at once, to leave back to back: "off" for what the controller says, "auto" for
    /// what its rate gives in 1/1024 s as Linux has it, or a size such as "64 kB". Default: "off".
    pub tso: Option<At<RawTso>>,
    /// Segments at the start of a connection that leave without pacing. Linux: 10. Numbered acknowledgements pace from the first on.
    pub unpaced_start: Option<u32>,
    /// Selective acknowledgements. Linux: true.
    pub sack: Option<At<bool>>,
    /// Time stamps: a round trip from each acknowledgement, and knowledge of which transmission arrived. Linux: true.
    pub timestamps: Option<bool>,
    /// How the retransmission timeout follows from round trips. Default: "linux".
    pub rto: Option<RawRto>,
    /// Which acknowledgements give a round trip to the mean. Linux: "every".
    pub rtt_samples: Option<RawRttSamples>,
    /// Round trips for the mean are whole multiples of this; "0 s" for exact ones. Linux: "0 s".
    pub tick: Option<At<Quantity<Span>>>,
    /// What proves a segment lost. Linux: "rack".
    pub loss_detection: Option<At<RawLossDetection>>,
    /// Segments that must arrive beyond a hole before it counts as lost. Linux: 3.
    pub dupthresh: Option<At<u32>>,
    /// How a reduction takes effect while losses are repaired. Linux: "prr".
    pub recovery: Option<At<RawRecovery>>,
    /// Tail loss probes. Linux: true.
    pub tail_loss_probe: Option<bool>,
    /// After a timeout, only the first segment is repeated until it is clear whether the others were lost or late (F-RTO). Linux: true.
    pub frto: Option<bool>,
    /// Reductions that prove needless are taken back. Linux: true.
    pub undo: Option<bool>,
    /// A receiver that lies: for each acknowledgement that is due it sends so many, each of a further part of the data (ACK division). An honest
    /// one: 1.
    pub ack_pieces: Option<At<u32>>,
    /// A receiver that lies: it acknowledges up to so many segments before they arrive, and never reports those lost (optimistic ACKs). Needs
    /// a receive_window. An honest one: 0.
    pub ack_ahead: Option<At<u32>>,
}

/// What acknowledgements name.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Acks")]
pub(crate) enum RawAcks {
    /// Segments: all below a number, and ranges above it (TCP).
    Cumulative,
    /// Transmissions, each with a number of its own (QUIC, PCC in user space); losses by count and time, probes after silence (RFC 9002).
    Numbered,
}

/// How the retransmission timeout follows from round trips.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Rto")]
pub(crate) enum RawRto {
    /// The floor bounds the variation, which is the largest of late.
    Linux,
    /// The mean and four variations; the floor bounds the sum (RFC 6298).
    Rfc6298,
}

/// Which acknowledgements give a round trip to the mean.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "RttSamples")]
pub(crate) enum RawRttSamples {
    /// Every one that can.
    Every,
    /// One per window of data.
    OncePerWindow,
}

/// How much a paced sender hands to the network card at once.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Tso")]
pub(crate) enum RawTso {
    /// "off" or "auto".
    Word(RawTsoWord),
    /// So much payload.
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

/// Without a size.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "TsoWord")]
pub(crate) enum RawTsoWord {
    /// What the controller says.
    Off,
    /// What the rate gives in 1/1024 s.
    Auto,
}

/// What proves a segment lost.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "LossDetection")]
pub(crate) enum RawLossDetection {
    /// Time: something sent later has arrived, and a reordering window has passed (RFC 8985).
    Rack,
    /// Count: `dupthresh` segments beyond it have arrived (RFC 6675).
    Dupack,
    /// Distance: a segment `dupthresh` beyond it has arrived, until reordering is seen (Linux 2.4).
    Fack,
}

/// How a reduction takes effect while losses are repaired.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Recovery")]
pub(crate) enum RawRecovery {
    /// In proportion to what is delivered (RFC 6937, as Linux has it: of the window).
    Prr,
    /// In proportion to what is delivered of the data in flight (RFC 9937); only with SACK.
    Rfc9937,
    /// One segment less for every second acknowledgement, then slow start (Linux 2.4).
    RateHalving,
    /// At once: nothing leaves until the flight is below the new window (RFC 6675; without SACK RFC 6582, NewReno).
    Pipe,
    /// At once, and recovery ends with the first acknowledgement of new data (RFC 5681); only without SACK.
    Reno,
}

/// A complete set of transport settings.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Preset")]
pub(crate) enum RawPreset {
    /// What Linux 6.x does with its default settings.
    Linux,
    /// What Linux 2.4 did.
    #[serde(rename = "linux-2.4")]
    Linux24,
    /// What the one-way TCP agents of ns-2.29 do.
    #[serde(rename = "ns2-2005")]
    Ns2,
}
