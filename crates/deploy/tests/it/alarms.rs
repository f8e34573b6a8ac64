//! False alarms and power of the test, on drawn differences and on simulated experiments.

use narrows_measure::sequential::{evidence, tuning};
use narrows_units::Random;

/// Returns the pair after which a sequence of normal differences with this mean beyond the bound,
/// in deviations, is stopped; `None` if it is not within `most` pairs.
fn stopped(effect: f64, random: &mut Random, most: usize, rho: f64) -> Option<usize> {
    let mut all = Vec::new();
    (1..=most).find(|_| {
        all.push(effect + random.normal());
        evidence(&all, 0.0, rho) >= 20.0
    })
}

#[test]
fn harm_of_a_deviation_is_shown_after_a_dozen_pairs() {
    // 60 planned pairs, an observation with differences of deviation 1. With 24 planned pairs an
    // effect of four deviations takes a pair more.
    let rho = tuning(30.0, 0.1);
    let median = |effect: f64| {
        let mut random = Random::stream(1, "power");
        let mut pairs: Vec<usize> =
            (0..400).map(|_| stopped(effect, &mut random, 400, rho).unwrap_or(400)).collect();
        pairs.sort_unstable();
        pairs[200]
    };
    let (one, four) = (median(1.0), median(4.0));
    assert!((10..=14).contains(&one), "{one}");
    assert_eq!(four, 7);
}

mod long {
    use super::stopped;
    use narrows_measure::sequential::tuning;
    use narrows_units::Random;

    #[test]
    #[ignore = "10,000 sequences: some seconds"]
    fn ten_thousand_drawn_sequences_alarm_in_at_most_five_percent() {
        let mut random = Random::stream(1, "sequences");
        let rho = tuning(30.0, 0.1);
        let alarms = (0..10_000).filter(|_| stopped(0.0, &mut random, 60, rho).is_some()).count();
        assert!(alarms <= 500, "{alarms} of 10,000");
        assert!(alarms > 50, "a test that never alarms tells nothing: {alarms}");
    }
}

/// By hand: `cargo test --release -p narrows-deploy --test it -- --ignored by_hand`.
mod by_hand {
    use crate::plan::{PAGES, exposed};
    use narrows_deploy::Experiment;
    use narrows_deploy::plan::Parts;
    use narrows_deploy::trial::{Closed, Traffic, Trial};
    use narrows_units::Time;

    /// Runs a simulated experiment; returns the group after which it stopped.
    fn simulated(seed: u64) -> Option<usize> {
        let text = format!(
            "name = \"aa\"\ntreatment = \"bbr\"\n[design]\nperiod = \"60 s\"\nburn_in = \"10 s\"\nburn_out = \"10 s\"\npairs = 24\nseed = {seed}\n"
        );
        let experiment = Experiment::read(&text, "aa.toml", &|_| Ok(())).expect("it is whole");
        let mut trial = Trial::new(&experiment).expect("it can be started");
        let shares: Vec<f64> = trial.slots().iter().map(|own| own.share).collect();
        let (period, burn_in, _) = trial.timing();
        let parts = Parts { length: period, shares };
        let network = exposed("", PAGES).expect("it can be divided");
        let arms = ["cubic", "cubic"].map(str::to_owned);
        let scenario = network.scenario(&arms, &parts, 0.0, seed).expect("it takes the flows");
        let record = narrows_sim::run(&scenario).expect("it runs");
        let mut traffic = vec![<[Traffic; 2]>::default(); trial.slots().len()];
        for flow in &record.flows {
            let (place, arm) = network.place(&flow.name, &parts).expect("all are exposed");
            let begun = Time::ZERO + period * place as u64;
            for own in &flow.transfers.as_ref().expect("they are transfers").list {
                // Connections that end a burn-in after their period are not seen.
                let age = own.start.since(begun);
                if age + own.took <= period + burn_in {
                    trial.close(&Closed {
                        period: place,
                        age,
                        treated: arm == 1,
                        bytes: own.size.get(),
                        busy: own.took,
                        timeouts: 0,
                    });
                }
            }
            let all = &mut traffic[place][arm];
            all.round_trips.merge(&flow.rtt);
            all.sent += flow.steady.sent;
            all.again += flow.steady.retransmitted;
        }
        (0..trial.slots().len()).find_map(|place| {
            trial.traffic(place, &traffic[place]);
            trial.judge(place + 1).map(|_| trial.judged())
        })
    }

    #[test]
    #[ignore = "200 simulated experiments of an hour each: a quarter of an hour"]
    fn at_most_ten_of_200_simulated_experiments_without_effect_stop() {
        let stopped: Vec<usize> = (1..=200).filter_map(simulated).collect();
        println!("{} of 200 stopped, after pairs {stopped:?}", stopped.len());
        assert!(stopped.len() <= 10, "{stopped:?}");
    }
}
