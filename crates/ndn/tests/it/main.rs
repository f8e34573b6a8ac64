//! Tests of the crate as its users see it, in one program.

mod captured;
mod packets;
