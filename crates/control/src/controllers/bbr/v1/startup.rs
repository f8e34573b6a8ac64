//! The end of STARTUP: the pipe is full when bandwidth stops growing (`bbr_check_full_bw_reached`;
//! section 4.3.2.2).

use crate::controllers::bbr::common::{GAIN_SCALE, UNIT};

/// `bbr_full_bw_thresh`: growth of bandwidth, in 1/256, that shows room for more.
const GROWTH: u32 = UNIT * 5 / 4;
/// `bbr_full_bw_cnt`: rounds without such growth that show a full pipe.
const ROUNDS: u32 = 3;

/// Whether the pipe was ever full.
#[derive(Clone, Debug, Default)]
pub struct FullPipe {
    baseline: u32,
    rounds: u32,
    reached: bool,
}

impl FullPipe {
    /// True once bandwidth grew by less than a quarter in three rounds.
    pub fn reached(&self) -> bool {
        self.reached
    }

    /// A round that the application did not limit ended with this maximum.
    pub fn on_round(&mut self, max_bandwidth: u32) {
        if self.reached {
            return;
        }
        let enough = (self.baseline as u64 * GROWTH as u64) >> GAIN_SCALE;
        if max_bandwidth as u64 >= enough {
            self.baseline = max_bandwidth;
            self.rounds = 0;
        } else {
            self.rounds += 1;
            self.reached = self.rounds >= ROUNDS;
        }
    }

    /// A timeout: growth is measured anew (`bbr_set_state`).
    pub fn on_timeout(&mut self) {
        self.baseline = 0;
    }

    /// Losses were spurious: growth is measured anew (`bbr_undo_cwnd`).
    pub fn on_undo(&mut self) {
        self.baseline = 0;
        self.rounds = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_rounds_below_a_quarter_more_fill_the_pipe() {
        let mut pipe = FullPipe::default();
        for bandwidth in [1_000, 1_250, 1_562, 1_900, 1_951] {
            pipe.on_round(bandwidth);
            assert!(!pipe.reached(), "at {bandwidth}");
        }
        // 1562 · 1.25 = 1952: the rounds at 1900 and 1951 were two without enough growth.
        pipe.on_round(1_951);
        assert!(pipe.reached());
    }

    #[test]
    fn growth_restarts_the_count() {
        let mut pipe = FullPipe::default();
        for bandwidth in [1_000, 1_000, 1_000, 1_250, 1_250, 1_250] {
            pipe.on_round(bandwidth);
        }
        assert!(!pipe.reached());
        pipe.on_timeout();
        pipe.on_round(100);
        pipe.on_round(100);
        pipe.on_round(100);
        assert!(!pipe.reached(), "100 is the new baseline");
        pipe.on_round(100);
        assert!(pipe.reached());
    }
}
