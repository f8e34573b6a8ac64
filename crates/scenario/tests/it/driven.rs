//! A controller that takes the place of a scenario's own brings all that follows from it.

use narrows_control::ENTRIES;
use narrows_scenario::{load_driven_by, parse};
use std::fs;

const SCENARIO: &str = r#"name = "driven"
duration = "10 s"

[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "1 bdp"

[[flow]]
from = "left"
to = "right"
controller = "cubic"

[[flow]]
name = "own transport"
from = "left"
to = "right"
controller = "cubic"
transport = { ack_every = 4 }

[[flow]]
from = "left"
to = "right"
workload = { rate = "1 Mbit/s" }
"#;

#[test]
fn every_controller_drives_as_if_the_file_named_it() {
    let file = std::env::temp_dir().join(format!("narrows-driven-{}.toml", std::process::id()));
    fs::write(&file, SCENARIO).unwrap();
    for entry in ENTRIES {
        let driven = load_driven_by(&file, entry.name).unwrap_or_else(|error| panic!("{}: {}", entry.name, error.short()));
        let text = SCENARIO.replace("\"cubic\"", &format!("\"{}\"", entry.name));
        let written = parse(&text, "driven.toml", &narrows_scenario::read_named).unwrap();
        assert_eq!(driven.to_toml(), written.to_toml(), "{}", entry.name);
        assert_eq!(driven.flows[0].transport, written.flows[0].transport, "{}", entry.name);
        assert!(driven.flows[2].controller.is_none());
    }
    fs::remove_file(&file).unwrap();
}
