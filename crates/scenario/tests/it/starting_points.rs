//! The scenarios that a user starts from.

use narrows_scenario::{Changes, Scenario, Sweep, load, parse};
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let entries = |folder: &str| std::fs::read_dir(scenarios.join(folder)).expect("scenarios/");
    let all = ["", "evaluation", "paths"]
        .into_iter()
        .flat_map(entries)
        .map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> =
        all.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    files
}

fn is_sweep(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text.contains("\n[sweep]"))
}

fn named(name: &str) -> Scenario {
    let path = files().into_iter().find(|path| path.file_stem().is_some_and(|stem| stem == name));
    load(&path.expect(name)).unwrap_or_else(|error| panic!("{}", error.short()))
}

#[test]
fn all_are_valid_and_survive_being_written_out() {
    let files = files();
    assert!(files.len() >= 8);
    let (sweeps, files): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| is_sweep(file));
    for file in sweeps {
        let sweep = Sweep::load(&file, &Changes::default())
            .unwrap_or_else(|error| panic!("{}", error.short()));
        sweep
            .check(&|name| std::fs::read_to_string(name))
            .unwrap_or_else(|error| panic!("{}", error.short()));
    }
    for file in files {
        let scenario = load(&file).unwrap_or_else(|error| panic!("{}", error.short()));
        let folder = file.parent().expect("a folder").to_owned();
        let again = parse(&scenario.to_toml(), "written.toml", &|name| {
            std::fs::read_to_string(folder.join(name))
        });
        assert_eq!(
            again.unwrap_or_else(|error| panic!("{}", error.short())),
            scenario,
            "{}",
            file.display()
        );
    }
}

#[test]
fn access_links_of_the_dumbbell_are_ten_times_as_fast() {
    let dumbbell = named("dumbbell");
    assert_eq!(dumbbell.links.len(), 18);
    for flow in dumbbell.flows.iter() {
        assert_eq!(flow.route.len(), 3);
        assert_eq!(flow.back.len(), 3);
        assert_eq!(dumbbell.links[flow.route[1].0].name, "bottleneck");
        assert_eq!(dumbbell.links[flow.back[1].0].name, "bottleneck.back");
    }
}

#[test]
fn the_long_flow_of_the_parking_lot_crosses_all_bottlenecks() {
    let lot = named("parking-lot");
    assert_eq!(lot.flows.iter().map(|flow| flow.route.len()).collect::<Vec<_>>(), [3, 1, 1, 1]);
}

#[test]
fn flows_of_reverse_traffic_share_queues_with_acknowledgements() {
    let both = named("reverse-traffic");
    assert_eq!(both.flows[0].route, both.flows[1].back);
    assert_eq!(both.flows[0].back, both.flows[1].route);
}
