//! Arithmetic of the kernel's controllers without their states, for what carries out the kernel's
//! functions on states of its own.

pub use crate::controllers::cubic::curve::{Curve, CurveState};
pub use crate::parts::linux::growth::{slow_start, step};
pub use crate::parts::start::hystart::{HyStart, HyStartState, Sample};
pub use crate::parts::ticks::Ticks;
pub use crate::parts::windowed::{Sample as Extreme, WindowedMax};
