//! No text makes the scenario parser panic, and what it accepts survives being written out and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows_scenario::parse;
use std::io;
use std::path::Path;

/// Any trace that a scenario asks for is there.
fn read(_: &Path) -> io::Result<String> {
    Ok("0\n1\n1\n5\n".to_owned())
}

fuzz_target!(|text: &str| {
    match parse(text, "fuzz.toml", &read) {
        Err(error) => assert!(!error.short().is_empty()),
        // Ten thousand flows take their time and show nothing that three do not.
        Ok(scenario) if scenario.flows.len() > 1_000 => {}
        Ok(scenario) => match parse(&scenario.to_toml(), "fuzz.toml", &read) {
            Ok(again) => assert_eq!(again, scenario),
            Err(error) => panic!("{}\n{}", error.short(), scenario.to_toml()),
        },
    }
});
