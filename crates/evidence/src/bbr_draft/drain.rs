//! Cases T03 and T04: Drain.

use super::experiment::{Changed, at_transition};
use super::model::inflight;
use super::outcome::Trial;
use super::plan::{Plan, text};
use super::record::{Field, Record, State};
use super::subject::Subject;
use narrows_units::{Span, Time};

pub(super) fn by_flight(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let run = Plan::r(subject).lasting(Span::from_secs(2)).run()?;
        drained_by_flight(trial, &run.record)
    })]
}

/// Checks the conditions for a Drain that ends by its flight. ProbeRTT may interrupt Drain, like
/// any state, if a round trip takes a second or the path holds few packets.
pub(super) fn drained_by_flight(trial: &mut Trial, record: &Record) -> Result<(), String> {
    let after = drained(trial, record)?;
    let interrupted = record.rows[after].state() == Some(State::ProbeRtt);
    trial.note("ended_by_probe_rtt", interrupted as u8 as f64);
    trial.check("flight", interrupted || is_drained(record, after), || {
        format!(
            "Drain ends with {} packets in flight, more than Inflight(1.0)",
            record.rows[after].in_flight
        )
    });
    Ok(())
}

/// Checks the conditions for any Drain. Returns the row at which Drain is over.
fn drained(trial: &mut Trial, record: &Record) -> Result<usize, String> {
    let drain = record.ends_startup(Time::ZERO)?;
    if record.rows[drain].state() != Some(State::Drain) {
        trial.note("lasts_s", 0.0);
        return Ok(drain);
    }
    let after = record.leaves(drain)?;
    let gain = record.rows[drain].get(Field::PacingGain);
    trial.note("pacing_gain", gain);
    trial.note("lasts_s", record.rows[after].at.since(record.rows[drain].at).as_secs_f64());
    trial.note("in_flight_at_end", record.rows[after].in_flight as f64);
    trial.check("gain", gain == 0.5, || format!("the pacing gain is {gain}, not 0.5"));
    let early = (drain..after).find(|index| is_drained(record, *index));
    trial.check("first", early.is_none(), || {
        format!(
            "{} packets were in flight, no more than Inflight(1.0), and Drain went on",
            record.rows[early.unwrap_or(0)].in_flight
        )
    });
    Ok(after)
}

/// True if the flight after this row is at most Inflight(1.0).
fn is_drained(record: &Record, index: usize) -> bool {
    let row = &record.rows[index];
    row.in_flight <= inflight(&record.rows[index - 1], row.get(Field::Bandwidth), 256)
}

pub(super) fn by_time(subject: &Subject) -> Vec<Trial> {
    let variant = |name: &str, percent: u64| {
        Trial::new(name, |trial| {
            let plan = Plan::r(subject).lasting(Span::from_secs(2));
            let entered = |record: &Record| record.enters(State::Drain, Time::ZERO);
            let rate = plan.rate * percent / 100;
            let Changed { run, .. } = at_transition(trial, &plan, entered, |plan, at| {
                plan.change(at, text("rate", format!("{rate} bit/s")))
            })?;
            let record = &run.record;
            let after = drained(trial, record)?;
            let row = &record.rows[after];
            let started = row.get(Field::DrainStartRound) as u64;
            let late = |index: usize| record.rows[index].rounds() > started + 3;
            trial.note("rounds", (row.rounds() - started) as f64);
            trial.note("by_flight", is_drained(record, after) as u8 as f64);
            if percent < 50 {
                trial.check("time", late(after) && !late(after - 1), || {
                    format!("Drain ends {} rounds after its start, not at the first acknowledgement beyond 3", row.rounds() - started)
                });
                trial.check("flight", !is_drained(record, after), || {
                    "Drain ends by its flight, though the rate fell to 0.4".to_owned()
                });
            } else {
                trial.check("time", is_drained(record, after) || late(after), || {
                    "Drain ends neither by its flight nor by its time".to_owned()
                });
            }
            Ok(())
        })
    };
    vec![variant("rate x 0.9", 90), variant("rate x 0.4", 40)]
}
