//! Arithmetic of the kernel's controllers without their states, for what carries out the kernel's
//! functions on states of its own.

pub use crate::controllers::bbr::common::{BW_SCALE, bdp, bytes_per_second};
pub use crate::controllers::cubic::curve::{Curve, CurveState};
pub use crate::parts::ticks::Ticks;
