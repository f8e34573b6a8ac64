//! Treatments that `narrows kernel load` has loaded.

use super::on_this_host::{experiment, is_root};
use crate::scratch::{Scratch, code, stderr, stdout};

#[test]
fn a_loaded_controller_is_found_by_its_parameters() {
    if !is_root("a_loaded_controller_is_found_by_its_parameters") {
        return;
    }
    let place = Scratch::new("deploy-loaded");
    let name = format!("pcc{}", std::process::id());
    let load = place.narrows(["kernel", "load", "pcc-vivace?latency=451", "--as", &name]);
    assert_eq!(code(&load), 0, "{}{}", stdout(&load), stderr(&load));
    let text = experiment("loaded", "no-such-group", "period = \"2 min\"");
    let line = text.lines().find(|line| line.starts_with("treatment")).expect("it has one");
    let dry = |treatment: &str| {
        place.write("e.toml", &text.replace(line, &format!("treatment = \"{treatment}\"")));
        let output = place.narrows(["deploy", "start", "e.toml", "--dry-run", "--state", "states"]);
        (code(&output), stdout(&output) + &stderr(&output))
    };
    let told = ["pcc-vivace?latency=451", &name, "pcc-vivace?latency=300"].map(dry);
    let unload = place.narrows(["kernel", "unload", &name]);
    assert_eq!(code(&unload), 0, "{}{}", stdout(&unload), stderr(&unload));
    for (status, text) in &told[..2] {
        assert_eq!(*status, 0, "{text}");
        assert!(text.contains(&format!("A connection over loopback got {name}")), "{text}");
    }
    for (status, text) in &told[2..] {
        assert_eq!(*status, 2, "{text}");
        // Another test may have loaded one as well, which is then named.
        assert!(text.contains("is loaded with other parameters, as"), "{text}");
    }
}
