//! Published faults: who has them can be chosen and is in no list, and networks that a search has
//! found show them.

use narrows_control::Controllers;
use narrows_control::mutants::all;
use narrows_evidence::attack::{Aim, Genome, GenomeKind, Goal, Trial, Variant, mean};
use narrows_params::{Catalogue, find};

#[test]
fn mutants_are_chosen_by_name_and_stand_in_no_list() {
    for mutant in all() {
        assert_eq!(find::<Controllers>(mutant.name).unwrap().name(), mutant.name);
        assert!(Controllers::all().iter().all(|entry| entry.name() != mutant.name));
    }
    assert_eq!(all().len(), 16);
}

/// The mean score of a mutant beside the controller without its fault, over five seeds, on the
/// network of these numbers.
fn score(mutant: &str, goal: Goal, transport: &str, genome: &Genome) -> f64 {
    let original = mutant.split_once('-').expect("its name begins with that of the controller").0;
    let aim = Aim {
        references: vec![original.to_owned()],
        transport: transport.to_owned(),
        ..Aim::new(mutant, goal)
    };
    assert!(genome.fits(), "{genome:?}");
    let of_seed = |seed| {
        let trial = Trial { genome: genome.clone(), seed, variant: Variant::Plain };
        aim.evaluate(&trial, &std::sync::atomic::AtomicBool::new(false))
            .unwrap_or_else(|error| panic!("{error}"))
            .value
    };
    mean(&(1..=5).map(of_seed).collect::<Vec<f64>>())
}

#[test]
fn networks_that_the_search_has_found_show_the_faults() {
    let network = |kind, base: &[f64], event: &[f64]| Genome {
        kind,
        base: base.to_vec(),
        events: vec![event.to_vec()],
    };
    // Ten pauses of 200 ms, a millisecond apart: what an application sends between them is little.
    let pauses = network(GenomeKind::Pauses, &[40.0, 100.0, 1.0], &[0.009, 200.0, 10.0, 1.0]);
    let unlimited = score("bbr-unlimited", Goal::Idle, "", &pauses);
    // A finding needs 0.3. As in Linux, only writes mark samples as limited by the application, so
    // the original marks less, too.
    assert!(unlimited >= 0.3, "{unlimited}");
    let pause = network(GenomeKind::Pauses, &[50.0, 2.0, 0.5], &[0.04, 30.0, 1.0, 1.0]);
    let forgets = score("bbr-forgets", Goal::Idle, "", &pause);
    assert!(forgets >= 0.5, "{forgets}");
    // One acknowledgement for many segments needs a receiver that cannot report them one by one.
    let drops = network(GenomeKind::Drops, &[50.0, 25.0, 0.25], &[1.96, 50.0]);
    let overshoot = score("cubic-overshoot", Goal::Waste, "sack = false\n", &drops);
    assert!(overshoot >= 0.2, "{overshoot}");
    assert_eq!(score("cubic-overshoot", Goal::Waste, "", &drops), 0.0);
}

/// The fault of Linux before 2018 costs a round trip with four packets: less than two hundredths of
/// 15 s, at the very moment of PROBE_RTT.
#[test]
fn sending_again_in_probe_rtt_costs_a_round_trip_and_no_more() {
    let met = Genome {
        kind: GenomeKind::Pauses,
        base: vec![29.7, 100.0, 4.0],
        events: vec![vec![10.4, 400.0, 1.0, 1.0]],
    };
    let idle_probe = score("bbr-idle-probe", Goal::Idle, "", &met);
    assert!(0.0 < idle_probe && idle_probe < 0.03, "{idle_probe}");
}

/// HyStart leaves slow start at 632 segments, and with rounds that begin anew only above 16 at 516
/// (Linux commit 25c1a9ca53db, its message).
#[test]
fn rounds_that_begin_anew_above_16_segments_end_slow_start_early() {
    let text = include_str!("../../../../papers/known-answers/start.toml");
    let (scenario, _) = text.split_once("[sweep]").expect("a sweep");
    let window = |controller: &str| {
        let text =
            scenario.replace("controller = \"cubic\"", &format!("controller = \"{controller}\""));
        let none = |_: &std::path::Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
        let scenario = narrows_scenario::parse(&text, "t.toml", &none)
            .unwrap_or_else(|error| panic!("{}", error.short()));
        let run = narrows_sim::run(&scenario).unwrap_or_else(|error| panic!("{error}"));
        let samples = &run.flows[0].samples;
        samples.iter().find(|sample| sample.at.as_secs_f64() >= 1.14).expect("a sample").cwnd
    };
    let (sound, stale) = (window("cubic"), window("cubic-stale-rounds"));
    assert!((620.0..=660.0).contains(&sound), "{sound}");
    assert!((480.0..=560.0).contains(&stale), "{stale}");
}
