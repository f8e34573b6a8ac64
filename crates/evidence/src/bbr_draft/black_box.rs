//! Cases of controllers that show no state: goodput, delay and loss alone. The thresholds are those of the cases with a record, or ours where one says so.

use super::aggregation;
use super::outcome::Trial;
use super::plan::Plan;
use super::record::Record;
use super::small;
use super::steps;
use super::subject::Subject;
use narrows_units::{Span, Time};

fn at(seconds: f64) -> Time {
    Time::ZERO + Span::from_secs_f64(seconds)
}

/// The share of the link used in a part of the run.
fn used(trial: &mut Trial, record: &Record, capacity: f64, from: f64, to: f64) {
    let used = record.arrived(at(from), at(to)) as f64 / ((to - from) * capacity);
    trial.note("utilisation", used);
    trial
        .check("utilisation", used >= 0.95, || format!("{:.1} % of the link are used from {from} to {to} s, less than 95 %", 100.0 * used));
}

/// T01: by 12 round trips and as much again the link is full (ours).
pub(super) fn plateau(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("goodput", |trial| {
        let plan = Plan::r(subject);
        let run = plan.run()?;
        used(trial, &run.record, plan.capacity(), 1.0, 5.0);
        Ok(())
    })]
}

/// T12: from 1 s on, when Startup is long over (ours).
pub(super) fn aggregated_startup(subject: &Subject) -> Vec<Trial> {
    let variant = |name: &str, plan: Plan| {
        Trial::new(name, |trial| {
            let run = plan.run()?;
            used(trial, &run.record, plan.capacity(), 1.0, 3.0);
            Ok(())
        })
    };
    let plan = aggregation::path(subject).lasting(Span::from_secs(4));
    vec![variant("acknowledgements", plan.clone().back(aggregation::BURSTS)), variant("data", plan.link(aggregation::BURSTS))]
}

/// T13: aggregation begins at 1 s.
pub(super) fn aggregated_cruise(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("goodput", |trial| {
        let plan = aggregation::path(subject).lasting(Span::from_secs(6)).change_back(at(1.0), aggregation::BURSTS);
        let run = plan.run()?;
        used(trial, &run.record, plan.capacity(), 1.0, 6.0);
        Ok(())
    })]
}

pub(super) fn sub_packet(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("goodput", |trial| {
        let plan = small::path(subject);
        let run = plan.run()?;
        used(trial, &run.record, plan.capacity(), 0.0, 60.0);
        let timeouts = run.measured.flows[0].total.timeouts;
        trial.check("timeouts", timeouts == 0, || format!("there were {timeouts} timeouts"));
        Ok(())
    })]
}

/// T15: 10 to 100 Mbit/s at 5 s.
pub(super) fn up(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("goodput", |trial| {
        let plan = Plan::path(subject, 10_000_000, Span::from_millis(40), "500 kB").lasting(Span::from_secs(18));
        let run = plan.change(at(5.0), "rate = \"100 Mbit/s\"").run()?;
        steps::fast_after(trial, &run.record, at(5.0));
        Ok(())
    })]
}

/// T16: 100 to 10 Mbit/s at 5 s. From the tenth second after, at most 5 % loss and half of the 400 ms of buffer filled (ours).
pub(super) fn down(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("loss and delay", |trial| {
        let plan = Plan::path(subject, 100_000_000, Span::from_millis(40), "500 kB").lasting(Span::from_secs(30));
        let run = plan.change(at(5.0), "rate = \"10 Mbit/s\"").run()?;
        let record = &run.record;
        let (arrived, dropped) =
            (record.arrived(at(15.0), at(30.0)) as f64, record.drops.iter().filter(|drop| **drop >= at(15.0)).count() as f64);
        let loss = dropped / (arrived + dropped);
        trial.note("loss", loss);
        trial.check("loss", loss <= 0.05, || format!("{:.1} % of the packets are lost, more than 5 %", 100.0 * loss));
        let mut delays: Vec<f64> =
            record.rows.iter().filter(|row| row.at >= at(15.0)).filter_map(|row| Some(row.rtt?.as_millis_f64() - 40.0)).collect();
        delays.sort_by(f64::total_cmp);
        let median = delays.get(delays.len() / 2).copied().unwrap_or(f64::INFINITY);
        trial.note("median_queueing_ms", median);
        trial.check("delay", median <= 200.0, || format!("the median queueing delay is {median:.0} ms, more than half the buffer"));
        Ok(())
    })]
}

pub(super) fn policer(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("goodput and loss", |trial| {
        let run = steps::policed(subject, 250).run()?;
        steps::tokens_used(trial, &run.record);
        Ok(())
    })]
}
