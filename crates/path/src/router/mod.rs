//! Queues of routers that write what controllers read: VCP, XCP, RCP.

pub(crate) mod rcp;
pub(crate) mod vcp;
pub(crate) mod xcp;
