//! An entry of a registry chosen by text.

use crate::spec::Value;
use crate::{Catalogue, Makes, Need, ParamError, Params, Registered, Spec, find, suggest};
use std::fmt;
use std::str::FromStr;

/// An entry chosen by name, with its parameters checked: `newreno`, `cubic?profile=rfc9438`,
/// `codel?target=5`.
pub struct Choice<C: Catalogue> {
    entry: C::Entry,
    set: Vec<(&'static str, Value)>,
    text: String,
}

impl<C: Catalogue> Choice<C> {
    /// The registry line.
    pub fn entry(&self) -> &C::Entry {
        &self.entry
    }

    /// The entry's name, with the parameters as they were written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value of a parameter as it would be written; `None` if it was not set.
    pub fn set(&self, name: &str) -> Option<String> {
        self.set.iter().find(|(set, _)| *set == name).map(|(_, value)| value.to_string())
    }

    /// The signals that it uses with these parameters, and cannot work without unless it spares
    /// them.
    pub fn needs(&self) -> Vec<Need> {
        let of_parameters = self.changed().filter_map(|param| param.need);
        self.entry.needs().iter().copied().chain(of_parameters).collect()
    }

    /// True if it can do without the signal `need` with these parameters, though it uses it where
    /// it is given.
    pub fn spares(&self, need: Need) -> bool {
        self.changed().any(|param| param.spares == Some(need))
    }

    /// Parameters that are set to anything but their default.
    fn changed(&self) -> impl Iterator<Item = &Spec> {
        let changed = |param: &&Spec| {
            self.set.iter().any(|(name, value)| *name == param.name && *value != param.default())
        };
        self.entry.params().iter().filter(changed)
    }

    /// The values of all parameters: those set, and the defaults of the others.
    pub fn params(&self) -> Params {
        let (entry, specs) = self.entry.kept();
        Params::new(entry, specs, self.set.clone())
    }
}

impl<E: Makes, C: Catalogue<Entry = E>> Choice<C> {
    /// Makes one with these parameters.
    pub fn build(&self, setup: &E::Setup) -> Result<E::Made, ParamError> {
        self.entry.make(setup, &self.params())
    }
}

impl<C: Catalogue> Clone for Choice<C> {
    fn clone(&self) -> Choice<C> {
        Choice { entry: self.entry.clone(), set: self.set.clone(), text: self.text.clone() }
    }
}

impl<C: Catalogue> fmt::Display for Choice<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<C: Catalogue> fmt::Debug for Choice<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.text)
    }
}

impl<C: Catalogue> PartialEq for Choice<C> {
    fn eq(&self, other: &Choice<C>) -> bool {
        self.text == other.text
    }
}

impl<C: Catalogue> FromStr for Choice<C> {
    type Err = ParamError;
    fn from_str(text: &str) -> Result<Choice<C>, ParamError> {
        let (name, settings) = text.split_once('?').unwrap_or((text, ""));
        let entry = find::<C>(name)?;
        let own = || entry.name().to_owned();
        let mut set: Vec<(&'static str, Value)> = Vec::new();
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
            let Some(param) = entry.params().iter().find(|param| param.name == key) else {
                if let Some(reason) = entry.absent(key) {
                    let name = key.to_owned();
                    return Err(ParamError::Absent { entry: own(), name, reason });
                }
                let help =
                    suggest(key, "parameters", entry.params().iter().map(|param| param.name));
                return Err(ParamError::UnknownParam { entry: own(), name: key.to_owned(), help });
            };
            if set.iter().any(|(name, _)| *name == param.name) {
                return Err(ParamError::Twice { entry: own(), name: param.name });
            }
            let value = param.read(value).map_err(|allowed| ParamError::Value {
                entry: own(),
                name: param.name,
                value: value.to_owned(),
                allowed,
            })?;
            set.push((param.name, value));
        }
        // Results show an entry by its own name.
        let text = format!("{}{}", entry.name(), &text[name.len()..]);
        Ok(Choice { entry, set, text })
    }
}
