use super::law::{Nsdi18, Settings};
use super::step::Constants;
use crate::controllers::pcc::interval::Statistics;
use crate::controllers::pcc::law::{Context, Judged, Next, Outcome, RateControl};
use crate::controllers::pcc::utility::{BINARY, Filter, Gradient, Released, Utility};
use crate::testing::near;
use narrows_units::Random;

const UTILITY: Released = Released {
    t: 0.9,
    b: 0.0,
    c: 11.35,
    gradient: Gradient { filter: Filter::Steps(0.02), reward: true },
};
const SETTINGS: Settings = Settings {
    steps: Constants { theta: 1.0, omega: 0.05, delta: 0.06, least: 0.5 },
    epsilon: 0.05,
    min_rate: 1.3,
    max_rate: 1024.0,
    heavy_loss: 0.5,
};

struct Bench {
    law: Nsdi18,
    random: Random,
    /// Rates of intervals whose outcome is to come.
    sent: Vec<f64>,
}

impl Bench {
    fn new() -> Bench {
        Bench {
            law: Nsdi18::new(UTILITY, SETTINGS),
            random: Random::stream(1, "test"),
            sent: Vec::new(),
        }
    }

    /// Past a start that ended at 51.2 Mbit/s.
    fn probing() -> Bench {
        let mut bench = Bench::new();
        for _ in 0..7 {
            bench.send();
            bench.learn(0, 0.0);
        }
        assert_eq!(bench.law.rate(), 102.4);
        bench.send();
        // Falls because of a slope.
        bench.law.on_outcome(
            &outcome(204.8, 200, 90, 0.0),
            &mut Context { floor: 0.001, random: &mut bench.random },
        );
        bench.sent.clear();
        assert_eq!(bench.law.rate(), 102.4);
        bench
    }

    fn send(&mut self) -> f64 {
        let (rate, awaited) =
            self.law.plan(&mut Context { floor: 0.001, random: &mut self.random });
        assert!(awaited);
        self.sent.push(rate);
        rate
    }

    /// The outcome of the oldest interval: so many of 1000 packets lost, and a slope.
    fn learn(&mut self, lost: u32, slope: f64) -> Next {
        let rate = self.sent.remove(0);
        self.law.on_outcome(
            &outcome(rate, 1000, lost, slope),
            &mut Context { floor: 0.001, random: &mut self.random },
        )
    }

    /// Probes of which the higher rates lose `high` and the lower `low` of 1000 packets.
    fn probe(&mut self, count: usize, high: u32, low: u32) {
        let base = self.law.rate();
        let rates: Vec<f64> = (0..count).map(|_| self.send()).collect();
        let filler = self.send();
        assert!((filler - base).abs() < 1e-9, "a filler, not {filler} around {base}");
        for rate in rates {
            assert_eq!(self.learn(if rate > base { high } else { low }, 0.0), Next::Continue);
        }
        // The filler's own outcome is of no use to probes.
        self.sent.clear();
        let judged = outcome(base, 1000, low, 0.0);
        self.law.on_outcome(&judged, &mut Context { floor: 0.001, random: &mut self.random });
    }
}

fn outcome(rate: f64, sent: u32, lost: u32, slope: f64) -> Outcome {
    let statistics = Statistics {
        rate,
        sent,
        lost,
        loss: lost as f64 / sent as f64,
        slope,
        ..Statistics::default()
    };
    Outcome { rate, judged: Ok(Judged { utility: UTILITY.of(&statistics), statistics }) }
}

/// Utility per Mbit/s, as rates grow from `low` to `high` without loss.
fn slope(low: f64, high: f64) -> f64 {
    (libm::pow(high * BINARY, 0.9) - libm::pow(low * BINARY, 0.9)) / (high - low)
}

#[test]
fn the_start_waits_for_the_outcome_of_each_doubling() {
    let mut bench = Bench::new();
    assert_eq!([bench.send(), bench.send(), bench.send()], [1.6; 3]);
    bench.learn(0, 0.0);
    assert_eq!(bench.send(), 3.2);
    // Outcomes of what filled the time say nothing.
    bench.learn(0, 0.0);
    assert_eq!(bench.send(), 3.2);
}

#[test]
fn the_start_forgives_fifty_losses_in_each_interval() {
    let mut bench = Bench::new();
    for doubling in 1..7 {
        let rate = bench.send();
        near(rate, 0.8 * (1 << doubling) as f64);
        bench.learn(50, 0.1);
    }
    // 150 of 1000 are too many: 100 of them count, at 11.35.
    bench.send();
    bench.learn(150, 0.0);
    near(bench.law.rate(), 51.2);
}

#[test]
fn four_probes_until_there_is_a_trend_and_two_then() {
    let mut bench = Bench::probing();
    let first = bench.law.rate();
    bench.probe(4, 0, 0);
    near(bench.law.rate(), first + slope(0.95 * first, 1.05 * first));
    bench.probe(4, 0, 0);
    let before = bench.law.rate();
    bench.probe(2, 0, 0);
    assert!(bench.law.rate() > before);
}

#[test]
fn probes_that_lose_little_are_charged_their_mean() {
    let mut bench = Bench::probing();
    let first = bench.law.rate();
    // The higher rates lose 1.8 %, the lower none: each is charged 0.9 %, at a price of 1.
    bench.probe(4, 18, 0);
    near(bench.law.rate(), first + slope(0.95 * first, 1.05 * first) - 0.009 * BINARY);
}

#[test]
fn losses_of_up_to_three_percent_cost_little() {
    let mut bench = Bench::probing();
    let first = bench.law.rate();
    bench.probe(4, 25, 30);
    let charge = BINARY * (1.05 * 0.025 - 0.95 * 0.03) * first / (0.1 * first);
    near(bench.law.rate(), first + slope(0.95 * first, 1.05 * first) - charge);
}

#[test]
fn a_higher_rate_that_lost_less_is_checked_once_where_losses_are_many() {
    let mut bench = Bench::probing();
    let first = bench.law.rate();
    bench.probe(4, 60, 200);
    near(bench.law.rate(), first);
    // One pair decides now, and if it says the same again, it counts: a step up to the bound.
    bench.probe(2, 60, 200);
    near(bench.law.rate(), 1.05 * first);
    // With fewer losses nothing is checked.
    let mut bench = Bench::probing();
    bench.probe(4, 20, 40);
    assert!(bench.law.rate() > first);
}

#[test]
fn a_large_step_up_is_followed_without_probes() {
    let mut bench = Bench::probing();
    let mut before = bench.law.rate();
    // Steps to bounds of 5 and 11 %: the second is a move.
    bench.probe(4, 60, 200);
    bench.probe(2, 60, 200);
    before *= 1.05;
    near(bench.law.rate(), before);
    bench.probe(2, 60, 200);
    near(bench.law.rate(), before);
    bench.probe(2, 60, 200);
    let moved = [bench.send(), bench.send()];
    near(moved[0], 1.11 * before);
    near(moved[1], 1.11 * before);
    // 140 packets fewer than at the rate before: in doubt, so probes follow at this rate.
    bench.learn(60, 0.0);
    bench.sent.clear();
    let probe = bench.send();
    near((probe / (1.11 * before) - 1.0).abs(), 0.05);
}

#[test]
fn heavy_loss_halves_the_rate_down_to_the_least() {
    let mut bench = Bench::probing();
    bench.send();
    assert_eq!(bench.learn(600, 0.0), Next::Anew);
    near(bench.law.rate(), 51.2);
    for _ in 0..10 {
        bench.send();
        bench.learn(600, 0.0);
    }
    near(bench.law.rate(), 1.3);
    // Probes are half a megabit away.
    near((bench.send() - 1.3).abs(), 0.5);
}
