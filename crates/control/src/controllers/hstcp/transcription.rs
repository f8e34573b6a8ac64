//! The kernel's arithmetic once more, in Rust and apart from `cores/hstcp.h`, which is held against
//! it.

use crate::parts::linux::lockstep::{Transcribed, Transcription, lockstep};
use narrows_cores::hstcp::{Constants, State};
use narrows_cores::{Core, Event, Input};

/// For each row, the largest window for which it holds, and b(w) in 1/256. The row's number from 1
/// is a(w); above the last window the last row holds.
#[rustfmt::skip]
const TABLE: [(u32, u32); 72] = [
    (38, 128), (118, 112), (221, 104), (347, 98), (495, 93), (663, 89), (851, 86), (1_058, 83),
    (1_284, 81), (1_529, 78), (1_793, 76), (2_076, 74), (2_378, 72), (2_699, 71), (3_039, 69), (3_399, 68),
    (3_778, 66), (4_177, 65), (4_596, 64), (5_036, 62), (5_497, 61), (5_979, 60), (6_483, 59), (7_009, 58),
    (7_558, 57), (8_130, 56), (8_726, 55), (9_346, 54), (9_991, 53), (10_661, 52), (11_358, 52), (12_082, 51),
    (12_834, 50), (13_614, 49), (14_424, 48), (15_265, 48), (16_137, 47), (17_042, 46), (17_981, 45), (18_955, 45),
    (19_965, 44), (21_013, 43), (22_101, 43), (23_230, 42), (24_402, 41), (25_618, 41), (26_881, 40), (28_193, 39),
    (29_557, 39), (30_975, 38), (32_450, 38), (33_986, 37), (35_586, 36), (37_253, 36), (38_992, 35), (40_808, 35),
    (42_707, 34), (44_694, 33), (46_776, 33), (48_961, 32), (51_258, 32), (53_677, 31), (56_230, 30), (58_932, 30),
    (61_799, 29), (64_851, 28), (68_113, 28), (71_617, 27), (75_401, 26), (79_517, 26), (84_035, 25), (89_053, 24),
];

/// Fewest segments after a loss.
const MIN_WINDOW: u32 = 2;

#[derive(Clone, Debug, Default)]
struct HighSpeed {
    row: usize,
}

impl Transcription for HighSpeed {
    type State = State;

    fn acknowledged(&mut self, window: &mut Transcribed, acked: u32) {
        if window.in_slow_start() {
            window.slow_start(acked);
            return;
        }
        let above = TABLE.partition_point(|(largest, _)| *largest < window.cwnd);
        self.row = above.min(TABLE.len() - 1);
        if window.cwnd < window.clamp {
            window.credit += self.row as u32 + 1;
            if window.credit >= window.cwnd {
                window.credit -= window.cwnd;
                window.cwnd += 1;
            }
        }
    }

    fn left(&self, cwnd: u32) -> u32 {
        let (_, decrease) = TABLE[self.row];
        (cwnd - ((cwnd as u64 * decrease as u64) >> 8) as u32).max(MIN_WINDOW)
    }

    fn begin(&mut self) {
        self.row = 0;
    }

    fn state(&self, credit: u32) -> State {
        State { credit, row: self.row as u32 }
    }
}

/// The program of RFC 3649 appendix B, which takes p(w) as 1 / (12.8 · w^1.2): a row begins where
/// a(w) is one more than where the row before began. The kernel rounds b(w) down to 1/256 and
/// leaves out the last row.
#[test]
fn the_table_is_that_of_the_rfcs_appendix() {
    let log = |w: f64| libm::log(w / 38.0) / libm::log(83_000.0 / 38.0);
    let b = |w: f64| 0.5 - 0.4 * log(w);
    let a = |w: f64| w * w * 2.0 * b(w) / ((2.0 - b(w)) * libm::pow(w, 1.2) * 12.8);
    let mut rows = vec![(38, 128)];
    let mut last = 1.0;
    for w in 38..100_000 {
        let w_f = w as f64;
        if a(w_f) > last + 1.0 {
            rows.push((w, (256.0 * b(w_f)) as u32));
            last = a(w_f);
        }
    }
    assert_eq!(rows.len(), TABLE.len() + 1);
    assert_eq!(rows[..TABLE.len()], TABLE);
}

#[test]
fn the_core_and_the_transcription_agree() {
    lockstep(Constants::default(), HighSpeed::default());
}

/// A core in avoidance at `cwnd` segments, after so many acknowledgements of two segments.
fn grown(cwnd: u32, acknowledgements: u32) -> Core<Constants> {
    let mut core = Core::new(Constants::default());
    core.output.cwnd = cwnd;
    core.output.ssthresh = 2;
    for _ in 0..acknowledgements {
        core.next(
            Event::Ack,
            &Input { acked: 2, cwnd_limited: 1, cwnd_clamp: u32::MAX, ..Input::default() },
        );
    }
    core
}

fn left(mut core: Core<Constants>, cwnd: u32) -> u32 {
    core.output.cwnd = cwnd;
    core.next(Event::Reduce, &Input::default());
    core.output.ssthresh
}

#[test]
fn growth_counts_acknowledgements() {
    // Row 2 adds 2 of 100 each time.
    assert_eq!(grown(100, 49).output.cwnd, 100);
    assert_eq!(grown(100, 50).output.cwnd, 101);
    // The edges belong to the row below.
    assert_eq!(
        [38, 39, 118, 119, 84_035, 84_036, 89_054].map(|cwnd| grown(cwnd, 1).state.credit),
        [1, 2, 2, 3, 71, 72, 72]
    );
}

#[test]
fn slow_start_forgets_what_it_leaves_over() {
    let mut core = grown(9, 0);
    core.output.ssthresh = 10;
    core.next(
        Event::Ack,
        &Input { acked: 2, cwnd_limited: 1, cwnd_clamp: u32::MAX, ..Input::default() },
    );
    assert_eq!((core.output.cwnd, core.state.credit), (10, 0));
}

#[test]
fn a_loss_takes_the_rows_part() {
    // 1000 is in row 8: 1000 - 1000 · 83 / 256, rounded down.
    assert_eq!(left(grown(1_000, 1), 1_000), 1_000 - 324);
    assert_eq!(left(grown(10, 0), 1_000), 500, "no row was looked up in slow start");
    assert_eq!(left(grown(10, 0), 3), 2);
    assert_eq!(left(grown(89_054, 1), u32::MAX), u32::MAX - 402_653_183);
}
