//! Tests of the crate as its users see it, in one program.

#[cfg(feature = "noq")]
mod noq;
mod refused;
