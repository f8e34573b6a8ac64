//! Exact quantities of the field: [`Time`], [`Span`], [`Rate`], [`Bytes`] and [`Segments`], how
//! people write them, and the seeded random draws built on them.
//!
//! Times are whole nanoseconds, rates whole bits per second, amounts whole bytes: arithmetic on
//! them is exact or says how it rounds. Products go through 128 bits, so no rate and no duration of
//! a 584-year run overflows.

mod bytes;
mod depth;
mod order;
mod parse;
mod random;
mod rate;
mod segments;
mod time;

pub use bytes::Bytes;
pub use depth::Depth;
pub use order::TimeOrder;
pub use parse::ParseError;
pub use random::Random;
pub use rate::Rate;
pub use segments::Segments;
pub use time::{Span, Time};
