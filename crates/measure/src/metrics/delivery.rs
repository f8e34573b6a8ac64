//! How much was delivered, lost, sent again and marked.

use super::{Better, Metric};
use crate::{FlowCounters, FlowRecord, LinkRecord, Record};
use narrows_units::{Span, Time};

pub(super) const UTILISATION: Metric = Metric {
    name: "utilisation",
    unit: "%",
    better: Better::Higher,
    summary: "Share of the bottleneck's capacity that was used.",
    formula: "wire bytes that departed from the bottleneck since warm-up / bytes it could have sent in that time (for a trace, what its own \
              opportunities could carry). The bottleneck is the link that carries data of some flow, has finite capacity and the highest such share.",
    source: "RFC 5166, section 2.1; Winstein, Sivaraman and Balakrishnan, Stochastic Forecasts Achieve High Throughput and Low Delay over Cellular \
             Networks, NSDI 2013, for traces",
    compute: utilisation,
};

pub(super) const GOODPUT: Metric = Metric {
    name: "goodput",
    unit: "Mbit/s",
    better: Better::Higher,
    summary: "Payload that reached the receivers, summed over all flows.",
    formula: "sum over flows of payload that arrived since warm-up, in order or not / time since warm-up. Headers and duplicates do not count. One flow's \
              goodput is what arrived while it ran / that time, from its start (or the end of warm-up, if later) to its end: what arrives after a flow was \
              stopped counts for all flows together only. A group's goodput in a sweep, even of one flow, is over the time since warm-up as that of all flows is",
    source: "RFC 5166, section 2.1",
    compute: goodput,
};

pub(super) const LOSS: Metric = Metric {
    name: "loss",
    unit: "%",
    better: Better::Lower,
    summary: "Share of data packets dropped anywhere on their path.",
    formula: "data packets dropped since warm-up / data packets sent since warm-up, retransmissions included in both, all flows together",
    source: "RFC 5166, section 2.1",
    compute: loss,
};

pub(super) const RETRANSMITTED: Metric = Metric {
    name: "retransmitted",
    unit: "%",
    better: Better::Lower,
    summary: "Share of data packets that were retransmissions, needed or not.",
    formula: "retransmissions since warm-up / data packets sent since warm-up, all flows together",
    source: "the sender's counterpart of loss; the difference shows needless retransmissions",
    compute: retransmitted,
};

pub(super) const ECN_MARKED: Metric = Metric {
    name: "ecn_marked",
    unit: "%",
    better: Better::Neither,
    summary: "Share of arriving data packets that were marked CE.",
    formula: "data packets that arrived with CE since warm-up / data packets that arrived since warm-up, all flows together. Not defined if no packet was \
              ECN-capable.",
    source: "RFC 3168",
    compute: ecn_marked,
};

pub(super) const TIMEOUTS: Metric = Metric {
    name: "timeouts",
    unit: "",
    better: Better::Lower,
    summary: "Retransmission timeouts.",
    formula: "sum over flows of retransmission timeouts since warm-up",
    source: "RFC 6298",
    compute: timeouts,
};

pub(super) const SPURIOUS: Metric = Metric {
    name: "spurious",
    unit: "",
    better: Better::Lower,
    summary: "Congestion window reductions that senders undid as spurious.",
    formula: "sum over flows of reductions undone since warm-up",
    source: "RFC 4015; RFC 3708",
    compute: spurious,
};

/// The link that limits the run: of those that carry data of some flow and have finite capacity,
/// the one of which the largest share was used.
pub fn bottleneck(record: &Record) -> Option<&LinkRecord> {
    let routed = record.flows.iter().any(|flow| !flow.route.is_empty());
    let mut carries = vec![!routed; record.links.len()];
    for index in record.flows.iter().flat_map(FlowRecord::links) {
        carries[index] = true;
    }
    let candidates = record
        .links
        .iter()
        .zip(carries)
        .filter(|(_, carries)| *carries)
        .filter_map(|(link, _)| Some((link, used(link)?)));
    candidates.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(link, _)| link)
}

/// One flow's goodput in Mbit/s over the time since warm-up in which it ran: what arrived then, by
/// then.
pub fn flow_goodput(record: &Record, flow: &FlowRecord) -> Option<f64> {
    let over = Time::ZERO + record.duration;
    let end = match record.part {
        // Counts of a part are the counts of samples.
        Some(_) => flow.end.map(|end| record.sampled(end)),
        None => flow.end,
    };
    let ran = end.unwrap_or(over).min(over).since(flow.start.max(Time::ZERO + record.warmup));
    mbps((flow.steady.goodput - flow.steady.late_goodput).get(), ran)
}

pub(super) fn utilisation(record: &Record) -> Option<f64> {
    Some(100.0 * used(bottleneck(record)?)?)
}

pub(super) fn goodput(record: &Record) -> Option<f64> {
    let bytes = total(record, |counters| counters.goodput.get());
    if record.flows.is_empty() { None } else { mbps(bytes, record.duration - record.warmup) }
}

pub(super) fn loss(record: &Record) -> Option<f64> {
    percent(total(record, |counters| counters.dropped), total(record, |counters| counters.sent))
}

pub(super) fn retransmitted(record: &Record) -> Option<f64> {
    unsampled(record, |counters| counters.retransmitted)
        .and_then(|again| percent(again, total(record, |counters| counters.sent)))
}

pub(super) fn ecn_marked(record: &Record) -> Option<f64> {
    let capable = unsampled(record, |counters| counters.ect0 + counters.ect1 + counters.ce)?;
    if capable == 0 {
        None
    } else {
        percent(total(record, |counters| counters.ce), total(record, |counters| counters.arrived))
    }
}

pub(super) fn timeouts(record: &Record) -> Option<f64> {
    unsampled(record, |counters| counters.timeouts).map(|timeouts| timeouts as f64)
}

pub(super) fn spurious(record: &Record) -> Option<f64> {
    // A kernel does not tell.
    let undone = unsampled(record, |counters| counters.undone)?;
    record.emulation.is_none().then_some(undone as f64)
}

fn used(link: &LinkRecord) -> Option<f64> {
    link.capacity
        .filter(|capacity| capacity.get() > 0)
        .map(|capacity| link.steady.departed_bytes.get() as f64 / capacity.get() as f64)
}

fn total(record: &Record, count: impl Fn(&FlowCounters) -> u64) -> u64 {
    record.flows.iter().map(|flow| count(&flow.steady)).sum()
}

/// The same of a count that samples do not have, and so no part of a run.
fn unsampled(record: &Record, count: impl Fn(&FlowCounters) -> u64) -> Option<u64> {
    record.part.is_none().then(|| total(record, count))
}

fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

fn mbps(bytes: u64, time: Span) -> Option<f64> {
    (!time.is_zero()).then(|| bytes as f64 * 8.0 / 1e6 / time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{flow, link, record};
    use super::*;
    use narrows_units::Bytes;

    #[test]
    fn utilisation_is_of_the_fullest_link_that_carries_data() {
        let mut run =
            record(vec![flow("a")], vec![link("wide", 100), link("narrow", 10), link("acks", 1)]);
        // 20 s of 30 are steady: 10 Mbit/s could carry 25 MB.
        run.links[0].steady.departed_bytes = Bytes::new(24_000_000);
        run.links[1].steady.departed_bytes = Bytes::new(24_000_000);
        run.links[2].steady.departed_bytes = Bytes::new(2_500_000);
        run.flows[0].route = vec![0, 1];
        assert_eq!(bottleneck(&run).unwrap().name, "narrow");
        assert_eq!(utilisation(&run), Some(96.0));
        run.flows[0].route.clear();
        assert_eq!(bottleneck(&run).unwrap().name, "acks");
    }

    #[test]
    fn utilisation_of_some_flows_is_that_of_their_links() {
        let mut run =
            record(vec![flow("long"), flow("cross")], vec![link("first", 10), link("second", 10)]);
        (run.flows[0].route, run.flows[1].route) = (vec![0, 1], vec![1]);
        (run.links[0].steady.departed_bytes, run.links[1].steady.departed_bytes) =
            (Bytes::new(5_000_000), Bytes::new(22_500_000));
        // The long flow alone has both links as candidates; the cross flow only its own.
        run.links[0].steady.departed_bytes = Bytes::new(24_000_000);
        assert_eq!(
            (utilisation(&run.only(&["long"])), utilisation(&run.only(&["cross"]))),
            (Some(96.0), Some(90.0))
        );
    }

    #[test]
    fn an_unlimited_link_is_no_bottleneck() {
        let mut run = record(vec![flow("a")], vec![link("free", 100)]);
        run.links[0].capacity = None;
        assert_eq!(utilisation(&run), None);
    }

    #[test]
    fn goodput_adds_flows_over_the_steady_time() {
        let mut run = record(vec![flow("a"), flow("b")], vec![]);
        run.flows[0].steady.goodput = Bytes::new(10_000_000);
        run.flows[1].steady.goodput = Bytes::new(2_500_000);
        assert_eq!(goodput(&run), Some(5.0));
        // b ran for the last 5 s only: 20 Mbit over 5 s.
        run.flows[1].start = Time::ZERO + Span::from_secs(25);
        assert_eq!(flow_goodput(&run, &run.flows[1]), Some(4.0));
    }

    #[test]
    fn shares_of_packets() {
        let mut run = record(vec![flow("a"), flow("b")], vec![]);
        assert_eq!((loss(&run), retransmitted(&run), ecn_marked(&run)), (None, None, None));
        run.flows[0].steady = FlowCounters {
            sent: 300,
            dropped: 3,
            retransmitted: 6,
            arrived: 297,
            timeouts: 2,
            undone: 1,
            ..FlowCounters::default()
        };
        run.flows[1].steady =
            FlowCounters { sent: 100, dropped: 1, arrived: 99, ..FlowCounters::default() };
        assert_eq!(
            (loss(&run), retransmitted(&run), ecn_marked(&run)),
            (Some(1.0), Some(1.5), None)
        );
        assert_eq!((timeouts(&run), spurious(&run)), (Some(2.0), Some(1.0)));
        run.flows[0].steady.ect0 = 198;
        run.flows[0].steady.ce = 99;
        assert_eq!(ecn_marked(&run), Some(25.0));
    }
}
