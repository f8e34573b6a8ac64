//! The overhead of sending hosts: it never lowers what a sender can send, and follows the rates of
//! the network.

use crate::common::{ends_alone, one_link, run};
use narrows_measure::Record;

/// Bytes that the flow called "flow" got.
fn goodput(record: &Record) -> f64 {
    let flow = record.flows.iter().find(|flow| flow.name == "flow").expect("a flow");
    flow.steady.goodput.get() as f64
}

/// The goodput with random times of the host over the one without.
fn kept(text: &str) -> f64 {
    goodput(&run(text)) / goodput(&run(&format!("send_overhead = false\n{text}")))
}

#[test]
fn a_link_that_was_slow_at_the_start_is_filled_once_it_is_fast() {
    let faster = |link: &str| {
        format!(
            "[[change]]\nlink = \"{link}\"\nat = \"1.7 s\"\nrate = \"9.5 Mbit/s\"\ndelay = \"29 ms\"\n"
        )
    };
    for controller in ["bbr", "bbr3", "vivace", "cubic"] {
        let changes = faster("bottleneck") + &faster("bottleneck.back");
        let link = "rate = \"0.5 Mbit/s\"\ndelay = \"22 ms\"\nbuffer = \"9500 packets\"";
        let kept = kept(&one_link(controller, 22, 7, link, &changes));
        assert!(kept > 0.9, "{controller}: {kept:.3} of the goodput without");
    }
}

#[test]
fn a_recorded_rate_counts_as_it_is_now() {
    let trace = std::env::temp_dir().join(format!("narrows-overhead-{}.trace", std::process::id()));
    std::fs::write(&trace, "0,0.5\n2,9.5\n").expect("a writable directory");
    let link =
        format!("trace = \"{}\"\ndelay = \"22 ms\"\nbuffer = \"200 packets\"", trace.display());
    let kept = kept(&one_link("bbr", 22, 7, &link, ""));
    std::fs::remove_file(&trace).expect("the trace is there");
    assert!((0.95..1.05).contains(&kept), "{kept:.3} of the goodput without");
}

#[test]
fn no_controller_sends_less_because_of_it() {
    for entry in ends_alone() {
        for rate in ["1 Mbit/s", "20 Mbit/s"] {
            // Half of a BDP and more: no controller needs the whole of it.
            let link = format!("rate = \"{rate}\"\ndelay = \"20 ms\"\nbuffer = \"30 packets\"");
            let kept = kept(&one_link(entry.name, 30, 10, &link, ""));
            assert!(kept > 0.9, "{} at {rate}: {kept:.3} of the goodput without", entry.name);
        }
    }
}
