//! The draft's test cases of BBR: each passes or its failure is explained by an experiment, and
//! each can fail.

mod mutants;

use mutants::{Fault, mutant};
use narrows_evidence::bbr_draft::{Case, Outcome, Subject, Verdict, cases, grid, run, run_on};
use narrows_units::Span;

fn case(id: &str) -> &'static Case {
    cases().iter().find(|case| case.id == id).expect("a case")
}

/// Case and variant of outcomes that are not a pass, each with its reasons explained.
fn explained(outcomes: &[Outcome]) -> Vec<(&'static str, String)> {
    for outcome in outcomes {
        assert!(
            outcome.is_explained(),
            "{} {}: {:?}",
            outcome.case,
            outcome.variant,
            outcome.reasons
        );
    }
    outcomes
        .iter()
        .filter(|outcome| outcome.verdict != Verdict::Pass)
        .map(|outcome| (outcome.case, outcome.variant.clone()))
        .collect()
}

fn all(subject: &Subject) -> Vec<Outcome> {
    cases().iter().flat_map(|case| run(case, subject)).collect()
}

fn value(outcomes: &[Outcome], id: &str, variant: &str, name: &str) -> f64 {
    let outcome = outcomes
        .iter()
        .find(|outcome| outcome.case == id && outcome.variant == variant)
        .expect("a variant");
    outcome
        .value(name)
        .unwrap_or_else(|| panic!("{id} {variant} has no {name}: {:?}", outcome.evidence))
}

#[test]
fn there_are_22_cases_in_the_drafts_order() {
    let ids: Vec<&str> = cases().iter().map(|case| case.id).collect();
    let expected: Vec<String> = (1..=22).map(|number| format!("T{number:02}")).collect();
    assert_eq!(ids, expected);
    assert!(cases().iter().all(|case| !case.title.is_empty() && case.demand.ends_with('.')));
}

/// Two variants fail, by the draft's own pseudocode; the variants beside them are the experiments
/// that show why.
#[test]
fn bbr3_meets_the_draft() {
    let outcomes = all(&Subject::draft());
    let failed = explained(&outcomes);
    assert_eq!(failed, [("T12", "acknowledgements".to_owned()), ("T12", "data".to_owned())]);
    // Bursts a fifth as large: about a fifth of the excess.
    let excess =
        |variant: &str| value(&outcomes, "T12", variant, "highest_sample_of_capacity") - 1.0;
    for bursts in ["acknowledgements", "data"] {
        let ratio = excess(&format!("short bursts of {bursts}")) / excess(bursts);
        assert!((0.1..0.3).contains(&ratio), "{bursts}: {ratio}");
    }
    // The smaller the bucket, the fewer losses.
    let loss = |bucket: &str| value(&outcomes, "T17", &format!("bucket of {bucket} kB"), "loss");
    assert!(
        loss("250") > 1.5 * loss("100") && loss("100") > 2.0 * loss("25"),
        "{} {} {}",
        loss("250"),
        loss("100"),
        loss("25")
    );
}

/// The failures are known differences of Linux. The draft's profile differs in nothing else, and
/// passes.
#[test]
fn the_kernels_profile_differs_from_the_draft_in_what_is_known() {
    let outcomes = all(&Subject::linux());
    let failed = explained(&outcomes);
    let failed: Vec<(&str, &str)> =
        failed.iter().map(|(case, variant)| (*case, variant.as_str())).collect();
    let known = [
        ("T01", ""),
        ("T03", ""),
        ("T04", "rate x 0.9"),
        ("T04", "rate x 0.4"),
        ("T08", "finite inflight_longterm"),
        ("T08", "infinite inflight_longterm"),
        ("T10", ""),
        ("T12", "acknowledgements"),
        ("T12", "data"),
        ("T16", ""),
        ("T17", "bucket of 250 kB"),
        ("T18", "from Up"),
        ("T18", "from Startup"),
        ("T18", "from Startup, later"),
        ("T19", ""),
        ("T20", ""),
    ];
    assert_eq!(failed, known);
    // 88/256 and 232/256.
    assert_eq!(value(&outcomes, "T03", "", "pacing_gain"), 0.34375);
    assert_eq!(value(&outcomes, "T08", "finite inflight_longterm", "pacing_gain"), 0.90625);
    assert_eq!(value(&outcomes, "T04", "rate x 0.4", "by_flight"), 1.0);
}

#[test]
fn outcomes_are_the_same_again() {
    let json =
        || serde_json::to_string(&run(case("T06"), &Subject::draft())).expect("outcomes are data");
    let once = json();
    assert_eq!(once, json());
    let read: serde_json::Value = serde_json::from_str(&once).expect("JSON");
    assert_eq!(
        (read[0]["case"].as_str(), read[0]["verdict"].as_str()),
        (Some("T06"), Some("pass"))
    );
    assert!(read[0]["evidence"]["down_at_s"].as_f64().is_some_and(|at| at > 2.0), "{once}");
}

/// Each fault makes each of these cases fail in a way that nobody expects of the draft.
#[test]
fn each_case_can_fail() {
    let faults: &[(Fault, &[&str])] = &[
        (Fault::Lossless, &["T02", "T06", "T16", "T17", "T21"]),
        (Fault::NeverLimited, &["T07", "T11", "T22"]),
        (Fault::AlwaysLimited, &["T01", "T05", "T20"]),
        (Fault::NoUndo, &["T18", "T19"]),
        (Fault::Slow, &["T11", "T14"]),
        (Fault::ShorterAndShorter, &["T10", "T20"]),
        (Fault::FastSamples, &["T01", "T12"]),
        (Fault::LargeFlight, &["T03", "T08"]),
        (Fault::NoRounds, &["T01", "T04", "T05"]),
        (Fault::HalfTime, &["T09", "T10"]),
        (Fault::HalfAcknowledged, &["T13"]),
        (Fault::SmallFlight, &["T15", "T21"]),
    ];
    let session = mutants::session();
    let _session = session.enter();
    let mut failed: Vec<&str> = Vec::new();
    for (fault, ids) in faults {
        let subject = Subject { controller: mutant(*fault), ..Subject::draft() };
        for id in *ids {
            let outcomes = run(case(id), &subject);
            let unexplained = outcomes.iter().any(|outcome| !outcome.is_explained());
            assert!(unexplained, "{fault:?} leaves {id} as it was: {outcomes:?}");
            failed.push(id);
        }
    }
    let sound = Subject { controller: mutant(Fault::None), ..Subject::draft() };
    for case in cases() {
        assert!(failed.contains(&case.id), "no fault fails {}", case.id);
        assert_eq!(
            serde_json::to_string(&run(case, &sound)).expect("data"),
            serde_json::to_string(&run(case, &Subject::draft())).expect("data"),
            "a mutant without a fault is bbr3"
        );
    }
}

#[test]
fn one_that_says_it_is_bbr_and_shows_no_state_fails() {
    let subject = Subject { controller: "newreno".to_owned(), ..Subject::draft() };
    assert!(
        run(case("T03"), &subject)
            .iter()
            .all(|outcome| outcome.verdict == Verdict::Fail && !outcome.is_explained())
    );
}

/// The others of the grid take tens of seconds: `cargo test -p narrows-evidence --test it --
/// --ignored the_whole_grid`.
#[test]
fn the_grid_of_paths_up_to_50_megabits_and_200_milliseconds() {
    let cells = grid();
    assert_eq!(cells.len(), 13);
    assert_eq!(cells[0].name(), "64 kbit/s, 200 ms");
    for cell in
        cells.iter().filter(|cell| cell.rate <= 50_000_000 && cell.rtt <= Span::from_millis(200))
    {
        assert_eq!(explained(&run_on(cell, &Subject::draft())), [], "{}", cell.name());
    }
}

#[test]
#[ignore = "a minute"]
fn the_whole_grid() {
    for subject in [Subject::draft(), Subject::linux()] {
        for cell in grid() {
            let failed = explained(&run_on(&cell, &subject));
            assert!(
                subject != Subject::draft() || failed.is_empty(),
                "{}: {failed:?}",
                cell.name()
            );
        }
    }
}
