//! The capacity of a link that nobody knows, found out by asking for more Data than it has shown to
//! carry.
//!
//! Much like BBR's search for the bottleneck bandwidth (draft-cardwell-ccwg-bbr, section 4.3.3),
//! with rates of a law in the place of a pacing rate: the law and the shaper get 5/4 of the
//! estimate from time to time. If the path keeps up, the estimate grows. If it does not, which late
//! or missing Data show, its deliveries are the capacity, since its queue is never empty then; less
//! than the estimate is asked for until the queue is gone. Data is late or missing for other
//! reasons as well: if asking for less changes nothing, the estimate returns, and what was seen
//! counts as usual.
//!
//! No paper has this; all numbers but the gains 5/4 and 3/4, which are BBR's, are ours.

use super::suspicion::{FaceCounts, Suspicion};
use narrows_units::{Bytes, Rate, Span, Time};

/// The first guess where nothing is known.
pub const CAPACITY_GUESS: Rate = Rate::from_mbps(10);

/// Shares of the estimate that are asked for while it looks for more, and while the path's queue
/// empties.
const PROBE: f64 = 1.25;
const DRAIN: f64 = 0.75;
/// How often it looks.
const LOOK: Span = Span::from_millis(50);
/// A phase lasts for so many ticks of the law, so that new rates reach consumers and their
/// Interests arrive, and at least so long.
const TICKS: u64 = 8;
const SHORTEST_PHASE: Span = Span::from_millis(400);
/// Phases between two looks for more.
const CRUISE: u64 = 6;
/// Deliveries are measured over so many Data packets and at least so long, but no longer than a
/// second.
const PACKETS: u64 = 64;
const SHORTEST_MEASURE: Span = Span::from_millis(100);
const SECOND: Span = Span::from_secs(1);
/// A path that leaves a larger share of Interests unanswered does not keep up. Some are on their
/// way.
const FALLS_BEHIND: f64 = 0.1;
/// A look for more that gains this is followed by the next one.
const GAIN: f64 = 1.1;
/// A queue that empties takes a twentieth off the round trip in a second.
const FALLS: f64 = 0.95;
/// The least round trip of so many Data packets tells how long the path's queue is: producers are
/// near and far.
const TRIPS: u32 = 16;
/// Bit/s; no estimate is lower.
const LEAST: f64 = 10_000.0;

#[derive(Clone, Copy, Debug)]
enum EstimatorPhase {
    /// The estimate holds.
    Cruise,
    /// More is asked for. From the middle on, deliveries are measured.
    Probe { measured: Option<Mark> },
    /// The path does not keep up with this share of the estimate: its deliveries are measured.
    Measure { share: f64, mark: Mark, missing: Option<f64> },
    /// Less is asked for, to see whether that helps.
    Drain(Trial),
}

/// Where a measurement began.
#[derive(Clone, Copy, Debug)]
struct Mark {
    at: Time,
    sent: u64,
    packets: u64,
    bits: u64,
}

/// The hypothesis to refute: that the path is slower than the estimate was.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// The share of the estimate that is asked for.
    share: f64,
    /// The estimate before.
    before: f64,
    /// The share of Interests that went unanswered, if that was the sign.
    missing: Option<f64>,
    /// The round trip, and when it was looked at.
    at: Time,
    round_trip: Option<Span>,
}

/// Estimates the capacity of a face's link.
#[derive(Clone, Debug)]
pub(super) struct Estimator {
    /// Bit/s.
    capacity: f64,
    phase: EstimatorPhase,
    began: Time,
    due: Time,
    suspicion: Suspicion,
    /// Data packets that have arrived so far, and their bits.
    packets: u64,
    bits: u64,
    /// Those that another link limits, which then is for that link to see to.
    limited_behind: u64,
    /// Both numbers at the latest look.
    at_look: [u64; 2],
    /// The least round trip of the Data packets since the latest look that had enough of them, and
    /// their number.
    least: Span,
    trips: u32,
    /// The one before.
    round_trip: Option<Span>,
}

impl Estimator {
    /// Begins at `now` with a guess.
    pub(super) fn new(now: Time, guess: Rate) -> Estimator {
        let capacity = (guess.as_bps() as f64).max(LEAST);
        let suspicion = Suspicion::default();
        Estimator {
            capacity,
            phase: EstimatorPhase::Probe { measured: None },
            began: now,
            due: now + LOOK,
            suspicion,
            packets: 0,
            bits: 0,
            limited_behind: 0,
            at_look: [0; 2],
            least: Span::MAX,
            trips: 0,
            round_trip: None,
        }
    }

    /// Data arrives that was asked for. A link behind the neighbour limits it if its rate is lower.
    pub(super) fn on_data(&mut self, size: Bytes, limited_behind: bool) {
        self.limited_behind += u64::from(limited_behind);
        self.packets += 1;
        self.bits += size.bits();
    }

    /// Data has arrived `span` after its Interest left.
    pub(super) fn on_round_trip(&mut self, span: Span) {
        self.least = self.least.min(span);
        self.trips += 1;
    }

    /// When to look.
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// Seconds so far in which the path seemed slower than the estimate.
    pub(super) fn suspect_seconds(&self) -> u64 {
        self.suspicion.seconds()
    }

    /// The present estimate.
    pub(super) fn capacity(&self) -> Rate {
        Rate::from_bps(self.capacity as u64)
    }

    /// The rate that the law is to share out, and the shaper to let through.
    pub(super) fn shared_out(&self) -> Rate {
        let share = match self.phase {
            EstimatorPhase::Cruise => 1.0,
            EstimatorPhase::Probe { .. } => PROBE,
            EstimatorPhase::Measure { share, .. } => share,
            EstimatorPhase::Drain(trial) => trial.share,
        };
        Rate::from_bps((self.capacity * share) as u64)
    }

    /// Looks at the face, which is due, and whose law ticks so often.
    pub(super) fn look(&mut self, now: Time, seen: FaceCounts, tick: Span) {
        self.due = now + LOOK;
        if self.trips >= TRIPS {
            self.round_trip = Some(self.least);
            (self.least, self.trips) = (Span::MAX, 0);
        }
        let seen = &FaceCounts { round_trip: self.round_trip, ..seen };
        self.suspicion.look(now, seen);
        let length = (tick * TICKS).max(SHORTEST_PHASE);
        let elapsed = now.since(self.began);
        let missing = self.suspicion.unanswered();
        let [packets, limited] =
            std::mem::replace(&mut self.at_look, [self.packets, self.limited_behind]);
        let limits = 2 * (self.limited_behind - limited) <= self.packets - packets;
        let is_slow = limits && (self.suspicion.is_late() || missing.is_some());
        match self.phase {
            EstimatorPhase::Cruise if is_slow => self.measure(now, seen, 1.0, missing),
            EstimatorPhase::Cruise if elapsed >= length * CRUISE => {
                self.enter(now, EstimatorPhase::Probe { measured: None })
            }
            EstimatorPhase::Probe { .. } if is_slow => self.measure(now, seen, PROBE, missing),
            EstimatorPhase::Probe { measured: None } if elapsed * 2 >= length => {
                self.phase = EstimatorPhase::Probe { measured: Some(self.mark(now, seen)) };
            }
            EstimatorPhase::Probe { measured: Some(mark) } if elapsed >= length => {
                self.raise(now, seen, mark)
            }
            EstimatorPhase::Measure { share, mark, missing } if self.suffices(now, tick, mark) => {
                let fell = (self.unanswered_since(seen, mark) > FALLS_BEHIND).then_some(share);
                self.try_lower(
                    now,
                    seen,
                    fell.map(|share| self.rate_since(now, mark).min(self.capacity * share)),
                    missing,
                );
            }
            EstimatorPhase::Drain(trial) => {
                // By then the queue is empty.
                let share = if elapsed < length { DRAIN } else { 1.0 };
                self.judge(now, seen, tick, Trial { share, ..trial });
            }
            EstimatorPhase::Cruise
            | EstimatorPhase::Probe { .. }
            | EstimatorPhase::Measure { .. } => {}
        }
    }

    fn enter(&mut self, now: Time, phase: EstimatorPhase) {
        (self.phase, self.began) = (phase, now);
    }

    fn measure(&mut self, now: Time, seen: &FaceCounts, share: f64, missing: Option<f64>) {
        self.enter(now, EstimatorPhase::Measure { share, mark: self.mark(now, seen), missing });
    }

    /// More was asked for since `mark`, and nothing is late. If all of it has arrived, the estimate
    /// may be as much once more beyond it: so links in a row, each of which holds the other back,
    /// rise in turns.
    fn raise(&mut self, now: Time, seen: &FaceCounts, mark: Mark) {
        let delivered = self.rate_since(now, mark);
        let missing = self.unanswered_since(seen, mark);
        if missing > FALLS_BEHIND {
            return self.try_lower(
                now,
                seen,
                Some(delivered.min(self.capacity * PROBE)),
                Some(missing),
            );
        }
        let raised = (self.capacity * PROBE).min(delivered * PROBE);
        let gains = raised >= self.capacity * GAIN;
        self.capacity = self.capacity.max(raised);
        self.enter(
            now,
            if gains { EstimatorPhase::Probe { measured: None } } else { EstimatorPhase::Cruise },
        );
    }

    /// Takes what the path has delivered for its capacity, if that is known, and sees whether less
    /// traffic helps.
    fn try_lower(
        &mut self,
        now: Time,
        seen: &FaceCounts,
        delivered: Option<f64>,
        missing: Option<f64>,
    ) {
        let trial = Trial {
            share: DRAIN,
            before: self.capacity,
            missing,
            at: now,
            round_trip: seen.round_trip,
        };
        self.capacity = delivered.unwrap_or(self.capacity).max(LEAST);
        self.enter(now, EstimatorPhase::Drain(trial));
    }

    /// The estimate was right to fall if asking for less helps.
    fn judge(&mut self, now: Time, seen: &FaceCounts, tick: Span, trial: Trial) {
        self.phase = EstimatorPhase::Drain(trial);
        let waited = now.since(trial.at);
        let helped = match trial.missing {
            // A whole second that began in the trial.
            Some(_) if waited < SECOND * 2 => return,
            Some(before) => self.suspicion.unanswered_beyond() < before / 2.0,
            None if !self.suspicion.is_late() => true,
            None if waited < SECOND.max(tick * 2) => return,
            None => {
                let fell = |before: Span| {
                    seen.round_trip
                        .is_some_and(|now| now.as_secs_f64() < FALLS * before.as_secs_f64())
                };
                if trial.round_trip.is_some_and(fell) {
                    self.phase = EstimatorPhase::Drain(Trial {
                        at: now,
                        round_trip: seen.round_trip,
                        ..trial
                    });
                    return;
                }
                false
            }
        };
        if !helped {
            self.capacity = trial.before;
            self.suspicion.accept();
        }
        self.enter(now, EstimatorPhase::Cruise);
    }

    fn mark(&self, at: Time, seen: &FaceCounts) -> Mark {
        Mark { at, sent: seen.sent, packets: self.packets, bits: self.bits }
    }

    /// The share of Interests that the path has not answered since then, beyond the usual one.
    fn unanswered_since(&self, seen: &FaceCounts, mark: Mark) -> f64 {
        let sent = (seen.sent - mark.sent) as f64;
        let answered = (self.packets - mark.packets) as f64;
        if sent > 0.0 { 1.0 - answered / sent - self.suspicion.usual() } else { 0.0 }
    }

    fn suffices(&self, now: Time, tick: Span, mark: Mark) -> bool {
        let elapsed = now.since(mark.at);
        elapsed >= SHORTEST_MEASURE.max(tick) && self.packets - mark.packets >= PACKETS
            || elapsed >= SECOND
    }

    /// Bit/s of Data since then.
    fn rate_since(&self, now: Time, mark: Mark) -> f64 {
        (self.bits - mark.bits) as f64 / now.since(mark.at).as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Span = Span::from_millis(10);
    const DATA: Bytes = Bytes::new(1000);

    /// A path of `capacity` bit/s without a queue, asked for `demand` of what the estimator shares
    /// out, for `seconds`. Returns the estimator's shares.
    fn drive(
        estimator: &mut Estimator,
        seen: &mut FaceCounts,
        from: Time,
        seconds: u64,
        capacity: f64,
        round_trip: impl Fn(f64) -> Span,
    ) -> Vec<f64> {
        let mut shared = Vec::new();
        for look in 0..seconds * 20 {
            let now = from + LOOK * (look + 1);
            let asked = 0.95 * estimator.shared_out().as_bps() as f64;
            let packets = |rate: f64| (rate * LOOK.as_secs_f64() / DATA.bits() as f64) as u64;
            seen.sent += packets(asked);
            for _ in 0..packets(asked.min(capacity)) {
                seen.answered += 1;
                estimator.on_data(DATA, false);
                estimator.on_round_trip(round_trip(asked / capacity));
            }
            estimator.look(now, *seen, TICK);
            shared.push(estimator.shared_out().as_bps() as f64 / 1e6);
        }
        shared
    }

    #[test]
    fn the_share_goes_up_by_a_quarter_and_down_by_a_quarter() {
        let mut estimator = Estimator::new(Time::ZERO, Rate::from_mbps(10));
        assert_eq!(
            estimator.shared_out(),
            Rate::from_bps(12_500_000),
            "it begins by looking for more"
        );
        // Late as soon as more is asked for than the path carries: 11.875 Mbit/s of 10.
        let late = |load: f64| Span::from_millis(if load > 1.0 { 60 } else { 10 });
        let mut seen = FaceCounts::default();
        estimator.on_round_trip(Span::from_millis(10));
        let shared = drive(&mut estimator, &mut seen, Time::ZERO, 2, 10e6, late);
        assert!(
            shared.iter().any(|share| (7.0..7.6).contains(share)),
            "three quarters while the queue empties: {shared:?}"
        );
        let last = estimator.capacity().as_bps() as f64 / 1e6;
        assert!((9.5..10.1).contains(&last), "{last}: what the path delivered");
    }

    #[test]
    fn a_round_trip_that_stays_long_gives_the_estimate_back() {
        let mut estimator = Estimator::new(Time::ZERO, Rate::from_mbps(10));
        let mut seen = FaceCounts::default();
        drive(&mut estimator, &mut seen, Time::ZERO, 2, 1e9, |_| Span::from_millis(10));
        let before = estimator.capacity();
        assert!(before > Rate::from_mbps(10), "nothing has held it back: {before}");
        // Another producer, 100 ms away, answers from now on.
        drive(&mut estimator, &mut seen, Time::ZERO + Span::from_secs(2), 4, 1e9, |_| {
            Span::from_millis(110)
        });
        assert!(estimator.capacity() >= before, "{} after {before}", estimator.capacity());
    }

    #[test]
    fn no_demand_teaches_nothing() {
        let mut estimator = Estimator::new(Time::ZERO, Rate::from_mbps(10));
        for look in 1..1000 {
            estimator.look(Time::ZERO + LOOK * look, FaceCounts::default(), TICK);
        }
        assert_eq!(estimator.capacity(), Rate::from_mbps(10));
    }
}
