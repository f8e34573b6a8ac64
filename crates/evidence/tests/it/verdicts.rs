//! Verdicts of rules on numbers, worked by hand.

use narrows_evidence::check::{Check, Kept, Options, Run, Standing, Variant, report};
use narrows_evidence::judge::Level;
use narrows_evidence::report::{Checked, course};
use narrows_evidence::suite::{Players, Scope, Suite, Who};

pub const ABOUT: &str = r#"
name = "t"
document = "RFC 9743"
title = "a suite of tests"
rules = "1"
[[criterion]]
id = "a"
title = "A"
section = "1"
strength = "MUST"
asks = "nothing"
"#;

/// One cell, one link, and a rule.
pub fn grid(cast: &str, flows: &str, rule: &str) -> String {
    format!(
        "duration = \"1 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\nbuffer = \"10 packets\"\n{flows}\n[check]\ncriterion = \"a\"\ncast = \
         \"{cast}\"\n[[rule]]\nsays = \"r\"\nsource = \"ours\"\n{rule}\n"
    )
}

pub fn flow(role: &str) -> String {
    format!("[[flow]]\nname = \"{role}\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"{role}\"\n")
}

pub fn check(cast: &str, rule: &str, subject: &str) -> Check {
    check_of(cast, rule, subject, false)
}

pub fn check_of(cast: &str, rule: &str, subject: &str, program: bool) -> Check {
    let flows = if cast == "pairs" { flow("self") + &flow("other") } else { flow("self") };
    let suite = Suite::read(&[("suite.toml", ABOUT), ("g.toml", &grid(cast, &flows, rule))])
        .unwrap_or_else(|error| panic!("{error}"));
    let players = Players {
        subject: subject.to_owned(),
        baselines: vec!["newreno".to_owned(), "cubic".to_owned()],
        program,
    };
    let options = Options {
        quick: true,
        scope: Scope::Internet,
        only: vec!["a".to_owned()],
        seeds: None,
        first_seed: 1,
        signals: false,
    };
    Check::new(suite, players, options).unwrap_or_else(|error| panic!("{error}"))
}

/// Carries a check out with numbers by who plays, variant and seed, and answers with the verdict,
/// whether it is fragile, and how many runs there were.
fn judged(
    check: &Check,
    value: impl Fn(&str, Variant, u16) -> Option<f64>,
) -> (Level, bool, usize) {
    judged_by_run(check, |run| value(&check.pair_label(run), run.variant, run.seed))
}

fn judged_by_run(check: &Check, value: impl Fn(Run) -> Option<f64>) -> (Level, bool, usize) {
    let mut made: Vec<Run> = check.first();
    let kept = |run: Run| Kept {
        asked: vec![value(run)],
        metrics: Vec::new(),
        drift: None,
        fault: None,
        issues: Vec::new(),
    };
    loop {
        let known = made.clone();
        let further = check.further(&|run| known.contains(&run).then(|| kept(run)));
        if further.is_empty() {
            let report = report(check, &|run| known.contains(&run).then(|| kept(run)));
            let Standing::Judged(level) = report.criteria[0].standing.clone() else {
                panic!("it was not judged")
            };
            return (level, report.criteria[0].fragile.is_some(), made.len());
        }
        made.extend(further);
    }
}

const LOSS: &str = "kind = \"relative\"\nmeasure = \"loss\"\nfail = { above = 5, times = 5 }\nconcern = { above = 1, times = 3 }";

#[test]
fn loss_must_be_high_and_higher_than_that_of_standard_controllers() {
    let check = check("alone", LOSS, "bbr");
    let of = |own: f64, cubic: f64| {
        judged(&check, |who, _, _| {
            Some(if who == "bbr" {
                own
            } else if who == "cubic" {
                cubic
            } else {
                0.1
            })
        })
        .0
    };
    assert_eq!(of(10.0, 0.5), Level::Fail);
    assert_eq!(
        of(10.0, 3.0),
        Level::Concern,
        "three times 3 % is less than 10 %, five times is more"
    );
    assert_eq!(of(10.0, 4.0), Level::Pass, "the network is the cause");
    assert_eq!(of(4.0, 0.1), Level::Concern);
    assert_eq!(of(0.9, 0.0), Level::Pass);
}

#[test]
fn what_fresh_seeds_do_not_confirm_is_forgotten() {
    let check = check("alone", LOSS, "bbr");
    let first_only =
        |who: &str, _: Variant, seed: u16| Some(if who == "bbr" && seed <= 5 { 10.0 } else { 0.1 });
    // 3 controllers: 5 seeds, then 30 fresh ones; nothing else, for there is nothing to be fragile.
    assert_eq!(judged(&check, first_only), (Level::Pass, false, 3 * 35));
    let always = |who: &str, _: Variant, _: u16| Some(if who == "bbr" { 10.0 } else { 0.1 });
    assert_eq!(judged(&check, always), (Level::Fail, false, 3 * (35 + 15)));
    let passes = |_: &str, _: Variant, _: u16| Some(0.1);
    assert_eq!(judged(&check, passes), (Level::Pass, false, 3 * 5));
}

#[test]
fn a_fragile_failure_is_a_concern() {
    let check = check("alone", LOSS, "bbr");
    let prompt = |who: &str, variant: Variant, _: u16| {
        Some(if who == "bbr" && variant != Variant::Prompt { 10.0 } else { 0.1 })
    };
    assert_eq!(judged(&check, prompt), (Level::Concern, true, 3 * 50));
}

#[test]
fn a_failure_is_fragile_only_if_it_is_so_wherever_it_was_found() {
    let grid = grid("alone", &flow("self"), LOSS)
        + "[sweep]\n\"link.l.rate\" = [\"1 Mbit/s\", \"2 Mbit/s\"]\n";
    let suite = Suite::read(&[("suite.toml", ABOUT), ("g.toml", &grid)])
        .unwrap_or_else(|error| panic!("{error}"));
    let players = Players {
        subject: "bbr".to_owned(),
        baselines: vec!["newreno".to_owned(), "cubic".to_owned()],
        program: false,
    };
    let options = Options {
        quick: false,
        scope: Scope::Internet,
        only: Vec::new(),
        seeds: None,
        first_seed: 1,
        signals: false,
    };
    let check = Check::new(suite, players, options).unwrap_or_else(|error| panic!("{error}"));
    let fails_but = |passes: &dyn Fn(Run) -> bool| {
        let value = |run: Run| {
            Some(if check.pair_label(run) == "bbr" && !passes(run) { 10.0 } else { 0.1 })
        };
        let (level, fragile, _) = judged_by_run(&check, value);
        (level, fragile)
    };
    let first = fails_but(&|run| run.variant == Variant::Prompt).1;
    assert!(first, "both cells pass a variant");
    for sound in [0, 1] {
        let found = fails_but(&|run| run.variant == Variant::Prompt && run.cell != sound);
        assert_eq!(found, (Level::Fail, false), "cell {sound} fails in every variant");
    }
}

#[test]
fn an_interval_that_holds_the_bound_is_undecided() {
    let check = check("alone", LOSS, "bbr");
    let wide = |who: &str, _: Variant, seed: u16| {
        Some(if who != "bbr" {
            0.1
        } else if seed.is_multiple_of(2) {
            30.0
        } else {
            1.0
        })
    };
    // In logarithms, from 5 %: 1.79 and -1.61: no interval of five or thirty such values is on one
    // side of zero; from 1 %: 3.4 and 0.
    assert_eq!(judged(&check, wide).0, Level::Concern);
}

#[test]
fn what_is_not_defined_gives_concern() {
    let check = check("alone", LOSS, "bbr");
    assert_eq!(
        judged(&check, |who, _, seed| (who != "bbr" || seed != 3).then_some(0.1)).0,
        Level::Pass,
        "30 fresh seeds decide"
    );
    assert_eq!(judged(&check, |who, _, _| (who != "bbr").then_some(0.1)).0, Level::Concern);
}

#[test]
fn a_baseline_passes_by_construction() {
    let check = check("alone", LOSS, "cubic");
    assert_eq!(
        judged(&check, |who, _, _| Some(if who == "cubic" { 50.0 } else { 0.1 })),
        (Level::Pass, false, 2 * 5)
    );
}

#[test]
fn harm_is_held_against_the_most_that_baselines_do() {
    let rule = "kind = \"harm\"\nmeasure = \"goodput\"\nof = \"other\"\nfail = { by = 0.05 }";
    let check = check("pairs", rule, "bbr");
    // Alone 10. NewReno beside newreno has 5 (harm 0.5), beside cubic 4 (0.6): beside bbr 3.6 is
    // harm 0.64, 3.4 is 0.66.
    let of = |beside_bbr: f64| {
        judged(&check, |who, _, _| {
            Some(match who {
                "newreno alone" | "cubic alone" => 10.0,
                "bbr beside newreno" => beside_bbr,
                "cubic beside newreno" => 4.0,
                _ => 5.0,
            })
        })
        .0
    };
    assert_eq!((of(3.6), of(3.4)), (Level::Pass, Level::Fail));
}

#[test]
fn starvation_counts_where_no_baseline_starves_anyone() {
    let rule = "kind = \"starves\"\nmeasure = \"starved\"\nof = \"other\"\nfail = { above = 5 }";
    let check = check("pairs", rule, "bbr");
    let of = |bbr: f64, cubic: f64| {
        judged(&check, |who, _, _| {
            Some(if who == "bbr beside newreno" {
                bbr
            } else if who == "cubic beside newreno" {
                cubic
            } else {
                0.0
            })
        })
        .0
    };
    assert_eq!((of(6.0, 0.0), of(4.9, 0.0), of(6.0, 7.0)), (Level::Fail, Level::Pass, Level::Pass));
    let itself = judged(&check, |who, _, _| Some(if who == "bbr beside bbr" { 9.0 } else { 0.0 }));
    assert_eq!(itself.0, Level::Concern);
}

#[test]
fn equal_use_does_not_excuse_a_longer_queue_than_every_baselines() {
    let rule = "kind = \"pareto\"\nmeasure = \"utilisation\"\nand = \"delay_p95\"\nconcern = { by = 5, times = 1.15 }";
    let check = check("alone", rule, "bbr");
    let beside = |own: [f64; 2], cubic: [f64; 2]| {
        let numbers = |run: Run| match check.pair_label(run).as_str() {
            "bbr" => own,
            "cubic" => cubic,
            _ => [90.0, 50.0],
        };
        let kept = |run: Run| Kept {
            asked: numbers(run).map(Some).to_vec(),
            metrics: Vec::new(),
            drift: None,
            fault: None,
            issues: Vec::new(),
        };
        let report = report(&check, &|run| Some(kept(run)));
        report.criteria[0].standing.clone()
    };
    let of = |own| beside(own, [90.0, 50.0]);
    // Worse in both, in one with the other equal, and by less than a margin better in the other:
    // the queue that CoDel keeps at 10 ms for CUBIC and at 132 ms for BBR, with equal utilisation.
    for own in [[80.0, 60.0], [80.0, 50.0], [86.0, 90.0], [90.0, 660.0], [91.0, 660.0]] {
        assert_eq!(of(own), Standing::Judged(Level::Concern), "{own:?}");
    }
    // A copy of a baseline that trades use for delay passes; one that a baseline beats in both does not.
    assert_eq!(beside([96.0, 100.0], [96.0, 100.0]), Standing::Judged(Level::Pass));
    assert_eq!(beside([92.0, 120.0], [98.0, 100.0]), Standing::Judged(Level::Concern));
    // Equal within the margins, better in both, and a trade of one for the other.
    for own in [[86.0, 56.0], [100.0, 20.0], [96.0, 90.0], [80.0, 40.0]] {
        assert_eq!(of(own), Standing::Judged(Level::Pass), "{own:?}");
    }
}

#[test]
fn a_number_that_is_only_shown_is_not_judged() {
    let check = check("alone", "kind = \"shown\"\nmeasure = \"loss\"", "bbr");
    let kept = |_: Run| {
        Some(Kept {
            asked: vec![Some(90.0)],
            metrics: Vec::new(),
            drift: None,
            fault: None,
            issues: Vec::new(),
        })
    };
    assert!(check.further(&kept).is_empty(), "no number is run again");
    let found = &report(&check, &kept).criteria[0];
    assert_eq!((&found.standing, found.cells[0].decided().beside.len()), (&Standing::Shown, 2));
}

#[test]
fn a_rule_that_is_none_is_refused_with_its_file() {
    let refused = |rule: &str| {
        let text = grid("alone", &flow("self"), rule);
        Suite::read(&[("suite.toml", ABOUT), ("g.toml", &text)])
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    assert!(
        refused("kind = \"relativ\"\nmeasure = \"loss\"\nfail = { above = 5 }")
            .starts_with("g.toml: there is no kind of rule \"relativ\"")
    );
    assert!(
        refused("kind = \"relative\"\nmeasure = \"los\"\nfail = { above = 5 }").contains("loss")
    );
    assert!(refused("kind = \"relative\"\nmeasure = \"loss\"").contains("needs a bound"));
}

/// Two grids may have cells of one label: the grid is named, so that versions compare each with
/// itself.
#[test]
fn cells_of_several_grids_are_told_apart() {
    let axis = "[sweep]\n\"link.l.rate\" = [\"1 Mbit/s\", \"2 Mbit/s\"]\n";
    let text = grid("alone", &flow("self"), LOSS) + axis;
    let suite = Suite::read(&[("suite.toml", ABOUT), ("g.toml", &text), ("h.toml", &text)])
        .unwrap_or_else(|error| panic!("{error}"));
    let players = Players {
        subject: "bbr".to_owned(),
        baselines: vec!["newreno".to_owned()],
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
    let kept = |_: Run| {
        Some(Kept {
            asked: vec![Some(0.1)],
            metrics: Vec::new(),
            drift: None,
            fault: None,
            issues: Vec::new(),
        })
    };
    let checked = Checked::of(&check, &report(&check, &kept), "0", "", 0);
    let mut cells: Vec<&str> =
        checked.criteria[0].cells.iter().map(|cell| cell.cell.as_str()).collect();
    cells.sort();
    assert_eq!(cells, ["g: 1 Mbit/s", "g: 2 Mbit/s", "h: 1 Mbit/s", "h: 2 Mbit/s"]);
}

#[test]
fn the_worst_cell_is_shown_beside_whom_it_harms() {
    let check = check(
        "pairs",
        "kind = \"harm\"\nmeasure = \"goodput\"\nof = \"other\"\nfail = { by = 0.05 }",
        "bbr",
    );
    let harms_cubic = |run: Run| {
        let value = match check.pair_label(run).as_str() {
            "bbr beside cubic" => 1.0,
            label if label.ends_with("alone") => 10.0,
            _ => 5.0,
        };
        Some(Kept {
            asked: vec![Some(value)],
            metrics: Vec::new(),
            drift: None,
            fault: None,
            issues: Vec::new(),
        })
    };
    let report = report(&check, &harms_cubic);
    let worst = report.criteria[0].cells[0].decided().beside_whom;
    assert_eq!(worst, Some(Who::Baseline(1)));
    let (part, pair) = check.place(0, worst);
    let run = Run { grid: 0, part, cell: 0, pair, variant: Variant::Plain, seed: 1 };
    assert_eq!(check.pair_label(run), "bbr beside cubic");
}

/// Fresh seeds look at the cell before, too: without it nothing would be confirmed.
#[test]
fn a_number_that_rises_along_an_axis_is_confirmed() {
    let axis = "[sweep]\n\"link.l.loss\" = [\"10 %\", \"30 %\"]\n";
    let rule =
        "kind = \"rises\"\nmeasure = \"goodput\"\naxis = \"link.l.loss\"\nconcern = { by = 0.05 }";
    let text = grid("alone", &flow("self"), rule) + axis;
    let suite = Suite::read(&[("suite.toml", ABOUT), ("g.toml", &text)])
        .unwrap_or_else(|error| panic!("{error}"));
    let players = Players {
        subject: "bbr".to_owned(),
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
    let at = |run: Run, second: f64| Some(if run.cell == 1 { second } else { 1.0 });
    assert_eq!(judged_by_run(&check, |run| at(run, 2.0)).0, Level::Concern);
    assert_eq!(judged_by_run(&check, |run| at(run, 1.0)).0, Level::Pass);
}

/// Of five seeds the third harms CUBIC most; two of the five have not converged.
#[test]
fn the_worst_run_is_that_of_the_worst_seed() {
    let check = check(
        "pairs",
        "kind = \"harm\"\nmeasure = \"goodput\"\nof = \"other\"\nconcern = { by = 2 }",
        "bbr",
    );
    let results = |run: Run| {
        let value = match (check.pair_label(run).as_str(), run.seed) {
            ("bbr beside cubic", 3) => 1.0,
            ("bbr beside cubic", _) => 2.0,
            (label, _) if label.ends_with("alone") => 10.0,
            _ => 5.0,
        };
        let drift = (check.pair_label(run) == "bbr beside cubic" && run.seed > 3).then_some(30.0);
        Some(Kept {
            asked: vec![Some(value)],
            metrics: Vec::new(),
            drift,
            fault: None,
            issues: Vec::new(),
        })
    };
    let report = report(&check, &results);
    let worst = &report.criteria[0].cells[0];
    assert_eq!(worst.unconverged, 2);
    let runs: Vec<(String, u16)> =
        check.worst_runs(worst).into_iter().map(|run| (check.pair_label(run), run.seed)).collect();
    let expected = ["bbr beside cubic", "newreno beside cubic", "cubic beside cubic"]
        .map(|pair| (pair.to_owned(), 3));
    assert_eq!(runs, expected);
}

#[test]
fn the_worst_run_of_twins_is_drawn_beside_twins() {
    let check =
        check("pairs", "kind = \"twins\"\nmeasure = \"goodput\"\nconcern = { by = 5 }", "bbr");
    let results = |_: Run| {
        Some(Kept {
            asked: vec![Some(1.0)],
            metrics: Vec::new(),
            drift: None,
            fault: None,
            issues: Vec::new(),
        })
    };
    let report = report(&check, &results);
    let runs = check.worst_runs(&report.criteria[0].cells[0]);
    let pairs: Vec<String> = runs.into_iter().map(|run| check.pair_label(run)).collect();
    assert_eq!(pairs, ["bbr beside bbr", "newreno beside newreno", "cubic beside cubic"]);
}

/// A decided cell counts as worse than an undecided one, whatever the units of their excesses.
#[test]
fn a_decided_cell_is_worse_than_an_undecided_one() {
    let rules = "kind = \"relative\"\nmeasure = \"goodput\"\nconcern = { by = 5 }\n[[rule]]\nsays = \"s\"\nsource = \"ours\"\nkind = \"relative\"\nmeasure = \"jain\"\nconcern = { by = 0.1 }";
    let check = check("alone", rules, "bbr");
    let kept = |run: Run| {
        let bbr = check.pair_label(run) == "bbr";
        // Goodput is 5 +- 4 below the bound's reach, Jain's index 0.3 below in each seed.
        let goodput =
            if bbr { 94.0 - 4.0 * f64::from(i32::from(run.seed % 2) * 2 - 1) } else { 100.0 };
        Some(Kept {
            asked: vec![Some(goodput), Some(if bbr { 0.6 } else { 1.0 })],
            metrics: Vec::new(),
            drift: None,
            fault: None,
            issues: Vec::new(),
        })
    };
    let cells = &report(&check, &kept).criteria[0].cells;
    assert_eq!(
        (cells[0].rule, cells[0].decided().undecided, cells[1].decided().undecided),
        (1, false, true)
    );
}

#[test]
fn a_program_is_judged_by_runs_on_the_kernel_and_again_beside_baselines_there() {
    let check = check_of("alone", LOSS, "./mine", true);
    let first = check.first();
    let of = |who: &str| {
        first
            .iter()
            .filter(|run| check.pair_label(**run) == who)
            .map(|run| (run.variant, run.seed))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("./mine"), [(Variant::Kernel, 1)]);
    assert_eq!(of("newreno"), [(Variant::Prompt, 1)]);
    assert_eq!(first.len(), 3);
    assert_eq!(judged(&check, |_, _, _| Some(0.1)), (Level::Pass, false, 3));
    let loses = |on_kernel: f64| {
        move |who: &str, variant: Variant, _: u16| {
            Some(match (who, variant) {
                ("./mine", _) => 10.0,
                (_, Variant::Kernel) => on_kernel,
                _ => 0.1,
            })
        }
    };
    // The baselines' losses on the kernel decide.
    assert_eq!(judged(&check, loses(0.1)), (Level::Fail, false, 3 + 2));
    assert_eq!(judged(&check, loses(9.0)), (Level::Pass, false, 3 + 2));
}

#[test]
fn a_program_is_not_run_beside_itself() {
    let check = check_of(
        "pairs",
        "kind = \"starves\"\nmeasure = \"starved\"\nof = \"other\"\nfail = { above = 5 }",
        "./mine",
        true,
    );
    let pairs: Vec<String> = check.first().into_iter().map(|run| check.pair_label(run)).collect();
    assert!(!pairs.contains(&"./mine beside ./mine".to_owned()), "{pairs:?}");
    assert!(pairs.contains(&"./mine beside cubic".to_owned()), "{pairs:?}");
    assert_eq!(judged(&check, |_, _, _| Some(0.0)).0, Level::Pass);
    let starved =
        |who: &str, _: Variant, _: u16| Some(if who == "./mine beside cubic" { 20.0 } else { 0.0 });
    assert_eq!(judged(&check, starved).0, Level::Fail);
}

#[test]
fn runs_of_a_program_that_do_not_count_are_named_and_not_judged() {
    let check = check_of("alone", LOSS, "./mine", true);
    let made = check.first();
    let kept = |run: Run| {
        let issues = if check.is_of_program(run) {
            vec!["the program ended with exit status 1".to_owned()]
        } else {
            Vec::new()
        };
        made.contains(&run).then(|| Kept {
            asked: vec![Some(10.0)],
            metrics: Vec::new(),
            drift: None,
            fault: None,
            issues,
        })
    };
    assert!(check.further(&kept).is_empty());
    let standing = report(&check, &kept).criteria[0].standing.clone();
    assert!(
        matches!(&standing, Standing::NotRun(why) if why.contains("exit status 1")),
        "{standing:?}"
    );
}

#[test]
fn a_program_is_one_flow_that_sends_all_the_time() {
    let judge = |flows: &str, more: &str| {
        let suite =
            Suite::read(&[("suite.toml", ABOUT), ("g.toml", &(grid("alone", flows, LOSS) + more))])
                .unwrap_or_else(|error| panic!("{error}"));
        let players = Players {
            subject: "./mine".to_owned(),
            baselines: vec!["newreno".to_owned()],
            program: true,
        };
        let options = Options {
            quick: false,
            scope: Scope::Internet,
            only: Vec::new(),
            seeds: None,
            first_seed: 1,
            signals: false,
        };
        let check = Check::new(suite, players, options).unwrap_or_else(|error| panic!("{error}"));
        (check.first().len(), report(&check, &|_| None).criteria[0].standing.clone())
    };
    let cells = "[sweep]\n\"flow.self.count\" = [1, 4]\n";
    // Of two cells one has a single flow: five runs of the program and five of the baseline.
    assert_eq!(judge(&(flow("self") + "count = 1\n"), cells).0, 10);
    let (runs, standing) = judge(&(flow("self") + "size = \"1 MB\"\n"), "");
    assert_eq!(runs, 0);
    assert!(
        matches!(&standing, Standing::NotRun(why) if why.contains("one flow that sends all the time")),
        "{standing:?}"
    );
}

/// It has no numbers there: a concern, with the reason. One that can go on nowhere is not judged at
/// all.
#[test]
fn where_a_controller_cannot_go_on_is_a_concern() {
    let check = check("alone", LOSS, "bbr");
    let results = |everywhere: bool| {
        let check = &check;
        move |run: Run| {
            let faulty = check.pair_label(run) == "bbr" && (everywhere || run.seed != 1);
            let sound = Kept {
                asked: vec![Some(0.1)],
                metrics: Vec::new(),
                drift: None,
                fault: None,
                issues: Vec::new(),
            };
            Some(if faulty {
                check.keep_fault(run, "its window grew without end".to_owned())
            } else {
                sound
            })
        }
    };
    assert_eq!(check.never_ran(&results(false)), None);
    let found = report(&check, &results(false));
    assert_eq!(found.criteria[0].standing, Standing::Judged(Level::Concern));
    let checked = Checked::of(&check, &found, "1", "", 0);
    let note = checked.criteria[0].cells[0].note.clone();
    assert_eq!(note.as_deref(), Some("not defined in 30 of 30 seeds: its window grew without end"));
    let reason = check.never_ran(&results(true)).expect("nothing ran");
    assert_eq!(reason, "its window grew without end (g: bbr, seed 1)");
}

/// Allegro sees no loss in a buffer without end, and sends ever more: there is nothing to draw, and
/// the check goes on.
#[test]
fn a_run_that_cannot_go_on_is_not_drawn() {
    let link = "duration = \"30 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"20 Mbit/s\"\ndelay = \"10 ms\"\n";
    let rest =
        "[check]\ncriterion = \"a\"\ncast = \"alone\"\n[[rule]]\nsays = \"r\"\nsource = \"ours\"\n";
    let text = format!("{link}{}{rest}{LOSS}\n", flow("self"));
    let suite = Suite::read(&[("suite.toml", ABOUT), ("g.toml", &text)])
        .unwrap_or_else(|error| panic!("{error}"));
    let players = |subject: &str| Players {
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
    let drawn = |subject: &str, fault: Option<&str>| {
        let check = Check::new(suite.clone(), players(subject), options.clone())
            .unwrap_or_else(|error| panic!("{error}"));
        let results = |run: Run| {
            let own = check.pair_label(run) == subject;
            let lost = Kept {
                asked: vec![Some(if own { 50.0 } else { 0.0 })],
                metrics: Vec::new(),
                drift: None,
                fault: None,
                issues: Vec::new(),
            };
            Some(
                fault.filter(|_| own).map_or(lost, |fault| check.keep_fault(run, fault.to_owned())),
            )
        };
        let found = report(&check, &results);
        assert!(found.criteria[0].is_worse_than_pass());
        course(&check, &found.criteria[0], &std::sync::atomic::AtomicBool::new(false))
            .unwrap_or_else(|error| panic!("{error}"))
    };
    assert_eq!(drawn("allegro", Some("it sends without bound")), None);
    assert!(drawn("bbr", None).is_some_and(|svg| svg.starts_with("<svg")));
}
