//! Values with their places in a TOML text, for other files than scenarios. Their errors look like
//! errors in scenarios.

pub use crate::error::{Checked, Problem};
pub use crate::syntax::read;
pub use crate::text::{At, Frequency, Quantity, Written, parse_load};
