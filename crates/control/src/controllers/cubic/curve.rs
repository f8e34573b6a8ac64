//! The cubic growth function in integers (Linux `net/ipv4/tcp_cubic.c`: `bictcp_update`,
//! `cubic_root`, `bictcp_recalc_ssthresh`).
//!
//! Time on the curve is in 1/1024 s, derived from ticks of the kernel's clock; C is 410/1024
//! segments/s³ and β is 717/1024.
//!
//! Where the kernel's arithmetic would wrap around it saturates here: an epoch that runs for 347 s
//! beyond its origin, windows above 2.4 million segments, and a window so far below the last
//! maximum (by 99 %) that the error of the cube root exceeds it.

use crate::parts::ticks::Ticks;

/// β in 1/1024: a reduction leaves this much of the window.
const BETA: u64 = 717;
/// β.
pub const LEFT: f64 = BETA as f64 / 1024.0;
/// Reno's growth per window that matches it (RFC 9438 section 4.3).
pub const ALPHA: f64 = 3.0 * (1.0 - LEFT) / (1.0 + LEFT);
/// C in 1/1024 segments/s³.
const C: u64 = 410;
/// The curve's unit of time is 2^-10 s, and C has another 10 fractional bits.
const SCALE: u32 = 10 + 3 * 10;
/// Segments per (1/1024 s)³ turned round: multiplied by a number of segments, the cube of the time
/// the curve takes for them.
const CUBE_FACTOR: u64 = (1 << SCALE) / C;
/// Segments to acknowledge for one segment of Reno's growth, in eighths of the window: 8 (1 + β) /
/// 3 (1 - β).
const RENO_EIGHTHS: u64 = 8 * (1024 + BETA) / 3 / (1024 - BETA);
/// Fewest segments to acknowledge per segment of growth: the window grows by half per round trip at
/// most.
const MIN_COUNT: u32 = 2;
/// Before the first loss there is no maximum to aim at: the window grows by at least 1/20 per round
/// trip.
const MAX_COUNT_BEFORE_LOSS: u32 = 20;

/// The window's course since the last reduction.
#[derive(Clone, Debug)]
pub struct Curve {
    fast_convergence: bool,
    friendliness: bool,
    state: CurveState,
}

/// State that a timeout forgets.
#[derive(Clone, Debug, Default)]
pub struct CurveState {
    /// Segments to acknowledge for one segment of growth.
    pub count: u32,
    /// The window at the last reduction, less under fast convergence; 0 before the first.
    pub last_max: u32,
    /// The window at the latest computation.
    pub last_window: u32,
    /// The tick of the latest computation.
    pub last_update: u64,
    /// The window that the curve is flat at.
    pub origin: u32,
    /// Time from the epoch's start to the origin, in 1/1024 s.
    pub k: u64,
    /// The tick of the first growth after a reduction.
    pub epoch: Option<u64>,
    /// Segments acknowledged and not yet counted for Reno's window.
    pub acked: u32,
    /// Reno's window.
    pub reno: u32,
}

impl Curve {
    /// A curve before any loss.
    pub fn new(fast_convergence: bool, friendliness: bool) -> Curve {
        Curve { fast_convergence, friendliness, state: CurveState::default() }
    }

    /// A curve on its course, as Linux has it by default: with fast convergence, and at least as
    /// fast as Reno.
    pub fn resume(state: CurveState) -> Curve {
        Curve { state, ..Curve::new(true, true) }
    }

    /// Where it is.
    pub fn state(&self) -> &CurveState {
        &self.state
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.state = CurveState::default();
    }

    /// True in the first second of an epoch: round trips just after recovery are not yet the
    /// path's.
    pub fn is_settling(&self, now: u64, hz: u64) -> bool {
        self.state.epoch.is_some_and(|epoch| now.saturating_sub(epoch) < hz)
    }

    /// The flow was idle for `ticks` until `now`: that time does not count on the curve.
    pub fn shift(&mut self, ticks: u64, now: u64) {
        if let Some(epoch) = &mut self.state.epoch {
            *epoch = (*epoch + ticks).min(now);
        }
    }

    /// Ends the epoch at `window` and gives the window after the reduction.
    pub fn reduce(&mut self, window: u32) -> u32 {
        let state = &mut self.state;
        state.epoch = None;
        let shrinking = self.fast_convergence && window < state.last_max;
        state.last_max =
            if shrinking { (window as u64 * (1024 + BETA) / 2048) as u32 } else { window };
        ((window as u64 * BETA / 1024) as u32).max(2)
    }

    /// Segments to acknowledge for one segment of growth, now that `acked` more arrived at
    /// `window`. `min_rtt` is in µs, 0 if unknown.
    pub fn count(&mut self, window: u32, acked: u32, now: u64, min_rtt: u32, ticks: &Ticks) -> u32 {
        let state = &mut self.state;
        state.acked = state.acked.saturating_add(acked);
        if state.last_window == window && now - state.last_update <= ticks.hz() / 32 {
            return state.count;
        }
        if state.epoch.is_none() || now != state.last_update {
            state.follow(window, acked, now, min_rtt, ticks);
        }
        if self.friendliness {
            state.follow_reno(window);
        }
        state.count = state.count.max(MIN_COUNT);
        state.count
    }

    /// The window of the curve one round trip of `min_rtt` µs after the tick `now`; 0 before its
    /// epoch begins.
    pub fn target_at(&self, now: u64, min_rtt: u32, ticks: &Ticks) -> f64 {
        let Some(epoch) = self.state.epoch else { return 0.0 };
        let t = ticks.in_1024ths(now.saturating_sub(epoch) + ticks.of_micros(min_rtt));
        f64::from(self.state.target(t))
    }

    /// Names the state for traces.
    pub fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("w_max", self.state.last_max as f64);
        visit("k", self.state.k as f64 / 1024.0);
        visit("w_est", self.state.reno as f64);
    }
}

impl CurveState {
    fn follow(&mut self, window: u32, acked: u32, now: u64, min_rtt: u32, ticks: &Ticks) {
        self.last_window = window;
        self.last_update = now;
        let epoch = *self.epoch.get_or_insert_with(|| {
            self.acked = acked;
            self.reno = window;
            self.origin = self.last_max.max(window);
            self.k = cube_root(CUBE_FACTOR * (self.origin - window) as u64) as u64;
            now
        });
        let t = ticks.in_1024ths(now - epoch + ticks.of_micros(min_rtt));
        let target = self.target(t);
        self.count =
            if target > window { window / (target - window) } else { window.saturating_mul(100) };
        if self.last_max == 0 {
            self.count = self.count.min(MAX_COUNT_BEFORE_LOSS);
        }
    }

    /// The curve at `t`: C (t - K)³ + origin.
    fn target(&self, t: u64) -> u32 {
        let off = t.abs_diff(self.k);
        let cube = C.saturating_mul(off).saturating_mul(off).saturating_mul(off) >> SCALE;
        let delta = u32::try_from(cube).unwrap_or(u32::MAX);
        if t < self.k {
            self.origin.saturating_sub(delta)
        } else {
            self.origin.saturating_add(delta)
        }
    }

    fn follow_reno(&mut self, window: u32) {
        let step = ((window as u64 * RENO_EIGHTHS) >> 3) as u32;
        if self.acked > step {
            let steps = (self.acked - 1) / step;
            self.acked -= steps * step;
            self.reno = self.reno.saturating_add(steps);
        }
        if self.reno > window {
            self.count = self.count.min(window / (self.reno - window));
        }
    }
}

/// Cube roots of the leading six bits of a number, in 1/64 and less 10 (less 35 for numbers below
/// 64), refined by the kernel's authors so that one Newton step is enough.
#[rustfmt::skip]
const ROOTS: [u8; 64] = [
      0,  54,  54,  54, 118, 118, 118, 118, 123, 129, 134, 138, 143, 147, 151, 156,
    157, 161, 164, 168, 170, 173, 176, 179, 181, 185, 187, 190, 192, 194, 197, 199,
    200, 202, 204, 206, 209, 211, 213, 215, 217, 219, 221, 222, 224, 225, 227, 229,
    231, 232, 234, 236, 237, 239, 240, 242, 244, 245, 246, 248, 250, 251, 252, 254,
];

/// The cube root, 0.2 % from exact on average: a table for the leading bits, then one Newton step
/// whose third is 341/1024.
fn cube_root(a: u64) -> u32 {
    let bits = 64 - a.leading_zeros();
    if bits < 7 {
        return (ROOTS[a as usize] as u32 + 35) >> 6;
    }
    let thirds = ((bits * 84) >> 8) - 1;
    let leading = (a >> (thirds * 3)) as usize;
    let guess = ((ROOTS[leading] as u64 + 10) << thirds) >> 6;
    let newton = 2 * guess + a / (guess * (guess - 1));
    ((newton * 341) >> 10) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Milliseconds after the start on a 250 Hz clock.
    fn tick(ms: u64) -> u64 {
        ms / 4
    }

    #[test]
    fn constants_are_those_of_the_kernel() {
        assert_eq!(CUBE_FACTOR, 2_681_735_677);
        assert_eq!(RENO_EIGHTHS, 15);
    }

    #[test]
    fn cube_roots_equal_the_kernels() {
        // The table alone below 64, one Newton step above.
        for (a, root) in
            [(0, 0), (1, 1), (7, 2), (8, 2), (27, 3), (63, 4), (64, 4), (100, 5), (1_000, 10)]
        {
            assert_eq!(cube_root(a), root, "of {a}");
        }
        assert_eq!(cube_root(CUBE_FACTOR), 1_388);
        assert_eq!(cube_root(CUBE_FACTOR * 30), 4_316);
        assert_eq!(cube_root(CUBE_FACTOR * 300), 9_294);
        assert_eq!(cube_root(CUBE_FACTOR * 30_000), 43_169);
        assert_eq!(cube_root(1_000_000_000_000_000_000), 1_000_016);
    }

    #[test]
    fn cube_roots_are_close() {
        let mut a = 1u64 << 20;
        while a < 1 << 60 {
            let exact = libm::cbrt(a as f64);
            assert!((cube_root(a) as f64 - exact).abs() <= 0.011 * exact + 1.0, "of {a}");
            a += a / 97;
        }
    }

    #[test]
    fn k_of_100_and_70_is_4_217_seconds() {
        let ticks = Ticks::new(250);
        let mut curve = Curve::new(true, true);
        assert_eq!(curve.reduce(100), 70);
        // t = 50 ms of least round trip, rounded up to 13 ticks = 53/1024 s; (4316 - 53)³ 410 /
        // 2^40 = 28 below 100.
        assert_eq!(curve.count(70, 1, tick(1_000), 50_000, &ticks), 35);
        assert_eq!(curve.state.k, 4_316);
        assert!((curve.state.k as f64 / 1024.0 - 4.217).abs() < 0.004);
        assert_eq!(curve.state.target(53), 72);
        assert_eq!(curve.state.target(4_316), 100);
        // A second past K: 410 · 1024³ / 2^40 = 0.4 of a segment; five seconds: 0.4 · 125 = 50.05.
        assert_eq!(curve.state.target(4_316 + 1_024), 100);
        assert_eq!(curve.state.target(4_316 + 5 * 1_024), 150);
    }

    #[test]
    fn above_the_target_growth_nearly_stops() {
        let ticks = Ticks::new(250);
        let mut curve = Curve::new(true, false);
        curve.reduce(100);
        curve.count(70, 1, tick(1_000), 50_000, &ticks);
        assert_eq!(curve.count(96, 1, tick(3_000), 50_000, &ticks), 9_600);
    }

    #[test]
    fn growth_is_half_the_window_per_round_trip_at_most() {
        let ticks = Ticks::new(250);
        let mut curve = Curve::new(true, true);
        curve.state.last_max = 2_000;
        assert_eq!(curve.count(20, 1, 0, 100_000, &ticks), 2);
        assert_eq!(curve.state.target(102), 59, "20 / (59 - 20) is 0 segments per segment");
    }

    #[test]
    fn before_a_loss_growth_is_a_twentieth_per_round_trip_at_least() {
        let ticks = Ticks::new(250);
        let mut curve = Curve::new(true, true);
        assert_eq!(curve.count(40, 1, tick(0), 100_000, &ticks), 20);
        curve.reduce(40);
        assert!(curve.count(28, 1, tick(100), 100_000, &ticks) < 28, "toward the maximum");
    }

    #[test]
    fn counts_stay_for_a_32nd_of_a_second_at_the_same_window() {
        let ticks = Ticks::new(250);
        let mut curve = Curve::new(true, true);
        curve.reduce(100);
        let count = curve.count(70, 1, 250, 50_000, &ticks);
        assert_eq!(curve.count(70, 1, 250 + 7, 50_000, &ticks), count);
        assert_eq!(curve.state.last_update, 250);
        curve.count(70, 1, 250 + 8, 50_000, &ticks);
        assert_eq!(curve.state.last_update, 258);
    }

    #[test]
    fn fast_convergence_gives_up_15_percent_more() {
        let mut curve = Curve::new(true, true);
        assert_eq!((curve.reduce(121), curve.state.last_max), (84, 121));
        assert_eq!((curve.reduce(84), curve.state.last_max), (58, 71), "84 · 1741 / 2048");
        let mut plain = Curve::new(false, true);
        plain.reduce(121);
        assert_eq!((plain.reduce(84), plain.state.last_max), (58, 84));
    }

    #[test]
    fn reductions_stop_at_two_segments() {
        assert_eq!(Curve::new(true, true).reduce(1), 2);
        assert_eq!(Curve::new(true, true).reduce(3), 2);
    }

    #[test]
    fn idle_time_is_not_on_the_curve() {
        let ticks = Ticks::new(250);
        let mut curve = Curve::new(true, true);
        curve.reduce(100);
        curve.count(70, 1, 250, 50_000, &ticks);
        curve.shift(1_000, 1_500);
        assert_eq!(curve.state.epoch, Some(1_250));
        curve.shift(1_000, 1_500);
        assert_eq!(curve.state.epoch, Some(1_500), "never in the future");
    }

    #[test]
    fn the_epoch_may_last_for_hours() {
        let ticks = Ticks::new(1000);
        let mut curve = Curve::new(true, true);
        curve.count(100, 1, 1, 50_000, &ticks);
        assert_eq!(curve.count(101, 1, 10 * 3_600_000, 50_000, &ticks), 2);
    }
}
