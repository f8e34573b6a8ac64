//! The script for the continuous integration of a transport project. It creates the baseline,
//! passes while nothing gets worse, and fails when something does.

use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use std::process::Output;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contrib/ci/evidence.sh");

fn evidence(place: &Scratch, controller: &str) -> Output {
    let arguments = [controller, "kept/check.json", "--quick", "--only", "wired"];
    place.command(SCRIPT).env("NARROWS", PROGRAM).args(arguments).output().expect("bash runs it")
}

#[test]
fn a_verdict_that_gets_worse_fails() {
    let place = Scratch::new("evidence-in-ci");
    let first = evidence(&place, "cubic");
    assert_eq!(code(&first), 0, "{}", stderr(&first));
    assert!(stdout(&first).contains("kept as kept/check.json: commit it"), "{}", stdout(&first));
    let kept = place.read("kept/check.json");
    let same = evidence(&place, "cubic");
    assert_eq!(code(&same), 0, "{}", stderr(&same));
    // LEDBAT++ slows down from time to time to measure the path without its own queue. It uses 92 %
    // of a path of 50 Mbit/s and 40 ms.
    let worse = evidence(&place, "ledbatpp");
    assert_eq!(code(&worse), 1, "{}{}", stdout(&worse), stderr(&worse));
    assert!(stdout(&worse).contains("worse"), "{}", stdout(&worse));
    assert!(place.read("kept/check.json") == kept, "what is kept stays");
    let unknown = evidence(&place, "nosuch");
    assert_eq!(code(&unknown), 2, "{}", stderr(&unknown));
}
