//! Circuit breakers: metrics that tell whether one would trip.

use super::intervals::intervals;
use narrows_measure::metrics::{Better, Metric};
use narrows_measure::{FlowRecord, Record, standing};
use narrows_units::{Span, Time};

pub(super) const BREAKER: Metric = Metric {
    name: "breaker",
    unit: "",
    better: Better::Lower,
    summary: "1 if RTP's circuit breaker would trip for a media flow, else 0.",
    formula: "1 if at a report, 1 s apart since warm-up, the sending rate over the last CB_INTERVAL reports is more than ten times s / (Tr sqrt(2 p / 3)), s being a \
              packet, Tr the mean over these reports of the base round trip and the wait in the queues of the route, and p the mean of the reports' shares of lost \
              packets; CB_INTERVAL = ceil(3 min(max(10 Tf, 10 Tr, 3 Tdr), max(15, 3 Td)) / (3 Tdr)) with Tf = 33 ms, Tdr = 1 s, Td = 5 s, and Tr at that report",
    source: "RFC 8083, section 4.3; the report interval of 1 s is ours",
    compute: breaker,
};

pub(super) const METER: Metric = Metric {
    name: "meter",
    unit: "",
    better: Better::Lower,
    summary: "1 if the circuit breaker of an aggregate would trip, else 0.",
    formula: "1 if there are three consecutive intervals of 5 s since warm-up in each of which data packets dropped / data packets sent, all flows together, is above 10 %",
    source: "the form is RFC 8084's, section 4; it leaves numbers open, and these are ours",
    compute: meter,
};

/// Time between two reports.
const REPORT: Span = Span::from_secs(1);

fn breaker(record: &Record) -> Option<f64> {
    let media = record.flows.iter().filter(|flow| flow.transfers.is_some());
    media
        .map(|flow| trips(record, flow))
        .reduce(|a, b| a || b)
        .map(|trips| f64::from(u8::from(trips)))
}

fn trips(record: &Record, flow: &FlowRecord) -> bool {
    let (mut lost, mut rates, mut rtts) = (Vec::new(), Vec::new(), Vec::new());
    for (from, to) in intervals(record, REPORT) {
        let (before, after) = (counts(flow, from), counts(flow, to));
        let (sent, dropped) = (after.0 - before.0, after.1 - before.1);
        lost.push(if sent == 0 { 0.0 } else { dropped as f64 / sent as f64 });
        rates.push(sent as f64);
        rtts.push(round_trip(record, flow, to));
    }
    let trips_at = |at: usize| {
        let reports = (10.0 * rtts[at]).clamp(3.0, 15.0).ceil() as usize;
        let Some(begin) = (at + 1).checked_sub(reports) else { return false };
        let mean = |of: &[f64]| of[begin..=at].iter().sum::<f64>() / reports as f64;
        let p = mean(&lost);
        // Both sides are in packets per second, because the size of a packet cancels.
        p > 0.0 && mean(&rates) > 10.0 / (mean(&rtts) * (2.0 * p / 3.0).sqrt())
    };
    (0..lost.len()).any(trips_at)
}

/// Returns the round trip at a time: the base round trip plus the waiting time in the queues of the
/// data's route. A link that stands still counts as no wait.
fn round_trip(record: &Record, flow: &FlowRecord, at: Time) -> f64 {
    let waits = flow.route_at(at).iter().filter_map(|link| record.links[*link].waiting(at));
    waits.fold(flow.base_rtt, |sum, wait| sum + wait).as_secs_f64()
}

fn meter(record: &Record) -> Option<f64> {
    let (mut row, mut longest) = (0u32, 0u32);
    for (from, to) in intervals(record, Span::from_secs(5)) {
        let sum = |at: Time| {
            record
                .flows
                .iter()
                .map(|flow| counts(flow, at))
                .fold((0, 0), |all, own| (all.0 + own.0, all.1 + own.1))
        };
        let (before, after) = (sum(from), sum(to));
        let lossy = (after.1 - before.1) * 10 > after.0 - before.0;
        row = if lossy { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    (!record.flows.is_empty()).then_some(f64::from(u8::from(longest >= 3)))
}

/// Returns the packets sent and dropped until a time.
fn counts(flow: &FlowRecord, at: Time) -> (u64, u64) {
    let sample = standing(&flow.samples, at);
    (sample.sent, sample.dropped)
}
