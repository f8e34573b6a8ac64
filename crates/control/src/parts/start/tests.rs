//! Starts under whole controllers: the steps that their documents and specifications have.

use crate::testing::{acked, acked_one, at, inspect, near, setup};
use crate::{
    Acked, CaState, Choice, Congestion, Controller, Feedback, Lost, Outstanding, Reduction, Saved,
    Sent, Setup, Tag, Timeout, Totals,
};
use narrows_units::{Bytes, Rate, Segments, Span};
use std::ops::Range;

/// The controllers that let their start be chosen, one of each kind of window.
const WHOLE: &str = "newreno?";
const FRACTIONS: &str = "newreno?profile=rfc5681&";

/// A connection whose test says what is sent and acknowledged.
struct Driven {
    controller: Box<dyn Controller>,
    delivered: u64,
    next: u64,
    in_flight: u32,
    state: CaState,
}

impl Driven {
    fn new(text: &str, setup: &Setup) -> Driven {
        let text = text.trim_end_matches(['?', '&']);
        let controller = text.parse::<Choice>().unwrap().build(setup).unwrap();
        Driven { controller, delivered: 0, next: 0, in_flight: 0, state: CaState::Open }
    }

    fn of(text: &str) -> Driven {
        Driven::new(text, &setup(10.0))
    }

    fn send(&mut self, ms: u64, count: u64) {
        for _ in 0..count {
            let mut sent = Sent::new(at(ms), self.next, Bytes::new(1448), self.in_flight);
            sent.rto = Span::from_secs(1);
            self.controller.on_sent(&sent);
            self.next += 1;
            self.in_flight += 1;
        }
    }

    /// Segments are acknowledged that the window limited, and nothing else happens.
    fn acknowledge(&mut self, ms: u64, numbers: Range<u64>) {
        self.hear(ms, &acked(numbers), 0, None);
    }

    fn hear(&mut self, ms: u64, acked: &[Acked], lost: u32, congestion: Option<Congestion>) {
        let losses: Vec<Lost> = (0..u64::from(lost))
            .map(|number| Lost {
                number,
                bytes: Bytes::new(1448),
                sent_at: at(0),
                tag: Tag::default(),
            })
            .collect();
        let before = self.in_flight;
        self.delivered += acked.len() as u64;
        self.in_flight -= acked.len() as u32 + lost;
        if congestion.is_some() {
            self.state = CaState::Recovery;
        }
        let una = if self.state == CaState::Open { self.delivered } else { 0 };
        let totals = Totals { sent: self.next, delivered: self.delivered, lost: u64::from(lost) };
        let packets = self.in_flight + lost;
        self.controller.on_feedback(&Feedback {
            acked,
            lost: &losses,
            rtt: Some(Span::from_millis(600)),
            srtt: Span::from_millis(600),
            in_flight_before: before,
            in_flight: self.in_flight,
            una,
            next: self.next,
            outstanding: Outstanding { packets, ..Outstanding::default() },
            window: self.controller.decision().window.whole(),
            cwnd_limited: acked.iter().any(|acked| acked.window_limited),
            totals,
            ca_state: self.state,
            congestion,
            ..Feedback::at(at(ms))
        });
    }

    /// Recovery is over: everything that was sent before is acknowledged.
    fn recovered(&mut self, ms: u64) {
        self.state = CaState::Open;
        self.controller.on_feedback(&Feedback {
            ended: Some(CaState::Recovery),
            una: self.next - u64::from(self.in_flight),
            next: self.next,
            in_flight: self.in_flight,
            outstanding: Outstanding { packets: self.in_flight.max(1), ..Outstanding::default() },
            window: self.controller.decision().window.whole(),
            totals: Totals { sent: self.next, delivered: self.delivered, lost: 0 },
            srtt: Span::from_millis(600),
            ..Feedback::at(at(ms))
        });
    }

    fn window(&self) -> f64 {
        self.controller.decision().window.get()
    }

    fn threshold(&self) -> f64 {
        inspect(&*self.controller, "ssthresh")
    }

    fn phase(&self) -> f64 {
        inspect(&*self.controller, "start_phase")
    }

    fn exit(&self) -> f64 {
        inspect(&*self.controller, "start_exit")
    }
}

fn resuming(kind: &str, rtt_ms: u64) -> Driven {
    let saved = Saved {
        rtt: Span::from_millis(rtt_ms),
        window: Segments::new(300.0),
        age: Span::from_secs(60),
    };
    Driven::new(&format!("{kind}resume"), &Setup { saved: Some(saved), ..setup(10.0) })
}

/// A connection with 29 segments in flight when its initial window is acknowledged.
fn jumping(kind: &str) -> Driven {
    let mut driven = resuming(kind, 600);
    driven.send(0, 39);
    assert_eq!(driven.phase(), 4.0);
    driven.acknowledge(600, 0..10);
    assert_eq!((driven.window(), driven.phase()), (150.0, 5.0));
    driven
}

#[test]
fn a_connection_jumps_to_half_of_what_was_saved_and_paces_it_over_a_round_trip() {
    for kind in [WHOLE, FRACTIONS] {
        let driven = jumping(kind);
        // 150 packets of 1500 B in 600 ms.
        assert_eq!(driven.controller.decision().pacing, Some(Rate::from_kbps(3_000)));
        assert_eq!(inspect(&*driven.controller, "start"), 0.0);
        assert_eq!(driven.threshold(), f64::INFINITY);
    }
}

#[test]
fn a_jump_of_which_little_is_sent_in_a_round_trip_ends_at_the_flight() {
    for kind in [WHOLE, FRACTIONS] {
        let mut driven = jumping(kind);
        driven.send(610, 21);
        driven.hear(1_199, &[], 0, None);
        assert_eq!((driven.window(), driven.phase()), (150.0, 5.0));
        driven.hear(1_200, &[], 0, None);
        assert_eq!((driven.window(), driven.phase()), (50.0, 6.0));
        let mut idle = jumping(kind);
        idle.acknowledge(1_200, 10..39);
        assert_eq!((idle.window(), idle.phase(), idle.exit()), (29.0, 1.0, 5.0), "limited");
    }
}

/// 29 segments and 34 of the jump are 63 in the pipe, and 86 more are 149.
#[test]
fn a_loss_during_the_jump_retreats_without_growth_to_half_of_what_was_delivered() {
    for (kind, window, threshold) in [(WHOLE, 31.0, 74.0), (FRACTIONS, 31.5, 74.5)] {
        let mut driven = jumping(kind);
        driven.send(610, 121);
        assert_eq!(driven.phase(), 6.0, "the flight is the jump");
        driven.hear(1_200, &acked(10..39), 0, None);
        driven.hear(1_250, &acked(40..74), 1, Some(Congestion::Loss));
        assert_eq!((driven.phase(), driven.exit()), (7.0, 2.0));
        assert_eq!(driven.window().floor(), libm::floor(window));
        assert_eq!(driven.controller.decision().reduction, Reduction::Immediate, "no PRR");
        driven.hear(1_290, &acked(74..159), 0, None);
        assert_eq!((driven.window().floor(), driven.phase()), (31.0, 7.0));
        driven.hear(1_300, &acked(159..160), 0, None);
        driven.recovered(1_900);
        assert_eq!((driven.window(), driven.threshold()), (window, threshold), "{kind}");
        assert_eq!(driven.controller.decision().reduction, Reduction::Transport);
        assert_eq!(driven.controller.saved(), None, "what was saved is forgotten");
    }
}

#[test]
fn more_than_half_of_the_saved_round_trip_resumes() {
    for (saved, resumes) in [(1_200, false), (1_199, true), (60, true), (59, false)] {
        let mut driven = resuming(WHOLE, saved);
        driven.send(0, 39);
        driven.acknowledge(600, 0..10);
        assert_eq!(driven.phase() == 5.0, resumes, "{saved} ms");
        assert_eq!(driven.window(), if resumes { 150.0 } else { 20.0 });
    }
}

#[test]
fn congestion_before_the_jump_and_a_timeout_leave_for_good() {
    let mut driven = resuming(WHOLE, 600);
    driven.send(0, 39);
    driven.hear(600, &acked(1..10), 1, Some(Congestion::Loss));
    assert_eq!(driven.controller.decision().reduction, Reduction::Transport);
    assert_eq!(driven.phase(), 0.0);
    let mut driven = jumping(WHOLE);
    driven.controller.on_timeout(&Timeout::new(at(2_000), 29, 29, false));
    assert_eq!((driven.phase(), driven.exit()), (0.0, 4.0));
    assert_eq!(driven.window(), 1.0);
}

/// The window is 4, 8, 4 and 20 of 10 segments: it grows to 14, and to 20 by six of eight.
#[test]
fn growth_stops_at_twice_the_largest_flight() {
    for kind in [WHOLE, FRACTIONS] {
        let mut driven = Driven::of(&format!("{kind}growth=rate-limited"));
        let mut windows = Vec::new();
        let mut next = 0;
        for count in [4, 8, 4, 20] {
            driven.send(next, count);
            let unlimited: Vec<Acked> =
                (next..next + count).map(|number| acked_one(number, false)).collect();
            driven.hear(next + 50, &unlimited, 0, None);
            next += count;
            windows.push(driven.window());
        }
        assert_eq!(windows, [14.0, 20.0, 20.0, 40.0], "{kind}");
    }
}

#[test]
fn ten_segments_and_then_four_grow_by_each_rule() {
    for kind in [WHOLE, FRACTIONS] {
        for (growth, window) in [("used", 20.0), ("free", 24.0), ("rate-limited", 20.0)] {
            let mut driven = Driven::of(&format!("{kind}start=classic&growth={growth}"));
            driven.send(0, 10);
            driven.acknowledge(50, 0..10);
            driven.send(1_000, 4);
            let unlimited: Vec<Acked> = (10..14).map(|number| acked_one(number, false)).collect();
            driven.hear(1_050, &unlimited, 0, None);
            assert_eq!(driven.window(), window, "{kind}{growth}");
        }
    }
}

/// In avoidance one segment beyond the largest flight since the reduction.
#[test]
fn avoidance_stops_a_segment_above_the_largest_flight() {
    for kind in [WHOLE, FRACTIONS] {
        for (flight, most) in [(10, 20.0), (20, 21.0)] {
            let mut driven = Driven::new(&format!("{kind}growth=rate-limited"), &setup(40.0));
            driven.send(0, 40);
            driven.hear(50, &acked(1..40), 1, Some(Congestion::Loss));
            driven.recovered(100);
            assert_eq!(driven.window(), 20.0);
            for round in 0..30 {
                driven.send(200 + 100 * round, flight);
                let first = driven.next - flight;
                driven.acknowledge(250 + 100 * round, first..first + flight);
            }
            assert!(driven.window() <= most, "{kind}: {}", driven.window());
            assert!(driven.window() > most - 1.5, "{kind}: {}", driven.window());
        }
    }
}

/// pipeACK 30, a flight of 24 and four sent again: half of 30, and then half of 26.
#[test]
fn a_loss_at_a_window_that_nobody_used_leaves_half_of_what_was_used() {
    for kind in [WHOLE, FRACTIONS] {
        let mut driven = Driven::new(&format!("{kind}growth=newcwv"), &setup(100.0));
        // The first acknowledgement begins to measure, and 30 follow within a round trip.
        driven.send(0, 31);
        driven.acknowledge(600, 0..1);
        driven.acknowledge(1_200, 1..31);
        driven.send(1_300, 24);
        driven.hear(1_900, &[], 1, Some(Congestion::Loss));
        assert_eq!(driven.window(), 15.0, "{kind}");
        for number in 0..4 {
            let sent = Sent::new(at(1_950), 31 + number, Bytes::new(1448), 20);
            driven.controller.on_sent(&Sent { retransmission: true, ..sent });
        }
        driven.recovered(2_500);
        assert_eq!((driven.window(), driven.threshold()), (13.0, 13.0), "{kind}");
    }
}

/// β 0.5 at a window of 300: 250, and then 1/3 for each acknowledged and 5/6 for each lost.
#[test]
fn the_first_reduction_of_rapid_start_follows_the_fates_of_the_flight() {
    for kind in [WHOLE, FRACTIONS] {
        let mut driven = Driven::new(&format!("{kind}start=rapid"), &setup(300.0));
        driven.send(1, 300);
        driven.hear(600, &[], 1, Some(Congestion::Loss));
        near(driven.window(), 250.0 - 5.0 / 6.0);
        assert_eq!(driven.controller.decision().reduction, Reduction::Immediate);
        assert_eq!(driven.exit(), 2.0);
        driven.hear(610, &acked(100..199), 0, None);
        near(driven.window(), 250.0 - 5.0 / 6.0 - 33.0);
        driven.hear(620, &[], 100, None);
        near(driven.window(), 250.0 - 33.0 - 101.0 * 5.0 / 6.0);
        driven.hear(630, &acked(199..299), 0, None);
        driven.recovered(1_300);
        // 199 of 300 were delivered: 0.5 of 199 and what rounding makes of it.
        near(driven.window().floor(), 99.0);
        assert_eq!(driven.threshold().floor(), 99.0);
        assert_eq!(driven.controller.decision().reduction, Reduction::Transport);
        driven.controller.on_undo(at(1_310));
    }
}

#[test]
fn rapid_start_triples_and_paces_three_windows_per_round_trip() {
    for kind in [WHOLE, FRACTIONS] {
        let mut driven = Driven::of(&format!("{kind}start=rapid"));
        assert_eq!(driven.controller.decision().pacing, None, "no round trip is known");
        driven.controller.on_open(&crate::Open::new(at(0), Span::from_millis(600)));
        // 10 packets of 1500 B in 600 ms.
        assert_eq!(driven.controller.decision().pacing, Some(Rate::from_kbps(200)));
        driven.send(1, 10);
        driven.acknowledge(601, 0..10);
        assert_eq!(driven.window(), 30.0);
        assert_eq!(driven.controller.decision().pacing, Some(Rate::from_kbps(1_800)));
    }
}

#[test]
fn a_timeout_ends_a_start_unless_it_is_to_begin_again() {
    for (options, window) in [("", 3.0), ("&start_again", 5.0)] {
        for kind in [WHOLE, FRACTIONS] {
            let mut driven = Driven::of(&format!("{kind}start=rapid{options}"));
            driven.send(0, 10);
            driven.controller.on_timeout(&Timeout::new(at(1_000), 10, 10, false));
            driven.in_flight = 0;
            driven.send(1_000, 2);
            driven.acknowledge(1_600, 10..12);
            assert_eq!(driven.window(), window, "{kind}{options}");
        }
    }
}

#[test]
fn conservative_slow_start_gives_a_quarter_of_a_segment_for_each() {
    let mut whole = super::Starter::chosen(super::Choices {
        start: super::Start::HyStartPlusPlus(risen()),
        again: false,
        rapid_k: 0.0,
        growth: crate::parts::growth::Growth::Used,
        resume: None,
        resume_beta: 0.5,
        initial: 10.0,
        mutated: Default::default(),
    });
    let grown: Vec<u32> = (0..8).map(|_| whole.whole_growth(1)).collect();
    assert_eq!(grown, [0, 0, 0, 1, 0, 0, 0, 1]);
    assert_eq!(whole.whole_growth(6), 1, "half a segment is left");
    assert_eq!(whole.whole_growth(2), 1);
}

/// HyStart++ in conservative slow start.
fn risen() -> super::hystartpp::HyStartPlusPlus {
    let mut start = super::hystartpp::HyStartPlusPlus::new();
    for (round, rtt) in [(0, 40), (1, 60)] {
        (10 * round..10 * round + 10).for_each(|number| start.on_sent(number));
        (10 * round..10 * round + 10).for_each(|number| {
            start.on_ack(number, Some(Span::from_millis(rtt)));
        });
    }
    assert!(start.is_conservative());
    start
}

/// The faults at the end of section 9: each shows where its original keeps the rule.
#[cfg(feature = "mutants")]
mod mutants {
    use super::*;

    /// The original and the mutant, as `look` finds them.
    fn both<T>(mutant: &str, options: &str, look: impl Fn(&str) -> T) -> (T, T) {
        (look(&format!("cubic?{options}")), look(&format!("{mutant}?{options}")))
    }

    /// The bin in which SEARCH ends slow start, of a flow whose flights double every three bins up
    /// to the path's 16 segments per bin. Only every `each`-th bin has an acknowledgement.
    fn exit_bin(text: &str, rtt: u64, each: u64) -> Option<u64> {
        let sent = |i: u64| (1 << ((i - 1) / 3)).min(32u64);
        let delivered = |i: u64| if i < 4 { 0 } else { sent(i - 3).min(16) };
        let mut driven = Driven::of(text);
        (0..60).filter(|c| c % each == 0).find(|c| {
            let totals = Totals {
                sent: (1..=*c).map(sent).sum(),
                delivered: (1..=*c).map(delivered).sum(),
                lost: 0,
            };
            let rtt = Some(Span::from_millis(if *c == 0 { 100 } else { rtt }));
            let one = acked(0..1);
            driven.controller.on_feedback(&Feedback {
                acked: &one,
                rtt,
                totals,
                outstanding: Outstanding { packets: 1, ..Outstanding::default() },
                ..Feedback::at(at(0) + Span::from_micros(35_000 * c + c.min(&1)))
            });
            driven.exit() == 1.0
        })
    }

    #[test]
    fn search() {
        let bins =
            |mutant, rtt, each| both(mutant, "start=search", |text| exit_bin(text, rtt, each));
        assert_eq!(bins("cubic-search-forwards", 100, 1), (Some(21), Some(13)));
        let (original, mutant) = bins("cubic-search-first-rtt", 300, 1);
        assert!(mutant.unwrap() < original.unwrap_or(60), "{original:?} {mutant:?}");
        let (original, mutant) = bins("cubic-search-empty-bins", 105, 3);
        assert_ne!(original, mutant);
    }

    #[test]
    fn hystart_plus_plus() {
        let phase = |text: &str| {
            let mut driven = Driven::of(text);
            for (round, rtts) in [[40; 9], [60, 60, 60, 60, 60, 60, 60, 60, 59]].iter().enumerate()
            {
                let first = 9 * round as u64;
                driven.send(first, 9);
                for (number, rtt) in (first..).zip(rtts) {
                    let one = acked(number..number + 1);
                    driven.controller.on_feedback(&Feedback {
                        acked: &one,
                        rtt: Some(Span::from_millis(*rtt)),
                        outstanding: Outstanding { packets: 9, ..Outstanding::default() },
                        ..Feedback::at(at(100 * first + number))
                    });
                }
            }
            driven.phase()
        };
        // The baseline of the mended form is at 45 ms; with "restart" it is the round's least.
        assert_eq!(both("cubic-css-samples", "start=hystart++&css=restart", phase), (2.0, 1.0));
    }

    #[test]
    fn rapid_start() {
        let window = |text: &str| {
            let mut driven = Driven::new(text, &setup(300.0));
            driven.send(1, 300);
            driven.hear(600, &[], 290, Some(Congestion::Loss));
            driven.window()
        };
        let (original, mutant) = both("cubic-rapid-no-floor", "start=rapid", window);
        near(original, 300.0 * 717.0 / 1024.0 / 3.0);
        assert!(mutant < 15.0, "{mutant}");
    }

    #[test]
    fn careful_resume() {
        let saved =
            Saved { rtt: Span::from_millis(600), window: Segments::new(300.0), age: Span::ZERO };
        let jump = |text: &str| {
            let mut driven = Driven::new(text, &Setup { saved: Some(saved), ..setup(10.0) });
            driven.send(0, 39);
            driven.acknowledge(600, 0..10);
            let window = driven.window();
            driven.send(610, 121);
            driven.hear(1_250, &acked(40..74), 1, Some(Congestion::Loss));
            (window, driven.controller.decision().reduction)
        };
        let (original, whole) = both("cubic-resume-whole", "resume", jump);
        assert_eq!((original.0, whole.0), (150.0, 300.0));
        let (original, spread) = both("cubic-resume-spread", "resume", jump);
        assert_eq!((original.1, spread.1), (Reduction::Immediate, Reduction::Transport));
    }

    #[test]
    fn rate_limited_growth() {
        let window = |text: &str| {
            let mut driven = Driven::new(text, &setup(40.0));
            driven.send(0, 40);
            driven.hear(50, &acked(1..40), 1, Some(Congestion::Loss));
            driven.recovered(100);
            for round in 0..60 {
                driven.send(200 + 100 * round, 10);
                let first = driven.next - 10;
                driven.acknowledge(250 + 100 * round, first..first + 10);
            }
            driven.window()
        };
        let (original, mutant) = both("cubic-flight-stays", "growth=rate-limited", window);
        assert_eq!(original, 28.0, "a flight of 10 lets no window above it grow");
        assert!(mutant > original, "{mutant}");
    }
}
