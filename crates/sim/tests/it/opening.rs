//! Handshakes: what comes before the first data.

use crate::common::{one_link, run};
use narrows_units::{Span, Time};

const LINK: &str = "rate = \"8 Mbit/s\"\ndelay = \"10 ms\"";

/// How long a file of 3000 B takes. Alone 33.328 ms: 20.12 ms for SYN and answer, 52 us for what
/// acknowledges it, 13.156 ms for the data.
fn took(link: &str, change: &str, transport: &str) -> Span {
    let text =
        one_link("newreno", 20, 0, link, &format!("workload = {{ size = \"3000 B\" }}\n{change}"));
    let record = run(&format!("send_overhead = false\n{text}\n[transport]\n{transport}"));
    record.flows[0].transfers.as_ref().unwrap().list[0].took
}

#[test]
fn it_costs_a_round_trip() {
    assert_eq!(took(LINK, "", ""), Span::from_micros(33_328));
    assert_eq!(took(LINK, "", "handshake = false"), Span::from_micros(13_156));
    assert_eq!(
        took(
            LINK,
            "",
            "preset = \"ns2-2005\"\nmss = \"1448 B\"\nheaders = \"52 B\"\ninitial_window = 3"
        ),
        Span::from_micros(13_156)
    );
}

#[test]
fn a_lost_syn_leaves_again_after_a_second_and_so_after_a_lost_answer() {
    let from_2_5_s =
        |link: &str| format!("[[change]]\nlink = \"{link}\"\nat = \"2.5 s\"\nloss = \"0 %\"\n");
    let late = Span::from_micros(3_033_328);
    assert_eq!(took(&format!("{LINK}\nloss = \"100 %\""), &from_2_5_s("bottleneck"), ""), late);
    let back =
        format!("{LINK}\nback = {{ rate = \"8 Mbit/s\", delay = \"10 ms\", loss = \"100 %\" }}");
    assert_eq!(took(&back, &from_2_5_s("bottleneck.back"), ""), late);
}

#[test]
fn bbr_paces_by_its_round_trip() {
    let record = run(&one_link("bbr", 1, 0, "rate = \"100 Mbit/s\"\ndelay = \"20 ms\"", ""));
    let first = record.flows[0]
        .samples
        .iter()
        .find(|sample| sample.at >= Time::ZERO + Span::from_millis(50))
        .unwrap();
    // 2.89 times ten packets of 1500 B in 40.01 ms, less one percent.
    assert!(
        (first.pacing.unwrap().as_bps() as f64 / 8.57e6 - 1.0).abs() < 0.01,
        "{:?}",
        first.pacing
    );
}
