//! Plans from the file to the verdict, on small networks.

use narrows_deploy::Experiment;
use narrows_deploy::experiment::DesignKind;
use narrows_deploy::plan::{
    Effort, Exposed, Job, JobKind, Observed, Outcome, Plan, Reduced, Verdict, page, text,
};
use narrows_deploy::trial::{Closed, Trial};
use narrows_measure::sequential::half_width;
use narrows_scenario::from_toml;
use narrows_units::Span;
use std::io;
use std::sync::Arc;

pub fn exposed(queue: &str, flow: &str) -> Result<Exposed, String> {
    let text = format!(
        "[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"1 bdp\"\n{queue}\n\
         [[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\n{flow}\n"
    );
    let keys = from_toml(&text, "edge.toml").expect("it is TOML");
    let none = |_: &std::path::Path| Err(io::Error::other("no files"));
    Exposed::of(keys, "edge.toml", Arc::new(none)).map_err(|error| error.to_string())
}

pub const PAGES: &str = "controller = \"experiment\"\nworkload = { load = \"80 %\", sizes = [[\"20 kB\", 0.5], [\"1 MB\", 1.0]] }";

fn plan(queue: &str, arms: [&str; 2]) -> Plan {
    let file = "name = \"t\"\ntreatment = \"bbr\"\n[design]\nperiod = \"50 s\"\nburn_in = \"10 s\"\nburn_out = \"5 s\"\n";
    Plan {
        experiment: Experiment::read(file, "t.toml", &|_| Ok(())).expect("it is whole"),
        network: exposed(queue, PAGES).expect("it can be divided"),
        arms: arms.map(str::to_owned),
        effort: Effort { seeds: 3, ramp: false },
        observed: None,
    }
}

fn ran(plan: &Plan, jobs: Vec<Job>) -> Vec<(Job, Reduced)> {
    let one = |job: Job| {
        let scenario = plan.scenario(&job).expect("the network takes the flows");
        let record = narrows_sim::run(&scenario).expect("it runs");
        let reduced = plan.reduced(&job, &record);
        (job, reduced)
    };
    jobs.into_iter().map(one).collect()
}

fn outcome(plan: &Plan) -> Outcome {
    let first = ran(plan, plan.first_jobs());
    // The timing of the file, which comes first, is enough here.
    let second = ran(plan, plan.next_jobs(&first, &[]));
    Outcome::of(plan, &first, &second)
}

#[test]
fn where_a_queue_is_shared_the_test_is_wrong_and_where_it_is_not_it_is_right() {
    let shared = outcome(&plan("", ["cubic", "bbr"]));
    let first = &shared.metrics[0];
    assert_eq!(first.verdict, Verdict::WrongSign, "{}", text(&shared));
    assert!(first.truth.expect("seeds").mean > 0.05, "{}", text(&shared));
    assert!(first.spillover.expect("seeds").mean > 0.0, "{}", text(&shared));
    let apart = outcome(&plan("queue = \"fq-codel\"", ["cubic", "bbr"]));
    let first = &apart.metrics[0];
    let (truth, test) = (first.truth.expect("seeds").mean, first.test.expect("seeds").mean);
    assert!((truth - test).abs() < 0.1, "{}", text(&apart));
    assert!(first.verdict != Verdict::WrongSign, "{}", text(&apart));
    // A switchback measures the truth on both, up to its noise.
    for own in [&shared, &apart] {
        let (first, candidate) = (&own.metrics[0], &own.candidates[0]);
        let measured = first.switchback.expect("pairs");
        let distance = measured.mean - first.truth.expect("seeds").mean;
        assert!(distance.abs() < 2.0 * measured.half, "{}", text(own));
        assert!(candidate.of_file && candidate.void == 0);
    }
}

#[test]
fn the_same_controller_in_both_arms_shows_no_effect() {
    let own = outcome(&plan("", ["cubic", "cubic"]));
    let first = &own.metrics[0];
    let truth = first.truth.expect("seeds");
    // Both runs have the same connections, so that they are equal.
    assert_eq!((truth.mean, truth.half), (0.0, 0.0));
    assert!(first.test.expect("seeds").mean.abs() < 0.3, "{}", text(&own));
    assert_eq!((own.candidates[0].bias, own.candidates[0].bias_half), (0.0, 0.0));
    let page = page(&own, "On a link.", "narrows deploy plan t.toml", "0");
    assert!(page.contains("docs/how-to/deploy.md") && !page.contains("plots.md"), "{page}");
    assert!(page.contains("agrees with the truth") && !page.contains("WRONG SIGN"), "{page}");
}

#[test]
fn flows_that_cannot_be_divided_are_refused() {
    let refused = |flow: &str| exposed("", flow).expect_err(flow);
    let told = [
        "controller = \"cubic\"",
        "controller = \"experiment\"",
        "controller = \"experiment\"\ncount = 1",
        "controller = \"experiment\"\ncount = 2\nstart = \"1 s\"",
        "controller = \"experiment\"\nworkload = { load = \"80\", sizes = \"web\" }",
        "controller = \"experiment\"\nworkload = { arrivals = \"80\", sizes = \"web\" }",
    ]
    .map(refused);
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn persistent_flows_are_divided_by_their_number() {
    let mut own = plan("", ["cubic", "bbr"]);
    own.network = exposed("", "controller = \"experiment\"\ncount = 10").expect("ten");
    let count = |share: f64| {
        let job = Job { kind: JobKind::Share(share), seed: 1 };
        let scenario = own.scenario(&job).expect("the network takes the flows");
        let first: Vec<_> =
            scenario.flows.iter().filter(|flow| flow.name.starts_with("0 0")).collect();
        let of = |name: &str| {
            let own = |flow: &&&narrows_scenario::Flow| {
                flow.controller.as_ref().is_some_and(|own| own.text() == name)
            };
            first.iter().filter(own).count()
        };
        [of("cubic"), of("bbr")]
    };
    assert_eq!(
        [count(0.0), count(0.01), count(0.5), count(1.0)],
        [[10, 0], [9, 1], [5, 5], [0, 10]]
    );
}

#[test]
fn the_noise_of_a_host_is_taken_from_its_observation() {
    let mut own = plan("", ["cubic", "bbr"]);
    let first = ran(&own, own.first_jobs());
    let second = ran(&own, own.next_jobs(&first, &[]));
    let simulated = Outcome::of(&own, &first, &second);
    let mut trial = Trial::new(&own.experiment).expect("it can be started");
    // One period of each pair of the observation has twice the completion of the other.
    for place in 0..trial.observed() {
        for _ in 0..40 {
            trial.close(&Closed {
                period: place,
                age: Span::from_secs(20),
                treated: false,
                bytes: 100_000,
                busy: Span::from_secs(1 + place as u64 % 2),
                timeouts: 0,
            });
        }
        trial.judge(place + 1);
    }
    let metric = own.experiment.metrics[0].metric;
    own.observed = Observed::of(&trial, metric);
    let observed = own.observed.as_ref().expect("it is over");
    assert!((observed.deviation - libm::log(2.0)).abs() < 1e-9);
    let outcome = Outcome::of(&own, &first, &second);
    let (before, after) = (&simulated.candidates[0], &outcome.candidates[0]);
    assert!((after.deviation - libm::log(2.0)).abs() < 1e-9, "{after:?}");
    assert!(
        after.half > 0.0
            && (after.half / before.half - after.deviation / before.deviation).abs() < 0.02
    );
    assert!(text(&outcome).contains("those of the host's observation"), "{}", text(&outcome));
    assert!(Observed::of(&Trial::new(&own.experiment).expect("it can be"), metric).is_none());
}

#[test]
fn the_files_pairs_are_judged_beside_the_proposed_ones() {
    let mut own = plan("", ["cubic", "bbr"]);
    let first = ran(&own, own.first_jobs());
    let second = ran(&own, own.next_jobs(&first, &[]));
    let told = |own: &Plan| text(&Outcome::of(own, &first, &second));
    let outcome = Outcome::of(&own, &first, &second);
    let candidate = &outcome.candidates[outcome.file_timing.expect("the file has a timing")];
    let needed = candidate.pairs.expect("fewer than 2000 pairs");
    assert!(candidate.of_file && needed != 24, "{}", text(&outcome));
    let of_pairs = |own: &mut Plan, pairs: usize| match &mut own.experiment.design.kind {
        DesignKind::Switchback { pairs: own, .. } => *own = pairs as u32,
        other => panic!("{other:?}"),
    };
    for (pairs, verdict) in [(needed / 2, "too few"), (2 * needed, "enough")] {
        of_pairs(&mut own, pairs);
        let half = half_width(candidate.deviation, pairs);
        let percent = 100.0 * (libm::exp(half) - 1.0);
        let within =
            if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") };
        let said = format!(
            "The file has {pairs} pairs of 50 s, which are {verdict}: they measure completion to within {within}.\n"
        );
        assert!(told(&own).contains(&said), "{said}{}", told(&own));
    }
    of_pairs(&mut own, needed);
    assert!(!told(&own).contains("The file has"), "{}", told(&own));
    own.experiment.design.kind = DesignKind::Share { share: 0.5, slices: 120 };
    assert_eq!(Outcome::of(&own, &first, &second).file_timing, None);
}
