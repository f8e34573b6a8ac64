//! What a plan keeps of a run.

use super::{EDGES, Job, JobKind, Plan};
use crate::measured::{Measured, largest_moving_mean};
use narrows_measure::{FlowRecord, Record};
use narrows_units::{Span, Time};

/// Transfers in a row whose mean completion is compared for emergencies.
const WINDOW: usize = 200;

/// The measurements of a run, by period and arm.
#[derive(Clone, Debug, Default)]
pub struct Reduced {
    /// For each part, the control and the treatment. A run of one share is one part.
    pub parts: Vec<[Measured; 2]>,
    /// Largest ratio of the mean completion of 200 transfers in a row to that of all.
    pub moving: Option<f64>,
}

impl Reduced {
    /// Reduces the record of a run.
    pub fn of(plan: &Plan, job: &Job, record: &Record) -> Reduced {
        let parts = plan.parts(job);
        let start = |part: usize| Time::ZERO + parts.length * part as u64;
        let end = start(parts.shares.len());
        let (count, burn_in, burn_out) = match &job.kind {
            JobKind::Share(_) => (1, EDGES.0, EDGES.1),
            JobKind::Switchback(timing) | JobKind::Steady(timing, _) => {
                (parts.shares.len(), timing.burn_in, timing.burn_out)
            }
        };
        let mut all = vec![<[Measured; 2]>::default(); count];
        for flow in &record.flows {
            let Some((part, arm)) = plan.network.place(&flow.name, &parts) else { continue };
            let (from, until) = match &job.kind {
                JobKind::Share(_) => (Time::ZERO + burn_in, before(end, burn_out)),
                _ => (start(part) + burn_in, before(start(part + 1), burn_out)),
            };
            all[part.min(count - 1)][arm].add(flow, from, until, parts.length);
        }
        let exposed = |own: &&FlowRecord| plan.network.place(&own.name, &parts).is_some();
        let flows = record.flows.iter().filter(exposed);
        let transfers = flows.flat_map(|own| own.transfers.iter().flat_map(|all| &all.list));
        Reduced { parts: all, moving: largest_moving_mean(transfers, WINDOW) }
    }

    /// Returns all connections together.
    pub fn whole(&self) -> Measured {
        let mut whole = Measured::default();
        self.parts.iter().flatten().for_each(|own| whole.merge(own));
        whole
    }
}

fn before(time: Time, span: Span) -> Time {
    Time::ZERO + (time.since(Time::ZERO) - span)
}
