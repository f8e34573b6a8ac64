//! Cores against transcriptions of the kernel's arithmetic in Rust: the same in every output and in
//! what is remembered, over random calls, likely ones and impossible ones.

use super::growth;
use super::socket::NO_THRESHOLD;
use narrows_cores::{Core, CoreConstants, Event, Input, Output};
use narrows_units::Random;

/// The window of Linux.
#[derive(Clone, Debug)]
pub struct Transcribed {
    pub cwnd: u32,
    pub threshold: u32,
    pub credit: u32,
    pub clamp: u32,
}

impl Transcribed {
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.threshold
    }

    /// Returns the segments left over for avoidance.
    pub fn slow_start(&mut self, acked: u32) -> u32 {
        let (cwnd, rest) = growth::slow_start(self.cwnd, self.threshold, acked);
        self.cwnd = cwnd.min(self.clamp);
        rest
    }

    /// One segment per `count` acknowledged.
    pub fn step(&mut self, count: u32, acked: u32) {
        (self.cwnd, self.credit) = growth::step(self.cwnd, self.credit, count, acked);
        self.cwnd = self.cwnd.min(self.clamp);
    }
}

/// The part that a controller adds to it.
pub trait Transcription {
    /// The state of its core.
    type State;

    /// `cong_avoid`, of a connection that its window limits.
    fn acknowledged(&mut self, window: &mut Transcribed, acked: u32);

    /// `ssthresh`.
    fn left(&self, cwnd: u32) -> u32;

    /// `init`.
    fn begin(&mut self);

    /// The state that the core must have.
    fn state(&self, credit: u32) -> Self::State;
}

const CONNECTIONS: u64 = 2_000;
const CALLS: u64 = 500;

/// Holds a core against its transcription.
pub fn lockstep<C: CoreConstants<State: PartialEq>>(
    constants: C,
    mut other: impl Transcription<State = C::State>,
) {
    let mut random = Random::stream(7, "lockstep");
    for _ in 0..CONNECTIONS {
        let mut core = Core::new(constants);
        let top = [20, 300, 100_000, 1 << 24][random.below(4) as usize];
        let most = [2, 12, 300][random.below(3) as usize];
        let clamp = if random.chance(0.2) { 1 + random.below(top) as u32 } else { u32::MAX };
        let mut cwnd = 10;
        let mut ssthresh = NO_THRESHOLD;
        let mut credit = 0;
        for call in 0..CALLS {
            if random.chance(0.01) {
                (cwnd, ssthresh) = (1 + random.below(top) as u32, 1 + random.below(top) as u32);
            }
            let event = match random.below(40) {
                _ if call == 0 => Event::Init,
                0 => Event::Reduce,
                1 => Event::Undo,
                2 => Event::State,
                3 => Event::Rtt,
                _ => Event::Ack,
            };
            let input = Input {
                now: random.bits() >> 20,
                event: event as u32,
                pacing_rate: random.bits() >> 30,
                acked: random.below(most) as u32,
                cwnd,
                ssthresh,
                prior_cwnd: 1 + random.below(top) as u32,
                cwnd_clamp: clamp,
                cwnd_limited: random.chance(0.9) as u32,
                recovery: random.below(5) as u32,
                mss: 1448,
                ..Input::default()
            };
            let mut window = Transcribed { cwnd, threshold: ssthresh, credit, clamp };
            match event {
                Event::Init => {
                    other.begin();
                    window.credit = 0;
                }
                Event::Ack if input.cwnd_limited == 1 => {
                    other.acknowledged(&mut window, input.acked)
                }
                Event::Reduce => (window.threshold, window.credit) = (other.left(cwnd), 0),
                Event::Undo => window.cwnd = cwnd.max(input.prior_cwnd),
                Event::State if input.recovery == 4 => window.credit = 0,
                _ => {}
            }
            core.decide(&input);
            let output = Output {
                pacing_rate: input.pacing_rate,
                cwnd: window.cwnd,
                ssthresh: window.threshold,
            };
            assert_eq!(core.output, output, "{input:?}");
            assert_eq!(core.state, other.state(window.credit), "{input:?}");
            (cwnd, credit) = (window.cwnd, window.credit);
            if event == Event::Reduce {
                (cwnd, ssthresh) = (window.threshold, window.threshold);
            }
        }
    }
}
