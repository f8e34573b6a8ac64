//! Links, unchecked.

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
            /// Its name; the reverse direction of a two-way link `x` is called `x.back`.
            pub name: At<String>,
            /// The two ends of a two-way link; its forward direction leads from the first to the second.
            pub between: Option<At<Vec<At<String>>>>,
            /// Where a one-way link begins.
            pub from: Option<At<String>>,
            /// Where a one-way link ends.
            pub to: Option<At<String>>,
            $($(#[$doc])* pub $key: Option<At<$type>>,)*
            /// What is different in the reverse direction of a two-way link. Left out, it has the same rate or trace, delay, buffer and
            /// queue, but no losses, no jitter, no reordering, no bursts and an untouched ECN field.
            pub back: Option<At<RawBack>>,
        }

        /// What is different in the reverse direction of a two-way link.
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
    /// How fast it sends; "unlimited" or left out for a link that only delays.
    rate: OrUnlimited<Rate>,
    /// A file of recorded capacity instead of a rate, relative to the scenario's: one millisecond per line for each 1500-byte delivery
    /// opportunity (mahimahi), or lines "seconds,Mbit/s".
    trace: String,
    /// Propagation delay in one direction. Default: "0 s".
    delay: Quantity<Span>,
    /// Extra delay of each packet: "5 ms" for a uniform draw from zero to this without reordering, or a table. Default: none.
    jitter: RawJitter,
    /// Some packets are late, and others overtake them. Default: none.
    reorder: RawReorder,
    /// Deliveries at the far end come in bursts, one in each such time, as with the grants of a cable network or the frames of a wireless
    /// one. Default: none.
    aggregate: Quantity<Span>,
    /// The rate at which the packets of a burst follow each other; "unlimited" for all at once. Default: "1 Gbit/s", or the
    /// link's rate if that is greater.
    burst_rate: OrUnlimited<Rate>,
    /// What becomes of the ECN field of packets at the far end. Default: "keep".
    ecn: RawEcn,
    /// Losses before the queue that have nothing to do with congestion. Default: none.
    loss: RawLoss,
    /// What its queue holds: "750 kB", "100 packets", "60 ms" (at the link's rate), "1.5 bdp" (rate times the longest round trip of the
    /// flows that cross it, counting propagation), or "unlimited". On a trace its mean rate counts. Default: "unlimited".
    buffer: OrUnlimited<Depth>,
    /// The queue discipline with its parameters: "fifo", "codel?target=5&interval=100". Default: "fifo", and
    /// "priority" in an information-centric network.
    queue: String,
}

impl RawLink {
    /// Returns the reverse direction. Keys that `back` leaves out are those of the forward
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

/// What becomes of the ECN field.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "EcnField")]
pub(crate) enum RawEcn {
    /// Nothing.
    Keep,
    /// Every packet leaves as not capable of ECN.
    Bleach,
    /// A packet marked CE leaves with the code point with which it was sent.
    Unmark,
}

/// Extra delay of each packet: "5 ms" for a uniform draw from zero to this, or a table.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Jitter")]
pub(crate) enum RawJitter {
    /// Uniform from zero to this, without reordering.
    Uniform(Quantity<Span>),
    /// A distribution, and whether packets may overtake.
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

/// Either `uniform` or `normal`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Spread")]
pub(crate) struct RawSpread {
    /// Uniform from zero to this.
    pub uniform: Option<At<Quantity<Span>>>,
    /// Normal with this standard deviation, truncated at three of them, and a mean of three of them so that nothing comes too early (RFC
    /// 8868, section 4.5).
    pub normal: Option<At<Quantity<Span>>>,
    /// Packets may overtake each other. Default: false.
    pub reorders: Option<bool>,
}

/// Some packets are late, and others overtake them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table; { share = \"1 %\", delay = \"5 ms\" }")]
#[schemars(rename = "Reorder")]
pub(crate) struct RawReorder {
    /// The share of packets that are late: "1 %", or a probability.
    pub share: Share,
    /// How late they are.
    pub delay: Quantity<Span>,
}

/// Losses: a share such as "1 %" or 0.01, or a table with the model's parameters.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Loss")]
pub(crate) enum RawLoss {
    /// Each packet with this probability, independently: "0.1 %".
    Share(Share),
    /// A table with the model's parameters.
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

/// Either `probability`, or `every`, or the states of Gilbert and Elliott: `to_bad` and `to_good` per packet, or `good_for` and `bad_for` in time,
/// each with `loss_good` and `loss_bad`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LossModel")]
pub(crate) struct RawLossModel {
    /// Each packet is lost with this probability, independently.
    pub probability: Option<At<f64>>,
    /// Every n-th packet is lost.
    pub every: Option<At<u64>>,
    /// Probability of going from the good to the bad state after a packet.
    pub to_bad: Option<At<f64>>,
    /// Probability of going from the bad to the good state after a packet.
    pub to_good: Option<At<f64>>,
    /// Mean time in the good state, whether packets come or not; times are exponentially distributed.
    pub good_for: Option<At<Quantity<Span>>>,
    /// Mean time in the bad state.
    pub bad_for: Option<At<Quantity<Span>>>,
    /// Loss probability in the good state. Default: 0.
    pub loss_good: Option<At<f64>>,
    /// Loss probability in the bad state. Default: 1.
    pub loss_bad: Option<At<f64>>,
}
