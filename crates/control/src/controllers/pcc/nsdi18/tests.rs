use super::*;
use crate::Choice;
use narrows_units::Random;

struct Bench {
    law: Nsdi18,
    random: Random,
}

impl Bench {
    /// Probing around 100 of its Mbit/s.
    fn new(rate: f64) -> Bench {
        let choice: Choice = "vivace-nsdi18".parse().unwrap();
        let gradient = Gradient { filter: Filter::Steps(0.02), reward: true };
        let utility = Released { t: 0.9, b: 0.0, c: 11.35, gradient };
        let mut law = Nsdi18::new(utility, &choice.params());
        law.rate = rate;
        law.probe();
        Bench { law, random: Random::stream(1, "test") }
    }

    fn plan(&mut self) -> (f64, bool) {
        self.law.plan(&mut Context { floor: 0.001, random: &mut self.random })
    }

    /// Sends an interval that loses `loss`; its rate in Mbit/s of this code.
    fn interval(&mut self, loss: impl Fn(f64) -> f64) -> f64 {
        let (rate, awaited) = self.plan();
        assert!(awaited);
        let statistics = Statistics { rate, loss: loss(rate * BINARY), ..Statistics::default() };
        let judged = Ok(Judged { utility: self.law.utility.of(&statistics), statistics });
        self.law.on_outcome(&Outcome { rate, judged }, &mut Context { floor: 0.001, random: &mut self.random });
        rate * BINARY
    }
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-6 * expected.abs(), "{value}, not {expected}");
}

#[test]
fn probes_and_steps_are_at_least_half_a_megabit() {
    let mut bench = Bench::new(5.0);
    let probes = [(); 4].map(|()| bench.interval(|_| 0.0));
    assert!(probes.iter().all(|probe| ((probe - 5.0).abs() - 0.5).abs() < 1e-9), "{probes:?}");
    // The gradient, (5.5^0.9 - 4.5^0.9) / 1 = 0.767, is a step of 0.77, above the bound of 5 %: 0.25, raised to 0.5.
    near(bench.law.rate, 5.5);
}

#[test]
fn four_probes_until_there_is_a_trend_and_two_then() {
    let mut bench = Bench::new(100.0);
    (0..4).for_each(|_| _ = bench.interval(|_| 0.0));
    near(bench.law.rate, 100.0 + (libm::pow(105.0, 0.9) - libm::pow(95.0, 0.9)) / 10.0);
    let before = bench.law.rate;
    (0..2).for_each(|_| _ = bench.interval(|_| 0.0));
    assert!(bench.law.rate > before);
}

#[test]
fn pairs_with_little_loss_are_charged_their_mean() {
    let mut bench = Bench::new(100.0);
    // The higher rate loses 1.9 %, the lower none: each is charged 0.95 %.
    (0..4).for_each(|_| _ = bench.interval(|rate| if rate > 100.0 { 0.019 } else { 0.0 }));
    let gradient = (libm::pow(105.0, 0.9) - libm::pow(95.0, 0.9)) / 10.0 - 0.0095;
    near(bench.law.gradient, gradient);
}

#[test]
fn heavy_loss_halves_and_below_the_floor_the_sender_hibernates() {
    let mut bench = Bench::new(4.0);
    bench.interval(|_| 0.6);
    near(bench.law.rate, 2.0);
    bench.interval(|_| 0.6);
    near(bench.plan().0 * BINARY, HIBERNATION);
    let mut bench = Bench::new(2.0);
    bench.interval(|_| 0.6);
    bench.interval(|_| 0.0);
    near(bench.law.rate, 1.3);
    assert!(matches!(bench.law.phase, Phase::Probing(_)));
}
