//! Values with their place in the file, and quantities with units, for serde.

use narrows_units::{Bytes, Depth, Rate, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::ops::Range;
use std::str::FromStr;

/// A value and its byte range in the file.
#[derive(Clone, Debug)]
pub struct At<T> {
    /// The range.
    pub span: Range<usize>,
    /// The value.
    pub value: T,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<At<T>, D::Error> {
        let spanned = toml::Spanned::<T>::deserialize(deserializer)?;
        Ok(At { span: spanned.span(), value: spanned.into_inner() })
    }
}

impl<T: JsonSchema> JsonSchema for At<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<T: Ord> Ord for At<T> {
    fn cmp(&self, other: &At<T>) -> Ordering {
        self.value.cmp(&other.value)
    }
}

impl<T: Ord> PartialOrd for At<T> {
    fn partial_cmp(&self, other: &At<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> Eq for At<T> {}

impl<T: Ord> PartialEq for At<T> {
    fn eq(&self, other: &At<T>) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

/// A quantity that is written as a number and a unit.
pub trait Written: FromStr<Err: Display> {
    /// Name in the JSON Schema.
    const NAME: &'static str;
    /// Pattern that editors accept.
    const PATTERN: &'static str;
    /// Examples in the JSON Schema; errors show the first.
    const EXAMPLES: &'static [&'static str];
}

impl Written for Span {
    const NAME: &'static str = "Duration";
    const PATTERN: &'static str = r"^\s*[0-9._]+\s*(ns|us|µs|ms|s|sec|min|h)\s*$";
    const EXAMPLES: &'static [&'static str] = &["30 ms", "1.5 s"];
}

impl Written for Rate {
    const NAME: &'static str = "Rate";
    const PATTERN: &'static str =
        r"^\s*[0-9._]+\s*([kMG]?bit(/s)?|[kMG]?bps|[MG]b/s|[kMG]?B/s)\s*$";
    const EXAMPLES: &'static [&'static str] = &["100 Mbit/s", "1.5 Gbit/s"];
}

impl Written for Bytes {
    const NAME: &'static str = "Bytes";
    const PATTERN: &'static str = r"^\s*[0-9._]+\s*(B|bytes?|[kKMGT]B|[KMG]iB)\s*$";
    const EXAMPLES: &'static [&'static str] = &["1500 B", "750 kB"];
}

impl Written for Depth {
    const NAME: &'static str = "Depth";
    const PATTERN: &'static str = r"^\s*[0-9._]+\s*\S+\s*$";
    const EXAMPLES: &'static [&'static str] = &["750 kB", "100 packets", "60 ms", "1.5 bdp"];
}

/// A time or a size.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    Time(Span),
    Size(Bytes),
}

impl FromStr for Extent {
    type Err = String;
    fn from_str(text: &str) -> Result<Extent, String> {
        let time = text.parse().map(Extent::Time);
        let fail = format!(
            "\"{text}\" is neither a time nor a size; write for example \"2 s\" or \"500 kB\""
        );
        time.or_else(|_| text.parse().map(Extent::Size)).map_err(|_| fail)
    }
}

impl Written for Extent {
    const NAME: &'static str = "TimeOrSize";
    const PATTERN: &'static str =
        r"^\s*[0-9._]+\s*(ns|us|µs|ms|s|sec|min|h|B|bytes?|[kKMGT]B|[KMG]iB)\s*$";
    const EXAMPLES: &'static [&'static str] = &["2 s", "500 kB"];
}

/// A frequency, in events per second.
#[derive(Clone, Copy, Debug)]
pub struct Frequency(pub f64);

impl FromStr for Frequency {
    type Err = String;
    fn from_str(text: &str) -> Result<Frequency, String> {
        let fail = || {
            format!("\"{text}\" does not say how often; write for example \"20/s\" or \"90/min\"")
        };
        let (number, unit) = text.split_once('/').ok_or_else(fail)?;
        let seconds = match unit.trim() {
            "s" => 1.0,
            "min" => 60.0,
            _ => return Err(fail()),
        };
        match number.trim().parse::<f64>() {
            Ok(number) if number.is_finite() && number > 0.0 => Ok(Frequency(number / seconds)),
            _ => Err(fail()),
        }
    }
}

impl Written for Frequency {
    const NAME: &'static str = "Frequency";
    const PATTERN: &'static str = r"^\s*[0-9._]+\s*/\s*(s|min)\s*$";
    const EXAMPLES: &'static [&'static str] = &["20/s", "90/min"];
}

/// A share of a link, written in percent; it may exceed 100 %.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load(pub f64);

impl<'de> Deserialize<'de> for Load {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Load, D::Error> {
        struct Percent(f64);
        impl FromStr for Percent {
            type Err = String;
            fn from_str(text: &str) -> Result<Percent, String> {
                parse_load(text).map(Percent)
            }
        }
        deserializer
            .deserialize_any(Reading::<Percent>::like("60 %"))
            .map(|percent| Load(percent.0))
    }
}

/// Reads a load: a percentage above zero, as a share.
///
/// # Errors
/// The text is no such percentage; the message gives an example.
pub fn parse_load(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let share = number.filter(|percent| percent.is_finite() && *percent > 0.0);
    share.map(|percent| percent / 100.0).ok_or_else(|| {
        format!("\"{text}\" is not a percentage above zero; write for example \"60 %\"")
    })
}

impl JsonSchema for Load {
    fn schema_name() -> Cow<'static, str> {
        "Load".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": r"^\s*[0-9.]+\s*%\s*$", "examples": ["60 %"] })
    }
}

/// A quantity read from a string. A bare number is refused like any other text without a unit.
#[derive(Clone, Copy, Debug)]
pub struct Quantity<T>(pub T);

impl<'de, T: Written> Deserialize<'de> for Quantity<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Quantity<T>, D::Error> {
        deserializer.deserialize_any(Reading::<T>::like(T::EXAMPLES[0])).map(Quantity)
    }
}

impl<T: Written> JsonSchema for Quantity<T> {
    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": T::PATTERN, "examples": T::EXAMPLES })
    }
}

/// A quantity, or `None` for the word "unlimited".
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrUnlimited<T>(pub Option<T>);

impl<'de, T: Written> Deserialize<'de> for OrUnlimited<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OrUnlimited<T>, D::Error> {
        deserializer
            .deserialize_any(Reading::<Limitable<T>>::like(T::EXAMPLES[0]))
            .map(|read| OrUnlimited(read.0))
    }
}

impl<T: Written> JsonSchema for OrUnlimited<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}OrUnlimited", T::NAME).into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "const": "unlimited" }, { "type": "string", "pattern": T::PATTERN, "examples": T::EXAMPLES }] })
    }
}

struct Limitable<T>(Option<T>);

impl<T: Written> FromStr for Limitable<T> {
    type Err = T::Err;
    fn from_str(text: &str) -> Result<Limitable<T>, T::Err> {
        if text == "unlimited" {
            Ok(Limitable(None))
        } else {
            text.parse().map(|value| Limitable(Some(value)))
        }
    }
}

/// Parses a string, or the text of a number.
struct Reading<T> {
    /// Example that errors show.
    example: &'static str,
    read: PhantomData<T>,
}

impl<T> Reading<T> {
    fn like(example: &'static str) -> Reading<T> {
        Reading { example, read: PhantomData }
    }
}

impl<T: FromStr<Err: Display>> Visitor<'_> for Reading<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number with its unit in quotes; \"{}\"", self.example)
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
}

/// A share of packets, as [`parse_share`] reads it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share(pub f64);

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Share, D::Error> {
        struct Percent;
        impl Visitor<'_> for Percent {
            type Value = Share;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a share of packets; \"1 %\"")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Share, E> {
                parse_share(text).map(Share).map_err(E::custom)
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Share, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Share, E> {
                self.visit_str(&number.to_string())
            }
        }
        deserializer.deserialize_any(Percent)
    }
}

impl JsonSchema for Share {
    fn schema_name() -> Cow<'static, str> {
        "Share".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "string", "pattern": r"^\s*[0-9.eE+-]+\s*%\s*$", "examples": ["1 %"] },
            { "type": "number", "minimum": 0, "exclusiveMaximum": 1 }
        ] })
    }
}

/// Reads a share of packets: "1 %", or as a probability, 0.01. Refuses a probability of 1 or more,
/// because it could be meant in percent.
///
/// # Errors
/// The text is not a share; the message says why and gives an example.
pub fn parse_share(text: &str) -> Result<f64, String> {
    let fail = |reason: &str| {
        format!("\"{text}\" is not a share of packets: {reason}; write for example \"1 %\"")
    };
    let (number, percent) = match text.trim().strip_suffix('%') {
        Some(number) => (number.trim(), true),
        None => (text.trim(), false),
    };
    match (number.parse::<f64>(), percent) {
        (Ok(share), true) if (0.0..=100.0).contains(&share) => Ok(share / 100.0),
        (Ok(share), false) if (0.0..1.0).contains(&share) => Ok(share),
        (Ok(1.0), false) => {
            Err("\"1\" may mean all packets or 1 % of them; write \"100 %\" or \"1 %\"".to_owned())
        }
        (Ok(share), false) if share > 1.0 && share <= 100.0 => {
            Err(format!("\"{text}\" is no probability; write \"{number} %\""))
        }
        (Ok(_), _) => Err(fail("it is not between 0 % and 100 %")),
        (Err(_), _) => Err(fail("it is not a number")),
    }
}
