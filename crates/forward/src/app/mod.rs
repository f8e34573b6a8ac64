//! Applications: producers of objects, and consumers that follow rates.

pub(crate) mod answer;
pub(crate) mod armour;
pub(crate) mod asker;
pub(crate) mod consumer;
pub(crate) mod content;
mod discover;
pub(crate) mod fetch;
pub(crate) mod fetch_error;
pub(crate) mod filler;
mod guide;
pub(crate) mod identity;
pub(crate) mod object;
pub(crate) mod path;
pub(crate) mod producer;
mod reply;
pub(crate) mod trust;
