//! The rules in which the two texts of the draft differ. Constants that both have are in `mod.rs`.

use narrows_units::Span;

/// The text to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// draft-ietf-ccwg-rfc8298bis-screamv2-01 (July 2026).
    Draft,
    /// draft-johansson-ccwg-rfc8298bis-screamv2, as it was while its post-congestion delay was 4 s.
    Johansson,
}

/// VIRTUAL_RTT: reductions are this or a round trip apart, whichever is shorter, and growth is
/// slower at shorter round trips.
pub const VIRTUAL_RTT: Span = Span::from_millis(25);
/// Least part of the growth near the inflection point, and of its additive part in the newer text.
const LEAST_SCALE: f64 = 0.1;
const LEAST_ADDITIVE: f64 = 0.25;
/// Round trips of caution after congestion in the newer text, seconds in the older.
const CAUTION_ROUNDS: f64 = 100.0;
const CAUTION_SECONDS: f64 = 4.0;
/// PACKET_OVERHEAD of media packets, in bytes.
const MEDIA_HEADERS: f64 = 20.0;
/// Part of the window's rate that the newer text keeps from the encoder, for one that keeps to its
/// rate: `rate_adjust` and `frame_size_dev` are zero here.
const MEDIA_DIVISOR: f64 = 1.2;
/// In the older text, BYTES_IN_FLIGHT_LIMIT and its compensation: the authors'
/// `kBytesInFlightLimit` and `kMaxBytesInFlightLimitCompensation`.
const FULL: f64 = 0.9;
const MOST_COMPENSATION: f64 = 1.5;

/// How the window may grow.
#[derive(Clone, Copy, Debug)]
pub struct Growing {
    /// The window in segments.
    pub segments: f64,
    /// Its distance from the inflection point, as a part of that.
    pub distance: f64,
    /// Smoothed round trip in seconds.
    pub srtt: f64,
    /// Seconds since congestion; `None` without any.
    pub calm_for: Option<f64>,
}

impl Profile {
    /// BYTES_IN_FLIGHT_HEAD_ROOM: the window grows up to this times what was in flight.
    pub fn head_room(self) -> f64 {
        match self {
            Profile::Draft => 1.5,
            Profile::Johansson => 2.0,
        }
    }

    /// Windows that may be in flight. REF_WND_OVERHEAD_MAX, since REDUCE_JITTER is off:
    /// `ref_wnd_delay_scale` is one; REF_WND_OVERHEAD.
    pub fn overhead(self) -> f64 {
        match self {
            Profile::Draft => 3.0,
            Profile::Johansson => 1.5,
        }
    }

    /// Least time between two updates of the mean delay.
    pub fn averages_apart(self, srtt: Span) -> Span {
        match self {
            Profile::Draft => VIRTUAL_RTT.min(srtt),
            Profile::Johansson => srtt,
        }
    }

    /// Part of the window that a mean delay of `over` times half of the target beyond half of it
    /// takes.
    pub fn delay_backoff(self, over: f64, srtt: f64) -> f64 {
        let backoff = over.clamp(0.0, 1.0) / 2.0;
        match self {
            Profile::Draft => backoff / rounds(srtt).max(1.0),
            Profile::Johansson => backoff,
        }
    }

    /// Bytes of growth per byte acknowledged, times the window in segments ("Reference window
    /// update").
    pub fn growth(self, growing: &Growing, multiplicative: f64) -> f64 {
        let Growing { segments, distance, srtt, calm_for } = *growing;
        let short = rounds(srtt).min(1.0);
        let steep = match self {
            Profile::Draft => 8.0,
            Profile::Johansson => 4.0,
        } * distance;
        let scale = (steep * steep).clamp(LEAST_SCALE, 1.0);
        let caution = match self {
            Profile::Draft => CAUTION_ROUNDS * srtt.max(VIRTUAL_RTT.as_secs_f64()),
            Profile::Johansson => CAUTION_SECONDS,
        };
        let calm = calm_for.map_or(1.0, |calm| (calm / caution).min(1.0));
        let faster = 1.0 + multiplicative * segments * calm * scale;
        match self {
            Profile::Draft => short * scale.max(LEAST_ADDITIVE) * faster * segments.min(1.0),
            Profile::Johansson => short * short * scale * faster,
        }
    }

    /// Part of the window's rate that the encoder gets, at a window of so many segments of `mss`
    /// bytes, of which `flight` windows are in flight ("Media rate control").
    pub fn media_part(self, segments: f64, flight: f64, mss: f64) -> f64 {
        match self {
            Profile::Draft => {
                let few = 1.0 - ((1.0 / segments).min(1.0) - 0.1).clamp(0.0, 0.2);
                few * mss / (mss + MEDIA_HEADERS) / MEDIA_DIVISOR
            }
            Profile::Johansson => {
                let full = (flight / FULL).clamp(1.0, MOST_COMPENSATION);
                let few = 1.0 - (1.0 / segments - 0.1).clamp(0.0, 0.8);
                few / full
            }
        }
    }
}

/// A round trip in VIRTUAL_RTTs.
pub fn rounds(srtt: f64) -> f64 {
    srtt / VIRTUAL_RTT.as_secs_f64()
}
