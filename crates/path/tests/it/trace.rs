//! Trace files: what is read, what is refused, and how much a trace can carry.

use narrows_path::{RateSource, Steps, Trace, TraceError};
use narrows_units::{Bytes, Rate, Span, Time};
use proptest::prelude::*;

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

fn refused(text: &str) -> TraceError {
    match Trace::parse(text) {
        Err(error) => error,
        Ok(trace) => panic!("{text:?} was read as {trace:?}"),
    }
}

#[test]
fn delivery_opportunities() {
    let trace = Trace::parse("# a comment\n0\n3\n\n3\r\n  17  \n").expect("a trace");
    assert_eq!(
        trace,
        Trace::Opportunities {
            at: vec![ms(0), ms(3), ms(3), ms(17)],
            period: Span::from_millis(17)
        }
    );
}

#[test]
fn steps() {
    let trace = Trace::parse("seconds,Mbit/s\n0,10\n1.5, 0\n2 ,2.5\n").expect("a trace");
    let expected = vec![
        (ms(0), Rate::from_mbps(10)),
        (ms(1_500), Rate::ZERO),
        (ms(2_000), Rate::from_kbps(2_500)),
    ];
    assert_eq!(trace, Trace::Steps(Steps::new(expected)));
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    assert!(Trace::parse("\u{feff}1\n2\n").is_ok());
    assert!(Trace::parse("\u{feff}time,rate\n0,2\n").is_ok());
}

#[test]
fn opportunities_refused() {
    for (text, line, problem) in [
        ("", 1, "the trace is empty"),
        ("# only\n# comments\n", 2, "the trace is empty"),
        ("0\n0\n", 2, "the trace ends at 0 ms, so it has no length"),
        ("1\ntwo\n3\n", 2, "\"two\" is not a whole number of milliseconds"),
        ("1\n-2\n", 2, "\"-2\" is not a whole number of milliseconds"),
        ("1.5\n", 1, "\"1.5\" is not a whole number of milliseconds"),
        ("\n5\n4\n", 3, "4 ms comes after a later line"),
        ("18446744073709551615\n", 1, "18446744073709551615 ms is too late"),
        ("5\n6,7\n", 2, "\"6,7\" is not a whole number of milliseconds"),
    ] {
        let error = refused(text);
        assert_eq!((error.line, error.problem.as_str()), (line, problem), "{text:?}");
        assert!(error.remedy.contains("1500-byte"), "{text:?}");
    }
}

#[test]
fn steps_of_other_programs_are_read() {
    let commas = Trace::parse("0,4.5\n0.5,12\n10,0.125\n").unwrap();
    // numpy.savetxt with a comma, and Pensieve's lines with a tab.
    assert_eq!(
        Trace::parse("0.0e+00,4.5e+00\n5.0E-01,1.2e1\n1.000e+01,1.25e-1\n").unwrap(),
        commas
    );
    assert_eq!(Trace::parse("0.0\t4.5\n0.5\t12\n10.0  0.125\n").unwrap(), commas);
    let digits = "0,4.5000004999\n0.5000000001,11.9999995\n10,1.249999999999999999e-01\n";
    assert_eq!(
        Trace::parse(digits).unwrap(),
        commas,
        "rounded to the bit per second and to the nanosecond"
    );
    assert_eq!(Trace::parse("time rate\n0 4.5\n0.5 12\n10 0.125\n").unwrap(), commas);
}

#[test]
fn steps_refused() {
    for (text, line, problem) in [
        ("time,rate\n", 1, "the trace is empty"),
        ("0,0\n5,0\n", 2, "every rate is zero"),
        ("0,1\n5\n", 2, "\"5\" has no comma"),
        ("1,1\n", 1, "the first time is 1 s, not 0"),
        ("0,1\n2,1\n2,3\n", 3, "2 s does not come after the line before"),
        ("0,1\nlater,2\n", 2, "\"later\" is not a time in seconds"),
        ("0,1\n-1,2\n", 2, "\"-1\" is not a time in seconds"),
        ("0,NaN\n", 1, "\"NaN\" is not a rate in Mbit/s"),
        ("0,-3\n", 1, "\"-3\" is not a rate in Mbit/s"),
        ("0,1,2\n", 1, "\"1,2\" is not a rate in Mbit/s"),
        ("0,1e\n", 1, "\"1e\" is not a rate in Mbit/s"),
        ("0,1e99\n", 1, "\"1e99\" is not a rate in Mbit/s"),
        ("0,-1e1\n", 1, "\"-1e1\" is not a rate in Mbit/s"),
        ("0\t1\n1\tfast\n", 2, "\"fast\" is not a rate in Mbit/s"),
    ] {
        let error = refused(text);
        assert_eq!((error.line, error.problem.as_str()), (line, problem), "{text:?}");
        assert!(error.remedy.contains("Mbit/s"), "{text:?}");
    }
}

#[test]
fn capacity_by_hand() {
    let trace = Trace::parse("1\n2\n4\n").expect("a trace");
    let packets = |until: u64| trace.capacity(ms(until)).get() / 1_500;
    assert_eq!([0, 1, 2, 3, 4, 5, 8, 9, 400].map(packets), [0, 1, 2, 2, 3, 4, 6, 7, 300]);
    assert_eq!(trace.long_run_rate(Span::from_secs(60)), Rate::from_mbps(9));

    let steps = Trace::parse("0,8\n1,0\n2,16\n").expect("a trace");
    assert_eq!(
        [0, 500, 1_000, 1_900, 2_500].map(|until| steps.capacity(ms(until)).get()),
        [0, 500_000, 1_000_000, 1_000_000, 2_000_000]
    );
    assert_eq!(steps.long_run_rate(Span::from_secs(4)), Rate::from_mbps(10));
    // The last step counts, for as long as the run goes on.
    let mean = |seconds| RateSource::trace(steps.clone().into(), Span::from_secs(seconds)).mean();
    assert_eq!(
        [1, 2, 10].map(mean),
        [8_000, 4_000, 13_600].map(|kbps| Some(Rate::from_kbps(kbps)))
    );
    assert_eq!(
        steps.capacity(Time::NEVER),
        Bytes::new(
            (1_000_000 + 2_000_000 * (u64::MAX as u128 - 2_000_000_000) / 1_000_000_000) as u64
        )
    );
}

#[test]
fn carried_by_by_hand() {
    // Instants 0, 1, 2, 4, 4, 5, 6, 8, 8 ms ...: the round of 4 ms begins again with its end.
    let trace = Trace::parse("0\n1\n2\n4\n").expect("a trace");
    let by = |from: u64, bytes: u64| trace.carried_by(Time::from_nanos(from), Bytes::new(bytes));
    assert_eq!(
        [0, 1, 1_500, 1_501, 4_500, 4_501].map(|bytes| by(0, bytes)),
        [0, 0, 0, 1, 2, 4].map(ms)
    );
    assert_eq!(
        [1_500, 3_000, 3_001, 6_000].map(|bytes| by(4_000_000, bytes)),
        [4, 4, 5, 6].map(ms)
    );
    assert_eq!([1_500, 4_501].map(|bytes| by(4_000_001, bytes)), [ms(5), ms(8)]);
    assert_eq!(by(402_500_000, 1_500 * 4_000), ms(4_402));

    let steps = Trace::parse("0,8\n1,0\n2,16\n3,0\n").expect("a trace");
    let by = |from: u64, bytes: u64| steps.carried_by(ms(from), Bytes::new(bytes));
    assert_eq!(
        [by(0, 1_000), by(0, 1_000_000), by(999, 1_000), by(999, 3_000)],
        [ms(1), ms(1_000), ms(1_000), ms(2_001)]
    );
    assert_eq!(
        [by(1_500, 2_000_000), by(1_500, 2_000_001), by(9_000, 1), by(9_000, 0)],
        [ms(3_000), Time::NEVER, Time::NEVER, ms(9_000)]
    );
}

#[test]
fn an_opportunity_at_zero_comes_again_with_each_end() {
    // The last instant of one round is the instant 0 of the next, as in mm-link.
    let trace = Trace::parse("0\n5\n").expect("a trace");
    assert_eq!(
        [0, 4, 5, 9, 10].map(|until| trace.capacity(ms(until)).get() / 1_500),
        [1, 1, 3, 3, 5]
    );
}

fn opportunities() -> impl Strategy<Value = Vec<u64>> {
    (proptest::collection::vec(0u64..50, 1..30), 1u64..60).prop_map(|(mut all, last)| {
        all.push(last);
        all.sort_unstable();
        all
    })
}

fn lines(all: impl IntoIterator<Item = String>) -> String {
    all.into_iter().map(|line| line + "\n").collect()
}

proptest! {
    #[test]
    fn opportunities_are_counted_one_by_one(all in opportunities(), until in 0u64..500_000_000) {
        let trace = Trace::parse(&lines(all.iter().map(u64::to_string))).expect("a trace");
        let period = all[all.len() - 1] * 1_000_000;
        let mut count = 0;
        for round in 0.. {
            if round * period > until {
                break;
            }
            count += all.iter().filter(|at| round * period + **at * 1_000_000 <= until).count() as u64;
        }
        prop_assert_eq!(trace.capacity(Time::from_nanos(until)), Bytes::new(1_500 * count));
    }

    #[test]
    fn steps_are_added_up_one_by_one(steps in proptest::collection::vec((1u64..5_000, 0u64..200), 1..20), until in 0u64..60_000) {
        let mut at = 0;
        let mut text = String::from("0,1\n");
        // The rate of every millisecond.
        let mut rates = vec![1u64; 120_000];
        for (gap, mbps) in &steps {
            at += gap;
            text += &format!("{}.{:03},{mbps}\n", at / 1_000, at % 1_000);
            rates[at as usize..].fill(*mbps);
        }
        let trace = Trace::parse(&text).expect("a trace");
        let bytes: u64 = rates[..until as usize].iter().map(|mbps| mbps * 125).sum();
        prop_assert_eq!(trace.capacity(ms(until)), Bytes::new(bytes));
    }

    #[test]
    fn capacity_never_falls(all in opportunities(), times in proptest::collection::vec(any::<u64>(), 2..40)) {
        let mut times = times;
        times.sort_unstable();
        let steps = lines(all.iter().enumerate().map(|(index, rate)| format!("{index},{rate}")));
        for text in [lines(all.iter().map(u64::to_string)), steps] {
            let trace = Trace::parse(&text).expect("a trace");
            let carried: Vec<Bytes> = times.iter().map(|until| trace.capacity(Time::from_nanos(*until))).collect();
            prop_assert!(carried.is_sorted(), "{:?}", carried);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in prop_oneof!["\\PC{0,80}", "([0-9]{1,20}\n){0,20}", "([0-9.,-]{0,24}\n){0,20}", "(0,[0-9.]{1,20}\n)([0-9.]{1,20},[0-9.]{1,20}\n){0,5}"]) {
        if let Ok(trace) = Trace::parse(&text) {
            trace.capacity(Time::NEVER);
            trace.long_run_rate(Span::from_secs(60));
            trace.long_run_rate(Span::ZERO);
            trace.carried_by(Time::from_nanos(u64::MAX - 1), Bytes::new(u64::MAX));
        }
        let _ = Trace::parse_steps(&text);
        let _ = Trace::parse_opportunities(&text);
    }
}
