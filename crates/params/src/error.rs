//! Errors of a choice.

use thiserror::Error;

/// Text that does not name an entry of a registry with its parameters.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ParamError {
    /// No such entry.
    #[error("there is no {what} \"{name}\"; {help}")]
    UnknownName {
        /// The kind of thing that the registry holds.
        what: &'static str,
        /// As written.
        name: String,
        /// The name that may have been meant, or the known names.
        help: String,
    },
    /// An entry's former name.
    #[error("the {what} \"{name}\" is now called \"{now}\"; write that")]
    Renamed {
        /// The kind of thing that the registry holds.
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
        entry: String,
        /// As written.
        name: String,
        /// The parameter that may have been meant, or all that it has.
        help: String,
    },
    /// A parameter that others have, and this one has not for a reason.
    #[error("{entry} has no parameter \"{name}\": {reason}")]
    Absent {
        /// The entry.
        entry: String,
        /// As written.
        name: String,
        /// Why.
        reason: &'static str,
    },
    /// A parameter is set twice.
    #[error("parameter \"{name}\" of {entry} is set twice; keep one")]
    Twice {
        /// The entry.
        entry: String,
        /// The parameter.
        name: &'static str,
    },
    /// A parameter without a default that was not set.
    #[error("{entry} needs {name}, which is {allowed}: write ?{name}=, and that")]
    Unset {
        /// The entry.
        entry: String,
        /// The parameter.
        name: &'static str,
        /// The allowed values.
        allowed: String,
    },
    /// A value that the parameter may have, and with which the entry cannot work.
    #[error("{entry}: {name}={value} cannot be taken: {reason}")]
    Unfit {
        /// The entry.
        entry: String,
        /// The parameter.
        name: &'static str,
        /// The value.
        value: &'static str,
        /// Why, and the remedy.
        reason: String,
    },
    /// The entry cannot be made here, whatever its parameters.
    #[error("{entry}: {reason}")]
    Refused {
        /// The entry.
        entry: String,
        /// Why, and the remedy.
        reason: String,
    },
    /// A value outside the parameter's range.
    #[error("{entry}: {name}={value} is not allowed; it must be {allowed}")]
    Value {
        /// The entry.
        entry: String,
        /// The parameter.
        name: &'static str,
        /// As written.
        value: String,
        /// The allowed values.
        allowed: String,
    },
}
