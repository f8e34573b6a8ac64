//! Every controller keeps to its contract under random legal operations.

mod connection;

use connection::{Connection, operation};
use narrows_control::{Basis, Choice, ENTRIES, Entry, Saved, Setup};
use narrows_params::ParamKind;
use narrows_units::{Segments, Span};
use proptest::prelude::*;

/// A controller with its defaults, and with each other option of each choice.
fn options(entry: &Entry) -> Vec<String> {
    let mut texts = vec![entry.name.to_owned()];
    for param in entry.params {
        if let ParamKind::Choice { default, options } = param.kind {
            let others = options.iter().filter(|option| *option != default);
            texts.extend(others.map(|option| format!("{}?{}={option}", entry.name, param.name)));
        }
    }
    texts
}

/// Every controller with its defaults, and with each single parameter changed. A value that is
/// refused without another parameter is left out; a needed pair is named.
fn variants() -> Vec<String> {
    let mut texts = vec!["bbr3?profile=linux&ecn".to_owned()];
    for entry in ENTRIES {
        texts.extend(options(entry));
        for param in entry.params {
            match param.kind {
                ParamKind::Flag { default } => {
                    texts.push(format!("{}?{}={}", entry.name, param.name, !default))
                }
                ParamKind::Number { min, max, .. } | ParamKind::NumberOr { min, max, .. } => texts
                    .extend(
                        [min, max].map(|value| format!("{}?{}={value}", entry.name, param.name)),
                    ),
                ParamKind::Choice { .. } => {}
            }
        }
    }
    let defaults = |text: &String| !text.contains('?');
    texts.retain(|text| {
        defaults(text) || text.parse::<Choice>().unwrap().build(&setup(10.0)).is_ok()
    });
    texts
}

fn setup(initial_window: f64) -> Setup {
    Setup { initial_window: Segments::new(initial_window), ..Setup::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn controllers_keep_to_the_contract(operations in prop::collection::vec(operation(), 0..400), window in 1..40u32) {
        for text in variants() {
            Connection::new(&text, &setup(window as f64)).run(&operations);
        }
    }

    #[test]
    fn controllers_decide_the_same_again(operations in prop::collection::vec(operation(), 0..400)) {
        for text in variants() {
            let run = || Connection::new(&text, &setup(10.0)).run(&operations);
            assert_eq!(run(), run(), "{text}");
        }
    }

    /// The same connections, where an earlier one has saved its path: half of the window is a jump.
    #[test]
    fn controllers_that_resume_keep_to_the_contract(operations in prop::collection::vec(operation(), 0..400), window in 20..2_000u32) {
        let saved = Saved {
            rtt: Span::from_millis(1),
            window: Segments::new(f64::from(window)),
            age: Span::ZERO,
        };
        let starts = ["auto", "classic", "hystart", "hystart++", "search", "rapid"];
        let mut texts = vec!["c4".to_owned(), "c4?profile=picoquic".to_owned()];
        for name in ["newreno", "cubic", "hstcp", "scalable", "dctcp"] {
            let text = |start| format!("{name}?resume&start={start}&growth=rate-limited");
            texts.extend(starts.map(text));
        }
        for text in texts {
            for rtt in [1, 50, 1_000] {
                let saved = Saved { rtt: Span::from_millis(rtt), ..saved };
                let setup = Setup { saved: Some(saved), ..setup(10.0) };
                Connection::new(&text, &setup).run(&operations);
            }
        }
    }

    /// A signal that a registry line does not name under `needs` changes nothing.
    #[test]
    fn controllers_read_only_what_they_need(operations in prop::collection::vec(operation(), 0..400), seed in any::<u64>()) {
        for text in variants() {
            let plain = Connection::new(&text, &setup(10.0)).run(&operations);
            let noisy = Connection::new(&text, &setup(10.0)).with_noise(seed).run(&operations);
            assert_eq!(plain, noisy, "{text}");
        }
    }
}

/// Slow start doubles in one acknowledgement of a whole window: "limited" is judged per segment
/// when sent, not per acknowledgement in a batch. HyStart is off, since HyStart++ limits the growth
/// per acknowledgement. FAST of SC2002 has no slow start; that of LEDBAT++ takes a part, and
/// SCReAMv2 adds a segment per round trip. HyStart++ and Rapid Start grow by their own rules.
#[test]
fn one_acknowledgement_of_a_whole_window_doubles_it() {
    let doubles = |entry: &&&Entry| {
        matches!(entry.basis, Basis::Loss | Basis::Model | Basis::Delay)
            && !["fast-sc2002", "ledbatpp", "screamv2"].contains(&entry.name)
    };
    for entry in ENTRIES.iter().filter(doubles) {
        for mut text in options(entry) {
            if text.parse::<Choice>().unwrap().build(&setup(10.0)).is_err() {
                continue;
            }
            if ["start=hystart++", "start=rapid"].iter().any(|start| text.contains(start)) {
                continue;
            }
            if entry.params.iter().any(|param| param.name == "hystart") && !text.contains("start=")
            {
                text += if text.contains('?') { "&hystart=off" } else { "?hystart=off" };
            }
            let mut connection = Connection::new(&text, &setup(10.0));
            connection.send(10, true);
            connection.now += Span::from_millis(50);
            connection.acknowledge(0, 10, false, true);
            assert_eq!(connection.controller.decision().window.get(), 20.0, "{text}");
        }
    }
}

/// Found by the properties above: a reduction of Rapid Start that idleness interrupted gave its
/// window back.
#[test]
fn a_restart_after_idleness_ends_a_reduction_of_a_start() {
    use connection::Operation::{Acknowledge, Send, Wait};
    let acked = |acked, mark| Acknowledge { lost: 0, acked, mark, rtt: false };
    let ops = vec![
        Send { most: 10, limited: true },
        acked(10, false),
        Send { most: 10, limited: true },
        acked(10, false),
        Wait { us: 200_001 },
        acked(0, true),
        Send { most: 1, limited: false },
        acked(0, false),
    ];
    for name in ["newreno?profile=rfc5681&", "cubic?profile=rfc9438&", "hstcp?", "dctcp?", "cubic?"]
    {
        Connection::new(&format!("{name}start=rapid"), &setup(10.0)).run(&ops);
    }
}

/// Found by the properties above: an increase that FAST spreads over a round trip came whole after
/// an hour of idleness, when the flow had restarted from its initial window.
#[test]
fn a_restart_after_idleness_ends_an_increase_that_is_spread() {
    use connection::Operation::{Acknowledge, Send, Wait};
    let ops = vec![
        Send { most: 1, limited: false },
        Acknowledge { lost: 0, acked: 1, mark: false, rtt: false },
        Send { most: 1, limited: false },
        Acknowledge { lost: 0, acked: 1, mark: false, rtt: false },
        Send { most: 1, limited: true },
        Acknowledge { lost: 0, acked: 1, mark: false, rtt: true },
        Send { most: 59, limited: false },
        Acknowledge { lost: 0, acked: 17, mark: false, rtt: true },
        Send { most: 144, limited: true },
        Acknowledge { lost: 0, acked: 17, mark: false, rtt: true },
        Wait { us: 76 },
        Send { most: 31, limited: true },
        Acknowledge { lost: 0, acked: 28, mark: false, rtt: true },
        Send { most: 170, limited: true },
        Acknowledge { lost: 0, acked: 22, mark: false, rtt: true },
        Wait { us: 3600000000 },
        Acknowledge { lost: 0, acked: 32, mark: false, rtt: true },
        Acknowledge { lost: 0, acked: 30, mark: false, rtt: false },
        Send { most: 109, limited: true },
        Acknowledge { lost: 0, acked: 9, mark: false, rtt: false },
    ];
    for pacing in ["time", "event", "both"] {
        let text = format!("fast-sc2002?window_pacing={pacing}");
        Connection::new(&text, &setup(10.0)).run(&ops);
    }
}
