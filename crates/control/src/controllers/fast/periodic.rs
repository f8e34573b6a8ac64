//! The later algorithm: a window law, applied at once in every other round trip.

use super::increase::{Increase, Pace, Spreading};
use super::law::{AckView, MIN_WINDOW, WindowLaw};
use narrows_units::{Span, Time};

/// Least time between two updates (ns-2.35 `tcp-fast.cc`; the prototype had 20 ms).
const LEAST_PERIOD: Span = Span::from_millis(10);

/// w ← min{2w, (1 − γ)w + γ(w_old · baseRTT/RTT + α)} (FAST, INFOCOM 2004, equation 6), with the
/// window that gave rise to the round trip inside the bracket, and not the present one: that would
/// let the loop answer its own change twice.
pub fn target(gamma: f64, w: f64, flight: f64, base: f64, rtt: f64, alpha: f64) -> f64 {
    let target = (1.0 - gamma) * w + gamma * (flight * base / rtt + alpha);
    target.min(2.0 * w).max(MIN_WINDOW)
}

/// The window law.
#[derive(Clone, Debug)]
pub struct Periodic {
    gamma: f64,
    increase: Increase,
    updated: Option<Time>,
    /// The round in progress follows an update.
    active: bool,
}

impl Periodic {
    /// Moves by `gamma` of the distance.
    pub fn new(gamma: f64, spreading: Spreading) -> Periodic {
        Periodic { gamma, increase: Increase::new(spreading), updated: None, active: false }
    }

    fn update(&mut self, w: f64, seen: &AckView<'_>) -> f64 {
        let Some((base, rtt)) = seen.delay.mean() else { return w };
        let target = target(self.gamma, w, seen.flight, base, rtt, seen.alpha);
        let pace =
            Pace { packets: seen.round.packets as f64, acks: seen.round.acks as f64, rtt, base };
        self.active = true;
        self.updated = Some(seen.now);
        if target <= w {
            self.increase.cancel();
            return target;
        }
        // A window that is not used need not grow.
        if seen.limited > 0.0 { w + self.increase.begin(seen.now, w, target - w, &pace) } else { w }
    }
}

impl WindowLaw for Periodic {
    fn on_ack(&mut self, mut w: f64, seen: &AckView<'_>) -> f64 {
        if seen.round.ended {
            if seen.limited > 0.0 {
                w += self.increase.end_round();
            }
            let early = self.updated.is_some_and(|updated| seen.now.since(updated) < LEAST_PERIOD);
            if self.active || early {
                self.active = false;
            } else {
                return self.update(w, seen);
            }
        }
        w + self.increase.on_ack(seen.now, seen.limited)
    }

    fn suspend(&mut self) {
        self.increase.cancel();
        self.active = false;
    }

    fn next_timer(&self) -> Option<Time> {
        self.increase.next_timer()
    }

    fn on_timer(&mut self, now: Time, w: f64) -> f64 {
        w + self.increase.on_timer(now)
    }
}
