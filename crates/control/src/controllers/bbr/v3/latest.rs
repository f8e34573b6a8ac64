//! The latest rate sample, kept for traces.

use crate::controllers::bbr::common::Ack;

/// The latest rate sample (`RS`, section 2.3).
#[derive(Clone, Copy, Debug, Default)]
pub struct Latest {
    /// 0 before the first.
    pub bandwidth: u32,
    /// The application was the limit.
    pub app_limited: bool,
}

impl Latest {
    /// Keeps the sample of `ack`, of `bandwidth`, if it has one.
    pub fn take(&mut self, ack: &Ack, bandwidth: u32) {
        if let Some(sample) = ack.sample {
            *self = Latest { bandwidth, app_limited: sample.app_limited };
        }
    }
}
