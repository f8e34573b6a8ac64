//! Tests of the crate, in one binary.

mod bbr_draft;
