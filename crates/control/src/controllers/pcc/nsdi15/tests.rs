use super::law::Nsdi15;
use crate::controllers::pcc::interval::Statistics;
use crate::controllers::pcc::law::{Context, Judged, Next, Outcome, RateControl};
use crate::testing::near;
use narrows_units::Random;

struct Bench {
    law: Nsdi15,
    random: Random,
    /// Rates of intervals whose outcome is to come.
    sent: Vec<f64>,
}

impl Bench {
    fn new() -> Bench {
        Bench { law: Nsdi15::new(), random: Random::stream(1, "test"), sent: Vec::new() }
    }

    /// Past a start that ended at 64 Mbit/s.
    fn guessing() -> Bench {
        let mut bench = Bench::new();
        for _ in 0..7 {
            bench.send();
        }
        for utility in [2.0, 4.0, 8.0, 16.0, 32.0, 64.0] {
            assert_eq!(bench.learn(utility), Next::Continue);
        }
        assert_eq!(bench.learn(10.0), Next::Anew);
        assert_eq!(bench.law.rate(), 64.0);
        bench
    }

    fn send(&mut self) -> f64 {
        let (rate, awaited) =
            self.law.plan(&mut Context { floor: 0.001, random: &mut self.random });
        assert!(awaited);
        self.sent.push(rate);
        rate
    }

    /// The utility of the oldest interval.
    fn learn(&mut self, utility: f64) -> Next {
        let rate = self.sent.remove(0);
        let judged = Ok(Judged { utility, statistics: Statistics::default() });
        self.law.on_outcome(
            &Outcome { rate, judged },
            &mut Context { floor: 0.001, random: &mut self.random },
        )
    }

    /// Four trials at this distance, of which the higher rates are worth as much in the first pair
    /// and in the second.
    fn guess(&mut self, distance: f64, higher: [f64; 2]) {
        let base = self.law.rate();
        let rates: Vec<f64> = (0..4).map(|_| self.send()).collect();
        let filler = self.send();
        near(filler, rates[3]);
        for (trial, rate) in rates.into_iter().enumerate() {
            near((rate / base - 1.0).abs(), distance);
            self.learn(if rate > base { higher[trial / 2] } else { 1.0 });
        }
        self.learn(0.0);
    }
}

#[test]
fn the_start_doubles_with_each_interval_and_falls_back_to_the_best() {
    let mut bench = Bench::new();
    assert_eq!([(); 4].map(|()| bench.send()), [2.0, 4.0, 8.0, 16.0]);
    // The first counts half: 1.2 is more than 2 / 2.
    bench.learn(2.0);
    assert_eq!(bench.learn(1.2), Next::Continue);
    assert_eq!(bench.learn(1.2), Next::Anew);
    assert_eq!(bench.law.rate(), 4.0);
}

#[test]
fn trials_that_disagree_widen_up_to_five_percent_and_begin_again() {
    let mut bench = Bench::guessing();
    for distance in [0.01, 0.02, 0.03, 0.04, 0.05, 0.01] {
        bench.guess(distance, [2.0, 0.0]);
        near(bench.law.rate(), 64.0);
    }
}

#[test]
fn the_first_step_grows_with_the_distance_that_the_trials_needed() {
    let mut bench = Bench::guessing();
    (1..4).for_each(|distance| bench.guess(0.01 * distance as f64, [2.0, 0.0]));
    bench.guess(0.04, [0.0, 0.0]);
    near(bench.law.rate(), 64.0 * 0.97);
}

#[test]
fn a_second_step_follows_in_any_case_and_then_steps_grow_while_they_pay() {
    let mut bench = Bench::guessing();
    bench.guess(0.01, [2.0, 2.0]);
    let mut rate = 64.0 * 1.01;
    near(bench.law.rate(), rate);
    for (utility, shares) in [(0.5, 2.0), (0.6, 3.0), (0.7, 4.0)] {
        // Packets sent after it fill the time until its outcome.
        assert_eq!([bench.send(), bench.send()], [bench.law.rate(); 2]);
        bench.learn(utility);
        bench.learn(9.0);
        rate *= 1.0 + 0.01 * shares;
        near(bench.law.rate(), rate);
    }
    // A step back is a share of the new rate.
    bench.send();
    bench.learn(0.6);
    near(bench.law.rate(), rate * 0.96);
    near((bench.send() / (rate * 0.96) - 1.0).abs(), 0.01);
}

#[test]
fn a_tie_counts_for_the_lower_rate() {
    let mut bench = Bench::guessing();
    bench.guess(0.01, [1.0, 1.0]);
    near(bench.law.rate(), 64.0 * 0.99);
}
