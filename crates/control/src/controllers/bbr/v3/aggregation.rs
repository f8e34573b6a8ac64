//! Aggregation of acknowledgements, over rounds (section 5.5.9).

use super::profile::Profile;
use crate::controllers::bbr::common::MaxExtraAcked;
use crate::parts::windowed::WindowedMax;

/// The maximum of the packets acknowledged in excess of the bandwidth.
#[derive(Clone, Debug)]
pub enum Aggregation {
    /// The draft: a window of rounds.
    Window(WindowedMax<u32>),
    /// The kernel: two slots of rounds.
    Slots(MaxExtraAcked),
}

impl Aggregation {
    /// No aggregation yet.
    pub fn new(profile: Profile) -> Aggregation {
        match profile {
            Profile::Draft => Aggregation::Window(WindowedMax::new(0, 0)),
            Profile::Linux => Aggregation::Slots(MaxExtraAcked::default()),
        }
    }
}
