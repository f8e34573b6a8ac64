//! A running consumer and its measurements.

use super::asking::Asking;
use super::clock::RunClock;
use super::looks::{Look, Looks};
use narrows_forward::Client;
use narrows_live::icn::{ConsumerPlan, ConsumerReport, Counts, Moment, NodePlan, Times};
use narrows_measure::{
    ConsumerCounters, ConsumerSample, FlowCounters, FlowSample, Histogram, SubflowRecord,
};
use narrows_units::{Rate, Time};
use std::error::Error;

/// Runs a consumer until the run ends. Also returns the histogram of its lateness after deadlines.
///
/// # Errors
/// If a method or a name of the plan does not parse, the forwarder closes the connection, or the
/// consumer's controller fails.
pub fn consume(
    plan: &NodePlan,
    consumer: &ConsumerPlan,
    client: Client,
    clock: RunClock,
) -> Result<(ConsumerReport, Histogram), Box<dyn Error + Send + Sync>> {
    narrows_live::reduce_wakeup_latency();
    let start = Time::from_nanos(consumer.start);
    let mut work = Work {
        asking: Asking::new(plan, consumer, client)?,
        looks: Looks::new(plan),
        stop: consumer.stop.map_or(Time::NEVER, Time::from_nanos),
        rtt: Histogram::new(),
        late: Histogram::new(),
        report: ConsumerReport::default(),
        subflows: Vec::new(),
    };
    while work.look(clock.now()) {
        let until = work.next();
        if clock.now() < start {
            clock.sleep_until(start.min(until).as_nanos());
            continue;
        }
        let (due, now) = (work.asking.due(), clock.now());
        if due <= now && due > start {
            work.late.record(now.since(due));
        }
        work.asking.serve(clock, until, &mut work.rtt)?;
        if work.report.finished.is_none() && work.asking.asker().consumer().finished() {
            work.report.finished = Some(clock.now().as_nanos());
        }
    }
    Ok(work.finish())
}

/// A consumer and its measurements.
struct Work {
    asking: Asking,
    looks: Looks,
    stop: Time,
    rtt: Histogram,
    late: Histogram,
    report: ConsumerReport,
    subflows: Vec<SubflowRecord>,
}

impl Work {
    /// Returns the next time at which there is something to do apart from serving the consumer.
    fn next(&self) -> Time {
        self.looks.next().min(self.stop)
    }

    /// Takes the samples and counts that are due by `now` and stops the consumer at its end.
    /// Returns false at the end of the run.
    fn look(&mut self, now: Time) -> bool {
        while self.next() <= now {
            if self.stop <= self.looks.next() {
                self.asking.stop();
                (self.stop, self.report.stopped_with) = (Time::NEVER, Some(self.asking.goodput()));
                continue;
            }
            match self.looks.take(now) {
                Some((at, Look::Sample)) => self.sample(at),
                Some((_, Look::Warmup)) => {
                    (self.report.at_warmup, self.rtt) = (self.counts(), Histogram::new())
                }
                Some((_, Look::End)) | None => {
                    self.report.total = self.counts();
                    return false;
                }
            }
        }
        true
    }

    fn counts(&self) -> Counts {
        let (mut flow, mut consumer) = (FlowCounters::default(), ConsumerCounters::default());
        self.asking.add_to(&mut flow, &mut consumer);
        Counts::of(&flow, &consumer)
    }

    fn sample(&mut self, at: Time) {
        let (mut flow, mut asks) = (
            FlowSample { at, ..FlowSample::default() },
            ConsumerSample { at, ..ConsumerSample::default() },
        );
        let (scale, consumer) = (self.asking.scale(), self.asking.asker().consumer());
        consumer.sample(&mut flow, &mut asks);
        let scaled = |rate: Rate| Rate::from_bps((rate.as_bps() as f64 * scale) as u64);
        (asks.primary_rate, asks.secondary_rate) =
            (scaled(asks.primary_rate), scaled(asks.secondary_rate));
        self.report.samples.push(Moment::of(
            &flow,
            &asks,
            u32::from(!consumer.finished()),
            self.counts(),
        ));
        consumer.sample_subflows(at, &mut self.subflows);
    }

    fn finish(mut self) -> (ConsumerReport, Histogram) {
        let scale = self.asking.scale();
        let scaled = |amount: u64| (amount as f64 * scale) as u64;
        let path = |subflow: &SubflowRecord| {
            let samples = subflow.samples.iter().map(|sample| {
                [
                    sample.at.as_nanos(),
                    scaled(sample.primary.get()),
                    scaled(sample.secondary.get()),
                    scaled(sample.primary_rate.as_bps()),
                    scaled(sample.secondary_rate.as_bps()),
                ]
            });
            (subflow.path, samples.collect())
        };
        self.report.subflows = self.subflows.iter().map(path).collect();
        self.report.rtt = Times::from(&self.rtt);
        (self.report, self.late)
    }
}
