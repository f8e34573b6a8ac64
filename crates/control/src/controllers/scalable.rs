//! Scalable TCP: the window grows and falls by a constant part of itself, so that recovery from a
//! loss takes the same number of round trips at any rate.
//!
//! Sources: Kelly, "Scalable TCP: improving performance in highspeed wide area networks", ACM CCR
//! 33(2), 2003; Linux `net/ipv4/tcp_scalable.c`.
//!
//! The profiles differ below a hundred segments. The paper follows NewReno in growth and reduction
//! up to its legacy window; Linux has no such window: it grows by the faster of both and always
//! takes an eighth, of whole segments, so that windows below eight are not reduced at all but for
//! the two segments left at least.
//!
//! Flows that share a loss process do not converge to equal windows (multiplicative increase and
//! decrease): a property, not to be repaired.

use crate::cores::{Twin, replay};
use crate::parts::aimd::{Aimd, Response};
use crate::parts::ecn::ECN;
use crate::parts::linux::OfCore;
use crate::parts::start::params::{refuse_all, with_start};
use crate::{Basis, Build, Built, Entry, Setup};
use narrows_cores::scalable::{Constants, State};
use narrows_params::{Need, Param, ParamError, Params};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "scalable",
    kernel: Some("scalable"),
    summary: "Scalable TCP: grows by 1 % of the window per round trip, loses an eighth on loss",
    source: "Kelly, CCR 33(2), 2003; Linux net/ipv4/tcp_scalable.c",
    basis: Basis::Loss,
    needs: &[],
    numbered: false,
    params: with_start!(PROFILE.spec, AI_COUNT.spec, LOW_WINDOW.spec, ECN.spec),
    build: Build::Function(build),
};

const PROFILE: Param<Profile> = Param::choice(
    "profile",
    "paper",
    &[("paper", Profile::Paper), ("linux", Profile::Linux)],
    "paper: fractions of segments, NewReno below low_window; linux: whole segments, at least NewReno's growth, always loses an eighth",
)
.needing(Need::Outstanding);
const AI_COUNT: Param<f64> = Param::number(
    "ai_count",
    100.0,
    (2.0, 1000.0),
    "segments",
    "segments acknowledged per segment of growth: 1/a of the paper, TCP_SCALABLE_AI_CNT of the kernel (50 acknowledgements before Linux 5.6)",
);
const LOW_WINDOW: Param<f64> = Param::number(
    "low_window",
    16.0,
    (1.0, 1e6),
    "segments",
    "NewReno up to this window (profile paper)",
);

/// Which source is followed.
#[derive(Clone, Copy)]
enum Profile {
    Paper,
    Linux,
}

/// The part of the window that a reduction takes (b of the paper).
const DECREASE: f64 = 0.125;

/// The kernel's form of it.
pub static TWIN: Twin = Twin {
    kernel: "scalable",
    entry: &ENTRY,
    choice: "scalable?profile=linux",
    constants: |params| Ok(bytemuck::bytes_of(&constants(params)?).to_vec()),
    replay: replay::<Constants>,
    state: size_of::<State>(),
};

fn constants(params: &Params) -> Result<Constants, ParamError> {
    params.refuse(&LOW_WINDOW, "left out with profile=linux, which has no legacy window")?;
    refuse_all(params, "profile=linux, whose slow start is in its core")?;
    Ok(Constants { ai_count: params.get(&AI_COUNT) as u32, reserved: 0 })
}

fn build(setup: &Setup, params: &Params) -> Result<Built, ParamError> {
    Ok(match params.get(&PROFILE) {
        Profile::Linux => Built::new(OfCore::new(constants(params)?).connection(setup, params)),
        Profile::Paper => {
            let scalable =
                Scalable { ai_count: params.get(&AI_COUNT), low_window: params.get(&LOW_WINDOW) };
            Built::new(Aimd::new(scalable, setup, params, false)?)
        }
    })
}

/// The paper's steps.
#[derive(Clone, Debug)]
struct Scalable {
    ai_count: f64,
    low_window: f64,
}

impl Response for Scalable {
    fn increase(&self, w: f64) -> f64 {
        if w <= self.low_window { 1.0 } else { w / self.ai_count }
    }

    fn decrease(&self, w: f64) -> f64 {
        if w <= self.low_window { 0.5 } else { DECREASE }
    }
}

#[cfg(test)]
mod tests {
    use super::{Constants, State};
    use crate::Choice;
    use crate::parts::linux::lockstep::{Transcribed, Transcription, lockstep};
    use crate::testing::{acked, acknowledge, acknowledging, at, inspect, setup};
    use crate::{CaState, Congestion, Controller, Feedback, Outstanding};

    /// One loss at a window of `window`, and then `segments` acknowledged at once: threshold, and
    /// window at the end.
    fn sawtooth(options: &str, window: f64, segments: u64) -> (f64, f64) {
        let mut scalable: Box<dyn Controller> =
            format!("scalable?{options}").parse::<Choice>().unwrap().build(&setup(window)).unwrap();
        let outstanding = Outstanding { packets: 1, ..Outstanding::default() };
        let lost = Feedback {
            congestion: Some(Congestion::Loss),
            ca_state: CaState::Recovery,
            outstanding,
            ..Feedback::at(at(100))
        };
        scalable.on_feedback(&lost);
        let threshold = inspect(&*scalable, "ssthresh");
        let acked = acked(0..segments);
        scalable.on_feedback(&Feedback {
            ended: Some(CaState::Recovery),
            ..acknowledging(at(200), &acked)
        });
        (threshold, inspect(&*scalable, "cwnd"))
    }

    #[test]
    fn a_loss_takes_an_eighth_and_a_hundred_segments_give_one() {
        assert_eq!(sawtooth("", 800.0, 300), (700.0, 703.0));
        assert_eq!(sawtooth("ai_count=50", 800.0, 300), (700.0, 706.0));
        assert_eq!(sawtooth("profile=linux", 801.0, 299), (701.0, 703.0));
    }

    #[test]
    fn up_to_the_legacy_window_it_is_newreno() {
        assert_eq!(sawtooth("", 16.0, 8), (8.0, 9.0));
        assert_eq!(sawtooth("", 17.0, 1), (14.875, 14.875 + 1.0 / 14.875));
        assert_eq!(sawtooth("low_window=100", 80.0, 40), (40.0, 41.0));
        // Linux: growth of one per window below a hundred, and an eighth at any window.
        assert_eq!(sawtooth("profile=linux", 80.0, 140), (70.0, 72.0));
        assert_eq!(sawtooth("profile=linux", 16.0, 14), (14.0, 15.0));
        assert_eq!(sawtooth("profile=linux", 7.0, 0).0, 7.0);
    }

    /// ln(1 / 0.875) / ln(1.01) = 13.4 round trips at any window.
    #[test]
    fn recovery_takes_thirteen_round_trips_at_any_window() {
        for window in [100.0, 1_000.0, 10_000.0] {
            let mut scalable = "scalable".parse::<Choice>().unwrap().build(&setup(window)).unwrap();
            scalable.on_feedback(&Feedback {
                congestion: Some(Congestion::Loss),
                ca_state: CaState::Recovery,
                ..Feedback::at(at(100))
            });
            let mut rounds = 0;
            while inspect(&*scalable, "cwnd") < window {
                let cwnd = inspect(&*scalable, "cwnd") as u64;
                acknowledge(&mut *scalable, at(200 + rounds), &acked(0..cwnd));
                rounds += 1;
            }
            assert_eq!(rounds, 14, "at {window}");
        }
    }

    /// The kernel's arithmetic once more, apart from `cores/scalable.h`.
    struct Whole {
        ai_count: u32,
    }

    impl Transcription for Whole {
        type State = State;

        fn acknowledged(&mut self, window: &mut Transcribed, mut acked: u32) {
            if window.in_slow_start() {
                acked = window.slow_start(acked);
                if acked == 0 {
                    return;
                }
            }
            window.step(window.cwnd.min(self.ai_count), acked);
        }

        fn left(&self, cwnd: u32) -> u32 {
            (cwnd - (cwnd >> 3)).max(2)
        }

        fn begin(&mut self) {}

        fn state(&self, credit: u32) -> State {
            State { credit, reserved: 0 }
        }
    }

    #[test]
    fn the_core_and_the_transcription_agree() {
        for ai_count in [2, 50, 100, 1_000] {
            lockstep(Constants { ai_count, reserved: 0 }, Whole { ai_count });
        }
    }
}
