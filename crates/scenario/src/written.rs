//! Values with their places in a text of TOML, for other files than scenarios whose errors shall
//! look like those of scenarios.

pub use crate::error::{Checked, Problem};
pub use crate::syntax::read;
pub use crate::text::{At, Frequency, Quantity, Written, parse_load};
