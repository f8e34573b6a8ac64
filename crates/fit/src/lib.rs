//! Estimates the path that one bulk flow met, from a measurement of the flow: the rate and the
//! buffer of the bottleneck, the base round trip, and losses that no full buffer explains.
//!
//! [`read`](read()) reads a measurement. [`estimates`] returns the path, and names its unknown
//! properties. [`scenario`](scenario()) returns the path as keys of a scenario.

mod capture;
mod estimate;
mod measured;
mod network;
mod read;
mod text;

pub use capture::MOST_PACKETS;
pub use estimate::{Buffer, Estimate, Losses, Means, Range, estimates};
pub use measured::{FitError, Measured, Origin, Point};
pub use network::scenario;
pub use read::read;
pub use text::{misses, sentence, text};
