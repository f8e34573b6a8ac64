//! The highest bandwidth of the last rounds (`bbr_update_bw`; sections 4.1.1.2 to 4.1.1.5).

use crate::controllers::bbr::common::{Ack, bandwidth};
use crate::parts::windowed::WindowedMax;

/// `bbr_bw_rtts`: rounds for which a sample counts, a cycle of gains and two more.
const FILTER_ROUNDS: u32 = 10;

/// The maximum filter.
#[derive(Clone, Debug)]
pub struct MaxBandwidth {
    filter: WindowedMax<u32>,
}

impl MaxBandwidth {
    /// Nothing measured yet.
    pub fn new() -> MaxBandwidth {
        MaxBandwidth { filter: WindowedMax::new(0, 0) }
    }

    /// The maximum; 0 before the first sample.
    pub fn get(&self) -> u32 {
        self.filter.get()
    }

    /// Takes in the sample of round number `round`. A sample limited by the application is a lower
    /// bound: it counts only above the maximum (section 4.1.1.4).
    pub fn update(&mut self, ack: &Ack, round: u32) {
        let Some(sample) = ack.sample else { return };
        let measured = bandwidth(sample.delivered as u64, sample.interval);
        if !sample.app_limited || measured >= self.get() {
            self.filter.update(FILTER_ROUNDS, round, measured);
        }
    }
}
