//! The socket that a simulated connection shows to its program. One table of the kernel's members,
//! under the kernel's names, is the source of everything: where a member lies, the types that
//! programs are relocated against, what they may write, and the header that they are compiled
//! against.

mod access;
mod field;
pub mod fields;
mod header;
mod layout;
mod places;
mod table;
mod target;

pub use access::{
    ACK_SAMPLE_SIZE, RATE_SAMPLE_SIZE, SIZE, ack_sample_field, callbacks, has_detail, is_detail,
    may_store, rate_sample_field, socket_field, writable,
};
pub use field::Field;
pub(crate) use header::declared;
pub use header::header;
pub(crate) use places::{
    AREA, AREA_WORDS, Place, of_ack_sample, of_rate_sample, of_socket, signature,
};
pub use target::types;
