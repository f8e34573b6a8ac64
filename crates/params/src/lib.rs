//! Typed parameters, and how a text such as `cubic?profile=rfc9438&hz=1000` chooses an entry of a registry and sets them.

mod near;
mod need;

pub use near::{nearest, suggest};
pub use need::Need;

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// One parameter.
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it may be, and its value if not set.
    pub kind: Kind,
    /// What it does, with unit and source.
    pub help: &'static str,
    /// The signal that a controller needs if this is set to anything but its default.
    pub need: Option<Need>,
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
    /// A number, or a word that stands for the absence of one.
    NumberOr {
        /// The word, which is the value if not set.
        word: &'static str,
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
        /// The number's unit, empty if it has none.
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
        Param { name, kind: Kind::Flag { default }, help, need: None }
    }

    /// A parameter that is a number from `min` to `max`, both allowed.
    pub const fn number(name: &'static str, default: f64, (min, max): (f64, f64), unit: &'static str, help: &'static str) -> Param {
        Param { name, kind: Kind::Number { default, min, max, unit }, help, need: None }
    }

    /// A parameter that is `word` if not set, or a number from `min` to `max`, both allowed.
    pub const fn number_or(
        name: &'static str,
        word: &'static str,
        (min, max): (f64, f64),
        unit: &'static str,
        help: &'static str,
    ) -> Param {
        Param { name, kind: Kind::NumberOr { word, min, max, unit }, help, need: None }
    }

    /// A parameter that is one of several words.
    pub const fn choice(name: &'static str, default: &'static str, options: &'static [&'static str], help: &'static str) -> Param {
        Param { name, kind: Kind::Choice { default, options }, help, need: None }
    }

    /// The same parameter, with which a controller needs `need` if it is set to anything but its default.
    pub const fn needing(self, need: Need) -> Param {
        Param { need: Some(need), ..self }
    }

    /// Its value if it is not set, as it would be written.
    pub fn default_text(&self) -> String {
        self.default().to_string()
    }

    fn default(&self) -> Value {
        match self.kind {
            Kind::Flag { default } => Value::Flag(default),
            Kind::Number { default, .. } => Value::Number(default),
            Kind::NumberOr { word, .. } => Value::Choice(word),
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
            Kind::Number { min, max, unit, .. } => match number_within(text, min, max) {
                Some(number) => Ok(Value::Number(number)),
                None => Err(range(min, max, unit)),
            },
            Kind::NumberOr { word, .. } if text == word => Ok(Value::Choice(word)),
            Kind::NumberOr { word, min, max, unit } => match number_within(text, min, max) {
                Some(number) => Ok(Value::Number(number)),
                None => Err(format!("{word}, or {}", range(min, max, unit))),
            },
            Kind::Choice { options, .. } => match options.iter().find(|option| **option == text) {
                Some(option) => Ok(Value::Choice(option)),
                None => Err(format!("one of {}", options.join(", "))),
            },
        }
    }
}

fn number_within(text: &str, min: f64, max: f64) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| (min..=max).contains(number))
}

fn range(min: f64, max: f64, unit: &str) -> String {
    format!("a number from {min} to {max} {unit}").trim_end().to_owned()
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

/// The checked values of all parameters of one choice.
pub struct Params(Vec<(&'static str, Value)>);

impl Params {
    /// The value of a flag. Panics if there is no such flag: the registry line is wrong.
    pub fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Value::Flag(value) => value,
            _ => panic!("parameter {name} is not a flag"),
        }
    }

    /// The value of a number. Panics if there is no such number.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Number(value) => value,
            _ => panic!("parameter {name} is not a number"),
        }
    }

    /// The value of a number that may be a word: `None` for the word. Panics if there is no such parameter.
    pub fn number_or(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            Value::Number(value) => Some(value),
            Value::Choice(_) => None,
            Value::Flag(_) => panic!("parameter {name} is a flag"),
        }
    }

    /// The word chosen. Panics if there is no such choice.
    pub fn choice(&self, name: &str) -> &'static str {
        match self.get(name) {
            Value::Choice(value) => value,
            _ => panic!("parameter {name} is not a choice"),
        }
    }

    /// The value of a parameter of any kind, as it would be written. Panics if there is no such parameter.
    pub fn text(&self, name: &str) -> String {
        self.get(name).to_string()
    }

    /// Refuses a parameter of `entry` that was set to something else than its default although nothing would use it; `allowed` says what would be right.
    pub fn refuse<E: Registered>(&self, entry: &E, name: &'static str, allowed: &str) -> Result<(), ParamError> {
        let value = self.get(name);
        if entry.params().iter().any(|param| param.name == name && param.default() == value) {
            return Ok(());
        }
        Err(ParamError::Value { entry: entry.name(), name, value: value.to_string(), allowed: allowed.to_owned() })
    }

    fn get(&self, name: &str) -> Value {
        self.0.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no parameter {name}")).1
    }
}

/// Text that does not name an entry of a registry with its parameters.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ParamError {
    /// No such entry.
    #[error("there is no {what} \"{name}\"; {help}")]
    UnknownName {
        /// What the registry holds.
        what: &'static str,
        /// As written.
        name: String,
        /// The name that may have been meant, or the known names.
        help: String,
    },
    /// An entry's former name.
    #[error("the {what} \"{name}\" is now called \"{now}\"; write that")]
    Renamed {
        /// What the registry holds.
        what: &'static str,
        /// As written.
        name: String,
        /// The entry's name.
        now: &'static str,
    },
    /// No such parameter.
    #[error("{entry} has no parameter \"{name}\"; {help}")]
    UnknownParam {
        /// The entry.
        entry: &'static str,
        /// As written.
        name: String,
        /// The parameter that may have been meant, or all that it has.
        help: String,
    },
    /// The same parameter twice.
    #[error("parameter \"{name}\" of {entry} is set twice; keep one")]
    Twice {
        /// The entry.
        entry: &'static str,
        /// The parameter.
        name: &'static str,
    },
    /// A value outside the parameter's range.
    #[error("{entry}: {name}={value} is not allowed; it must be {allowed}")]
    Value {
        /// The entry.
        entry: &'static str,
        /// The parameter.
        name: &'static str,
        /// As written.
        value: String,
        /// What it may be.
        allowed: String,
    },
}

/// A line of a registry whose entries are chosen by text.
pub trait Registered: 'static {
    /// What the registry holds, for messages: "controller".
    const WHAT: &'static str;
    /// Every entry, in the order in which lists show them.
    fn all() -> &'static [&'static Self];
    /// The name in scenarios and on the command line.
    fn name(&self) -> &'static str;
    /// What can be set.
    fn params(&self) -> &'static [Param];
    /// Signals without which it cannot work, whatever its parameters.
    fn needs(&self) -> &'static [Need] {
        &[]
    }
    /// Other names that the field has for entries, each with the entry's own.
    fn other_names() -> &'static [(&'static str, &'static str)] {
        &[]
    }
    /// Names that entries no longer have, each with the present one.
    fn former_names() -> &'static [(&'static str, &'static str)] {
        &[]
    }
}

/// The entry of a name, its own or another that the field has for it.
///
/// # Errors
///
/// [`ParamError::UnknownName`], [`ParamError::Renamed`].
pub fn find<E: Registered>(name: &str) -> Result<&'static E, ParamError> {
    let known = |table: &[(&str, &'static str)]| table.iter().find(|(other, _)| *other == name).map(|(_, own)| *own);
    let own = known(E::other_names()).unwrap_or(name);
    if let Some(entry) = E::all().iter().find(|entry| entry.name() == own) {
        return Ok(entry);
    }
    let (what, written) = (E::WHAT, name.to_owned());
    if let Some(now) = known(E::former_names()) {
        return Err(ParamError::Renamed { what, name: written, now });
    }
    let help = suggest(name, &format!("{what}s"), E::all().iter().map(|entry| entry.name()));
    Err(ParamError::UnknownName { what, name: written, help })
}

/// A registry's line that makes something of a choice: a controller.
pub trait Makes: Registered {
    /// What it must know beside the parameters.
    type Setup;
    /// What it makes.
    type Made;
    /// Makes one; refuses parameters that do not fit together.
    fn make(&self, setup: &Self::Setup, params: &Params) -> Result<Self::Made, ParamError>;
}

/// An entry chosen by name, with its parameters checked: `newreno`, `cubic?profile=rfc9438`, `codel?target=5`.
pub struct Choice<E: 'static> {
    entry: &'static E,
    set: Vec<(&'static str, Value)>,
    text: String,
}

impl<E: Registered> Choice<E> {
    /// The registry line.
    pub fn entry(&self) -> &'static E {
        self.entry
    }

    /// The entry's name, with the parameters as they were written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a parameter was written.
    pub fn sets(&self, name: &str) -> bool {
        self.set.iter().any(|(set, _)| *set == name)
    }

    /// The signals without which it cannot work with these parameters.
    pub fn needs(&self) -> Vec<Need> {
        let changed = |param: &&Param| self.set.iter().any(|(name, value)| *name == param.name && *value != param.default());
        let of_parameters = self.entry.params().iter().filter(changed).filter_map(|param| param.need);
        self.entry.needs().iter().copied().chain(of_parameters).collect()
    }

    /// The values of all parameters: those set, and the defaults of the others.
    pub fn params(&self) -> Params {
        let value = |param: &Param| self.set.iter().find(|(name, _)| *name == param.name).map_or(param.default(), |(_, value)| *value);
        Params(self.entry.params().iter().map(|param| (param.name, value(param))).collect())
    }
}

impl<E: Makes> Choice<E> {
    /// Makes one with these parameters.
    pub fn build(&self, setup: &E::Setup) -> Result<E::Made, ParamError> {
        self.entry.make(setup, &self.params())
    }
}

impl<E> Clone for Choice<E> {
    fn clone(&self) -> Choice<E> {
        Choice { entry: self.entry, set: self.set.clone(), text: self.text.clone() }
    }
}

impl<E> fmt::Debug for Choice<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.text)
    }
}

impl<E> PartialEq for Choice<E> {
    fn eq(&self, other: &Choice<E>) -> bool {
        self.text == other.text
    }
}

impl<E: Registered> FromStr for Choice<E> {
    type Err = ParamError;
    fn from_str(text: &str) -> Result<Choice<E>, ParamError> {
        let (name, settings) = text.split_once('?').unwrap_or((text, ""));
        let entry = find::<E>(name)?;
        let mut set: Vec<(&'static str, Value)> = Vec::new();
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
            let Some(param) = entry.params().iter().find(|param| param.name == key) else {
                let help = suggest(key, "parameters", entry.params().iter().map(|param| param.name));
                return Err(ParamError::UnknownParam { entry: entry.name(), name: key.to_owned(), help });
            };
            if set.iter().any(|(name, _)| *name == param.name) {
                return Err(ParamError::Twice { entry: entry.name(), name: param.name });
            }
            let value = param.read(value).map_err(|allowed| ParamError::Value {
                entry: entry.name(),
                name: param.name,
                value: value.to_owned(),
                allowed,
            })?;
            set.push((param.name, value));
        }
        // Results show an entry by its own name.
        Ok(Choice { entry, set, text: format!("{}{}", entry.name(), &text[name.len()..]) })
    }
}
