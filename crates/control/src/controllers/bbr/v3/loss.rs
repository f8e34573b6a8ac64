//! Losses: how each packet left, how losses are answered, and how spurious ones are undone (sections
//! 5.5.10 and 5.5.11).

use super::Bbr3;
use super::profile::Profile;
use super::state::{BbrState, Evidence};
use crate::controllers::bbr::common::Ack;
use crate::{Congestion, Feedback, Tag};

// The state of the flow at each transmission, by its tag (`tx_in_flight`, `P.lost`; `struct
// tcp_skb_cb`).

/// The state of the flow at one transmission, and of its fate since.
#[derive(Clone, Copy, Debug, Default)]
pub struct Departure {
    /// Packets in flight, this one included.
    pub flight: u32,
    /// Packets declared lost so far.
    pub lost: u32,
    /// Packets delivered with a mark so far.
    pub marked: u32,
    /// The application was the limit.
    pub app_limited: bool,
}

/// The latest departures, in a ring.
///
/// A transmission whose fate never comes (all were given up by a timeout) costs nothing: its place
/// is taken in its turn. The ring holds a multiple of what is in flight, so that a transmission
/// finds its own departure unless it is older than that.
#[derive(Clone, Debug)]
pub struct Flights {
    /// By tag; a place holds the departure with the tag beside it.
    ring: Vec<(u32, Departure)>,
    next: u32,
}

/// Departures kept at the start; a power of two.
const INITIAL: usize = 64;
/// No departure: at least the packet itself is in flight.
const EMPTY: (u32, Departure) =
    (0, Departure { flight: 0, lost: 0, marked: 0, app_limited: false });
/// Departures kept per packet in flight.
const DEPTH: usize = 4;

impl Flights {
    /// Nothing has left.
    pub fn new() -> Flights {
        Flights { ring: vec![EMPTY; INITIAL], next: 0 }
    }

    /// A packet leaves.
    #[inline]
    pub fn depart(&mut self, departure: Departure) -> Tag {
        if departure.flight as usize * DEPTH > self.ring.len() {
            self.grow();
        }
        let tag = self.next;
        self.next = self.next.wrapping_add(1);
        let place = tag as usize & (self.ring.len() - 1);
        self.ring[place] = (tag, departure);
        Tag(tag)
    }

    /// The state when the transmission left that bears `tag`.
    #[inline]
    pub fn get(&self, tag: Tag) -> Option<Departure> {
        let (kept, departure) = self.ring[tag.0 as usize & (self.ring.len() - 1)];
        (kept == tag.0 && departure.flight > 0).then_some(departure)
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![EMPTY; self.ring.len() * 2];
        let mask = larger.len() - 1;
        for (tag, departure) in std::mem::replace(&mut self.ring, larger) {
            if departure.flight > 0 {
                self.ring[tag as usize & mask] = (tag, departure);
            }
        }
    }
}

// Losses: judged packet by packet, answered, and undone if they were spurious (sections 5.5.10 and
// 5.5.11).

impl Bbr3 {
    /// Saves window and bounds before losses change them (`SaveCwnd` and `SaveStateUponLoss`,
    /// `bbr_ssthresh`).
    pub(super) fn save(&mut self) {
        self.window.save(self.state == BbrState::ProbeRtt);
        self.undo = Undo {
            state: None,
            bandwidth: self.short_term.bandwidth(),
            flight: self.short_term.flight(),
            long_term: self.long_term.get(),
        };
    }

    /// Takes in the losses of an acknowledgement in the order of their detection
    /// (`HandleLostPacket`, section 5.5.10.2; `bbr_skb_marked_lost`).
    pub(super) fn take_losses(&mut self, feedback: &Feedback<'_>) {
        if feedback.congestion.is_some() {
            self.save();
        }
        let before = (feedback.totals.lost - feedback.lost.len() as u64) as u32;
        for (lost, count) in feedback.lost.iter().zip(before + 1..) {
            self.note_loss();
            if self.profile == Profile::Draft {
                self.lost_ranges.add(lost.number);
            }
            let Some(departure) = self.flights.get(lost.tag).filter(|_| self.cycle.probe_sample)
            else {
                continue;
            };
            let evidence = Evidence {
                flight: departure.flight,
                lost: count.wrapping_sub(departure.lost),
                app_limited: departure.app_limited,
                delivered: 0,
                marked: 0,
            };
            if self.is_too_high(&evidence) {
                self.answer_too_high(self.flight_at_loss(&evidence), evidence.app_limited);
            }
        }
        if self.profile == Profile::Linux && !feedback.lost.is_empty() {
            self.lost_ranges.add_acknowledgement();
        }
        if feedback.congestion == Some(Congestion::Loss) && feedback.lost.is_empty() {
            self.note_repaired_probe();
        }
    }

    /// A tail loss probe has repaired the loss of one packet (`bbr_run_loss_probe_recovery`).
    fn note_repaired_probe(&mut self) {
        self.note_loss();
        let flight = self.short_term.latest_flight() + 1;
        let evidence = Evidence { flight, lost: 1, app_limited: false, delivered: 0, marked: 0 };
        if self.cycle.probe_sample && self.is_too_high(&evidence) {
            self.answer_too_high(flight, false);
        }
    }

    pub(super) fn note_loss(&mut self) {
        self.short_term.note_loss(self.counts.delivered);
        self.loss_in_cycle = true;
    }

    /// True if losses or marks since the packet of `evidence` left exceed their threshold, in
    /// proportion to the flight at that time (`IsInflightTooHigh`, `bbr_is_inflight_too_high`).
    pub(super) fn is_too_high(&self, evidence: &Evidence) -> bool {
        let threshold =
            if self.selective { self.constants.loss_threshold.of(evidence.flight) } else { 0 };
        let lost = evidence.flight > 0 && evidence.lost > threshold;
        lost || self.marks.as_ref().is_some_and(|marks| marks.is_too_high(evidence))
    }

    /// The flight at which losses crossed the threshold: the flight before the packet of
    /// `evidence`, and the part of the packet that still fits (`InflightAtLoss`,
    /// `bbr_inflight_hi_from_lost_skb`).
    fn flight_at_loss(&self, evidence: &Evidence) -> u32 {
        let threshold = self.constants.loss_threshold;
        let flight = evidence.flight - 1;
        let lost = evidence.lost - 1;
        let budget = threshold.of_ceil(flight);
        let fits = budget.saturating_sub(lost) as u64 * threshold.1 as u64
            / (threshold.1 - threshold.0) as u64;
        flight + fits as u32
    }

    /// A probe had too many packets in flight, `flight`. Answered once per probe
    /// (`HandleInflightTooHigh`, `bbr_handle_inflight_too_high`).
    pub(super) fn answer_too_high(&mut self, flight: u32, app_limited: bool) {
        self.cycle.too_high = true;
        self.cycle.probe_sample = false;
        if !app_limited {
            self.long_term.set(flight.max(self.constants.beta.of(self.target_flight())));
        }
        if self.state == BbrState::Up {
            if self.profile == Profile::Draft {
                self.undo.state = Some(BbrState::Up);
            }
            self.start_down();
        }
    }

    /// Bounds bandwidth and flight once per round with loss, while not probing
    /// (`UpdateCongestionSignals` and `AdaptLowerBoundsFromCongestion`, section 5.5.10.3;
    /// `bbr_update_congestion_signals` and `bbr_adapt_lower_bounds`).
    pub(super) fn adapt_short_term(&mut self, ack: &Ack, bandwidth: u32) {
        if ack.sample.is_none() || ack.acked == 0 {
            return;
        }
        let limited = ack.sample.is_some_and(|sample| sample.app_limited);
        self.max_bandwidth.update(bandwidth, limited);
        if !self.short_term.round_start() {
            return;
        }
        let window = self.window.get();
        if !self.state.is_probing() {
            let marked = self.marks.as_ref().and_then(|marks| marks.cut());
            let marked = marked.map(|cut| {
                self.short_term.bound_flight(window);
                cut.of(self.short_term.flight())
            });
            if self.short_term.loss_in_round() {
                self.short_term.cut(self.constants.beta, self.max_bandwidth.get(), window);
            }
            if let Some(flight) = marked {
                self.short_term.lower_flight(flight);
            }
        }
        self.short_term.end_round();
        if let Some(marks) = &mut self.marks {
            marks.end_round();
        }
    }

    /// The losses were spurious (`HandleSpuriousLossDetection`, section 5.5.11.2; `bbr_undo_cwnd`).
    pub(super) fn take_back(&mut self) {
        self.window.restore();
        self.full_pipe.restart(0);
        self.short_term.undo(self.undo.bandwidth, self.undo.flight);
        self.long_term.raise_to(self.undo.long_term);
        let probing_rtt = self.state == BbrState::ProbeRtt;
        match self.undo.state.take() {
            Some(BbrState::Startup) if self.state != BbrState::Startup => {
                self.full_pipe.set_reached(false);
                if !probing_rtt {
                    self.enter(BbrState::Startup);
                }
            }
            Some(BbrState::Up) if self.state != BbrState::Up && !probing_rtt => {
                self.start_refill(0)
            }
            _ => {}
        }
    }
}

// The state to return to after spurious losses.

/// The state to return to if the losses of a recovery turn out to be spurious (section 5.5.11.1).
#[derive(Clone, Debug)]
pub struct Undo {
    /// The state that the losses ended.
    pub state: Option<BbrState>,
    /// The short-term bound of the bandwidth before the losses.
    pub bandwidth: u32,
    /// The short-term bound of the flight before the losses.
    pub flight: u32,
    /// The long-term bound before the losses.
    pub long_term: u32,
}

impl Undo {
    /// Nothing to return to.
    pub fn new() -> Undo {
        Undo { state: None, bandwidth: 0, flight: 0, long_term: 0 }
    }
}

#[cfg(test)]
mod tests {
    mod flights {
        use super::super::*;

        #[test]
        fn a_departure_is_found_by_its_tag_while_the_ring_grows() {
            let mut flights = Flights::new();
            let tags: Vec<Tag> = (1..=1_000)
                .map(|flight| {
                    flights.depart(Departure { flight, lost: 2 * flight, ..Departure::default() })
                })
                .collect();
            for (tag, flight) in tags.iter().zip(1..) {
                let departure = flights.get(*tag).expect("kept");
                assert_eq!((departure.flight, departure.lost), (flight, 2 * flight));
            }
            assert!(flights.get(Tag(1_000)).is_none(), "not sent yet");
        }

        #[test]
        fn what_is_older_than_the_ring_is_forgotten_not_mistaken() {
            let mut flights = Flights::new();
            let first = flights.depart(Departure { flight: 1, ..Departure::default() });
            for _ in 0..INITIAL {
                flights.depart(Departure { flight: 2, ..Departure::default() });
            }
            assert!(flights.get(first).is_none());
        }
    }
}
