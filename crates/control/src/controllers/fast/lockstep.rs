//! Compares the integer core with the floating point of `fast` and `fast-sc2002`. Both see the same
//! events: a bottleneck that the floating-point controller fills, with random losses, timeouts and
//! lulls.

use crate::testing::inspect;
use crate::{
    Acked, CaState, Congestion, Controller, Feedback, Outstanding, Sent, Tag, Timeout, Totals,
};
use crate::{Choice, Setup};
use narrows_units::{Bytes, Random, Segments, Span, Time};
use std::collections::VecDeque;

/// A packet under way: its number, when it left, when it is acknowledged, its tags, and whether the
/// window limited it.
type Flying = (u64, Time, Time, [Tag; 2], bool);

/// A flow over a bottleneck of so many packets per second. The first controller drives it, the
/// second is shown the same.
struct Path {
    random: Random,
    both: [Box<dyn Controller>; 2],
    now: Time,
    base: u64,
    /// Time of a packet on the bottleneck, in nanoseconds.
    packet: u64,
    free_at: u64,
    flying: VecDeque<Flying>,
    totals: Totals,
    ca_state: CaState,
    recovery_end: u64,
    /// No more in flight than this, in a lull.
    most: usize,
}

impl Path {
    fn new(seed: u64, both: &[String; 2]) -> Path {
        let mut random = Random::stream(seed, "fast");
        let setup = Setup { initial_window: Segments::new(10.0), ..Setup::default() };
        let both =
            both.each_ref().map(|text| text.parse::<Choice>().unwrap().build(&setup).unwrap());
        let base = [500, 5_000, 30_000, 120_000][random.below(4) as usize] + random.below(1_000);
        let packet = [100_000, 20_000, 12_000][random.below(3) as usize];
        let now = Time::ZERO + Span::from_secs(1);
        let flying = VecDeque::new();
        Path {
            random,
            both,
            now,
            base,
            packet,
            free_at: 0,
            flying,
            totals: Totals::default(),
            ca_state: CaState::Open,
            recovery_end: 0,
            most: usize::MAX,
        }
    }

    fn send(&mut self) {
        let window = self.both[0].decision().window.whole() as usize;
        while self.flying.len() < window.min(self.most) {
            let in_flight = self.flying.len() as u32;
            let sent = Sent::new(self.now, self.totals.sent, Bytes::new(1448), in_flight);
            let tags = [self.both[0].on_sent(&sent), self.both[1].on_sent(&sent)];
            // Whole microseconds, as sockets measure them.
            self.free_at = self.free_at.max(self.now.as_nanos()) + self.packet;
            let back = Time::from_nanos(self.free_at.next_multiple_of(1_000))
                + Span::from_micros(self.base);
            self.flying.push_back((sent.number, self.now, back, tags, self.most == usize::MAX));
            self.totals.sent += 1;
        }
    }

    /// The next acknowledgement, of a few packets: all of them were limited by the window, or none,
    /// so that it does not matter by which this is judged.
    fn acknowledge(&mut self, lost: bool) {
        let before = self.flying.len() as u32;
        let count = 1 + self.random.below(3) as usize;
        let alike = self.flying.iter().take_while(|flying| flying.4 == self.flying[0].4).count();
        let taken: Vec<Flying> = self.flying.drain(..count.min(alike)).collect();
        let Some(&(newest, sent_at, back, ..)) = taken.last() else { return };
        self.now = self.now.max(back);
        self.totals.delivered += taken.len() as u64 - lost as u64;
        self.totals.lost += lost as u64;
        let mut congestion = None;
        let mut ended = None;
        if self.ca_state != CaState::Open && newest >= self.recovery_end {
            ended = Some(std::mem::replace(&mut self.ca_state, CaState::Open));
        }
        if lost && self.ca_state == CaState::Open {
            (self.ca_state, self.recovery_end) = (CaState::Recovery, self.totals.sent);
            congestion = Some(Congestion::Loss);
        }
        let rtt = self.now.since(sent_at);
        for (which, controller) in self.both.iter_mut().enumerate() {
            let acked: Vec<Acked> = taken[lost as usize..]
                .iter()
                .map(|&(number, sent_at, _, tags, limited)| Acked {
                    number,
                    bytes: Bytes::new(1448),
                    sent_at,
                    rtt: self.now.since(sent_at),
                    tag: tags[which],
                    app_limited: !limited,
                    window_limited: limited,
                })
                .collect();
            controller.on_feedback(&Feedback {
                acked: &acked,
                rtt: (!acked.is_empty()).then_some(rtt),
                in_flight_before: before,
                in_flight: self.flying.len() as u32,
                totals: self.totals,
                una: newest + 1,
                next: self.totals.sent,
                outstanding: Outstanding {
                    packets: self.flying.len() as u32,
                    ..Outstanding::default()
                },
                window: controller.decision().window.whole(),
                cwnd_limited: taken.iter().any(|&(.., limited)| limited),
                ca_state: self.ca_state,
                congestion,
                ended,
                ..Feedback::at(self.now)
            });
        }
    }

    fn timeout(&mut self) {
        let lost = self.flying.len() as u32;
        self.totals.lost += lost as u64;
        self.flying.clear();
        self.now += Span::from_millis(200);
        (self.ca_state, self.recovery_end) = (CaState::Loss, self.totals.sent + 1);
        for controller in &mut self.both {
            controller.on_timeout(&Timeout::new(self.now, lost, lost, false));
        }
    }

    fn windows(&self) -> (f64, f64) {
        (inspect(&*self.both[0], "cwnd"), self.both[1].decision().window.get())
    }
}

/// The windows of both controllers, compared.
#[derive(Default)]
struct Compared {
    acknowledgements: u64,
    /// Of these, those after which the windows are a packet and a thousandth apart.
    apart: u64,
    sums: [f64; 2],
}

impl Compared {
    /// Forty paths, on which a packet is lost with this probability, and a tenth as often all of
    /// them.
    fn new(both: &[String; 2], harm: f64) -> Compared {
        let mut compared = Compared::default();
        for seed in 0..40 {
            let mut path = Path::new(seed, both);
            for _ in 0..20_000 {
                path.send();
                let lost = path.random.chance(harm);
                path.acknowledge(lost);
                if path.random.chance(harm / 10.0) {
                    path.timeout();
                }
                if path.random.chance(0.0005) {
                    path.most = if path.most == usize::MAX {
                        1 + path.random.below(30) as usize
                    } else {
                        usize::MAX
                    };
                }
                compared.add(path.windows());
            }
        }
        compared
    }

    fn add(&mut self, (exact, whole): (f64, f64)) {
        self.acknowledgements += 1;
        self.apart += ((whole - libm::floor(exact)).abs() > 1.0 + exact / 1_000.0) as u64;
        self.sums[0] += libm::floor(exact);
        self.sums[1] += whole;
    }

    /// By how much the means differ.
    fn means_differ(&self) -> f64 {
        (self.sums[1] / self.sums[0] - 1.0).abs()
    }
}

const OPTIONS: [&str; 6] = [
    "",
    "alpha=100",
    "alpha=20&window_pacing=none",
    "alpha=50&mi=published",
    "alpha=30&rtt_weight=ns2",
    "gamma=1&free_share=0.5&loss_beta=0.875&base_rtt_window=2",
];

/// The later law in floating point and in the core, with these options.
fn later(options: &str) -> [String; 2] {
    ["fast", "fast-kernel"].map(|name| format!("{name}?{options}"))
}

/// The law of 2002 in floating point and in the core, with these options.
fn stepwise(options: &str) -> [String; 2] {
    ["slides", "linux"].map(|profile| format!("fast-sc2002?profile={profile}&{options}"))
}

const STEPWISE: [&str; 3] =
    ["alpha=100", "alpha=20&loss_beta=0.875", "alpha=50&rtt_weight=ns2&base_rtt_window=2"];

/// Windows are equal to a packet and a thousandth. Exceptions begin where a queue is just as long
/// as what counts for none, or the window is its threshold: one doubles then, and the other does
/// not.
#[test]
fn without_losses_windows_are_equal_but_where_thresholds_are_met_exactly() {
    for options in OPTIONS {
        let compared = Compared::new(&later(options), 0.0);
        // A rate at an edge of the table may move alpha of one and not of the other.
        let most = if options.is_empty() { 10 } else { 3 };
        assert!(
            compared.apart * 100 <= compared.acknowledgements * most,
            "{options}: {} apart",
            compared.apart
        );
        assert!(compared.means_differ() < 2e-3, "{options}: {}", compared.means_differ());
    }
}

/// After losses rounds begin at other acknowledgements, so that windows go the same ways at other
/// times: their means are equal to 3 %.
#[test]
fn with_losses_windows_have_the_same_means() {
    for options in OPTIONS {
        let compared = Compared::new(&later(options), 5e-4);
        assert!(compared.means_differ() < 0.03, "{options}: {}", compared.means_differ());
    }
}

#[test]
fn without_losses_windows_of_the_law_of_2002_are_equal() {
    for options in STEPWISE {
        let compared = Compared::new(&stepwise(options), 0.0);
        assert!(
            compared.apart * 100 <= compared.acknowledgements * 3,
            "{options}: {} apart",
            compared.apart
        );
        assert!(compared.means_differ() < 2e-3, "{options}: {}", compared.means_differ());
    }
}

#[test]
fn with_losses_windows_of_the_law_of_2002_have_the_same_means() {
    for options in STEPWISE {
        let compared = Compared::new(&stepwise(options), 5e-4);
        assert!(compared.means_differ() < 0.03, "{options}: {}", compared.means_differ());
    }
}
