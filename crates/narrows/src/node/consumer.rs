//! A consumer at work, and what it measures.

use super::clock::RunClock;
use narrows_forward::{Asker, Client, Request, Segments, Understands};
use narrows_icn::{ConsumerSetup, Form, Method, Packet};
use narrows_live::icn::{ConsumerPlan, ConsumerReport, Counts, Moment, NodePlan, Times};
use narrows_measure::{ConsumerCounters, ConsumerSample, FlowCounters, FlowSample, Histogram, SubflowRecord};
use narrows_ndn::Name;
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Rates;
use std::error::Error;

/// Asks until the run ends. Also returns how late it was for what was due.
///
/// # Errors
/// The plan names what there is not, or the forwarder closes the connection.
pub fn consume(
    plan: &NodePlan,
    consumer: &ConsumerPlan,
    mut client: Client,
    clock: RunClock,
) -> Result<(ConsumerReport, Histogram), Box<dyn Error + Send + Sync>> {
    narrows_live::reduce_wakeup_latency();
    let method = match consumer.by_rates {
        true => Method::Rates(consumer.method.parse()?),
        false => Method::Window(consumer.method.parse()?),
    };
    let (data, start) = (Bytes::new(consumer.data), Time::from_nanos(consumer.start));
    let lifetime = Span::from_nanos(plan.lifetime);
    let setup = ConsumerSetup {
        seed: consumer.seed,
        interest: Bytes::new(plan.interest),
        data,
        lifetime,
        form: Form::Labels,
        catch_up: Asker::CATCH_UP,
    };
    let most = Rate::from_bps(consumer.most);
    let base: Name = consumer.content.parse()?;
    let most = Rates { primary: most, secondary: most };
    let understands = if consumer.by_proxy { Understands::Off } else { Understands::On };
    let request = Request { content: Segments::new(base, 0), segments: consumer.segments, method, setup, start };
    let asker = Asker::new(&mut client, understands, request)?;
    let mut work = Work {
        asker,
        data,
        interval: Span::from_nanos(plan.interval),
        sample_at: Time::from_nanos(plan.interval),
        warmup: Time::from_nanos(plan.warmup),
        stop: consumer.stop.map_or(Time::NEVER, Time::from_nanos),
        end: Time::from_nanos(plan.duration),
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
        let due = work.asker.consumer().due().unwrap_or(Time::NEVER);
        let now = clock.now();
        if due <= now && due > start {
            work.late.record(now.since(due));
        }
        work.asker.wait(|| clock.now(), until)?;
        while let Some(mut packet) = work.asker.packet(clock.now()) {
            match &mut packet {
                Packet::Data(data) => data.rates = data.rates.min(most),
                Packet::Nack(nack) => nack.rates = nack.rates.min(most),
                Packet::Interest(_) => {}
            }
            work.asker.handle(clock.now(), packet);
            work.asker.take_rtt().into_iter().for_each(|span| work.rtt.record(span));
        }
        if work.report.finished.is_none() && work.asker.consumer().finished() {
            work.report.finished = Some(clock.now().as_nanos());
        }
    }
    Ok(work.finish())
}

/// A consumer and its measurements.
struct Work<'c> {
    asker: Asker<'c>,
    data: Bytes,
    interval: Span,
    sample_at: Time,
    warmup: Time,
    stop: Time,
    end: Time,
    rtt: Histogram,
    late: Histogram,
    report: ConsumerReport,
    subflows: Vec<SubflowRecord>,
}

impl Work<'_> {
    /// When something is to be done beside asking.
    fn next(&self) -> Time {
        self.sample_at.min(self.warmup).min(self.stop).min(self.end)
    }

    /// Does what is to be done by `now`; false at the end.
    fn look(&mut self, now: Time) -> bool {
        while self.next() <= now {
            let at = self.next();
            if at == self.stop {
                self.asker.stop();
                (self.stop, self.report.stopped_with) = (Time::NEVER, Some(self.goodput()));
            } else if at == self.sample_at {
                self.sample(at);
                self.sample_at += self.interval;
            } else if at == self.warmup {
                self.report.at_warmup = self.counts();
                (self.rtt, self.warmup) = (Histogram::new(), Time::NEVER);
            } else {
                self.report.total = self.counts();
                return false;
            }
        }
        true
    }

    /// Bytes of Data, of the size that they have on links.
    fn goodput(&self) -> u64 {
        let data = self.asker.consumer().counters().data;
        (data.primary + data.secondary) * self.data.get()
    }

    fn counts(&self) -> Counts {
        let (mut flow, mut consumer) = (FlowCounters::default(), ConsumerCounters::default());
        let counters = narrows_icn::ConsumerCounters { goodput: Bytes::new(self.goodput()), ..self.asker.consumer().counters() };
        counters.add_to(self.data, &mut flow, &mut consumer);
        Counts::of(&flow, &consumer)
    }

    /// The size of Data on links, over that in which the consumer sees them, without headers of IP and UDP.
    fn scale(&self) -> f64 {
        let seen = self.asker.consumer().counters().goodput.get();
        if seen == 0 { 1.0 } else { self.goodput() as f64 / seen as f64 }
    }

    fn sample(&mut self, at: Time) {
        let (mut flow, mut asks) = (FlowSample { at, ..FlowSample::default() }, ConsumerSample { at, ..ConsumerSample::default() });
        let (scale, consumer) = (self.scale(), self.asker.consumer());
        consumer.sample(&mut flow, &mut asks);
        let scaled = |rate: Rate| Rate::from_bps((rate.as_bps() as f64 * scale) as u64);
        (asks.primary_rate, asks.secondary_rate) = (scaled(asks.primary_rate), scaled(asks.secondary_rate));
        self.report.samples.push(Moment::of(&flow, &asks, !consumer.finished(), self.counts()));
        consumer.sample_subflows(at, &mut self.subflows);
    }

    fn finish(mut self) -> (ConsumerReport, Histogram) {
        let scale = self.scale();
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
