//! No text makes the trace parsers panic, and the capacity of what they accept never falls.

#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows_path::Trace;
use narrows_units::{Span, Time};

fuzz_target!(|text: &str| {
    for trace in [Trace::parse(text), Trace::parse_steps(text), Trace::parse_opportunities(text)].into_iter().flatten() {
        let capacities = [0, 1, 1_000_000, 1_000_000_000, 3_600_000_000_000, u64::MAX].map(|ns| trace.capacity(Time::from_nanos(ns)));
        assert!(capacities.is_sorted(), "{capacities:?}");
        trace.long_run_rate(Span::from_secs(60));
    }
});
