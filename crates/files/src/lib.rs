//! Reading and writing of files that a user or a result directory names.
//!
//! Reading is bounded: a device without an end is refused at a [`Limit`], and a pipe that nothing
//! comes from after some seconds. Writing is whole or not at all: an [`Output`] gets its name when
//! it is complete. The paths that a user gives are followed through links; the names that a program
//! chooses, in a [`Folder`], are not.

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
