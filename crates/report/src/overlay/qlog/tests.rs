use super::*;
use proptest::prelude::*;
use serde_json::json;

/// A text sequence of a head and events.
fn sequence(format: &str, events: &[Value]) -> String {
    let head = json!({
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "trace": { "common_fields": { "time_format": format } },
    });
    std::iter::once(&head).chain(events).map(|record| format!("\x1e{record}\n")).collect()
}

fn metrics(time: f64, data: Value) -> Value {
    json!({ "time": time, "name": "recovery:metrics_updated", "data": data })
}

fn read(text: &str) -> Vec<(Quantity, Vec<(f64, f64)>)> {
    assert!(is_qlog(text));
    parse(text).unwrap().into_iter().map(|series| (series.quantity, series.points)).collect()
}

#[test]
fn window_flight_and_round_trip_are_read_in_segments_and_milliseconds() {
    let events = [
        metrics(500.0, json!({ "congestion_window": 14_520, "bytes_in_flight": 1_452 })),
        json!({ "time": 600.0, "name": "transport:packet_sent", "data": {} }),
        metrics(1_500.0, json!({ "latest_rtt": 31.5, "bytes_in_flight": 2_904 })),
    ];
    let expected = vec![
        (Quantity::Window, vec![(0.5, 10.0)]),
        (Quantity::InFlight, vec![(0.5, 1.0), (1.5, 2.0)]),
        (Quantity::Rtt, vec![(1.5, 31.5)]),
    ];
    assert_eq!(read(&sequence("relative", &events)), expected);
    let document = json!({ "qlog_version": "0.3", "traces": [{ "events": events }] });
    assert_eq!(read(&document.to_string()), expected);
}

/// draft-ietf-quic-qlog-main-schema-13 has other names of events and time formats.
#[test]
fn names_and_times_of_later_drafts_are_read() {
    let event = |time: f64| {
        json!({
            "time": time,
            "name": "quic:recovery_metrics_updated",
            "data": { "congestion_window": 1_452 },
        })
    };
    let window = |text: &str| read(text)[0].1.iter().map(|(at, _)| *at).collect::<Vec<f64>>();
    let events = [event(1_000.0), event(500.0)];
    assert_eq!(window(&sequence("relative_to_previous_event", &events)), [1.0, 1.5]);
    let since_1970 = [event(1_764_000_000_000.0), event(1_764_000_000_500.0)];
    assert_eq!(window(&sequence("relative_to_epoch", &since_1970)), [0.0, 0.5]);
}

#[test]
fn mistakes_are_told_with_line_and_remedy() {
    let fail = |text: &str| parse(text).unwrap_err();
    let negative = sequence(
        "relative",
        &[metrics(0.0, json!({})), metrics(1.0, json!({ "latest_rtt": -1.0 }))],
    );
    let (line, problem, _) = fail(&negative);
    assert_eq!(line, 3, "{problem}");
    assert!(problem.contains("latest_rtt in milliseconds cannot be -1"), "{problem}");
    let (line, problem, _) = fail("\x1e{\"a\": 1}\n\x1e{\n\"b\": }\n");
    assert_eq!(line, 3, "{problem}");
    let (_, problem, remedy) = fail(&sequence("relative", &[]));
    assert_eq!(problem, "it has no recovery metrics");
    assert!(remedy.starts_with("give a qlog"));
}

#[test]
fn other_measurements_are_no_qlog() {
    for text in ["{\"start\":{}}", "# base timestamp: 5\n", "", "qlog_version"] {
        assert!(!is_qlog(text), "{text:?}");
    }
}

proptest! {
    #[test]
    fn what_was_logged_is_what_is_read(
        values in prop::collection::vec((0..1u64 << 40, 0.0..3.6e6f64), 1..50),
    ) {
        let events: Vec<Value> = (0..).zip(&values).map(|(at, (window, rtt))| {
            metrics(f64::from(at) * 10.0, json!({ "congestion_window": window, "latest_rtt": rtt }))
        }).collect();
        let series = read(&sequence("relative", &events));
        for (place, (window, rtt)) in values.iter().enumerate() {
            let at = place as f64 * 10.0 / 1e3;
            prop_assert_eq!(series[0].1[place], (at, *window as f64 / DATAGRAM));
            prop_assert_eq!(series[1].1[place], (at, *rtt));
        }
    }

    #[test]
    fn no_text_makes_it_fall_over(text in "[\x1e\\{\\}\\[\\]\":,a-z0-9. \n-]{0,200}") {
        is_qlog(&text);
        if let Err((line, ..)) = parse(&text) {
            prop_assert!(line >= 1 && line <= text.lines().count().max(1) + 1);
        }
    }

    #[test]
    fn no_damage_makes_it_fall_over_or_tell_nonsense(
        place in 0..2_000usize, byte in any::<u8>(),
    ) {
        let events: Vec<Value> = (0..10).map(|at| {
            metrics(f64::from(at), json!({ "congestion_window": 14_520, "latest_rtt": 30.5 }))
        }).collect();
        let mut bytes = sequence("delta", &events).into_bytes();
        let place = place % bytes.len();
        bytes[place] = byte;
        let text = String::from_utf8_lossy(&bytes);
        for series in parse(&text).unwrap_or_default() {
            for (at, value) in series.points {
                prop_assert!((0.0..=1e13).contains(&at) && (0.0..=1e12).contains(&value));
            }
        }
    }
}
