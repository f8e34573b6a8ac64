//! HyStart++ (RFC 9406): slow start that slows down when the round trip rises, and ends if it stays
//! risen.
//!
//! Ambiguities, and the choices that a [`CssRule`] has:
//! * samples of the round in which the rise is seen count on in conservative slow start, so that a
//!   single lower one ends it at once (neqo issue 3505); they may start over;
//! * the baseline is the round's least, from which the next round may fall by chance; it may be the
//!   round trip that counts as a rise (neqo issue 3507).
//!
//! Deviation: a round ends with the first acknowledgement of a segment sent in it (section 4.2 asks
//! for the last segment of the one before: one segment earlier).

use crate::parts::round::Round;
use narrows_units::Span;

/// Samples of a round before its delay is judged (N_RTT_SAMPLE).
const SAMPLES: u32 = 8;
/// Rounds of conservative slow start before slow start ends (CSS_ROUNDS).
const CSS_ROUNDS: u32 = 5;
/// Conservative slow start grows by this part (CSS_GROWTH_DIVISOR).
const CSS_GROWTH: f64 = 1.0 / 4.0;
/// Most segments of growth per acknowledgement of a sender without pacing (L).
const MOST_PER_ACK: f64 = 8.0;
/// Least and largest rise of the round trip that counts (MIN_RTT_THRESH, MAX_RTT_THRESH); between
/// them 1/8 of the last round's least.
const RISE: (Span, Span) = (Span::from_millis(4), Span::from_millis(16));

/// How conservative slow start begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CssRule {
    /// Samples start over.
    pub restarts: bool,
    /// The baseline is the last round's least and what counts as a rise.
    pub from_last: bool,
}

/// The search for the end of slow start.
#[derive(Clone, Debug)]
pub struct HyStartPlusPlus {
    rule: CssRule,
    /// The sender paces: growth per acknowledgement has no bound.
    paced: bool,
    round: Round,
    /// Least round trips of the last round and of this one; [`Span::MAX`] before the first sample.
    last: Span,
    current: Span,
    samples: u32,
    conservative: Option<Conservative>,
}

#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// A round below this least round trip was risen by chance.
    baseline: Span,
    rounds: u32,
}

impl HyStartPlusPlus {
    /// At the start of a connection.
    pub fn new() -> HyStartPlusPlus {
        HyStartPlusPlus::with(CssRule::default(), false)
    }

    /// At the start of a connection, paced or not.
    pub fn with(rule: CssRule, paced: bool) -> HyStartPlusPlus {
        HyStartPlusPlus {
            rule,
            paced,
            round: Round::default(),
            last: Span::MAX,
            current: Span::MAX,
            samples: 0,
            conservative: None,
        }
    }

    /// A segment leaves.
    pub fn on_sent(&mut self, number: u64) {
        self.round.on_sent(number);
    }

    /// Segments of growth for `acked` segments acknowledged at once.
    pub fn growth(&self, acked: f64) -> f64 {
        let bounded = if self.paced { acked } else { acked.min(MOST_PER_ACK) };
        if self.conservative.is_some() { bounded * CSS_GROWTH } else { bounded }
    }

    /// True in conservative slow start.
    pub fn is_conservative(&self) -> bool {
        self.conservative.is_some()
    }

    /// An acknowledgement up to segment `highest`, with its round trip. True if slow start ends
    /// now.
    pub fn on_ack(&mut self, highest: u64, rtt: Option<Span>) -> bool {
        if self.round.ends_with(highest) {
            self.last = self.current;
            self.current = Span::MAX;
            self.samples = 0;
            if let Some(conservative) = &mut self.conservative {
                conservative.rounds += 1;
                if conservative.rounds >= CSS_ROUNDS {
                    return true;
                }
            }
        }
        if let Some(rtt) = rtt {
            self.current = self.current.min(rtt);
            self.samples += 1;
            if self.samples >= SAMPLES {
                self.judge();
            }
        }
        false
    }

    fn judge(&mut self) {
        match self.conservative {
            None if self.last != Span::MAX => {
                let (low, high) = RISE;
                let risen = self.last + (self.last / 8).clamp(low, high);
                if self.current >= risen {
                    let baseline = if self.rule.from_last { risen } else { self.current };
                    self.conservative = Some(Conservative { baseline, rounds: 0 });
                    if self.rule.restarts {
                        self.current = Span::MAX;
                        self.samples = 0;
                    }
                }
            }
            Some(conservative) if self.current < conservative.baseline => self.conservative = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sender whose rounds have ten acknowledgements of one segment.
    struct Rounds {
        hystart: HyStartPlusPlus,
        next: u64,
    }

    impl Rounds {
        fn new() -> Rounds {
            Rounds::with(CssRule::default())
        }

        fn with(rule: CssRule) -> Rounds {
            Rounds { hystart: HyStartPlusPlus::with(rule, false), next: 0 }
        }

        /// Like `round`, up to the ninth acknowledgement, with a round trip for each, in ms.
        fn mixed(&mut self, rtts: [u64; 9]) -> bool {
            let numbers = self.next..self.next + 10;
            self.next += 10;
            numbers.clone().for_each(|number| self.hystart.on_sent(number));
            numbers
                .zip(rtts)
                .map(|(number, rtt)| self.hystart.on_ack(number, Some(Span::from_millis(rtt))))
                .fold(false, |ended, now| ended | now)
        }

        /// Ten segments leave, and with their acknowledgements this round trip. True if slow start
        /// ended.
        fn round(&mut self, rtt_us: u64) -> bool {
            let numbers = self.next..self.next + 10;
            self.next += 10;
            numbers.clone().for_each(|number| self.hystart.on_sent(number));
            numbers
                .map(|number| self.hystart.on_ack(number, Some(Span::from_micros(rtt_us))))
                .fold(false, |ended, now| ended | now)
        }

        fn conservative(&self) -> bool {
            self.hystart.conservative.is_some()
        }
    }

    #[test]
    fn a_rise_of_an_eighth_slows_growth_to_a_quarter_and_five_rounds_end_slow_start() {
        let mut rounds = Rounds::new();
        assert!(!rounds.round(40_000));
        assert!(!rounds.round(44_999));
        assert!(!rounds.conservative());
        assert_eq!(rounds.hystart.growth(2.0), 2.0);
        // 44.999 + 44.999 / 8 = 50.623875 ms.
        rounds.round(50_624);
        assert!(rounds.conservative());
        assert_eq!(rounds.hystart.growth(2.0), 0.5);
        for _ in 0..4 {
            assert!(!rounds.round(52_000));
        }
        assert!(rounds.round(52_000), "the round in which the rise was seen counts");
    }

    #[test]
    fn a_fall_below_the_baseline_resumes_slow_start() {
        let mut rounds = Rounds::new();
        for rtt in [40_000, 50_000, 50_000, 49_000] {
            assert!(!rounds.round(rtt));
        }
        assert!(!rounds.conservative());
    }

    #[test]
    fn seven_samples_are_not_judged() {
        let mut rounds = Rounds::new();
        rounds.round(40_000);
        (10..20).for_each(|number| rounds.hystart.on_sent(number));
        for number in 10..17 {
            rounds.hystart.on_ack(number, Some(Span::from_millis(90)));
            assert!(!rounds.conservative());
        }
        rounds.hystart.on_ack(17, Some(Span::from_millis(90)));
        assert!(rounds.conservative());
    }

    #[test]
    fn growth_is_eight_segments_per_acknowledgement_at_most() {
        assert_eq!(HyStartPlusPlus::new().growth(45.0), 8.0);
        assert_eq!(HyStartPlusPlus::with(CssRule::default(), true).growth(45.0), 45.0, "paced");
    }

    /// neqo issue 3505: the rise is seen at the eighth sample, 60 ms, and the ninth is 1 ms lower.
    #[test]
    fn samples_that_start_over_need_eight_to_end_conservative_slow_start() {
        for (restarts, conservative) in [(false, false), (true, true)] {
            let mut rounds = Rounds::with(CssRule { restarts, ..CssRule::default() });
            rounds.round(40_000);
            rounds.mixed([60, 60, 60, 60, 60, 60, 60, 60, 59]);
            assert_eq!(rounds.conservative(), conservative, "{restarts}");
        }
    }

    /// neqo issue 3507: 40 ms and then 50 ms, of which 45 ms is the rise that counts.
    #[test]
    fn a_baseline_at_the_rise_that_counts_is_not_left_by_a_fall_of_one_millisecond() {
        for (from_last, conservative) in [(false, false), (true, true)] {
            let mut rounds = Rounds::with(CssRule { from_last, ..CssRule::default() });
            for rtt in [40_000, 50_000, 49_000] {
                assert!(!rounds.round(rtt));
            }
            assert_eq!(rounds.conservative(), conservative, "{from_last}");
            rounds.round(44_000);
            assert!(!rounds.conservative());
        }
    }
}
