//! Typed parameters, and how a text such as `cubic?profile=rfc9438&hz=1000` chooses an entry of a
//! registry and sets them.
//!
//! An owner declares each parameter once, as a [`Param`] constant of the type that it reads, and
//! lists its [`Spec`] in its registry entry.

mod choice;
mod error;
mod near;
mod need;
mod param;
mod params;
mod registry;
mod spec;
mod vocabulary;

pub use choice::Choice;
pub use error::ParamError;
pub use near::{nearest, suggest};
pub use need::Need;
pub use param::Param;
pub use params::Params;
pub use registry::{Catalogue, Makes, Registered, find};
pub use spec::{ParamKind, Spec, Words};
pub use vocabulary::word;

#[cfg(test)]
mod tests;
