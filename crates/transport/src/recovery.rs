//! Recovery: its states, the spreading of a reduction, and the evidence that it was not needed.

use crate::RecoveryAlgorithm;
use narrows_units::Time;

/// How a reduction takes effect while losses are repaired, with its state.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spread {
    Prr(Prr),
    RateHalving(RateHalving),
    Pipe,
}

impl Spread {
    pub(crate) fn new(algorithm: RecoveryAlgorithm) -> Spread {
        match algorithm {
            RecoveryAlgorithm::Prr => Spread::Prr(Prr::default()),
            RecoveryAlgorithm::RateHalving => Spread::RateHalving(RateHalving::default()),
            RecoveryAlgorithm::Pipe | RecoveryAlgorithm::Reno => Spread::Pipe,
        }
    }

    /// A reduction from this window begins.
    pub(crate) fn begin(&mut self, prior_window: u32) {
        match self {
            Spread::Prr(prr) => *prr = Prr::begin(prior_window),
            Spread::RateHalving(halving) => halving.begin(prior_window),
            Spread::Pipe => {}
        }
    }

    /// The reduction is over, or holds at once: a timeout or an undo.
    pub(crate) fn end(&mut self) {
        if let Spread::RateHalving(halving) = self {
            *halving = RateHalving::default();
        }
    }

    /// A segment left during the reduction.
    #[inline]
    pub(crate) fn on_sent(&mut self) {
        if let Spread::Prr(prr) = self {
            prr.out += 1;
        }
    }

    /// The window now, where the controller wants it at `target`.
    #[inline]
    pub(crate) fn window(&self, target: u32, reducing: bool) -> u32 {
        match self {
            Spread::Prr(prr) if reducing => prr.window,
            Spread::RateHalving(halving) if reducing => halving.window,
            Spread::RateHalving(halving) => halving.window.min(target),
            _ => target,
        }
    }
}

/// Rate halving as Linux 2.4 has it (`tcp_cwnd_down`, `tcp_complete_cwr`, `tcp_moderate_cwnd`), after a draft by Mathis, Semke and Mahdavi (1999).
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateHalving {
    /// `u32::MAX` while it bounds nothing.
    window: u32,
    /// An acknowledgement waits for the second of its pair.
    odd: bool,
}

impl Default for RateHalving {
    fn default() -> RateHalving {
        RateHalving { window: u32::MAX, odd: false }
    }
}

/// Segments that may follow at once when a recovery ends (Linux 2.4 `tcp_max_burst`).
const BURST_AFTER_RECOVERY: u32 = 3;

impl RateHalving {
    fn begin(&mut self, prior_window: u32) {
        *self = RateHalving { window: self.window.min(prior_window), odd: false };
    }

    /// An acknowledgement during the reduction. `target` is where the controller wants the window.
    pub(crate) fn on_ack(&mut self, in_flight: u32, target: u32) {
        if self.odd && self.window > (target / 2).max(1) {
            self.window -= 1;
        }
        self.odd = !self.odd;
        self.window = self.window.min(in_flight + 1);
    }

    /// An acknowledgement after the reduction: the window grows by one segment each time until it is where the controller wants it. `just_ended`: this one ends
    /// recovery.
    #[inline]
    pub(crate) fn regrow(&mut self, in_flight: u32, target: u32, just_ended: bool) {
        if just_ended {
            self.window = self.window.min(in_flight + BURST_AFTER_RECOVERY);
        } else {
            self.window = self.window.saturating_add(1);
        }
        if self.window >= target {
            self.window = u32::MAX;
        }
    }
}

/// Proportional rate reduction (RFC 6937 with the reduction bound of Linux `tcp_cwnd_reduction`): the window goes from where it was to where the controller
/// wants it in step with what is delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Prr {
    prior_window: u32,
    delivered: u32,
    out: u32,
    window: u32,
}

impl Prr {
    fn begin(prior_window: u32) -> Prr {
        Prr { prior_window, delivered: 0, out: 0, window: prior_window }
    }

    /// An acknowledgement delivered `acked` segments. `target` is where the window shall arrive; `advanced`: the cumulative acknowledgement moved and nothing
    /// more was lost.
    pub(crate) fn on_ack(&mut self, acked: u32, in_flight: u32, target: u32, advanced: bool) {
        if acked == 0 {
            return;
        }
        self.delivered += acked;
        let send = if in_flight > target {
            let share = (target as u64 * self.delivered as u64).div_ceil(self.prior_window.max(1) as u64) as u32;
            share.saturating_sub(self.out)
        } else {
            let unsent = self.delivered.saturating_sub(self.out).max(acked) + advanced as u32;
            unsent.min(target - in_flight)
        };
        // The first retransmission of a recovery always leaves.
        let send = send.max((self.out == 0) as u32);
        self.window = in_flight + send;
    }
}

/// Evidence that a reduction was spurious: an acknowledgement stamped before the first retransmission left (Eifel, RFC 3522 and RFC 4015), or duplicates
/// reported for every retransmission (RFC 3708).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Undo {
    /// First segment not acknowledged when the reduction was made; `None` if nothing can be undone.
    marker: Option<u64>,
    /// When the first of the retransmissions left that may still be under way, whichever recovery they belong to.
    first_resent_at: Option<Time>,
    /// Retransmissions not yet reported as duplicates, once there was one.
    unproven: Option<u32>,
}

impl Undo {
    /// A reduction is made. `resent_out` retransmissions are under way; `repaired`: so was one of segment `una`, whatever became of it.
    pub(crate) fn begin(&mut self, una: u64, resent_out: u32, repaired: bool) {
        if resent_out == 0 && !repaired {
            self.first_resent_at = None;
        }
        self.marker = Some(una);
        self.unproven = (resent_out > 0).then_some(resent_out);
    }

    /// The reduction is undone.
    pub(crate) fn end(&mut self) {
        self.marker = None;
        self.unproven = None;
    }

    /// A segment is retransmitted.
    pub(crate) fn on_resent(&mut self, now: Time) {
        self.first_resent_at.get_or_insert(now);
        if self.marker.is_some() {
            self.unproven = Some(self.unproven.unwrap_or(0) + 1);
        }
    }

    /// The first segment that was not acknowledged when the reduction was made.
    pub(crate) fn marker(&self) -> Option<u64> {
        self.marker
    }

    /// The receiver reports that segment `number` came twice.
    pub(crate) fn on_duplicate(&mut self, number: u64, ever_resent: bool) {
        if self.marker.is_some_and(|marker| number >= marker)
            && ever_resent
            && let Some(count) = &mut self.unproven
        {
            *count = count.saturating_sub(1);
        }
    }

    /// True if the reduction is proven spurious. `echo` is the stamp of the segment that moved the cumulative acknowledgement just now, if it moved.
    pub(crate) fn is_proven(&self, echo: Option<Time>) -> bool {
        let original_arrived = matches!((self.first_resent_at, echo), (Some(resent), Some(echo)) if echo < resent);
        self.marker.is_some() && (self.unproven == Some(0) || original_arrived)
    }
}

/// Forward RTO-Recovery in its SACK form (RFC 5682 section 3.1, Linux `tcp_process_loss`): after a timeout only the first segment is repeated; what arrives
/// next tells whether the others were lost or late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Frto {
    /// The losses are taken for real.
    #[default]
    Off,
    /// The first segment was repeated.
    Waiting,
    /// The acknowledgement moved: new data goes before repetitions.
    NewData,
}
