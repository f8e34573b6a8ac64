//! Runs repeat: every byte of every datagram and every time.

use crate::common::{flow, head, link, run};
use crate::datagrams::of_run;

/// Our controllers within stacks, one of each kind of signal.
const ADAPTED: [&str; 6] =
    ["cubic@noq", "copa@noq", "bbr3@noq", "pcc-vivace@noq", "vivace@noq", "cubic@quinn"];

/// Ten seconds with loss, reordering and marks, in which the rate changes.
fn network(controller: &str, seed: u64) -> String {
    let hard =
        "loss = \"0.1 %\"\nreorder = { share = \"0.1 %\", delay = \"3 ms\" }\nqueue = \"codel\"";
    let change = "[[change]]\nat = \"5 s\"\nlink = \"bottleneck\"\nrate = \"40 Mbit/s\"\n";
    head(10, seed) + &link(hard) + &flow(&format!("recorded:{controller}"), "") + change
}

fn taken_down(controller: &str, seed: u64, defect: u64) -> ((u64, u64), String) {
    let text = network(controller, seed);
    let mut record = String::new();
    let datagrams = of_run(defect, || record = format!("{:?}", run(&text)));
    (datagrams, record)
}

#[test]
fn two_runs_are_equal_to_the_byte_in_any_thread_and_another_seed_is_another_run() {
    let stacks = narrows_guests::entries().into_iter().map(|entry| entry.name);
    for name in stacks.chain(ADAPTED) {
        let first = taken_down(name, 1, 0);
        assert!(first.0.1 > 1_000, "{name}: {} datagrams", first.0.1);
        assert_eq!(first, taken_down(name, 1, 0), "{name}");
        let elsewhere = std::thread::spawn(|| taken_down(name, 1, 0)).join().unwrap();
        assert_eq!(first, elsewhere, "{name}");
        assert_ne!(first.0, taken_down(name, 2, 0).0, "{name}");
    }
}

/// The comparison above would see a hidden source of chance: one altered bit of the first datagram
/// alters the hash.
#[test]
fn one_altered_bit_is_seen() {
    assert_ne!(taken_down("noq:cubic", 1, 0).0, taken_down("noq:cubic", 1, 1).0);
}

/// BBR of both stacks draws when it probes. Its generator takes the flow's seed; without that it
/// would be the operating system's, and two runs would differ.
#[test]
fn the_dice_of_bbr_are_those_of_the_flow() {
    for controller in ["noq:bbr3", "quinn:bbr"] {
        let before = narrows_dice::taken();
        run(&network(controller, 1));
        assert!(narrows_dice::taken() >= before + 2, "{controller} made no generator");
    }
    let before = narrows_dice::taken();
    run(&network("noq:cubic", 1));
    assert_eq!(narrows_dice::taken(), before);
}
