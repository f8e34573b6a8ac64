//! Parts of a record: of the run's time, and of its flows.

use crate::{
    ConsumerRecord, ConsumerSample, FlowCounters, FlowRecord, FlowSample, Histogram, IcnRecord,
    LinkCounters, LinkRecord, LinkSample, RatesRecord, RatesSample, Record, SubflowRecord,
    SubflowSample, Transfers,
};
use narrows_units::{Bytes, Span, Time};

impl Record {
    /// When what it tells of begins: with the run, unless it is of a part of one.
    pub fn begin(&self) -> Time {
        self.part.unwrap_or(Time::ZERO)
    }

    /// The record of the run from `from` to `to` alone: for every metric "since warm-up" means in
    /// this time, and what asks for a start means one in it or its beginning. The part from the end
    /// of the warm-up to the end is the record itself; any other is made from the samples:
    ///
    /// - An edge moves back to the sample that it follows, or to the run's beginning, so that
    ///   counts and time belong together; `to` ends with the record.
    /// - Counts are those that samples have. Metrics from others (retransmissions, timeouts, marks
    ///   that arrived, reductions undone) are not defined.
    /// - Series end at `to`; what came before `from` stays in them, for it says what stood when the
    ///   part began.
    /// - Round trips are the latest ones at the samples; queueing delays the queue at the samples
    ///   divided by the link's rate then; one-way delays the propagation delays that the route's
    ///   links had at the start of the run + these. So they are means over time, not over packets.
    /// - Transfers are those listed that began and were completed in it, none if the world did not
    ///   list them all.
    pub fn between(&self, from: Time, to: Time) -> Record {
        let over = Time::ZERO + self.duration;
        if from.since(Time::ZERO) == self.warmup && to >= over {
            return self.clone();
        }
        self.cut(from, to)
    }

    /// The record of a run that has come as far as `now`: its length and warm-up are those of the
    /// whole, its counts those of the latest samples since the beginning.
    pub fn so_far(&self, now: Time) -> Record {
        let Record { duration, warmup, part, .. } = *self;
        Record { duration, warmup, part, ..self.cut(self.begin(), now) }
    }

    /// The part from `from` to `to`, made from the samples.
    fn cut(&self, from: Time, to: Time) -> Record {
        let over = Time::ZERO + self.duration;
        let from = self.sampled(from).max(self.begin());
        let to = self.sampled(to.min(over)).max(from);
        let links: Vec<LinkRecord> = self.links.iter().map(|link| link.between(from, to)).collect();
        let flows = self.flows.iter().map(|flow| flow.between(&links, from, to)).collect();
        Record {
            duration: to.since(Time::ZERO),
            warmup: from.since(Time::ZERO),
            part: Some(from),
            flows,
            links,
            changes: self.changes.iter().filter(|change| change.at <= to).cloned().collect(),
            icn: self.icn.as_ref().map(|icn| Box::new(icn.between(from, to))),
            ..self.clone_without_series()
        }
    }

    /// The record with only the flows that are named so; a name also stands for the flows that a
    /// scenario's `count` made of it, `name.1` and so on. Links stay as they are, so what the
    /// others sent is still part of the utilisation and the queue; the bottleneck is a link that
    /// the flows left cross, and fair shares are theirs.
    pub fn only(&self, names: &[&str]) -> Record {
        let named = |flow: &FlowRecord| {
            names.iter().any(|name| *name == flow.name || copy_of(&flow.name) == Some(name))
        };
        let flows = self.flows.iter().filter(|flow| named(flow)).cloned().collect();
        let icn = self.icn.as_ref().map(|icn| {
            let consumers = self
                .flows
                .iter()
                .zip(&icn.consumers)
                .filter(|(flow, _)| named(flow))
                .map(|(_, consumer)| consumer.clone());
            Box::new(IcnRecord {
                consumers: consumers.collect(),
                rates: icn.rates.clone(),
                law: icn.law.clone(),
                ..**icn
            })
        });
        Record {
            flows,
            links: self.links.clone(),
            changes: self.changes.clone(),
            icn,
            ..self.clone_without_series()
        }
    }

    /// The record as if all flows crossed the link of this name and no other, so that it is the
    /// bottleneck. Without such a link they cross none.
    pub fn at_link(&self, name: &str) -> Record {
        let route: Vec<usize> =
            self.links.iter().position(|link| link.name == name).into_iter().collect();
        let flows = self
            .flows
            .iter()
            .map(|flow| FlowRecord {
                route: route.clone(),
                later_routes: vec![],
                multipath: false,
                ..flow.clone()
            })
            .collect();
        Record { flows, ..self.clone() }
    }

    fn clone_without_series(&self) -> Record {
        Record {
            flows: vec![],
            links: vec![],
            changes: vec![],
            icn: None,
            emulation: self.emulation.clone(),
            ..*self
        }
    }

    /// The latest time not after `time` at which a sample was taken.
    pub(crate) fn sampled(&self, time: Time) -> Time {
        let interval = self.interval.as_nanos().max(1);
        Time::ZERO + self.interval * (time.since(Time::ZERO).as_nanos() / interval)
    }
}

/// The name of which this is one of several, `name` of `name.1`.
pub(crate) fn copy_of(name: &str) -> Option<&str> {
    name.rsplit_once('.').filter(|(_, number)| number.parse::<u32>().is_ok()).map(|(name, _)| name)
}

impl FlowRecord {
    fn between(&self, links: &[LinkRecord], from: Time, to: Time) -> FlowRecord {
        let samples = until(&self.samples, to).to_vec();
        let end = self.end.filter(|end| *end <= to);
        let count = |at| {
            let now = standing(&samples, at);
            let at_end = standing(&samples, end.unwrap_or(at).min(at));
            FlowCounters { late_goodput: now.goodput - at_end.goodput, ..counters(&now) }
        };
        let mut rtt = Histogram::new();
        let mut one_way = Histogram::new();
        let runs = |at: Time| at > from && at > self.start && end.is_none_or(|end| at <= end);
        for sample in samples.iter().filter(|sample| runs(sample.at)) {
            sample.rtt.into_iter().for_each(|span| rtt.record(span));
            let crossing =
                |link: &usize| Some(links[*link].delay + links[*link].waiting(sample.at)?);
            let delay = self
                .route_at(sample.at)
                .iter()
                .try_fold(Span::ZERO, |sum, link| Some(sum + crossing(link)?));
            delay.into_iter().for_each(|delay| one_way.record(delay));
        }
        FlowRecord {
            name: self.name.clone(),
            controller: self.controller.clone(),
            end,
            completed: self.completed && end.is_some(),
            transfers: self.transfers.as_ref().and_then(|transfers| transfers.between(from, to)),
            route: self.route.clone(),
            later_routes: self.later_routes.clone(),
            total: count(to),
            steady: count(to).since(&count(from)),
            rtt,
            one_way,
            samples,
            ..*self
        }
    }
}

impl LinkRecord {
    fn between(&self, from: Time, to: Time) -> LinkRecord {
        let samples = until(&self.samples, to).to_vec();
        let before = standing(&samples, from);
        let after = standing(&samples, to);
        let count = |sample: &LinkSample| LinkCounters {
            departed_bytes: sample.departed_bytes,
            marked: sample.marked,
            ..LinkCounters::default()
        };
        let mut part = LinkRecord {
            name: self.name.clone(),
            nature: self.nature.clone(),
            total: count(&after),
            steady: count(&after).since(&count(&before)),
            capacity: self.capacity.map(|_| after.capacity - before.capacity),
            queueing: Histogram::new(),
            left_queued: after.queue_packets,
            left_in_flight: 0,
            samples,
            ..*self
        };
        let steady = part.samples.iter().filter(|sample| sample.at > from);
        let waits: Vec<Span> = steady.filter_map(|sample| part.waiting(sample.at)).collect();
        waits.into_iter().for_each(|wait| part.queueing.record(wait));
        part
    }

    /// How long what is in the queue takes to leave at the rate that the link has; `None` if it is
    /// unlimited or had no rate to tell.
    pub fn waiting(&self, at: Time) -> Option<Span> {
        let queue = standing(&self.samples, at).queue;
        if queue == Bytes::ZERO || self.capacity.is_none() {
            return Some(Span::ZERO);
        }
        self.recent_bps(at).map(|bps| Span::from_secs_f64(queue.bits() as f64 / bps))
    }

    /// The rate that the link had in the second before `at`, in bit/s; `None` of an unlimited one
    /// and of one that stood still.
    pub(crate) fn recent_bps(&self, at: Time) -> Option<f64> {
        let from = standing(&self.samples, at - Span::from_secs(1));
        let to = standing(&self.samples, at);
        let bits = to.capacity.saturating_sub(from.capacity).bits();
        let span = to.at.since(from.at);
        (bits > 0 && !span.is_zero()).then(|| bits as f64 / span.as_secs_f64())
    }
}

impl IcnRecord {
    fn between(&self, from: Time, to: Time) -> IcnRecord {
        let rates = self
            .rates
            .iter()
            .map(|rates| RatesRecord { samples: until(&rates.samples, to).to_vec(), ..*rates });
        let consumers = self.consumers.iter().map(|consumer| {
            let samples = until(&consumer.samples, to).to_vec();
            let before = standing(&samples, from).counters;
            let after = standing(&samples, to).counters;
            let subflows = consumer.subflows.iter();
            let subflows = subflows.map(|subflow| SubflowRecord {
                path: subflow.path,
                samples: until(&subflow.samples, to).to_vec(),
            });
            ConsumerRecord {
                many: consumer.many,
                total: after,
                steady: after.since(&before),
                samples,
                subflows: subflows.collect(),
            }
        });
        IcnRecord {
            law: self.law.clone(),
            rates: rates.collect(),
            consumers: consumers.collect(),
            ..*self
        }
    }
}

impl Transfers {
    fn between(&self, from: Time, to: Time) -> Option<Transfers> {
        let all = self.completed() <= self.list.len() as u64;
        let mut part = Transfers { deadline: self.deadline, ..Transfers::default() };
        for transfer in self
            .list
            .iter()
            .filter(|transfer| transfer.start >= from && transfer.start + transfer.took <= to)
        {
            part.begun += 1;
            part.count(transfer);
            part.list.push(*transfer);
        }
        all.then_some(part)
    }
}

fn counters(sample: &FlowSample) -> FlowCounters {
    FlowCounters {
        sent: sample.sent,
        dropped: sample.dropped,
        arrived_wire: sample.arrived_wire,
        goodput: sample.goodput,
        ..FlowCounters::default()
    }
}

/// A sample of a series; its default is what stands before the first.
pub trait Sample: Copy + Default {
    /// When it was taken.
    fn at(&self) -> Time;
}

impl Sample for FlowSample {
    fn at(&self) -> Time {
        self.at
    }
}

impl Sample for RatesSample {
    fn at(&self) -> Time {
        self.at
    }
}

impl Sample for ConsumerSample {
    fn at(&self) -> Time {
        self.at
    }
}

impl Sample for SubflowSample {
    fn at(&self) -> Time {
        self.at
    }
}

impl Sample for LinkSample {
    fn at(&self) -> Time {
        self.at
    }
}

/// The samples not after `time`.
pub(crate) fn until<T: Sample>(samples: &[T], time: Time) -> &[T] {
    // Where they are equally far apart, as they mostly are, this is the place, and no search is
    // needed.
    let step = samples.first().map_or(1, |first| first.at().as_nanos().max(1));
    let place = usize::try_from(time.as_nanos() / step).unwrap_or(usize::MAX).min(samples.len());
    let (before, after) = samples.split_at(place);
    let not_after = |sample: &T| sample.at() <= time;
    if before.last().is_none_or(not_after) && !after.first().is_some_and(not_after) {
        return before;
    }
    &samples[..samples.partition_point(not_after)]
}

/// The sample that stood at `time`: the last one not after it, or the nothing of the run's
/// beginning.
pub fn standing<T: Sample>(samples: &[T], time: Time) -> T {
    until(samples, time).last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::fixture::{flow, link, record, sending};
    use crate::metrics::{METRICS, metric};

    fn at(s: f64) -> Time {
        Time::ZERO + Span::from_secs_f64(s)
    }

    fn value(name: &str, run: &Record) -> Option<f64> {
        metric(name).and_then(|metric| (metric.compute)(run))
    }

    /// 2 Mbit/s until 15 s, 6 from there to 20 s, 8 to the end, of 10; the link sends what arrives.
    fn stepping() -> Record {
        let rate = |s: f64| [2.0, 6.0, 8.0][(s >= 15.0) as usize + (s >= 20.0) as usize];
        let mut run = record(
            vec![FlowRecord { route: vec![0], ..sending("a", rate) }],
            vec![link("narrow", 10)],
        );
        let counts: Vec<Bytes> =
            run.flows[0].samples.iter().map(|sample| sample.arrived_wire).collect();
        for (sample, count) in run.links[0].samples.iter_mut().zip(counts) {
            sample.departed_bytes = count;
        }
        run
    }

    #[test]
    fn rates_of_a_part() {
        let part = stepping().between(at(15.0), at(20.0));
        assert_eq!((value("utilisation", &part), value("goodput", &part)), (Some(60.0), Some(6.0)));
        let part = stepping().between(at(10.0), at(20.0));
        assert_eq!((value("utilisation", &part), value("goodput", &part)), (Some(40.0), Some(4.0)));
        assert_eq!(part.flows[0].samples.last().map(|sample| sample.at), Some(at(20.0)));
    }

    #[test]
    fn edges_move_back_to_samples() {
        let part = stepping().between(at(14.99), at(20.08));
        assert_eq!((part.warmup, part.duration), (Span::from_millis(14_900), Span::from_secs(20)));
        // 0.1 s at 2 and 5 s at 6 Mbit/s.
        let wanted = (0.2 + 30.0) / 5.1;
        assert!(value("goodput", &part).is_some_and(|got| (got - wanted).abs() < 1e-9));
    }

    #[test]
    fn a_part_of_a_part_and_the_whole() {
        let run = stepping();
        let part = run.between(at(12.0), at(25.0)).between(at(0.0), at(20.0));
        assert_eq!((part.begin(), part.duration), (at(12.0), Span::from_secs(20)));
        assert_eq!(value("goodput", &part), Some((6.0 + 30.0) / 8.0));
        let mut exact = stepping();
        exact.flows[0].steady.retransmitted = 7;
        assert_eq!(exact.between(at(10.0), at(30.0)).flows[0].steady.retransmitted, 7);
    }

    #[test]
    fn loss_is_counted_and_what_samples_lack_is_not_defined() {
        let mut run = stepping();
        for (i, sample) in run.flows[0].samples.iter_mut().enumerate() {
            (sample.sent, sample.dropped) = (100 * i as u64, 2 * i as u64);
        }
        let part = run.between(at(15.0), at(20.0));
        assert_eq!(value("loss", &part), Some(2.0));
        for name in ["retransmitted", "ecn_marked", "timeouts", "spurious", "late_frames"] {
            assert_eq!(value(name, &part), None, "{name}");
        }
    }

    #[test]
    fn an_empty_part_defines_nothing() {
        let part = stepping().between(at(20.0), at(15.0));
        assert_eq!((part.warmup, part.duration), (Span::from_secs(20), Span::from_secs(20)));
        for metric in METRICS {
            assert!((metric.compute)(&part).is_none_or(|value| value == 0.0), "{}", metric.name);
        }
    }

    #[test]
    fn delays_come_from_the_samples() {
        let mut run = stepping();
        for sample in &mut run.links[0].samples {
            sample.queue = Bytes::new(if sample.at > at(16.0) { 12_500 } else { 25_000 });
        }
        for sample in &mut run.flows[0].samples {
            sample.rtt = Some(Span::from_millis(if sample.at > at(16.0) { 40 } else { 50 }));
        }
        // At 10 Mbit/s 12,500 B wait 10 ms; of 50 samples 10 see twice as many.
        let part = run.between(at(15.0), at(20.0));
        let ms = |histogram: &Histogram| {
            (
                histogram.count(),
                histogram.min().unwrap().as_millis_f64(),
                histogram.max().unwrap().as_millis_f64(),
            )
        };
        assert_eq!(ms(&part.flows[0].rtt), (50, 40.0, 50.0));
        assert_eq!(ms(&part.flows[0].one_way), (50, 25.0, 35.0));
        assert_eq!(ms(&part.links[0].queueing), (50, 10.0, 20.0));
        assert_eq!(part.links[0].queueing.mean(), Some(Span::from_millis(12)));
    }

    #[test]
    fn flows_that_stopped_later_still_ran() {
        let mut run = stepping();
        (run.flows[0].end, run.flows[0].completed) = (Some(at(22.0)), true);
        let part = run.between(at(15.0), at(20.0));
        let later = run.between(at(21.0), at(24.0));
        assert_eq!((part.flows[0].end, part.flows[0].completed), (None, false));
        assert_eq!((later.flows[0].end, later.flows[0].completed), (Some(at(22.0)), true));
    }

    #[test]
    fn transfers_of_a_part_began_and_ended_in_it() {
        let transfer = |start: f64, ms| crate::Transfer {
            start: at(start),
            size: Bytes::new(1_000),
            took: Span::from_millis(ms),
            ideal: Span::from_millis(10),
        };
        let mut transfers = Transfers::default();
        for transfer in
            [transfer(14.9, 300), transfer(15.0, 20), transfer(17.0, 40), transfer(19.9, 200)]
        {
            transfers.count(&transfer);
            transfers.list.push(transfer);
        }
        let mut run = stepping();
        run.flows[0].transfers = Some(transfers);
        let part = run.between(at(15.0), at(20.0));
        assert_eq!(
            part.flows[0]
                .transfers
                .as_ref()
                .map(|transfers| (transfers.begun, transfers.list.len())),
            Some((2, 2))
        );
        assert!(value("fct_mean", &part).is_some_and(|mean| (mean - 0.03).abs() < 1e-9));
        run.flows[0].transfers.as_mut().unwrap().list.pop();
        assert!(run.between(at(15.0), at(20.0)).flows[0].transfers.is_none());
    }

    #[test]
    fn any_link_can_count_as_the_bottleneck() {
        let mut run = stepping();
        run.links.push(link("wide", 100));
        run.links[0].steady.departed_bytes = Bytes::new(12_500_000);
        run.links[1].steady.departed_bytes = Bytes::new(25_000_000);
        // 100 and 200 of 200 and 2000 Mbit.
        assert_eq!(value("utilisation", &run), Some(50.0));
        assert_eq!(value("utilisation", &run.at_link("narrow")), Some(50.0));
        assert_eq!(value("utilisation", &run.at_link("wide")), Some(10.0));
        assert_eq!(value("goodput", &run.at_link("wide")), value("goodput", &run));
    }

    #[test]
    fn flows_by_name() {
        let names = ["long", "cross.1", "cross.2", "crossing", "cross.b"];
        let run = record(names.map(flow).to_vec(), vec![link("narrow", 10)]);
        let left = |names: &[&str]| {
            run.only(names).flows.iter().map(|flow| flow.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(left(&["cross"]), ["cross.1", "cross.2"]);
        assert_eq!(left(&["long", "cross.2"]), ["long", "cross.2"]);
        assert!(left(&["other"]).is_empty());
        assert_eq!(run.only(&["long"]).links.len(), 1);
    }
}
