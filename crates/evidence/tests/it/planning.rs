//! Which runs a check makes, and which cell it calls the worst.

use crate::verdicts::{ABOUT, check, check_of, flow, grid};
use narrows_evidence::check::{Check, Kept, Options, Run, Variant, report};
use narrows_evidence::judge::Level;
use narrows_evidence::report::{Checked, check_text};
use narrows_evidence::suite::{Players, Scope, Suite, rfc9743};

const HARM: &str = "kind = \"harm\"\nmeasure = \"goodput\"\nof = \"other\"\nfail = { by = 0.05 }";

fn kept(values: &[f64]) -> Option<Kept> {
    Some(Kept {
        asked: values.iter().copied().map(Some).collect(),
        metrics: Vec::new(),
        drift: None,
        fault: None,
        issues: Vec::new(),
    })
}

fn pairs(check: &Check, runs: &[Run]) -> Vec<String> {
    let mut pairs: Vec<String> = runs.iter().map(|run| check.pair_label(*run)).collect();
    pairs.sort();
    pairs.dedup();
    pairs
}

#[test]
fn only_what_rules_read_is_run() {
    let harm = check("pairs", HARM, "bbr");
    assert!(!pairs(&harm, &harm.first()).contains(&"bbr beside bbr".to_owned()));
    let twins = check("pairs", "kind = \"twins\"\nmeasure = \"loss\"\nfail = { above = 5 }", "bbr");
    assert_eq!(
        pairs(&twins, &twins.first()),
        ["bbr beside bbr", "cubic beside cubic", "newreno beside newreno"]
    );
    // The outcome of two programs beside each other cannot be measured.
    assert!(
        check_of(
            "pairs",
            "kind = \"twins\"\nmeasure = \"loss\"\nfail = { above = 5 }",
            "./mine",
            true
        )
        .first()
        .is_empty()
    );
}

/// A program chooses the size of its segments itself: of three sizes, the usual one is its own.
#[test]
fn a_program_has_no_cells_of_other_segments() {
    let players = Players {
        subject: "./mine".to_owned(),
        baselines: vec!["newreno".to_owned()],
        program: true,
    };
    let only = vec!["segments".to_owned()];
    let options = Options {
        quick: false,
        scope: Scope::Internet,
        only,
        seeds: Some(1),
        first_seed: 1,
        signals: false,
    };
    let check = Check::new(rfc9743().unwrap_or_else(|error| panic!("{error}")), players, options)
        .unwrap_or_else(|error| panic!("{error}"));
    let cells: Vec<String> = check.first().iter().map(|run| check.cell_label(*run)).collect();
    assert_eq!(cells, ["segments of 1448 B", "segments of 1448 B"]);
}

/// A baseline that is checked is its own reference, so what it does to itself is read, on the
/// kernel as well.
#[test]
fn the_kernel_is_asked_for_all_that_its_verdict_reads() {
    for subject in ["newreno", "cubic", "bbr"] {
        let text = ABOUT.replace("asks = \"nothing\"", "asks = \"nothing\"\nlive = true");
        let flows = flow("self") + &flow("other");
        let suite = Suite::read(&[("suite.toml", &text), ("g.toml", &grid("pairs", &flows, HARM))])
            .unwrap_or_else(|error| panic!("{error}"));
        let players = Players {
            subject: subject.to_owned(),
            baselines: vec!["newreno".to_owned(), "cubic".to_owned()],
            program: false,
        };
        let options = Options {
            quick: true,
            scope: Scope::Internet,
            only: Vec::new(),
            seeds: None,
            first_seed: 1,
            signals: false,
        };
        let check = Check::new(suite, players, options).unwrap_or_else(|error| panic!("{error}"));
        let simulated = |run: Run| if run.variant == Variant::Kernel { None } else { kept(&[5.0]) };
        let there = check.on_kernel(&simulated);
        let found =
            report(&check, &|run| if there.contains(&run) { kept(&[4.0]) } else { simulated(run) });
        let kernel = found.criteria[0].kernel.clone().expect("it ran").expect("it is sound");
        assert_eq!(kernel.level, Level::Pass, "{subject}");
    }
}

/// Rules that show, and that have no excess, say least of all passes.
#[test]
fn the_worst_cell_is_one_that_is_judged() {
    let shown = "kind = \"shown\"\nmeasure = \"jain\"";
    let defined = "kind = \"undefined\"\nmeasure = \"rtt_p50\"\nconcern = {}";
    let next = "[[rule]]\nsays = \"s\"\nsource = \"ours\"";
    let rules = format!(
        "{shown}\n{next}\n{defined}\n{next}\nkind = \"relative\"\nmeasure = \"goodput\"\nconcern = {{ by = 5 }}"
    );
    let check = check("alone", &rules, "bbr");
    let own = report(&check, &|_| kept(&[0.5, 10.0, 100.0]));
    let measures = |report| {
        Checked::of(&check, report, "1", "", 0).criteria[0]
            .cells
            .iter()
            .map(|cell| cell.measure.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(measures(&own), ["goodput", "rtt_p50", "jain"]);
    // One that is not defined is a concern, and comes first.
    let lacking = |run: Run| {
        let rtt = (check.pair_label(run) != "bbr").then_some(10.0);
        Some(Kept {
            asked: vec![Some(0.5), rtt, Some(100.0)],
            metrics: Vec::new(),
            drift: None,
            fault: None,
            issues: Vec::new(),
        })
    };
    assert_eq!(measures(&report(&check, &lacking)), ["rtt_p50", "goodput", "jain"]);
}

/// Utilisation 80 beside 100, delay 40 beside 20: the baselines are better in both, and both are
/// told.
#[test]
fn a_rule_of_two_numbers_shows_both() {
    let rule = "kind = \"pareto\"\nmeasure = \"utilisation\"\nand = \"delay_p95\"\nconcern = { by = 5, times = 1.15 }";
    let check = check("alone", rule, "bbr");
    let results = |run: Run| {
        kept(if check.pair_label(run) == "bbr" { &[80.0, 40.0] } else { &[100.0, 20.0] })
    };
    let checked = Checked::of(&check, &report(&check, &results), "1", "", 0);
    let cell = &checked.criteria[0].cells[0];
    assert_eq!(cell.verdict, "concern");
    let second = cell.second.as_ref().expect("a second number");
    assert_eq!(
        (second.measure.as_str(), second.value().map(|own| own.mean)),
        ("delay_p95", Some(40.0))
    );
    let told = narrows_evidence::report::found(cell);
    assert_eq!(
        told,
        "newreno is better in one number and not worse in the other: utilisation 80.0 %, delay p95 40.0 ms; newreno 100 and 20.0, cubic 100 and 20.0"
    );
    let page = narrows_evidence::report::check_html(&checked, &Default::default());
    assert_eq!(page.matches("fill-opacity=\"0.25\"").count(), 3, "one for each controller");
}

/// Queues of 4 beside 10 and 12 are below half of the shorter, those of 6 are not.
#[test]
fn what_is_much_better_is_told() {
    let rule = "kind = \"relative\"\nmeasure = \"standing_queue\"\nimproves = 0.5\nconcern = { times = 1.15 }";
    let check = check("alone", rule, "bbr");
    let told = |own: f64| {
        let value = |who: &str| match who {
            "bbr" => own,
            "cubic" => 12.0,
            _ => 10.0,
        };
        let found = report(&check, &|run| kept(&[value(&check.pair_label(run))]));
        check_text(&Checked::of(&check, &found, "1", "", 0))
            .contains("standing queue improves on each baseline in 1 of 1 cells")
    };
    assert_eq!([told(4.0), told(6.0), told(20.0)], [true, false, false]);
}
