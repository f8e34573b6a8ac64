//! Reads cells that are written as labels of axes.

use crate::text::{At, Quantity};
use narrows_units::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// One name or several.
#[derive(Clone, Debug)]
pub(crate) struct RawNames(pub Vec<At<String>>);

impl<'de> Deserialize<'de> for RawNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawNames, D::Error> {
        let node = At::<Node>::deserialize(deserializer)?;
        match node.value {
            Node::Labels(labels) => Ok(RawNames(
                labels.into_iter().map(|label| label.unwrap_or_at(&node.span)).collect(),
            )),
            Node::Below(_) => {
                Err(D::Error::custom("names are expected here; write for example [\"long\"]"))
            }
        }
    }
}

impl JsonSchema for RawNames {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Names".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] })
    }
}

/// Places on axes: the path of each axis, with labels.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawPlaces(pub Vec<(At<String>, Vec<At<String>>)>);

/// Places on axes, with the keys that a comparison can change.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawThan {
    pub places: RawPlaces,
    pub metric: Option<At<String>>,
    pub flows: Option<RawNames>,
    pub link: Option<At<String>>,
    pub window: Option<At<Vec<Quantity<Span>>>>,
}

/// A label or labels, or a table of them: the path of an axis may be written `"flow.a.start"` or
/// `flow.a.start`.
#[derive(Clone, Debug)]
enum Node {
    Labels(Vec<Label>),
    Below(BTreeMap<At<String>, At<Node>>),
}

/// A label, with its place in the file if it is in a list.
#[derive(Clone, Debug)]
struct Label {
    text: String,
    span: Option<std::ops::Range<usize>>,
}

impl Label {
    fn unwrap_or_at(self, span: &std::ops::Range<usize>) -> At<String> {
        At { span: self.span.unwrap_or_else(|| span.clone()), value: self.text }
    }
}

/// A text, or the text of a number.
struct Scalar(String);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
        match Node::deserialize(deserializer)? {
            Node::Labels(mut labels) if labels.len() == 1 && labels[0].span.is_none() => {
                Ok(Scalar(labels.remove(0).text))
            }
            _ => Err(D::Error::custom("a label is expected here; write for example \"cubic\"")),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        struct Reading;
        fn one(text: String) -> Node {
            Node::Labels(vec![Label { text, span: None }])
        }
        impl<'de> Visitor<'de> for Reading {
            type Value = Node;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a label or a list of labels; \"cubic\" or [\"cubic\", \"bbr\"]")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
                Ok(one(text.to_owned()))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Node, E> {
                Ok(one(number.to_string()))
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Node, E> {
                Ok(one(format!("{number:?}")))
            }
            fn visit_bool<E: Error>(self, flag: bool) -> Result<Node, E> {
                Ok(one(flag.to_string()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Node, A::Error> {
                let labels = Vec::<At<Scalar>>::deserialize(SeqAccessDeserializer::new(list))?;
                Ok(Node::Labels(
                    labels
                        .into_iter()
                        .map(|label| Label { text: label.value.0, span: Some(label.span) })
                        .collect(),
                ))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Node, A::Error> {
                BTreeMap::deserialize(MapAccessDeserializer::new(map)).map(Node::Below)
            }
        }
        deserializer.deserialize_any(Reading)
    }
}

/// Lists the labels below `above` by axis.
fn flatten(
    above: Option<&At<String>>,
    nodes: BTreeMap<At<String>, At<Node>>,
    all: &mut Vec<(At<String>, Vec<At<String>>)>,
) {
    for (key, node) in nodes {
        let name = match above {
            None => key,
            Some(above) => At {
                span: above.span.start..key.span.end,
                value: format!("{}.{}", above.value, key.value),
            },
        };
        match node.value {
            Node::Labels(labels) => all.push((
                name,
                labels.into_iter().map(|label| label.unwrap_or_at(&node.span)).collect(),
            )),
            Node::Below(inner) => flatten(Some(&name), inner, all),
        }
    }
}

impl<'de> Deserialize<'de> for RawPlaces {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawPlaces, D::Error> {
        let nodes = BTreeMap::<At<String>, At<Node>>::deserialize(deserializer)?;
        let mut all = Vec::new();
        flatten(None, nodes, &mut all);
        Ok(RawPlaces(all))
    }
}

impl JsonSchema for RawPlaces {
    fn schema_name() -> Cow<'static, str> {
        "Places".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, serde_json::Value>::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for RawThan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawThan, D::Error> {
        let mut than = RawThan::default();
        for (key, labels) in RawPlaces::deserialize(deserializer)?.0 {
            match key.value.as_str() {
                "metric" => than.metric = labels.into_iter().next(),
                "flows" => than.flows = Some(RawNames(labels)),
                "link" => than.link = labels.into_iter().next(),
                "window" => {
                    let span = labels.first().map_or(key.span.clone(), |first| {
                        first.span.start..labels[labels.len() - 1].span.end
                    });
                    let read = |label: &At<String>| {
                        label.value.parse().map(Quantity).map_err(D::Error::custom)
                    };
                    than.window = Some(At {
                        span,
                        value: labels.iter().map(read).collect::<Result<_, _>>()?,
                    });
                }
                _ => than.places.0.push((key, labels)),
            }
        }
        Ok(than)
    }
}

impl JsonSchema for RawThan {
    fn schema_name() -> Cow<'static, str> {
        "Than".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        RawPlaces::json_schema(generator)
    }
}
