//! The suites of the program are sound.

use narrows_evidence::check::{Check, Options};
use narrows_evidence::suite::{
    Cast, Part, Players, Scope, Suite, bbr_draft, known_verdicts, media, rfc9743, startup, tcpeval,
};
use narrows_scenario::Axis;
use std::collections::BTreeSet;

fn players() -> Players {
    Players {
        subject: "bbr".to_owned(),
        baselines: vec!["newreno".to_owned(), "cubic".to_owned()],
        program: false,
    }
}

fn options(quick: bool) -> Options {
    Options {
        quick,
        scope: Scope::Internet,
        only: Vec::new(),
        seeds: None,
        first_seed: 1,
        signals: true,
    }
}

fn suites() -> [Suite; 5] {
    [rfc9743(), bbr_draft(), tcpeval(), media(), startup()]
        .map(|suite| suite.unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn every_cell_of_every_grid_is_a_scenario() {
    for (quick, suite) in
        [true, false].into_iter().flat_map(|quick| suites().map(|suite| (quick, suite)))
    {
        let check =
            Check::new(suite, players(), options(quick)).unwrap_or_else(|error| panic!("{error}"));
        let runs = check.first();
        let mut seen = BTreeSet::new();
        for run in &runs {
            if seen.insert((run.grid, run.part, run.cell, run.pair)) {
                check
                    .scenario(*run)
                    .unwrap_or_else(|error| panic!("{}: {error}", check.describe(*run)));
            }
        }
        println!("quick {quick}: {} scenarios, {} runs", seen.len(), runs.len());
        let distinct: BTreeSet<u64> = runs.iter().map(|run| run.number()).collect();
        assert_eq!(distinct.len(), runs.len(), "two runs have one number");
    }
}

/// The numbers of one cell are compared across parts.
#[test]
fn all_parts_of_a_grid_have_the_same_cells_in_the_same_order() {
    for (full, suite) in
        [false, true].into_iter().flat_map(|full| suites().map(|suite| (full, suite)))
    {
        for grid in &suite.grids {
            let parts = grid.parts(&players(), full).unwrap_or_else(|error| panic!("{error}"));
            let cells = |part: &Part| -> Vec<Vec<String>> {
                let axes = part.sweep.axes().split_last().map_or(&[][..], |(_, cells)| cells);
                axes.iter().map(Axis::labels).collect()
            };
            for part in &parts[1..] {
                assert_eq!(
                    cells(part),
                    cells(&parts[0]),
                    "{} of {}, full: {full}",
                    grid.name,
                    suite.name
                );
            }
        }
    }
}

#[test]
fn every_criterion_is_judged_or_says_why_not() {
    for suite in suites() {
        for (place, criterion) in suite.criteria.iter().enumerate() {
            let judged =
                suite.grids.iter().flat_map(|grid| &grid.rules).any(|rule| rule.criterion == place);
            let excused = criterion.not_run.is_some()
                || criterion.not_applicable.is_some()
                || criterion.from_others;
            assert!(judged != excused, "{} is judged: {judged}, excused: {excused}", criterion.id);
        }
    }
}

#[test]
fn what_is_known_is_about_criteria_and_verdicts_that_exist() {
    let suite = rfc9743().unwrap_or_else(|error| panic!("{error}"));
    for own in known_verdicts().unwrap_or_else(|error| panic!("{error}")) {
        assert!(suite.place(&own.criterion).is_some(), "{}", own.criterion);
        assert!(
            own.verdicts.iter().all(|word| ["pass", "concern", "fail"].contains(&word.as_str())),
            "{own:?}"
        );
    }
}

#[test]
fn every_bound_has_a_source() {
    for grid in suites().into_iter().flat_map(|suite| suite.grids) {
        for rule in &grid.rules {
            assert!(!rule.source.is_empty() && !rule.says.is_empty(), "{}", grid.name);
            let named = ["RFC", "draft", "ours", "HotNets", "PCC", "SIGCOMM", "as for"]
                .iter()
                .any(|word| rule.source.contains(word));
            assert!(named, "{}: {}", grid.name, rule.source);
        }
    }
}

/// Flows are chosen by how their names begin: no flow that a number is of may be meant with another.
#[test]
fn a_number_is_of_the_flows_that_it_names() {
    for suite in suites() {
        for grid in &suite.grids {
            for part in grid.parts(&players(), true).unwrap() {
                let cell = part.sweep.cell(0, &|_| Err(std::io::Error::other("none"))).unwrap();
                for of in grid.asked.iter().map(|number| &number.of).filter(|of| !of.is_empty()) {
                    let others = cell.flows.iter().filter(|flow| {
                        flow.name.starts_with(of.as_str())
                            && flow.name[of.len()..].starts_with(char::is_alphanumeric)
                    });
                    let others: Vec<&str> = others.map(|flow| flow.name.as_str()).collect();
                    assert!(
                        others.is_empty(),
                        "{} of {}: a number of {of} would be of {others:?}, too",
                        grid.name,
                        suite.name
                    );
                }
            }
        }
    }
}

#[test]
fn a_pair_has_every_run_that_harm_is_computed_from() {
    let suite = rfc9743().unwrap();
    let grid = suite.grids.iter().find(|grid| grid.name == "coexist").unwrap();
    assert_eq!(grid.cast, Cast::Pairs);
    let parts = grid.parts(&players(), false).unwrap();
    // bbr, newreno and cubic beside newreno and cubic, bbr beside itself; newreno and cubic alone.
    assert_eq!(parts.iter().map(|part| part.pairs.len()).collect::<Vec<_>>(), [7, 2]);
    let alone =
        narrows_scenario::Sweep::cell(&parts[1].sweep, 0, &|_| Err(std::io::Error::other("none")))
            .unwrap();
    assert_eq!(alone.flows.iter().map(|flow| flow.name.as_str()).collect::<Vec<_>>(), ["other"]);
    let cubic = Players { subject: "cubic".to_owned(), ..players() };
    assert_eq!(
        grid.parts(&cubic, false).unwrap()[0].pairs.len(),
        4,
        "a baseline's runs are made once"
    );
}

#[test]
fn a_criterion_that_does_not_exist_is_refused_with_a_suggestion() {
    let only = Options { only: vec!["los".to_owned()], ..options(true) };
    let error = Check::new(rfc9743().unwrap(), players(), only).err().unwrap().to_string();
    assert!(error.contains("no criterion \"los\"") && error.contains("loss"), "{error}");
}
