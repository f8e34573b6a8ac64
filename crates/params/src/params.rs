//! The parameters of one choice.

use crate::spec::Value;
use crate::{Param, ParamError, Spec};
use std::borrow::Cow;

/// The checked values of all parameters of one choice: those set, and the defaults of the others.
#[derive(Clone)]
pub struct Params {
    entry: Cow<'static, str>,
    specs: Cow<'static, [Spec]>,
    set: Vec<(&'static str, Value)>,
}

impl Params {
    pub(crate) fn new(
        entry: Cow<'static, str>,
        specs: Cow<'static, [Spec]>,
        set: Vec<(&'static str, Value)>,
    ) -> Params {
        Params { entry, specs, set }
    }

    /// The name of the entry.
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// The value of a parameter that the entry lists.
    pub fn get<T: Copy>(&self, param: &Param<T>) -> T {
        debug_assert!(
            self.lists(param),
            "{} reads {}, and its registry entry has no such parameter",
            self.entry,
            param.spec.name
        );
        self.set(param.spec.name).and_then(|value| param.typed(value)).unwrap_or(param.default)
    }

    /// The value of a parameter that not all entries read by the same code have; `None` if this one
    /// has not.
    pub fn optional<T: Copy>(&self, param: &Param<T>) -> Option<T> {
        self.lists(param).then(|| self.get(param))
    }

    /// The value of the parameter with this name as it would be written; `None` if the entry has
    /// none.
    pub fn text(&self, name: &str) -> Option<String> {
        self.texts().find(|(spec, _)| spec.name == name).map(|(_, text)| text)
    }

    /// All parameters in the order of lists, with their values as they would be written.
    pub fn texts(&self) -> impl Iterator<Item = (&Spec, String)> {
        self.specs
            .iter()
            .map(|spec| (spec, self.set(spec.name).unwrap_or_else(|| spec.default()).to_string()))
    }

    /// Refuses a parameter that was set to something else than its default although nothing would
    /// use it; `allowed` says what would be right.
    ///
    /// # Errors
    ///
    /// [`ParamError::Value`].
    pub fn refuse<T>(&self, param: &Param<T>, allowed: &str) -> Result<(), ParamError> {
        match self.set(param.spec.name).filter(|value| *value != param.spec.default()) {
            Some(_) => Err(self.not_allowed(param, allowed)),
            None => Ok(()),
        }
    }

    /// True if the parameter was set, also if to its default.
    pub fn is_set<T>(&self, param: &Param<T>) -> bool {
        self.set(param.spec.name).is_some()
    }

    /// The refusal of a parameter's value; `allowed` says what would be right.
    pub fn not_allowed<T>(&self, param: &Param<T>, allowed: &str) -> ParamError {
        let name = param.spec.name;
        let value = self.set(name).unwrap_or_else(|| param.spec.default()).to_string();
        ParamError::Value {
            entry: self.entry.clone().into_owned(),
            name,
            value,
            allowed: allowed.to_owned(),
        }
    }

    fn set(&self, name: &str) -> Option<Value> {
        self.set.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    fn lists<T>(&self, param: &Param<T>) -> bool {
        self.specs.iter().any(|spec| spec.is(&param.spec))
    }
}
