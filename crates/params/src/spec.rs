//! A parameter without its type: for lists, documents, parsing and messages.

use crate::Need;
use crate::vocabulary::list;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

/// One parameter, whatever its type.
#[derive(Clone, Copy)]
pub struct Spec {
    /// Its name.
    pub name: &'static str,
    /// The kind of its values, and its value if not set.
    pub kind: ParamKind,
    /// Its effect, with unit and source.
    pub help: &'static str,
    /// The signal that a controller needs if this is set to anything but its default.
    pub need: Option<Need>,
    /// The signal that a controller can do without if this is set to anything but its default.
    pub spares: Option<Need>,
}

/// The kind, range and default of a parameter.
#[derive(Clone, Copy, PartialEq)]
pub enum ParamKind {
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
        /// Only whole numbers are allowed.
        whole: bool,
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
        options: Words,
    },
}

/// The words of a choice, without the values that they stand for.
#[derive(Clone, Copy)]
pub struct Words(&'static dyn Table);

/// Words never change.
impl RefUnwindSafe for Words {}
impl UnwindSafe for Words {}

/// Words beside values of some type.
trait Table: Sync {
    fn word(&self, index: usize) -> Option<&'static str>;
}

impl<T: Sync, const N: usize> Table for [(&'static str, T); N] {
    fn word(&self, index: usize) -> Option<&'static str> {
        self.get(index).map(|(word, _)| *word)
    }
}

impl Table for Vec<&'static str> {
    fn word(&self, index: usize) -> Option<&'static str> {
        self.get(index).copied()
    }
}

impl Words {
    pub(crate) const fn of<T: Sync, const N: usize>(
        table: &'static [(&'static str, T); N],
    ) -> Words {
        Words(table)
    }

    /// Words that are known only at run time. Equal lists are kept once, until the program ends.
    pub fn listed(words: Vec<&'static str>) -> Words {
        Words(list(words))
    }

    /// The words in their order.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        (0..).map_while(move |index| self.0.word(index))
    }
}

impl PartialEq for Words {
    fn eq(&self, other: &Words) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Spec {
    /// A parameter without a say in which signals a controller needs.
    pub const fn new(name: &'static str, kind: ParamKind, help: &'static str) -> Spec {
        Spec { name, kind, help, need: None, spares: None }
    }

    /// Its value if it is not set, as it would be written.
    pub fn default_text(&self) -> String {
        self.default().to_string()
    }

    pub(crate) fn default(&self) -> Value {
        match self.kind {
            ParamKind::Flag { default } => Value::Flag(default),
            ParamKind::Number { default, .. } => Value::Number(default),
            ParamKind::NumberOr { word, .. } => Value::Word(word),
            ParamKind::Choice { default, .. } => Value::Word(default),
        }
    }

    /// Whether both are the same parameter: of one name, and with the same values and default.
    pub(crate) fn is(&self, other: &Spec) -> bool {
        self.name == other.name && self.kind == other.kind
    }

    /// The value that a text gives; otherwise a description of those allowed.
    pub(crate) fn read(&self, text: &str) -> Result<Value, String> {
        match self.kind {
            ParamKind::Flag { .. } => match text {
                "true" | "on" | "yes" | "1" => Ok(Value::Flag(true)),
                "false" | "off" | "no" | "0" => Ok(Value::Flag(false)),
                _ => Err("true or false".to_owned()),
            },
            ParamKind::Number { min, max, unit, whole, .. } => {
                match number_within(text, min, max) {
                    Some(number) if whole && number.fract() != 0.0 => {
                        Err("a whole number".to_owned())
                    }
                    Some(number) => Ok(Value::Number(number)),
                    None => Err(range(min, max, unit)),
                }
            }
            ParamKind::NumberOr { word, .. } if text == word => Ok(Value::Word(word)),
            ParamKind::NumberOr { word, min, max, unit } => match number_within(text, min, max) {
                Some(number) => Ok(Value::Number(number)),
                None => Err(format!("{word}, or {}", range(min, max, unit))),
            },
            ParamKind::Choice { options, .. } => {
                match options.iter().find(|option| *option == text) {
                    Some(option) => Ok(Value::Word(option)),
                    None => {
                        Err(format!("one of {}", options.iter().collect::<Vec<_>>().join(", ")))
                    }
                }
            }
        }
    }
}

fn number_within(text: &str, min: f64, max: f64) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| (min..=max).contains(number))
}

fn range(min: f64, max: f64, unit: &str) -> String {
    format!("a number from {min} to {max} {unit}").trim_end().to_owned()
}

/// A checked value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Flag(bool),
    Number(f64),
    Word(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Flag(value) => value.fmt(f),
            Value::Number(value) => value.fmt(f),
            Value::Word(value) => value.fmt(f),
        }
    }
}
