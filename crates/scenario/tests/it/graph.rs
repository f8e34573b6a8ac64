//! Random networks.

use narrows_scenario::{Consumer, Scenario, parse};
use narrows_units::Span;
use std::collections::BTreeSet;

fn read(graph: &str) -> Result<Scenario, String> {
    let text =
        format!("name = \"x\"\nduration = \"1 s\"\n[icn]\nmultipath = false\n[graph]\n{graph}\n");
    parse(&text, "test.toml", &|_| unreachable!("it names no files"))
        .map_err(|error| error.to_string())
}

fn drawn(number: u64, one_way: bool) -> Scenario {
    read(&format!("draw = {number}\none_way = {one_way}")).expect("a scenario")
}

/// Returns the links of each flow's Data.
fn ways(scenario: &Scenario) -> Vec<Vec<usize>> {
    let icn = scenario.icn.as_ref().expect("an information-centric network");
    let way = |consumer: &Consumer| {
        icn.way(consumer.at, consumer.prefix).iter().map(|link| link.0).collect()
    };
    icn.consumers.iter().map(way).collect()
}

#[test]
fn flows_and_round_trips_are_within_their_ranges() {
    for number in 1..=40 {
        for one_way in [false, true] {
            let scenario = drawn(number, one_way);
            assert!(
                (6..=16).contains(&scenario.nodes.len()) && scenario.links.len() <= 60,
                "{number}"
            );
            let ways = ways(&scenario);
            assert!((5..=50).contains(&ways.len()), "{number}: {} flows", ways.len());
            for way in &ways {
                let round = way
                    .iter()
                    .fold(Span::ZERO, |sum, link| sum + scenario.links[*link].config.delay * 2);
                assert!(
                    (Span::from_millis(24)..=Span::from_millis(72)).contains(&round),
                    "{number}: {round}"
                );
            }
            let used: BTreeSet<usize> = ways.into_iter().flatten().collect();
            assert!(
                !one_way || used.iter().all(|link| !used.contains(&(link ^ 1))),
                "{number}: Data both ways"
            );
        }
    }
}

#[test]
fn each_number_draws_another_network_and_the_same_one_again() {
    assert_eq!(drawn(3, false), drawn(3, false));
    assert_ne!(drawn(3, false).links, drawn(4, false).links);
    assert_ne!(ways(&drawn(3, false)), ways(&drawn(3, true)));
}

#[test]
fn a_graph_needs_a_number_and_consumers_need_an_information_centric_network() {
    assert!(read("one_way = true").unwrap_err().contains("draw"));
    let text = "name = \"x\"\nduration = \"1 s\"\n[graph]\ndraw = 1\n";
    let error =
        parse(text, "test.toml", &|_| unreachable!("it names no files")).unwrap_err().to_string();
    assert!(error.contains("information-centric"), "{error}");
}
