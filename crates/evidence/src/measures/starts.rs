//! How connections start, from samples of windows, thresholds and drops.
//!
//! The **starters** of a run are the flows with a controller that begin last. The **end** of a
//! start is the first sample with a finite slow start threshold.

use super::convergence::delivered;
use narrows_control::{Choice, Setup};
use narrows_measure::metrics::{Better, Metric, bottleneck};
use narrows_measure::statistics::{mean, median};
use narrows_measure::{FlowRecord, FlowSample, LinkRecord, Record, Transfer, standing};
use narrows_units::{Rate, Span, Time};

const SOURCE: &str = "ours; RFC 9406 and draft-chung-ccwg-search compare starts by these";

pub(super) const START_EXIT_BDP: Metric = Metric {
    name: "start_exit_bdp",
    unit: "BDP",
    better: Better::Neither,
    summary: "Window at the end of the first slow start.",
    formula: "median over the flows with a controller that begin last of the largest window up to the first sample with a finite slow start threshold, or that threshold \
              if it is larger, / (the bottleneck's rate x the base round trip / wire bytes of a packet). Not defined without such a sample",
    source: SOURCE,
    compute: |record| of_ends(record, |end| Some(end.window / end.bdp)),
};

pub(super) const START_CLASS: Metric = Metric {
    name: "start_class",
    unit: "",
    better: Better::Neither,
    summary: "End of the first slow start: 1 early, 2 right, 3 late.",
    formula: "median over the flows of start_exit_bdp of: 1 below 0.9 BDP; 3 by congestion (see start_cause), above 1 BDP + the bottleneck's buffer, or with a packet of \
              the flow dropped by a round trip after the end; else 2",
    source: "ours",
    compute: |record| of_ends(record, |end| Some(f64::from(end.class(record) as u8))),
};

pub(super) const START_CAUSE: Metric = Metric {
    name: "start_cause",
    unit: "%",
    better: Better::Neither,
    summary: "Share of starts that the start itself ended, before congestion was known.",
    formula: "share of the flows of start_exit_bdp of which the threshold is 95 % or more of the largest window until then, or of which nothing was dropped, and nothing \
              marked at the bottleneck, until then while the window stayed above half of the threshold. The rest ended by a loss, a mark or a timeout",
    source: "ours; neqo counts causes of exits from slow start",
    compute: |record| share(record, |end| end.is_heuristic),
};

pub(super) const START_LEFT: Metric = Metric {
    name: "start_left",
    unit: "%",
    better: Better::Neither,
    summary: "Share of flows that left slow start.",
    formula: "share of the flows with a controller that begin last that have a sample with a finite slow start threshold. Not defined for controllers without a threshold",
    source: "ours; neqo counts connections that leave slow start",
    compute: |record| {
        let all = starters(record).into_iter().filter(|flow| has_threshold(flow)).count();
        (all > 0).then(|| 100.0 * ends(record).len() as f64 / all as f64)
    },
};

pub(super) const START_FALSE: Metric = Metric {
    name: "start_false",
    unit: "%",
    better: Better::Lower,
    summary: "Share of flows whose start was ended by itself on a path that they never filled.",
    formula: "share of the flows with a controller that begin last whose start ended by itself (see start_cause), and that had no base round trip in which 90 % of the \
              bottleneck's rate arrived. Not defined for controllers without a threshold",
    source: "ours; draft-chung-ccwg-search calls such an exit early",
    compute: |record| {
        let all = starters(record).into_iter().filter(|flow| has_threshold(flow)).count() as f64;
        let rate = rate(record)?;
        let untrue =
            |end: &End| end.is_heuristic && filled(record, &[end.flow], rate, 0.9).is_none();
        (all > 0.0)
            .then(|| 100.0 * ends(record).iter().filter(|end| untrue(end)).count() as f64 / all)
    },
};

pub(super) const START_LOSS: Metric = Metric {
    name: "start_loss",
    unit: "BDP",
    better: Better::Lower,
    summary: "Packets lost by the first slow start.",
    formula: "mean over the flows of start_exit_bdp of their packets dropped by a round trip after the end / BDP in packets; zero for a flow that drops nothing in all the run",
    source: SOURCE,
    compute: |record| {
        let ended = ends(record);
        let lossless = starters(record)
            .into_iter()
            .filter(|flow| {
                flow.total.dropped == 0 && !ended.iter().any(|end| end.flow.name == flow.name)
            })
            .map(|_| 0.0);
        let lost = ended
            .iter()
            .map(|end| standing(&end.flow.samples, end.after()).dropped as f64 / end.bdp);
        mean(&lost.chain(lossless).collect::<Vec<_>>())
    },
};

pub(super) const START_QUEUE: Metric = Metric {
    name: "start_queue",
    unit: "BDP",
    better: Better::Lower,
    summary: "Longest queue of the first slow start.",
    formula: "largest sample of the bottleneck's queue from the start of the flows of start_exit_bdp to a round trip after the last of their ends / BDP",
    source: SOURCE,
    compute: |record| {
        let ended = ends(record);
        let until = ended.iter().map(End::after).max()?;
        let (from, bdp) = (ended[0].flow.start, ended[0].bdp * ended[0].wire);
        let within =
            bottleneck(record)?.samples.iter().filter(|own| own.at >= from && own.at <= until);
        Some(within.map(|own| own.queue.get()).max()? as f64 / bdp)
    },
};

pub(super) const START_T80: Metric = Metric {
    name: "start_t80",
    unit: "s",
    better: Better::Lower,
    summary: "Time until a flow has eight tenths of the rate.",
    formula: "time from the start of the flows with a controller that begin last to the end of the first base round trip in which 80 % of the bottleneck's rate arrive of them \
              all together, on the wire",
    source: SOURCE,
    compute: |record| {
        let flows = starters(record);
        let at = filled(record, &flows, rate(record)?, 0.8)?;
        Some(at.since(flows.first()?.start).as_secs_f64())
    },
};

pub(super) const START_HARM: Metric = Metric {
    name: "start_harm",
    unit: "%",
    better: Better::Lower,
    summary: "Goodput that others lose while a flow starts.",
    formula: "1 - the goodput of the other flows in the 5 s from the start of the flows with a controller that begin last / that in the 5 s before",
    source: "ours; harm: Ware, Mukerjee, Seshan and Sherry, HotNets 2019",
    compute: |record| {
        const WHILE: Span = Span::from_secs(5);
        let start = starters(record).first()?.start;
        let others = || record.flows.iter().filter(|flow| flow.start < start);
        let sum = |at: Time| others().map(|flow| delivered(flow, at) as f64).sum::<f64>();
        let before = sum(start) - sum((start.since(Time::ZERO) >= WHILE).then(|| start - WHILE)?);
        (before > 0.0).then(|| 100.0 * (1.0 - (sum(start + WHILE) - sum(start)) / before))
    },
};

pub(super) const START_IDEAL: Metric = Metric {
    name: "start_ideal",
    unit: "s",
    better: Better::Neither,
    summary: "Least time of the first transfer.",
    formula: "ideal time of the first transfer of the flows with a controller that begin last (see slowdown_p50): its bytes at the rate of the slowest link, propagation, \
              and a round trip for the handshake",
    source: "as for slowdown_p50",
    compute: |record| {
        let first = |flow: &&FlowRecord| flow.transfers.as_ref()?.list.first().map(|own| own.ideal);
        Some(starters(record).iter().find_map(first)?.as_secs_f64())
    },
};

pub(super) const LAST_SLOWDOWN: Metric = Metric {
    name: "last_slowdown",
    unit: "",
    better: Better::Lower,
    summary: "Slowdown of the transfer that begins last.",
    formula: "mean over the flows with a controller that begin last of the completion time of the transfer that begins last / its ideal time (see slowdown_p50). Not defined \
              unless all transfers of these flows are complete",
    source: "ours; draft-ietf-ccwg-ratelimited-increase-10 bounds the window that bulk data find after limited data",
    compute: |record| {
        let all = starters(record).into_iter().map(last).collect::<Option<Vec<_>>>()?;
        mean(&all.iter().map(|own| own.slowdown()).collect::<Vec<_>>())
    },
};

pub(super) const LAST_DROPPED: Metric = Metric {
    name: "last_dropped",
    unit: "",
    better: Better::Lower,
    summary: "Packets lost by the transfer that begins last.",
    formula: "mean over the flows of last_slowdown of their packets dropped from the start of that transfer on",
    source: "ours; as for last_slowdown",
    compute: |record| {
        let dropped = |flow: &FlowRecord| {
            let before = standing(&flow.samples, last(flow)?.start).dropped;
            Some((flow.total.dropped - before) as f64)
        };
        mean(&starters(record).into_iter().map(dropped).collect::<Option<Vec<_>>>()?)
    },
};

/// Returns the transfer of a flow that begins last; `None` if one is not complete.
fn last(flow: &FlowRecord) -> Option<&Transfer> {
    let all = flow.transfers.as_ref().filter(|own| own.begun == own.list.len() as u64)?;
    all.list.iter().max_by_key(|own| own.start)
}

/// The end of a flow's start.
struct End<'a> {
    flow: &'a FlowRecord,
    /// The first sample with a finite threshold.
    sample: &'a FlowSample,
    /// Largest window until then, in segments.
    window: f64,
    /// Bandwidth-delay product in packets.
    bdp: f64,
    /// Wire bytes of a packet.
    wire: f64,
    /// True if the start ended by itself.
    is_heuristic: bool,
}

/// The place of an end beside what path and buffer hold.
#[derive(Clone, Copy)]
enum Class {
    Early = 1,
    Right = 2,
    Late = 3,
}

impl End<'_> {
    /// A round trip after the end.
    fn after(&self) -> Time {
        self.sample.at + self.sample.rtt.unwrap_or(self.flow.base_rtt)
    }

    fn class(&self, record: &Record) -> Class {
        let window = self.window / self.bdp;
        let holds =
            bottleneck(record).and_then(|link| buffer(link, self.wire)).unwrap_or(f64::INFINITY);
        let dropped = standing(&self.flow.samples, self.after()).dropped > 0;
        match () {
            () if window < 0.9 => Class::Early,
            () if !self.is_heuristic
                || dropped
                || window > 1.0 + holds / (self.bdp * self.wire) =>
            {
                Class::Late
            }
            () => Class::Right,
        }
    }
}

/// Returns the flows with a controller that begin last.
fn starters(record: &Record) -> Vec<&FlowRecord> {
    let driven = || record.flows.iter().filter(|flow| flow.controller != "none");
    let latest = driven().map(|flow| flow.start).max();
    driven().filter(|flow| Some(flow.start) == latest).collect()
}

/// True if the controller of a flow has a slow start threshold. Controllers from files count as
/// without one.
fn has_threshold(flow: &FlowRecord) -> bool {
    let built = flow.controller.parse::<Choice>().ok();
    let built = built.and_then(|choice| choice.build(&Setup::default()).ok());
    let mut found = false;
    if let Some(controller) = built {
        controller.inspect(&mut |name, _| found |= name == "ssthresh");
    }
    found
}

/// Returns the ends of the starters' starts.
fn ends(record: &Record) -> Vec<End<'_>> {
    let Some((link, rate)) = bottleneck(record).zip(rate(record)) else { return Vec::new() };
    starters(record).into_iter().filter_map(|flow| end(flow, link, rate)).collect()
}

fn end<'a>(flow: &'a FlowRecord, link: &LinkRecord, rate: Rate) -> Option<End<'a>> {
    let place = flow.samples.iter().position(|own| own.ssthresh.is_some())?;
    let sample = &flow.samples[place];
    let threshold = sample.ssthresh?;
    let largest = flow.samples[..=place].iter().map(|own| own.cwnd).fold(threshold, f64::max);
    let wire = wire(flow);
    let bdp = rate.as_bps() as f64 / 8.0 * flow.base_rtt.as_secs_f64() / wire;
    let clean = sample.dropped == 0 && standing(&link.samples, sample.at).marked == 0;
    let is_heuristic = threshold >= 0.95 * largest || (clean && sample.cwnd >= 0.5 * threshold);
    Some(End { flow, sample, window: largest, bdp, wire, is_heuristic })
}

/// Returns the wire bytes of a mean packet of a flow.
fn wire(flow: &FlowRecord) -> f64 {
    let mean = flow.total.arrived_wire.get() as f64 / (flow.total.arrived as f64).max(1.0);
    mean.max(flow.mss.get() as f64)
}

/// Returns the rate of the bottleneck, in the mean over its samples if it changes.
fn rate(record: &Record) -> Option<Rate> {
    let link = bottleneck(record)?;
    let mean = || {
        let last = link.samples.last()?;
        let time = last.at.since(Time::ZERO).as_secs_f64();
        (time > 0.0).then(|| Rate::from_bytes_per_sec(last.capacity.get() as f64 / time))
    };
    link.rate.or_else(mean).filter(|rate| rate.as_bps() > 0)
}

/// Returns the bytes that the buffer of a link holds; `None` if it is unlimited.
fn buffer(link: &LinkRecord, wire: f64) -> Option<f64> {
    let bytes = link.buffer.map(|own| own.get() as f64);
    bytes.or(link.buffer_packets.map(|own| f64::from(own) * wire))
}

/// Returns the end of the first base round trip in which the flows had this part of a rate.
fn filled(record: &Record, flows: &[&FlowRecord], rate: Rate, part: f64) -> Option<Time> {
    let rtt = flows.first()?.base_rtt.max(record.interval);
    let full = rate.bytes_in(rtt).get() as f64;
    let arrived = |at: Time| -> u64 {
        flows.iter().map(|flow| standing(&flow.samples, at).arrived_wire.get()).sum()
    };
    let times = flows.first()?.samples.iter().map(|own| own.at);
    let mut times = times.filter(|at| at.since(Time::ZERO) >= rtt);
    times.find(|at| (arrived(*at) - arrived(*at - rtt)) as f64 >= part * full)
}

/// Returns the median over the ends of a value of each.
fn of_ends(record: &Record, value: impl Fn(&End<'_>) -> Option<f64>) -> Option<f64> {
    median(&ends(record).iter().filter_map(value).collect::<Vec<_>>())
}

/// Returns the share of the ends of which this is true, in percent.
fn share(record: &Record, of: impl Fn(&End<'_>) -> bool) -> Option<f64> {
    let ended = ends(record);
    let count = ended.iter().filter(|end| of(end)).count();
    (!ended.is_empty()).then(|| 100.0 * count as f64 / ended.len() as f64)
}
