//! The consumers of a request process at a node. Each starts at its time, requests its content and
//! ends.

use super::asking::Asking;
use super::clock::RunClock;
use super::looks::{Look, Looks};
use narrows_forward::{Client, ClientError, RequestLoop};
use narrows_live::icn::{ConsumerPlan, Counts, Moment, NodePlan, RequestsReport, Times};
use narrows_measure::{ConsumerCounters, ConsumerSample, FlowCounters, FlowSample, Histogram};
use narrows_units::Time;
use std::error::Error;

/// Starts each consumer at its time and serves all of them until the run ends. Each consumer has a
/// separate connection. A new consumer takes over the connection of a consumer that has finished.
/// Also returns the histogram of the lateness after deadlines.
///
/// # Errors
/// If a method or a name of the plan does not parse, the forwarder refuses a further connection or
/// closes one, or a consumer's controller fails.
pub fn ask_for_all(
    plan: &NodePlan,
    consumers: &[ConsumerPlan],
    connect: impl Fn() -> Result<Client, ClientError>,
    clock: RunClock,
) -> Result<(RequestsReport, Histogram), Box<dyn Error + Send + Sync>> {
    narrows_live::reduce_wakeup_latency();
    let mut work = Work {
        working: Vec::new(),
        free: Vec::new(),
        looks: Looks::new(plan),
        gone: Default::default(),
        rtt: Histogram::new(),
        late: Histogram::new(),
        report: RequestsReport {
            finished: vec![None; consumers.len()],
            ..RequestsReport::default()
        },
    };
    let mut coming = consumers.iter().enumerate().peekable();
    let next = |coming: Option<&(usize, &ConsumerPlan)>| {
        coming.map_or(Time::NEVER, |(_, consumer)| Time::from_nanos(consumer.start))
    };
    while work.look(clock.now()) {
        let now = clock.now();
        while let Some((number, consumer)) =
            coming.next_if(|(_, consumer)| consumer.start <= now.as_nanos())
        {
            work.late.record(now.since(Time::from_nanos(consumer.start)));
            let asking = match work.free.pop() {
                Some(mut asking) => {
                    asking.begin(plan, consumer)?;
                    asking
                }
                None => {
                    let client = connect().map_err(|error| no_more(work.working.len(), error))?;
                    Asking::new(plan, consumer, client)?
                }
            };
            work.working.push(Current {
                asking,
                number,
                start: Time::from_nanos(consumer.start),
                ready: true,
            });
        }
        work.serve(clock)?;
        let due = work
            .working
            .iter()
            .map(|current| if current.ready { Time::ZERO } else { current.asking.due() })
            .min();
        let until = due.unwrap_or(Time::NEVER).min(work.looks.next()).min(next(coming.peek()));
        let now = clock.now();
        let ready = RequestLoop::wait_for_any(
            work.working.iter().map(|current| current.asking.asker()),
            until.since(now.min(until)),
        )?;
        work.working.iter_mut().zip(ready).for_each(|(current, ready)| current.ready |= ready);
    }
    work.report.together.rtt = Times::from(&work.rtt);
    Ok((work.report, work.late))
}

/// Returns the error message for a connection that cannot be opened while `working` consumers run.
fn no_more(working: usize, error: ClientError) -> String {
    match error {
        ClientError::Absent { source, .. } => format!(
            "{working} consumers of a request process ask at once, and one more has no connection: {source}; \
             make `every` of the process longer, or raise the limit of open files (ulimit -Hn), of which each takes two"
        ),
        other => other.to_string(),
    }
}

/// A consumer that has not finished.
struct Current {
    asking: Asking,
    /// Index of the consumer in the plan.
    number: usize,
    start: Time,
    /// True if a packet may have arrived for the consumer, or the consumer may have something to
    /// send.
    ready: bool,
}

/// The running consumers and the measurements of all consumers.
struct Work {
    working: Vec<Current>,
    /// Idle connections of consumers that have finished.
    free: Vec<Asking>,
    looks: Looks,
    /// Counters of the consumers that have finished.
    gone: (FlowCounters, ConsumerCounters),
    rtt: Histogram,
    late: Histogram,
    report: RequestsReport,
}

impl Work {
    /// Takes the samples and counts that are due by `now`. Returns false at the end of the run.
    fn look(&mut self, now: Time) -> bool {
        while let Some((at, look)) = self.looks.take(now) {
            let counts = self.counts();
            let together = &mut self.report.together;
            match look {
                Look::Sample => {
                    let (flow, asks) = (
                        FlowSample { at, ..FlowSample::default() },
                        ConsumerSample { at, ..ConsumerSample::default() },
                    );
                    together.samples.push(Moment::of(
                        &flow,
                        &asks,
                        self.working.len() as u32,
                        counts,
                    ));
                }
                Look::Warmup => (together.at_warmup, self.rtt) = (counts, Histogram::new()),
                Look::End => {
                    together.total = counts;
                    return false;
                }
            }
        }
        true
    }

    fn counts(&self) -> Counts {
        let (mut flow, mut consumer) = self.gone;
        self.working.iter().for_each(|current| current.asking.add_to(&mut flow, &mut consumer));
        Counts::of(&flow, &consumer)
    }

    /// Serves the consumers with a pending packet or a deadline that has passed.
    fn serve(&mut self, clock: RunClock) -> Result<(), Box<dyn Error + Send + Sync>> {
        let mut place = 0;
        while let Some(current) = self.working.get_mut(place) {
            let (due, now) = (current.asking.due(), clock.now());
            if due <= now && due > current.start {
                self.late.record(now.since(due));
            }
            if current.ready || due <= now {
                current.ready = current.asking.serve(clock, Time::ZERO, &mut self.rtt)?;
            }
            if current.asking.asker().consumer().finished() {
                let Current { asking, number, .. } = self.working.swap_remove(place);
                self.report.finished[number] = Some(clock.now().as_nanos());
                asking.add_to(&mut self.gone.0, &mut self.gone.1);
                self.free.push(asking);
            } else {
                place += 1;
            }
        }
        Ok(())
    }
}
