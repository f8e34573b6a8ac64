//! Names (NDN Packet Format 0.3, "Name").

mod borrowed;
mod component;
mod owned;
mod prefixes;
mod uri;

pub use borrowed::NameRef;
pub use component::{Component, Components};
pub use owned::Name;
pub use prefixes::{Prefix, Prefixes};
pub use uri::UriError;
