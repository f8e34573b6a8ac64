//! HighSpeed TCP as printed.
//!
//! Sources: RFC 3649 section 5 (a(w), b(w), p(w)), RFC 3742 section 2 (limited slow start).
//!
//! Choices that the RFC leaves open: above High_Window both steps stay what they are there; a
//! reduction starts from the window, not from the flight, as in NewReno.

use crate::parts::aimd::Response;

/// Low_Window and Low_P: up to here NewReno's steps hold, and here they sustain this loss rate.
const LOW: (f64, f64) = (38.0, 1e-3);
/// High_Window and High_P.
const HIGH: (f64, f64) = (83_000.0, 1e-7);
/// The part that a reduction takes at High_Window (High_Decrease).
const HIGH_DECREASE: f64 = 0.1;
/// The part that a reduction takes at Low_Window.
const LOW_DECREASE: f64 = 0.5;

/// The steps of section 5.
#[derive(Clone, Debug)]
pub struct HighSpeed {
    /// RFC 3742; 0 for no limit.
    max_threshold: f64,
}

impl HighSpeed {
    /// With slow start limited above `max_threshold` segments unless that is 0.
    pub fn new(max_threshold: f64) -> HighSpeed {
        HighSpeed { max_threshold }
    }
}

/// Where `w` is between Low_Window (0) and High_Window (1), on a logarithmic scale.
fn position(w: f64) -> f64 {
    libm::log(w.clamp(LOW.0, HIGH.0) / LOW.0) / libm::log(HIGH.0 / LOW.0)
}

/// The loss rate that sustains a window of `w`: a straight line between the two points, both axes
/// logarithmic.
fn p(w: f64) -> f64 {
    LOW.1 * libm::exp(position(w) * libm::log(HIGH.1 / LOW.1))
}

impl Response for HighSpeed {
    fn increase(&self, w: f64) -> f64 {
        if w <= LOW.0 {
            return 1.0;
        }
        let w = w.min(HIGH.0);
        let b = self.decrease(w);
        w * w * p(w) * 2.0 * b / (2.0 - b)
    }

    fn decrease(&self, w: f64) -> f64 {
        LOW_DECREASE + position(w) * (HIGH_DECREASE - LOW_DECREASE)
    }

    fn slow_start(&self, w: f64) -> f64 {
        if self.max_threshold == 0.0 || w <= self.max_threshold {
            return 1.0;
        }
        1.0 / libm::floor(w / (0.5 * self.max_threshold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Choice;
    use crate::testing::{acked, acknowledge, at, inspect, setup};
    use crate::{CaState, Congestion, Controller, Feedback};

    fn hstcp(options: &str, window: f64) -> Box<dyn Controller> {
        format!("hstcp?{options}").parse::<Choice>().unwrap().build(&setup(window)).unwrap()
    }

    fn lose(hstcp: &mut dyn Controller) {
        hstcp.on_feedback(&Feedback {
            congestion: Some(Congestion::Loss),
            ca_state: CaState::Recovery,
            ..Feedback::at(at(100))
        });
    }

    /// From the equations of section 5.
    #[test]
    fn the_steps_at_known_windows() {
        const STEPS: [(f64, f64, f64); 8] = [
            (38.0, 1.0, 0.5),
            (118.0, 2.03, 0.441),
            (221.0, 3.04, 0.408),
            (1_058.0, 8.14, 0.327),
            (10_661.0, 30.6, 0.207),
            (40_808.0, 57.3, 0.137),
            (83_000.0, 72.5, 0.100),
            (200_000.0, 72.5, 0.100),
        ];
        let steps = HighSpeed::new(0.0);
        for (w, a, b) in STEPS {
            assert!(
                (steps.increase(w) / a - 1.0).abs() < 2.5e-3,
                "a({w}) is {}, not {a}",
                steps.increase(w)
            );
            assert!(
                (steps.decrease(w) - b).abs() < 5e-4,
                "b({w}) is {}, not {b}",
                steps.decrease(w)
            );
        }
        assert_eq!([1.0, 20.0].map(|w| (steps.increase(w), steps.decrease(w))), [(1.0, 0.5); 2]);
    }

    /// Section 5: p(w) = 0.078 / w^1.2, to its two digits.
    #[test]
    fn the_response_function_passes_through_its_two_points() {
        for (w, expected) in [LOW, HIGH, (1_000.0, 0.078 / 3_981.07)] {
            assert!((p(w) / expected - 1.0).abs() < 0.02, "p({w}) is {}", p(w));
        }
    }

    #[test]
    fn one_loss_at_a_thousand_segments_and_one_window_after_it() {
        let mut hstcp = hstcp("", 1_000.0);
        lose(&mut *hstcp);
        // b = 0.5 - 0.4 · ln(1000 / 38) / ln(83000 / 38) = 0.5 - 0.4 · 3.270169 / 7.689010
        let left = 1_000.0 * (1.0 - 0.329_878_3);
        assert!(
            (inspect(&*hstcp, "ssthresh") - left).abs() < 1e-3,
            "{}",
            inspect(&*hstcp, "ssthresh")
        );
        assert_eq!(inspect(&*hstcp, "cwnd"), inspect(&*hstcp, "ssthresh"));
        // At 670.122: b = 0.350703, p = 0.001 · e^(-1.197858 · 2.869873) = 3.21385e-5, a = 449063 ·
        // p · 2b / (2 - b) = 6.13767.
        acknowledge(&mut *hstcp, at(200), &acked(0..100));
        let grown = inspect(&*hstcp, "cwnd") - left;
        assert!((grown - 6.137_67 * 100.0 / left).abs() < 1e-4, "{grown}");
    }

    /// RFC 3742 section 2 with max_ssthresh = 100: at 100 segments still one per segment, at 120
    /// half, at 160 a third.
    #[test]
    fn limited_slow_start_grows_by_half_of_max_ssthresh_per_round_trip() {
        let grown = |options: &str, window: f64| {
            let mut hstcp = hstcp(options, window);
            acknowledge(&mut *hstcp, at(50), &acked(0..6));
            inspect(&*hstcp, "cwnd") - window
        };
        for (window, expected) in [(100.0, 6.0), (120.0, 3.0), (160.0, 2.0), (1_000.0, 0.3)] {
            assert!(
                (grown("limited_slow_start=100", window) - expected).abs() < 1e-9,
                "at {window}"
            );
            assert_eq!(grown("", window), 6.0);
        }
    }
}
