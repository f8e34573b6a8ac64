//! A parameter with the type of its values.

use crate::Need;
use crate::spec::{ParamKind, Spec, Value, Words};
use narrows_units::Span;

/// A parameter whose values are read as `T`. It is declared as a constant, so that a default which
/// is not allowed is refused by the compiler.
pub struct Param<T: 'static> {
    /// The parameter as registries list it.
    pub spec: Spec,
    pub(crate) default: T,
    values: Values<T>,
}

/// How values get their type.
enum Values<T: 'static> {
    Converted(fn(Value) -> Option<T>),
    Named(&'static [(&'static str, T)]),
}

/// From the least to the greatest value, both allowed.
type Range = (f64, f64);

impl Param<bool> {
    /// A parameter that is true or false.
    pub const fn flag(name: &'static str, default: bool, help: &'static str) -> Param<bool> {
        Param::converted(name, ParamKind::Flag { default }, help, default, |value| match value {
            Value::Flag(flag) => Some(flag),
            Value::Number(_) | Value::Word(_) => None,
        })
    }
}

impl Param<f64> {
    /// A parameter that is a number within `range`.
    pub const fn number(
        name: &'static str,
        default: f64,
        range: Range,
        unit: &'static str,
        help: &'static str,
    ) -> Param<f64> {
        Param::converted(name, number(default, range, unit, false), help, default, Value::number)
    }
}

impl Param<u32> {
    /// A parameter that is a whole number from `min` to `max`, both allowed.
    pub const fn whole(
        name: &'static str,
        default: u32,
        (min, max): (u32, u32),
        unit: &'static str,
        help: &'static str,
    ) -> Param<u32> {
        let kind = number(default as f64, (min as f64, max as f64), unit, true);
        Param::converted(name, kind, help, default, |value| {
            value.number().map(|number| number as u32)
        })
    }
}

impl Param<Span> {
    /// A parameter that is a time within `range`. Default, range and the text are in milliseconds.
    pub const fn millis(
        name: &'static str,
        default: f64,
        range: Range,
        help: &'static str,
    ) -> Param<Span> {
        let kind = number(default, range, "ms", false);
        Param::converted(name, kind, help, Span::from_secs_f64(default / 1e3), |value| {
            value.number().map(|ms| Span::from_secs_f64(ms / 1e3))
        })
    }
}

impl Param<Option<f64>> {
    /// A parameter that is a number within `range`, or `word` for none, which is its default.
    pub const fn number_or(
        name: &'static str,
        word: &'static str,
        (min, max): Range,
        unit: &'static str,
        help: &'static str,
    ) -> Param<Option<f64>> {
        assert!(min < max, "the range is empty");
        Param::converted(name, ParamKind::NumberOr { word, min, max, unit }, help, None, |value| {
            Some(value.number())
        })
    }
}

impl<T: Copy> Param<T> {
    /// A parameter that is one of several words, each beside the value that it stands for.
    pub const fn choice<const N: usize>(
        name: &'static str,
        default: &'static str,
        options: &'static [(&'static str, T); N],
        help: &'static str,
    ) -> Param<T>
    where
        T: Sync,
    {
        let mut index = 0;
        while !same(options[index].0, default) {
            index += 1;
            assert!(index < N, "the default is none of the options");
        }
        let spec =
            Spec::new(name, ParamKind::Choice { default, options: Words::of(options) }, help);
        Param { spec, default: options[index].1, values: Values::Named(options) }
    }

    /// The same parameter, with which a controller needs `need` if it is set to anything but its
    /// default.
    pub const fn needing(self, need: Need) -> Param<T> {
        Param { spec: Spec { need: Some(need), ..self.spec }, ..self }
    }

    /// The same parameter, with which a controller works without `need` if it is set to anything
    /// but its default.
    pub const fn sparing(self, need: Need) -> Param<T> {
        Param { spec: Spec { spares: Some(need), ..self.spec }, ..self }
    }

    const fn converted(
        name: &'static str,
        kind: ParamKind,
        help: &'static str,
        default: T,
        convert: fn(Value) -> Option<T>,
    ) -> Param<T> {
        Param { spec: Spec::new(name, kind, help), default, values: Values::Converted(convert) }
    }

    /// The value as its type; `None` if it is one of a parameter of another kind.
    pub(crate) fn typed(&self, value: Value) -> Option<T> {
        match (&self.values, value) {
            (Values::Converted(convert), value) => convert(value),
            (Values::Named(options), Value::Word(word)) => {
                options.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
            }
            (Values::Named(_), Value::Flag(_) | Value::Number(_)) => None,
        }
    }
}

impl Value {
    fn number(self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(number),
            Value::Flag(_) | Value::Word(_) => None,
        }
    }
}

const fn number(default: f64, (min, max): Range, unit: &'static str, whole: bool) -> ParamKind {
    assert!(min <= default && default <= max, "the default is outside the range");
    ParamKind::Number { default, min, max, unit, whole }
}

const fn same(one: &str, other: &str) -> bool {
    let one = one.as_bytes();
    let other = other.as_bytes();
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}
