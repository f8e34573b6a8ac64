//! Tables of links, before they are checked.

use crate::text::{At, OrUnlimited, Quantity, Share, parse_share};
use narrows_units::{Depth, Rate, Span};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// Defines the tables of a link and of its reverse direction from one list of the keys that both
/// directions have.
macro_rules! links {
    ($($(#[$doc:meta])* $key:ident: $type:ty,)*) => {
        /// A link: two-way with `between`, one-way with `from` and `to`.
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(rename = "Link")]
        pub(crate) struct RawLink {
            /// Name of the link. The reverse direction of a two-way link `x` is called `x.back`.
            pub name: At<String>,
            /// The two ends of a two-way link. Its forward direction leads from the first end to
            /// the second.
            pub between: Option<At<Vec<At<String>>>>,
            /// Node at which a one-way link begins.
            pub from: Option<At<String>>,
            /// Node at which a one-way link ends.
            pub to: Option<At<String>>,
            $($(#[$doc])* pub $key: Option<At<$type>>,)*
            /// Differences of the reverse direction of a two-way link. By default, that direction
            /// has the rate or trace, delay, buffer and queue of the forward direction, but no
            /// losses, no jitter, no reordering, no bursts and an unchanged ECN field.
            pub back: Option<At<RawBack>>,
        }

        /// Differences of the reverse direction of a two-way link.
        #[derive(Debug, Default, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(rename = "Back")]
        pub(crate) struct RawBack {
            $($(#[$doc])* pub $key: Option<At<$type>>,)*
        }

        /// The keys of one direction of a link.
        #[derive(Clone, Copy, Default)]
        pub(crate) struct Direction<'a> {
            $(pub $key: Option<&'a At<$type>>,)*
        }

        impl RawLink {
            /// Returns the keys of the forward direction.
            pub fn forward(&self) -> Direction<'_> {
                Direction { $($key: self.$key.as_ref(),)* }
            }
        }

        impl RawBack {
            /// Returns the keys written for the reverse direction.
            pub fn own(&self) -> Direction<'_> {
                Direction { $($key: self.$key.as_ref(),)* }
            }
        }
    };
}

links! {
    /// Transmission rate; "unlimited" for a link that only delays. Default: "unlimited".
    rate: OrUnlimited<Rate>,
    /// File of recorded capacity, instead of a rate. Its path is relative to the scenario file.
    /// Each line is the millisecond of a 1500-byte delivery opportunity (mahimahi), or
    /// "seconds,Mbit/s".
    trace: String,
    /// Propagation delay in one direction. Default: "0 s".
    delay: Quantity<Span>,
    /// Extra delay of each packet: "5 ms" for a uniform distribution from zero to 5 ms without
    /// reordering, or a table. Default: none.
    jitter: RawJitter,
    /// Reordering: some packets are late, and others overtake them. Default: none.
    reorder: RawReorder,
    /// Time between bursts of deliveries at the far end, as with the grants of a cable network or
    /// the frames of a wireless network. Default: none.
    aggregate: Quantity<Span>,
    /// Rate at which the packets of a burst follow each other; "unlimited" delivers all of them at
    /// once. Default: "1 Gbit/s", or the link's rate if that is greater.
    burst_rate: OrUnlimited<Rate>,
    /// Treatment of the ECN field of packets at the far end. Default: "keep".
    ecn: RawEcn,
    /// Losses before the queue, independent of congestion. Default: none.
    loss: RawLoss,
    /// Limit of the queue: "750 kB", "100 packets", "60 ms" (at the link's rate), "1.5 bdp" (the
    /// rate times the longest propagation round trip of the flows that cross the link), or
    /// "unlimited". The rate of a trace is its mean rate. Default: "unlimited".
    buffer: OrUnlimited<Depth>,
    /// Queue discipline with its parameters: "fifo", "codel?target=5&interval=100". Default:
    /// "fifo", or "priority" in an information-centric network.
    queue: String,
}

impl RawLink {
    /// Returns the reverse direction. Keys that `back` leaves out have the values of the forward
    /// direction, except that there is no jitter, reordering, aggregation or loss, and the ECN
    /// field is kept.
    pub fn reverse(&self) -> Direction<'_> {
        let (forward, own) = (
            self.forward(),
            self.back.as_ref().map_or(Direction::default(), |back| back.value.own()),
        );
        let capacity = if own.rate.is_some() || own.trace.is_some() { own } else { forward };
        Direction {
            rate: capacity.rate,
            trace: capacity.trace,
            delay: own.delay.or(forward.delay),
            buffer: own.buffer.or(forward.buffer),
            queue: own.queue.or(forward.queue),
            ..own
        }
    }
}

/// Treatment of the ECN field.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "EcnField")]
pub(crate) enum RawEcn {
    /// The field stays as it is.
    Keep,
    /// Every packet leaves as Not-ECT, which means not capable of ECN.
    Bleach,
    /// A packet marked CE leaves with the code point with which it was sent.
    Unmark,
}

/// Extra delay of each packet: "5 ms" for a uniform distribution from zero to 5 ms, or a table.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Jitter")]
pub(crate) enum RawJitter {
    /// Uniform from zero to this time, without reordering.
    Uniform(Quantity<Span>),
    /// A distribution, and `reorders` if packets may overtake each other.
    Spread(RawSpread),
}

impl<'de> Deserialize<'de> for RawJitter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawJitter, D::Error> {
        struct Jitter;
        impl<'de> Visitor<'de> for Jitter {
            type Value = RawJitter;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time; \"5 ms\" or { normal = \"5 ms\" }")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<RawJitter, E> {
                text.parse().map(|span| RawJitter::Uniform(Quantity(span))).map_err(E::custom)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawJitter, A::Error> {
                RawSpread::deserialize(MapAccessDeserializer::new(map)).map(RawJitter::Spread)
            }
        }
        deserializer.deserialize_any(Jitter)
    }
}

/// Distribution of the extra delay: one of `uniform`, `normal` and `wifi`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Spread")]
pub(crate) struct RawSpread {
    /// Uniform from zero to this time.
    pub uniform: Option<At<Quantity<Span>>>,
    /// Normal with this standard deviation, truncated at three standard deviations. The mean is
    /// three standard deviations, so that no packet comes too early (RFC 8868, section 4.5).
    pub normal: Option<At<Quantity<Span>>>,
    /// Wi-Fi beside other networks, with this nominal average, at most 91 ms: deferrals of 1 ms,
    /// and series of retransmissions for a share of the packets that grows from none at 1 ms to all
    /// (draft-huitema-ccwg-c4-test).
    pub wifi: Option<At<Quantity<Span>>>,
    /// True if packets may overtake each other. Default: false.
    pub reorders: Option<bool>,
}

/// Reordering: some packets are late, and others overtake them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table; { share = \"1 %\", delay = \"5 ms\" }")]
#[schemars(rename = "Reorder")]
pub(crate) struct RawReorder {
    /// Share of packets that are late: "1 %", or a probability.
    pub share: Share,
    /// Extra delay of late packets.
    pub delay: Quantity<Span>,
}

/// Losses: a share such as "1 %" or 0.01, or a table with the parameters of a loss model.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Loss")]
pub(crate) enum RawLoss {
    /// Each packet is lost with this probability, independently: "0.1 %".
    Share(Share),
    /// A table with the parameters of a loss model.
    Model(Box<RawLossModel>),
}

impl<'de> Deserialize<'de> for RawLoss {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawLoss, D::Error> {
        struct Loss;
        impl<'de> Visitor<'de> for Loss {
            type Value = RawLoss;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a share of packets; \"1 %\" or { probability = 0.01 }")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<RawLoss, E> {
                parse_share(text).map(|share| RawLoss::Share(Share(share))).map_err(E::custom)
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<RawLoss, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<RawLoss, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawLoss, A::Error> {
                RawLossModel::deserialize(MapAccessDeserializer::new(map))
                    .map(|model| RawLoss::Model(Box::new(model)))
            }
        }
        deserializer.deserialize_any(Loss)
    }
}

/// A loss model: either `probability`, or `every`, or the two states of the Gilbert-Elliott model.
/// The states have `to_bad` and `to_good` per packet, or `good_for` and `bad_for` in time, each
/// with `loss_good` and `loss_bad`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LossModel")]
pub(crate) struct RawLossModel {
    /// Each packet is lost with this probability, independently.
    pub probability: Option<At<f64>>,
    /// Number n: every n-th packet is lost.
    pub every: Option<At<u64>>,
    /// Probability of going from the good to the bad state after a packet.
    pub to_bad: Option<At<f64>>,
    /// Probability of going from the bad to the good state after a packet.
    pub to_good: Option<At<f64>>,
    /// Mean time in the good state, whether packets come or not. The times are exponentially
    /// distributed.
    pub good_for: Option<At<Quantity<Span>>>,
    /// Mean time in the bad state, whether packets come or not. The times are exponentially
    /// distributed.
    pub bad_for: Option<At<Quantity<Span>>>,
    /// Loss probability in the good state. Default: 0.
    pub loss_good: Option<At<f64>>,
    /// Loss probability in the bad state. Default: 1.
    pub loss_bad: Option<At<f64>>,
}
