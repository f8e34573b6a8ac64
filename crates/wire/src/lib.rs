//! Signals that packets carry between hosts and routers: ECN code points, the load codes of VCP,
//! the headers of VCP, XCP and RCP with the signals that receivers echo, and the rates and path
//! labels of MIRCC.

mod ecn;
mod header;
mod labels;
mod load;
mod rates;

pub use ecn::Ecn;
pub use header::{Header, Signal};
pub use labels::Labels;
pub use load::{CodePoints, LoadCode};
pub use rates::Rates;
