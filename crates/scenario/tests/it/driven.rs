//! A controller that replaces the scenario's own brings its own settings of the transport.

use narrows_control::ENTRIES;
use narrows_scenario::{Overrides, load_with, parse};
use std::fs;
use std::path::Path;

/// Calls `act` with a temporary file that contains `text`.
fn with_file<T>(name: &str, text: &str, act: impl FnOnce(&Path) -> T) -> T {
    let file = std::env::temp_dir().join(format!("narrows-{name}-{}.toml", std::process::id()));
    fs::write(&file, text).unwrap();
    let value = act(&file);
    fs::remove_file(&file).unwrap();
    value
}

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
    with_file("driven", SCENARIO, |file| {
        for entry in ENTRIES {
            let driven = load_with(file, &Overrides::default(), Some(entry.name))
                .unwrap_or_else(|error| panic!("{}: {}", entry.name, error.short()));
            let text = SCENARIO.replace("\"cubic\"", &format!("\"{}\"", entry.name));
            let written = parse(&text, "driven.toml", &narrows_scenario::read_named).unwrap();
            assert_eq!(driven.to_toml(), written.to_toml(), "{}", entry.name);
            assert_eq!(driven.flows[0].transport, written.flows[0].transport, "{}", entry.name);
            assert!(driven.flows[2].controller.is_none());
        }
    });
}

/// Results keep the scenario with resolved defaults. A controller that replaces the one in a result
/// brings its own acknowledgements.
#[test]
fn every_controller_drives_what_another_has_run_as_if_it_had_run_itself() {
    for (ran, transport) in [
        ("cubic", ""),
        ("vivace", ""),
        ("cubic", "gro = \"10 us\""),
        ("vivace", "acks = \"cumulative\""),
    ] {
        let text = SCENARIO
            .replace("\"cubic\"", &format!("\"{ran}\""))
            .replace("ack_every = 4", transport);
        let result = parse(&text, "ran.toml", &narrows_scenario::read_named).unwrap().to_toml();
        for entry in ENTRIES {
            let driven = with_file("ran", &result, |file| {
                load_with(file, &Overrides::default(), Some(entry.name)).unwrap()
            });
            let own = with_file("own", &text, |file| {
                load_with(file, &Overrides::default(), Some(entry.name)).unwrap()
            });
            for (driven, own) in driven.flows.iter().zip(own.flows.iter()) {
                assert_eq!(
                    driven.transport, own.transport,
                    "{} after {ran} with {transport}",
                    entry.name
                );
            }
        }
    }
}
