//! Window, pacing rate and quantum ("Setting pacing rate, congestion window and quantum",
//! `c4_apply_rate_and_cwin`).

use super::connection::C4;
use super::profile::{LEAST_INITIAL, MOST_MARGIN, MOST_QUANTUM, Profile};
use super::state::C4State;
use narrows_units::Span;

impl C4 {
    /// Pacing rate in bytes of payload per second; `None` before any is known.
    pub(super) fn pacing(&self) -> Option<f64> {
        let nominal = self.alpha * self.rate.get();
        match self.state {
            C4State::Resuming => self.seed.map(|seed| seed.rate),
            _ if self.rate.get() <= 0.0 => None,
            C4State::Initial => Some(nominal.max(LEAST_INITIAL)),
            _ => Some(nominal),
        }
    }

    /// Window in bytes of payload.
    pub(super) fn window(&self) -> f64 {
        let nominal = self.alpha * self.rate.get();
        let max = self.rtts.max().unwrap_or_default();
        let bytes = match self.state {
            C4State::Initial => self.initial.window.max(nominal * max.as_secs_f64()),
            C4State::Resuming => self.seed.map_or(0.0, |seed| seed.window),
            _ => nominal * (max + margin(max)).as_secs_f64() + self.whole_packet(max),
        };
        bytes.max(2.0 * self.mss)
    }

    /// In picoquic, the rest of a packet by which a probe's window must exceed the nominal one.
    fn whole_packet(&self, max: Span) -> f64 {
        let probes = matches!(self.state, C4State::Probing | C4State::Pushing);
        if self.profile == Profile::Draft || !probes {
            return 0.0;
        }
        let more = (self.alpha - 1.0) * self.rate.get() * max.as_secs_f64();
        (self.mss - more).max(0.0)
    }

    /// Bytes of payload that may leave back to back.
    pub(super) fn quantum(&self) -> f64 {
        let rate = self.pacing().unwrap_or(0.0);
        (self.constants.quantum * rate).min(MOST_QUANTUM).max(2.0 * self.mss)
    }
}

/// The time that the window adds for errors of the longest round trip.
fn margin(max: Span) -> Span {
    Span::from_nanos(max.as_nanos() / 4).min(MOST_MARGIN)
}
