//! Consumers whose Interests are refused.

use narrows_scenario::parse;

/// A controller that begins with a million Interests per second. The table of its node is full, and
/// refuses at once.
const RUNAWAY: &str = r#"duration = "2500 ms"
[icn]
law = "none"
shaper = false
[[link]]
name = "narrow"
between = ["fork", "near"]
rate = "4840 kbit/s"
delay = "38749 us"
[[prefix]]
name = "/news"
at = "near"
[[consumer]]
at = "fork"
prefix = "/news"
controller = "pcc-vivace?first_rate=1000000000"
start = "421 ms"
"#;

#[test]
fn a_node_that_refuses_at_once_is_not_asked_without_end() {
    let scenario = parse(RUNAWAY, "runaway.toml", &|_| panic!("no file is read")).unwrap();
    let record = narrows_sim::run(&scenario).unwrap();
    let consumer = &record.icn.as_ref().unwrap().consumers[0].total;
    assert!(consumer.nacks > 0, "nothing was refused: the scenario shows nothing");
    // At most one for each gap of the 65,536 that are pending, of which a round trip has as many.
    assert!(
        consumer.nacks < 1_000_000,
        "{} of {} Interests refused",
        consumer.nacks,
        consumer.interests
    );
}
