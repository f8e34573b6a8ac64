//! Aggregation of acknowledgements, over rounds (section 5.5.9).

use super::Bbr3;
use super::profile::Profile;
use crate::controllers::bbr::common::{Ack, MaxExtraAcked};
use crate::parts::windowed::WindowedMax;

/// `ExtraAckedFilterLen`: rounds of the draft's filter of aggregation after Startup.
const AGGREGATION_ROUNDS: u32 = 10;
/// `bbr_extra_acked_win_rtts`: rounds of each of the kernel's two slots.
const AGGREGATION_SLOT_ROUNDS: u32 = 5;

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

impl Bbr3 {
    /// Packets to add to the window for aggregated acknowledgements (`UpdateMaxInflight`, `bbr_ack_aggregation_cwnd`).
    pub(super) fn aggregated(&self, bandwidth: u32) -> u32 {
        match &self.aggregation {
            Aggregation::Window(max) => max.get(),
            Aggregation::Slots(slots) => slots.extra(bandwidth),
        }
    }

    /// `UpdateACKAggregation` (section 5.5.9), `bbr_update_ack_aggregation`: one round of memory in Startup.
    pub(super) fn update_aggregation(&mut self, ack: &Ack) {
        let Some(extra) = self.extra_acked.update(ack, self.bandwidth(), self.window.get()) else { return };
        let rounds = |after| if self.full_pipe.reached() { after } else { 1 };
        match &mut self.aggregation {
            Aggregation::Window(max) => max.update(rounds(AGGREGATION_ROUNDS), self.rounds.count(), extra),
            Aggregation::Slots(slots) => slots.update(extra, self.rounds.start(), rounds(AGGREGATION_SLOT_ROUNDS)),
        }
    }
}
