//! Information-centric networks: contents, consumers, and the paths to producers.

mod asking;
mod check;
mod ideal;
mod model;
mod next_hops;
mod raw;
mod recorded;
mod ways;
mod write;

pub(crate) use check::check;
pub use ideal::Ideal;
pub use model::{Catalogue, Consumer, Face, Icn, Prefix, PrefixId, RequestProcess};
pub(crate) use raw::{RawConsumer, RawIcn, RawPrefix, RawRequest};
