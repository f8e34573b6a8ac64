//! The tables on the terminal and `summary.json`.

use narrows_measure::{Emulation, Limit};
use narrows_report::{summary_json, table};
use narrows_units::Span;

#[test]
fn the_table_of_a_comparison() {
    insta::assert_snapshot!(table(&crate::common::three_by_three()));
}

#[test]
fn the_table_of_one_run() {
    insta::assert_snapshot!(table(&crate::common::single()));
}

#[test]
fn the_table_of_a_varying_link() {
    insta::assert_snapshot!(table(&crate::common::varying()));
}

#[test]
fn the_table_of_an_information_centric_network() {
    insta::assert_snapshot!(table(&crate::common::icn::comparison()));
}

#[test]
fn the_summary() {
    insta::assert_snapshot!(summary_json(&crate::common::single()));
}

#[test]
fn a_run_on_a_machine_that_is_too_slow_is_called_invalid_with_every_reason_and_its_number() {
    let mut made = crate::common::single();
    let limit = Limit { flow: "cubic".to_owned(), send_buffer: 0.0, receive_window: 0.31 };
    let late = Emulation {
        late_p99: Span::from_micros(2_100),
        base_rtt: Span::from_millis(30),
        idle: 0.4,
        limits: vec![limit],
        ..Emulation::default()
    };
    made.cases[0].runs[0].emulation =
        Some(Emulation { overrun: 7, refused: 2, spoiled: 5, idle: 0.004, ..late });
    let text = table(&made);
    let told: Vec<&str> = text.lines().filter(|line| line.starts_with("!!!")).collect();
    assert_eq!(told.len(), 7, "{text}");
    assert!(told[0].contains("INVALID"));
    for (line, number) in
        told[1..].iter().zip(["2.10 ms", "7 packets", "2 packets", "5 packets", "0.4 %", "31 %"])
    {
        assert!(line.contains(number), "{line}");
    }
    let summary: serde_json::Value = serde_json::from_str(&summary_json(&made)).unwrap();
    let emulation = &summary["cases"][0]["runs"][0]["emulation"];
    assert_eq!(emulation["valid"], false);
    assert_eq!(emulation["reasons"].as_array().unwrap().len(), 6);
}

#[test]
fn a_tenth_of_a_short_round_trip_is_too_late() {
    let late = |late_p99, base_rtt| {
        Emulation { late_p99, base_rtt, idle: 0.5, ..Emulation::default() }.validity_issues().len()
    };
    assert_eq!(late(Span::from_micros(1_001), Span::from_millis(10)), 1);
    assert_eq!(late(Span::from_micros(1_000), Span::from_millis(10)), 0);
    assert_eq!(late(Span::from_micros(500), Span::from_millis(1)), 0);
    assert_eq!(late(Span::from_micros(2_001), Span::from_secs(1)), 1);
}

#[test]
fn no_line_is_too_wide() {
    for made in [crate::common::three_by_three(), crate::common::single()] {
        assert!(table(&made).lines().all(|line| line.chars().count() <= 120));
    }
}
