//! All controllers by name, their parameters, and how a text such as `cubic?profile=rfc9438&hz=1000` becomes a controller.

use crate::{Controller, bbr, cubic, hstcp, newreno, scalable};
use narrows_units::{Bytes, Segments};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Every controller, in the order in which lists show them.
pub const ENTRIES: &[&Entry] = &[&newreno::ENTRY, &cubic::ENTRY, &hstcp::ENTRY, &scalable::ENTRY, &bbr::ENTRY];

/// What a registry line says of a controller.
pub struct Entry {
    /// The name in scenarios and on the command line.
    pub name: &'static str,
    /// The name of the same controller in the Linux kernel, if it has one.
    pub kernel: Option<&'static str>,
    /// One line on what it does.
    pub summary: &'static str,
    /// The documents or code it follows.
    pub source: &'static str,
    /// Signals without which it cannot work.
    pub needs: &'static [Need],
    /// What can be set.
    pub params: &'static [Param],
    /// Makes one for a new connection.
    pub build: fn(&Setup, &Params) -> Result<Built, ParamError>,
}

/// A controller on the heap.
pub struct Built(Box<dyn Controller>);

impl Built {
    /// Boxes a controller.
    pub fn new(controller: impl Controller + 'static) -> Built {
        Built(Box::new(controller))
    }

    /// The controller.
    pub fn into_inner(self) -> Box<dyn Controller> {
        self.0
    }
}

/// A signal that a world may or may not be able to offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// Delivery rate samples.
    RateSample,
    /// A pacer that enforces the pacing rate.
    Pacing,
    /// Counts of packets per ECN code point.
    EcnCounts,
    /// A tag per transmission, handed back with its fate.
    Tags,
    /// A rate stamped by routers.
    StampedRate,
    /// A load code written by routers.
    LoadCode,
    /// A throughput change written by routers.
    Delta,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Need::RateSample => "delivery rate samples",
            Need::Pacing => "pacing",
            Need::EcnCounts => "ECN counts per code point",
            Need::Tags => "tags per transmission",
            Need::StampedRate => "a rate stamped by routers",
            Need::LoadCode => "a load code from routers",
            Need::Delta => "throughput feedback from routers",
        })
    }
}

/// What a controller must know of its connection.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Largest payload of a segment.
    pub mss: Bytes,
    /// Bytes of headers down to IP on each data segment; pacing counts them.
    pub headers: Bytes,
    /// Window before the first acknowledgement.
    pub initial_window: Segments,
    /// Seed of the controller's own draws, different for every flow.
    pub seed: u64,
}

impl Default for Setup {
    /// Ethernet-sized TCP/IPv4 with timestamps and the initial window of RFC 6928.
    fn default() -> Setup {
        Setup { mss: Bytes::new(1448), headers: Bytes::new(52), initial_window: Segments::new(10.0), seed: 1 }
    }
}

/// One parameter of a controller.
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it may be, and its value if not set.
    pub kind: Kind,
    /// What it does, with unit and source.
    pub help: &'static str,
}

/// The type, range and default of a parameter.
pub enum Kind {
    /// true or false.
    Flag {
        /// If not set.
        default: bool,
    },
    /// A number.
    Number {
        /// If not set.
        default: f64,
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
        /// Its unit, empty if it has none.
        unit: &'static str,
    },
    /// One word of a list.
    Choice {
        /// If not set.
        default: &'static str,
        /// All words.
        options: &'static [&'static str],
    },
}

impl Param {
    /// A parameter that is true or false.
    pub const fn flag(name: &'static str, default: bool, help: &'static str) -> Param {
        Param { name, kind: Kind::Flag { default }, help }
    }

    /// A parameter that is a number from `min` to `max`, both allowed.
    pub const fn number(name: &'static str, default: f64, (min, max): (f64, f64), unit: &'static str, help: &'static str) -> Param {
        Param { name, kind: Kind::Number { default, min, max, unit }, help }
    }

    /// A parameter that is one of several words.
    pub const fn choice(name: &'static str, default: &'static str, options: &'static [&'static str], help: &'static str) -> Param {
        Param { name, kind: Kind::Choice { default, options }, help }
    }

    fn default(&self) -> Value {
        match self.kind {
            Kind::Flag { default } => Value::Flag(default),
            Kind::Number { default, .. } => Value::Number(default),
            Kind::Choice { default, .. } => Value::Choice(default),
        }
    }

    fn read(&self, text: &str) -> Result<Value, String> {
        match self.kind {
            Kind::Flag { .. } => match text {
                "true" | "on" | "yes" | "1" => Ok(Value::Flag(true)),
                "false" | "off" | "no" | "0" => Ok(Value::Flag(false)),
                _ => Err("true or false".to_owned()),
            },
            Kind::Number { min, max, unit, .. } => match text.parse::<f64>() {
                Ok(number) if (min..=max).contains(&number) => Ok(Value::Number(number)),
                _ => Err(format!("a number from {min} to {max} {unit}").trim_end().to_owned()),
            },
            Kind::Choice { options, .. } => match options.iter().find(|option| **option == text) {
                Some(option) => Ok(Value::Choice(option)),
                None => Err(format!("one of {}", options.join(", "))),
            },
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Flag(bool),
    Number(f64),
    Choice(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Flag(value) => value.fmt(f),
            Value::Number(value) => value.fmt(f),
            Value::Choice(value) => value.fmt(f),
        }
    }
}

/// The checked values of all parameters of one controller.
pub struct Params(Vec<(&'static str, Value)>);

impl Params {
    /// The value of a flag. Panics if the controller has no such flag: its own registry line is wrong.
    pub fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Value::Flag(value) => value,
            _ => panic!("parameter {name} is not a flag"),
        }
    }

    /// The value of a number. Panics if the controller has no such number.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Number(value) => value,
            _ => panic!("parameter {name} is not a number"),
        }
    }

    /// The word chosen. Panics if the controller has no such choice.
    pub fn choice(&self, name: &str) -> &'static str {
        match self.get(name) {
            Value::Choice(value) => value,
            _ => panic!("parameter {name} is not a choice"),
        }
    }

    /// Refuses a parameter of `entry` that was set to something else than its default although nothing would use it; `allowed` says what would be right.
    pub fn refuse(&self, entry: &Entry, name: &'static str, allowed: &str) -> Result<(), ParamError> {
        let value = self.get(name);
        if entry.params.iter().any(|param| param.name == name && param.default() == value) {
            return Ok(());
        }
        Err(ParamError::Value { controller: entry.name, name, value: value.to_string(), allowed: allowed.to_owned() })
    }

    fn get(&self, name: &str) -> Value {
        self.0.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no parameter {name}")).1
    }
}

/// Text that does not name a controller with its parameters.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ParamError {
    /// No such controller.
    #[error("there is no controller \"{name}\"; known are {known}")]
    UnknownController {
        /// As written.
        name: String,
        /// All names.
        known: String,
    },
    /// No such parameter.
    #[error("{controller} has no parameter \"{name}\"; it has {known}")]
    UnknownParam {
        /// The controller.
        controller: &'static str,
        /// As written.
        name: String,
        /// All its parameters.
        known: String,
    },
    /// The same parameter twice.
    #[error("parameter \"{name}\" of {controller} is set twice; keep one")]
    Twice {
        /// The controller.
        controller: &'static str,
        /// The parameter.
        name: &'static str,
    },
    /// A value outside the parameter's range.
    #[error("{controller}: {name}={value} is not allowed; it must be {allowed}")]
    Value {
        /// The controller.
        controller: &'static str,
        /// The parameter.
        name: &'static str,
        /// As written.
        value: String,
        /// What it may be.
        allowed: String,
    },
}

/// A controller chosen by name, with its parameters checked: `newreno`, `cubic?profile=rfc9438`.
#[derive(Clone)]
pub struct Choice {
    entry: &'static Entry,
    set: Vec<(&'static str, Value)>,
    text: String,
}

impl Choice {
    /// The registry line.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The text it was written as.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A controller for a new connection.
    pub fn build(&self, setup: &Setup) -> Result<Box<dyn Controller>, ParamError> {
        (self.entry.build)(setup, &self.params()).map(Built::into_inner)
    }

    pub(crate) fn params(&self) -> Params {
        let value = |param: &Param| self.set.iter().find(|(name, _)| *name == param.name).map_or(param.default(), |(_, value)| *value);
        Params(self.entry.params.iter().map(|param| (param.name, value(param))).collect())
    }
}

impl fmt::Debug for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.text)
    }
}

impl PartialEq for Choice {
    fn eq(&self, other: &Choice) -> bool {
        self.text == other.text
    }
}

impl FromStr for Choice {
    type Err = ParamError;
    fn from_str(text: &str) -> Result<Choice, ParamError> {
        let (name, settings) = text.split_once('?').unwrap_or((text, ""));
        let Some(entry) = ENTRIES.iter().find(|entry| entry.name == name) else {
            let known: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
            return Err(ParamError::UnknownController { name: name.to_owned(), known: known.join(", ") });
        };
        let mut set: Vec<(&'static str, Value)> = Vec::new();
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
            let Some(param) = entry.params.iter().find(|param| param.name == key) else {
                let known: Vec<&str> = entry.params.iter().map(|param| param.name).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(ParamError::UnknownParam { controller: entry.name, name: key.to_owned(), known });
            };
            if set.iter().any(|(name, _)| *name == param.name) {
                return Err(ParamError::Twice { controller: entry.name, name: param.name });
            }
            let value = param.read(value).map_err(|allowed| ParamError::Value {
                controller: entry.name,
                name: param.name,
                value: value.to_owned(),
                allowed,
            })?;
            set.push((param.name, value));
        }
        Ok(Choice { entry, set, text: text.to_owned() })
    }
}
