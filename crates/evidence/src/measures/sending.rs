//! Data that leaves hosts, whether or not it arrives.

use narrows_measure::metrics::{Better, Metric};
use narrows_measure::{FlowRecord, Record};
use narrows_units::Time;

pub(super) const SENT: Metric = Metric {
    name: "sent",
    unit: "packets",
    better: Better::Lower,
    summary: "Data packets that left hosts.",
    formula: "sum over flows of data packets sent since warm-up, retransmissions included",
    source: "RFC 9743, section 5.2, asks for back-off when all feedback is lost",
    compute: |record| Some(sent(record) as f64),
};

pub(super) const SENT_RATE: Metric = Metric {
    name: "sent_rate",
    unit: "Mbit/s",
    better: Better::Lower,
    summary: "Rate at which data left hosts.",
    formula: "payload of full segments of the data packets sent since warm-up / time since warm-up",
    source: "RFC 9743, section 5.1.1 (congestion collapse)",
    compute: |record| {
        let bits: u64 = record.flows.iter().map(|flow| flow.steady.sent * flow.mss.get() * 8).sum();
        let time = seconds(record);
        (time > 0.0).then(|| bits as f64 / time / 1e6)
    },
};

pub(super) const USEFUL: Metric = Metric {
    name: "useful",
    unit: "%",
    better: Better::Higher,
    summary: "Share of the data sent that was of use to receivers.",
    formula: "payload that arrived since warm-up, each byte once / payload of full segments of the data packets sent since warm-up",
    source: "congestion collapse from undelivered packets: RFC 2914, section 5; RFC 9743, section 5.1.1",
    compute: |record| {
        let sent: u64 = record.flows.iter().map(|flow| flow.steady.sent * flow.mss.get()).sum();
        let of_use: u64 = record.flows.iter().map(|flow| flow.steady.goodput.get()).sum();
        (sent > 0).then(|| 100.0 * of_use as f64 / sent as f64)
    },
};

pub(super) const GAP_GROWTH: Metric = Metric {
    name: "gap_growth",
    unit: "",
    better: Better::Higher,
    summary: "Least growth from one gap between sendings to the next.",
    formula: "least of (gap k + 1) / (gap k) over the flows' gaps between samples since warm-up in which data packets left; not defined with fewer than two gaps",
    source: "the doubling of the timeout: RFC 6298, section 5.5",
    compute: gap_growth,
};

fn sent(record: &Record) -> u64 {
    record.flows.iter().map(|flow| flow.steady.sent).sum()
}

/// Returns the time since warm-up, in seconds.
pub(super) fn seconds(record: &Record) -> f64 {
    record.duration.saturating_sub(record.warmup).as_secs_f64()
}

fn gap_growth(record: &Record) -> Option<f64> {
    let begin = Time::ZERO + record.warmup;
    let of_flow = |flow: &FlowRecord| {
        let sendings: Vec<Time> = flow
            .samples
            .windows(2)
            .filter(|pair| pair[1].sent > pair[0].sent)
            .map(|pair| pair[1].at)
            .collect();
        let gaps: Vec<f64> = sendings
            .windows(2)
            .filter(|pair| pair[0] > begin)
            .map(|pair| pair[1].since(pair[0]).as_secs_f64())
            .collect();
        gaps.windows(2).map(|pair| pair[1] / pair[0]).reduce(f64::min)
    };
    record.flows.iter().filter_map(of_flow).reduce(f64::min)
}
