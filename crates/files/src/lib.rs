//! Reading and writing of files that a user or a result directory names.
//!
//! Reading is bounded: reading a device without an end stops at a [`Limit`], and a silent pipe is
//! refused after some seconds. Writing is all or nothing: an [`Output`] gets its name when it is
//! complete. Links are followed in paths that a user gives, and not in names that a program chooses
//! in a [`Folder`].

mod destination;
mod folder;
pub mod leftovers;
mod open;
mod output;
mod pipe;
mod read;
mod temporary;

pub use folder::Folder;
pub use open::{open, open_to_append, open_unlinked};
pub use output::Output;
pub use read::{Limit, read, read_text, read_unlinked};
