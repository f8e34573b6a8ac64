//! One file or folder for each controller.

pub mod bbr;
pub mod c4;
pub mod copa;
pub mod cubic;
pub mod dctcp;
pub mod fast;
pub mod hstcp;
pub mod ledbatpp;
pub mod newreno;
pub mod pcc;
pub mod prague;
pub mod rcp;
pub mod scalable;
pub mod screamv2;
pub mod vcp;
pub mod vegas;
pub mod xcp;
