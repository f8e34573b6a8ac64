//! The constants, and those in which the draft and picoquic differ.

use narrows_units::Span;

/// The document to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// draft-huitema-ccwg-c4-spec, the working copy after -04.
    Draft,
    /// picoquic's `picoquic/c4.c` of 7 July 2026, about -04.
    Picoquic,
}

/// Differences in numbers only.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// Sensitivity at 1 MB/s.
    pub knee: f64,
    /// Part of the longest round trip by which the delay's threshold grows from full sensitivity to
    /// none.
    pub delay_span: f64,
    /// Multiple of the nominal rate in Pushing (`C4_ALPHA_PUSH_25`).
    pub push: f64,
    /// Seconds of pacing in a quantum.
    pub quantum: f64,
}

impl Profile {
    /// The constants of this profile.
    pub fn constants(self) -> &'static Constants {
        match self {
            Profile::Draft => &DRAFT,
            Profile::Picoquic => &PICOQUIC,
        }
    }
}

const DRAFT: Constants =
    Constants { knee: 0.92, delay_span: 3.0 / 16.0, push: 5.0 / 4.0, quantum: 0.004 };

const PICOQUIC: Constants = Constants {
    knee: 963.0 / 1024.0,
    delay_span: 196.0 / 1024.0,
    // Meant to be 1280.
    push: 1256.0 / 1024.0,
    quantum: 4.0 / 1024.0,
};

/// Multiples of the nominal rate.
pub const INITIAL: f64 = 2.0;
/// Recovery, and once congestion is reported during it.
pub const RECOVERY: f64 = 15.0 / 16.0;
pub const DRAINING: f64 = 7.0 / 8.0;
pub const CRUISING: f64 = 1.0;
/// Added to Cruising at round trips below a millisecond.
pub const SHORT_PATH: f64 = 3.0 / 64.0;
/// Probing, and after marks.
pub const PROBING: f64 = 17.0 / 16.0;
pub const PROBING_MARKED: f64 = 33.0 / 32.0;
/// Resuming: only said, since window and rate are those that were saved (`C4_ALPHA_PUSH_200_0`).
pub const RESUMING: f64 = 3.0;

/// Least pacing rate of Initial, in bytes per second: 1,048,576 bit/s.
pub const LEAST_INITIAL: f64 = 131_072.0;
/// Largest quantum in bytes.
pub const MOST_QUANTUM: f64 = 65_536.0;
/// Most time that the window adds for errors of the longest round trip.
pub const MOST_MARGIN: Span = Span::from_millis(15);
/// The longest round trip is at least this.
pub const LEAST_MAX_RTT: Span = Span::from_millis(1);
/// Jitter beyond this over the least round trip counts as this (`MAX_JITTER`).
pub const MOST_JITTER: Span = Span::from_millis(250);
/// Most that the delay's threshold is.
pub const MOST_DELAY: Span = Span::from_millis(25);
/// Largest cut of the nominal rate.
pub const MOST_CUT: f64 = 0.25;
/// Packets in Initial before losses end it.
pub const BEFORE_LOSS: u64 = 20;
/// Eras without growth after which Initial ends, and after which delay or marks may end it.
pub const FLAT_ERAS: u32 = 3;
pub const FLAT_ERAS_BEFORE_SIGNALS: u32 = 2;
/// Eras of Cruising before a probe.
pub const CRUISING_ERAS: u32 = 2;
/// Growth in an era of Pushing that is enough to go on.
pub const PUSH_GROWTH: f64 = 19.0 / 16.0;
/// Eras of Pushing after which growth leads to Initial.
pub const PUSHING_ERAS: u32 = 3;
/// Eras of Resuming.
pub const RESUMING_ERAS: u32 = 2;
