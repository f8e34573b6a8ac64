//! SEARCH (Slow start Exit At Right CHokepoint): slow start ends once the deliveries of a window of
//! time fall behind what was sent one round trip before it.
//!
//! Sources: draft-chung-ccwg-search-09 as neqo's `cc/search.rs` has it (version 4), the draft of
//! 4 June 2024 (version 3), and the authors' Linux module (drain by sixteenths). The text of -09
//! and -10 was not read.
//!
//! Ambiguities, and the choice made here:
//! * -09 prints the interpolation between two bins the other way round (neqo issue 3518 reports it
//!   as a mistake that the authors confirm): the earlier bin gets the fraction;
//! * the threshold is 0.26 in neqo and FreeBSD and 0.35 in Linux and version 3: 0.26 unless set;
//! * a drain follows the end of slow start in -09 and in Linux, and neqo has none: none unless set;
//! * neqo evaluates only acknowledgements of segments that the application did not limit, and
//!   counts all; Linux evaluates every one: neqo's rule unless set. The transport says which
//!   segments the application limits (Linux `tcp_rate_check_app_limited`); neqo asks in slow start
//!   whether half of the window is in flight.
//!
//! Deviation: bins hold exact counts of segments since the connection began. The shift of -09, by
//! which bins of 16 bits hold large counts, is left out.

use crate::parts::mutated::{Mutated, Mutation};
use narrows_units::{Span, Time};

/// Bins of a window (W).
const WINDOW_BINS: u64 = 10;
/// Duration of a window in round trips, in tenths: a bin lasts 0.35 of the first round trip.
const WINDOW_TENTHS: u64 = 35;
/// The longest look back, in bins (EXTRA_BINS): at longer round trips nothing is evaluated.
const EXTRA_BINS: u64 = 15;
/// Bins that are remembered.
const KEPT: usize = (WINDOW_BINS + EXTRA_BINS + 1) as usize;

/// The rule by which SEARCH ends slow start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchRule {
    /// Compares deliveries with what was sent; otherwise with twice the deliveries of one round
    /// trip before (version 3).
    pub of_sent: bool,
    /// The part by which deliveries may fall behind (THRESH).
    pub threshold: f64,
    /// How the window falls afterwards.
    pub drain: Drain,
    /// Evaluates also acknowledgements of segments that the application limited (Linux).
    pub always: bool,
}

/// How the window falls to the path's capacity once slow start has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drain {
    /// It stays: the threshold is the window (neqo).
    Stays,
    /// To the flight and a sixteenth of what is delivered (Linux module).
    Sixteenth,
    /// By one segment for three delivered (said at IETF 126).
    Third,
}

/// One acknowledgement as SEARCH reads it.
#[derive(Clone, Copy, Debug)]
pub struct SearchAck {
    /// When it came.
    pub now: Time,
    /// The round trip that it shows, if it shows one.
    pub rtt: Option<Span>,
    /// Segments delivered since the connection began.
    pub delivered: u64,
    /// Segments sent since then.
    pub sent: u64,
    /// It acknowledges a segment that the application did not limit.
    pub unlimited: bool,
}

/// The search for the end of slow start.
#[derive(Clone, Debug)]
pub struct Search {
    rule: SearchRule,
    clock: Option<BinClock>,
    /// The latest round trip.
    rtt: Span,
    /// Segments delivered and sent at the end of each bin, by its number modulo [`KEPT`].
    delivered: [u64; KEPT],
    sent: [u64; KEPT],
    mutated: Mutated,
}

/// The bin in progress.
#[derive(Clone, Copy, Debug)]
struct BinClock {
    /// The first round trip.
    rtt: Span,
    /// Duration of a bin.
    duration: Span,
    ends: Time,
    /// Number of the latest bin that has ended.
    bin: u64,
}

impl Search {
    /// At the start of a connection.
    #[cfg(test)]
    pub fn new(rule: SearchRule) -> Search {
        Search::mutant(rule, Mutated::default())
    }

    /// One that may have a published fault.
    pub fn mutant(rule: SearchRule, mutated: Mutated) -> Search {
        Search {
            rule,
            clock: None,
            rtt: Span::ZERO,
            delivered: [0; KEPT],
            sent: [0; KEPT],
            mutated,
        }
    }

    /// The rule.
    pub fn rule(&self) -> &SearchRule {
        &self.rule
    }

    /// Forgets all bins: the next round trip is the first one.
    pub fn reset(&mut self) {
        self.clock = None;
    }

    /// An acknowledgement in slow start. If slow start ends now, the segments delivered in the
    /// latest round trip as long as the first one: the path's capacity without a queue.
    pub fn on_ack(&mut self, ack: &SearchAck) -> Option<f64> {
        if let Some(rtt) = ack.rtt {
            self.rtt = rtt;
        }
        let Some(clock) = &mut self.clock else {
            self.begin(ack);
            return None;
        };
        if ack.now <= clock.ends {
            return None;
        }
        let passed = ack.now.since(clock.ends).as_nanos() / clock.duration.as_nanos() + 1;
        if passed > WINDOW_BINS {
            self.reset();
            return None;
        }
        let latest = slot(clock.bin);
        for skipped in clock.bin + 1..clock.bin + passed {
            let repeats = !self.mutated.has(Mutation::EmptyBins);
            self.delivered[slot(skipped)] = if repeats { self.delivered[latest] } else { 0 };
            self.sent[slot(skipped)] = if repeats { self.sent[latest] } else { 0 };
        }
        clock.bin += passed;
        clock.ends += clock.duration * passed;
        let clock = *clock;
        self.delivered[slot(clock.bin)] = ack.delivered;
        self.sent[slot(clock.bin)] = ack.sent;
        let behind = if ack.unlimited || self.rule.always { self.behind(&clock) } else { None };
        (behind? >= self.rule.threshold).then(|| self.capacity(&clock))
    }

    fn begin(&mut self, ack: &SearchAck) {
        let Some(rtt) = ack.rtt else { return };
        let duration = Span::from_nanos(rtt.as_nanos() * WINDOW_TENTHS / 10 / WINDOW_BINS);
        if duration.is_zero() {
            return;
        }
        self.delivered[0] = ack.delivered;
        self.sent[0] = ack.sent;
        self.clock = Some(BinClock { rtt, duration, ends: ack.now + duration, bin: 0 });
    }

    /// The part by which deliveries of the latest window are behind; `None` if too little is known.
    fn behind(&self, clock: &BinClock) -> Option<f64> {
        let duration = clock.duration.as_nanos();
        let rtt = if self.mutated.has(Mutation::FirstRtt) { clock.rtt } else { self.rtt };
        let back = rtt.as_nanos() / duration;
        let fraction = (rtt.as_nanos() % duration) as f64 / duration as f64;
        let now = clock.bin;
        if back >= EXTRA_BINS || now <= back + WINDOW_BINS {
            return None;
        }
        let then = now - back;
        let current = over(&self.delivered, now);
        let earlier = if self.rule.of_sent { &self.sent } else { &self.delivered };
        let beside = if self.mutated.has(Mutation::Forwards) { then + 1 } else { then - 1 };
        let previous = (1.0 - fraction) * over(earlier, then) + fraction * over(earlier, beside);
        let expected = if self.rule.of_sent { previous } else { 2.0 * previous };
        (expected > 0.0).then(|| (expected - current) / expected)
    }

    fn capacity(&self, clock: &BinClock) -> f64 {
        let bins = clock.rtt.as_nanos().div_ceil(clock.duration.as_nanos()).min(clock.bin);
        debug_assert!(bins < KEPT as u64);
        self.delivered[slot(clock.bin)].saturating_sub(self.delivered[slot(clock.bin - bins)])
            as f64
    }
}

fn slot(bin: u64) -> usize {
    (bin % KEPT as u64) as usize
}

/// The count of the window that ends with `bin`.
fn over(counts: &[u64; KEPT], bin: u64) -> f64 {
    counts[slot(bin)].saturating_sub(counts[slot(bin - WINDOW_BINS)]) as f64
}

/// The fall of a window to its target after SEARCH has ended slow start.
#[derive(Clone, Copy, Debug)]
pub struct Draining {
    by: Drain,
    target: f64,
    /// Segments delivered that have not yet let one leave.
    credit: f64,
}

impl Draining {
    /// A fall to `target` segments; `None` if the window stays.
    pub fn new(by: Drain, target: f64) -> Option<Draining> {
        (by != Drain::Stays).then_some(Draining { by, target, credit: 0.0 })
    }

    /// `acked` segments are delivered, and `in_flight` remain. Returns the window in place of
    /// `window`. The drain is over if that is the target.
    pub fn on_ack(&mut self, window: f64, acked: f64, in_flight: f64) -> f64 {
        self.credit += acked;
        let lower = match self.by {
            Drain::Sixteenth => {
                let leave = libm::floor(self.credit / 16.0);
                self.credit -= 16.0 * leave;
                in_flight + leave
            }
            Drain::Third | Drain::Stays => window - acked / 3.0,
        };
        lower.min(window).max(self.target)
    }

    /// True if `window` has arrived.
    pub fn is_over(&self, window: f64) -> bool {
        window <= self.target
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: SearchRule =
        SearchRule { of_sent: true, threshold: 0.26, drain: Drain::Stays, always: false };

    fn ms(ms: u64) -> Span {
        Span::from_millis(ms)
    }

    /// Sent and delivered at the end of bin `c`: each bin sends min(2^⌊(i−1)/3⌋, 32) and delivers
    /// what was sent three bins before, at most 16.
    fn totals(c: u64) -> (u64, u64) {
        let sent = |i: u64| (1 << ((i - 1) / 3)).min(32u64);
        let delivered = |i: u64| if i < 4 { 0 } else { sent(i - 3).min(16) };
        ((1..=c).map(sent).sum(), (1..=c).map(delivered).sum())
    }

    /// A search with a first round trip of 100 ms that hears one acknowledgement just after the end
    /// of each bin up to `last`, with round trips of `rtt`.
    fn searched(rule: SearchRule, last: u64, rtt: u64) -> (Search, Option<f64>) {
        let mut search = Search::new(rule);
        let mut exit = None;
        for c in 0..=last {
            let (sent, delivered) = totals(c);
            let now = Time::ZERO + Span::from_micros(35_000 * c + c.min(1));
            let rtt = Some(ms(if c == 0 { 100 } else { rtt }));
            exit = search.on_ack(&SearchAck { now, rtt, delivered, sent, unlimited: true });
        }
        (search, exit)
    }

    fn behind(c: u64, rtt: u64) -> Option<f64> {
        let (search, _) = searched(SearchRule { threshold: 2.0, ..RULE }, c, rtt);
        search.behind(&search.clock.unwrap())
    }

    #[test]
    fn a_bin_lasts_0_35_of_the_first_round_trip_and_the_first_evaluation_is_in_bin_13() {
        let (search, _) = searched(RULE, 1, 100);
        assert_eq!(search.clock.unwrap().duration, ms(35));
        assert_eq!([12, 13].map(|c| behind(c, 100).is_some()), [false, true]);
        assert_eq!([13, 14].map(|c| behind(c, 105).is_some()), [false, true]);
    }

    #[test]
    fn deliveries_that_fall_behind_end_slow_start_in_bin_21() {
        for (c, norm) in [
            (14, 0.0),
            (18, 0.0),
            (19, 16.0 / 116.0),
            (20, 32.0 / 144.0),
            (21, 48.0 / 172.0),
            (22, 64.0 / 200.0),
            (25, 112.0 / 272.0),
        ] {
            let seen = behind(c, 105).unwrap();
            assert!((seen - norm).abs() < 1e-12, "bin {c}: {seen}, not {norm}");
            assert_eq!(searched(RULE, c, 105).1.is_some(), c >= 21, "bin {c}");
        }
        assert_eq!(searched(RULE, 21, 105).1, Some(48.0), "141 - 93");
    }

    /// Six sevenths of a bin: 6/7 · 108 + 1/7 · 136 and so on, with exact fractions.
    #[test]
    fn windows_between_bins_are_interpolated_towards_the_earlier_bin() {
        let previous = |low: f64, high: f64| high / 7.0 + low * 6.0 / 7.0;
        for (c, current, low, high) in [(20, 112.0, 144.0, 172.0), (21, 124.0, 172.0, 200.0)] {
            let expected = previous(low, high);
            let seen = behind(c, 100).unwrap();
            assert!((seen - (expected - current) / expected).abs() < 1e-12, "bin {c}: {seen}");
            assert_eq!(libm::floor(expected), if c == 20 { 148.0 } else { 176.0 });
        }
        assert!((behind(20, 100).unwrap() - 0.243).abs() < 5e-4);
        assert!((behind(21, 100).unwrap() - 0.295).abs() < 5e-4);
    }

    #[test]
    fn round_trips_of_fifteen_bins_are_not_evaluated() {
        assert_eq!(behind(40, 525), None);
        assert_eq!(behind(40, 600), None);
        assert!(behind(40, 524).is_some());
    }

    #[test]
    fn ten_bins_may_pass_at_once_and_eleven_reset() {
        for (passed, goes_on) in [(10, true), (11, false)] {
            let (mut search, _) = searched(RULE, 14, 105);
            let clock = search.clock.unwrap();
            let (sent, delivered) = totals(14);
            let now = clock.ends + clock.duration * (passed - 1) + Span::from_nanos(1);
            let ack = SearchAck { now, rtt: None, delivered, sent, unlimited: false };
            assert_eq!(search.on_ack(&ack), None);
            assert_eq!(search.clock.is_some(), goes_on, "{passed}");
            if goes_on {
                assert_eq!(search.clock.unwrap().bin, 24);
                assert_eq!(search.delivered[slot(20)], delivered, "skipped bins repeat");
            }
        }
    }

    #[test]
    fn segments_that_the_application_limited_are_counted_and_not_evaluated() {
        let (mut search, _) = searched(RULE, 20, 105);
        let (sent, delivered) = totals(21);
        let now = search.clock.unwrap().ends + Span::from_nanos(1);
        let ack = SearchAck { now, rtt: Some(ms(105)), delivered, sent, unlimited: false };
        let mut always = search.clone();
        always.rule.always = true;
        assert!(always.on_ack(&ack).is_some());
        assert_eq!(search.on_ack(&ack), None);
        assert_eq!(search.delivered[slot(21)], delivered);
        let (sent, delivered) = totals(22);
        let now = search.clock.unwrap().ends + Span::from_nanos(1);
        let later = SearchAck { now, delivered, sent, unlimited: true, ..ack };
        assert!(search.on_ack(&later).is_some());
    }

    #[test]
    fn nothing_sent_before_is_not_evaluated_and_counts_beyond_32_bits_are_exact() {
        let mut search = Search::new(RULE);
        let quiet = 10_000_000_000;
        for c in 0..30 {
            let now = Time::ZERO + Span::from_micros(35_000 * c + c.min(1));
            let ack = SearchAck {
                now,
                rtt: Some(ms(100)),
                delivered: quiet,
                sent: quiet,
                unlimited: true,
            };
            assert_eq!(search.on_ack(&ack), None);
        }
        assert_eq!(search.behind(&search.clock.unwrap()), None);
    }

    /// How many of 40 seeds end slow start within 5 s: bursts of ten segments each `period` ms plus
    /// up to `jitter` ms, a round trip of 50 ms and 0.24 ms for each segment.
    fn ended_falsely(period: u64, jitter: u64) -> usize {
        let rule = SearchRule { always: true, ..RULE };
        let ends = |seed: u64| {
            let mut random = narrows_units::Random::stream(seed, "bursts");
            let mut search = Search::new(rule);
            let bursts: Vec<Time> = (0..5_000 / period)
                .map(|burst| {
                    let late = if jitter == 0 { Span::ZERO } else { random.span_below(ms(jitter)) };
                    Time::ZERO + ms(burst * period) + late
                })
                .collect();
            let acks = bursts.iter().flat_map(|burst| {
                (1..=10).map(|place| (*burst, *burst + ms(50) + Span::from_micros(240 * place)))
            });
            acks.zip(1..).any(|((burst, now), delivered)| {
                let sent = 10 * bursts.iter().filter(|sent| **sent <= now).count() as u64;
                let rtt = Some(now.since(burst));
                search.on_ack(&SearchAck { now, rtt, delivered, sent, unlimited: false }).is_some()
            })
        };
        (1..=40).filter(|seed| ends(*seed)).count()
    }

    /// Bursts end slow start though the path is idle, if several fall into a window and their times
    /// vary. It depends on how the period fits the bins: at 80 ms no seed does.
    #[test]
    fn bursts_whose_times_vary_end_slow_start_on_an_idle_path() {
        for period in [50, 60, 100] {
            assert!(ended_falsely(period, 10) > 20, "{period} ms");
        }
        for period in [20, 33, 80, 500] {
            assert!(ended_falsely(period, 10) <= 2, "{period} ms");
        }
    }

    /// Version 3: 100 delivered in the window before, so that 200 are expected.
    #[test]
    fn version_3_expects_twice_the_deliveries_of_one_round_trip_before() {
        let rule = SearchRule { of_sent: false, threshold: 0.35, ..RULE };
        let mut search = Search::new(rule);
        for c in 0..=14 {
            let now = Time::ZERO + Span::from_micros(35_000 * c + c.min(1));
            let delivered = 10 * c;
            let rtt = Some(ms(if c == 0 { 100 } else { 105 }));
            search.on_ack(&SearchAck { now, rtt, delivered, sent: 0, unlimited: true });
        }
        assert_eq!(search.behind(&search.clock.unwrap()), Some(0.5));
    }

    #[test]
    fn drains_fall_by_a_sixteenth_or_a_third_to_the_target() {
        assert!(Draining::new(Drain::Stays, 48.0).is_none());
        let mut drain = Draining::new(Drain::Sixteenth, 48.0).unwrap();
        // 60 in flight and ⌊33/16⌋ = 2 more, and one segment of credit is left.
        assert_eq!(drain.on_ack(90.0, 33.0, 60.0), 62.0);
        assert_eq!(drain.on_ack(62.0, 15.0, 55.0), 56.0);
        assert_eq!(drain.on_ack(56.0, 15.0, 40.0), 48.0);
        assert!(drain.is_over(48.0));
        let mut drain = Draining::new(Drain::Third, 48.0).unwrap();
        assert_eq!(drain.on_ack(90.0, 30.0, 60.0), 80.0);
        assert!(!drain.is_over(80.0));
        assert_eq!(drain.on_ack(80.0, 99.0, 0.0), 48.0);
    }
}
