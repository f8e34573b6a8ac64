//! Tests of the crate as its users see it, in one program.

mod allocations;
mod captured;
mod labels;
mod links;
mod management;
mod mutations;
mod names;
mod packets;
mod pieces;
mod round_trips;
mod signatures;
mod tlv;
