//! Cases T10 and T20: ProbeRTT.

use super::experiment::{Changed, at_transition};
use super::model::product;
use super::outcome::Trial;
use super::plan::Plan;
use super::record::{Field, Record, Row, State};
use super::startup::plateau_at;
use super::subject::Subject;
use narrows_units::{Span, Time};

/// `ProbeRTTInterval` and `ProbeRTTDuration`.
const INTERVAL: Span = Span::from_secs(5);
const DURATION: Span = Span::from_millis(200);

pub(super) fn half_a_product(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let plan = Plan::r(subject).lasting(Span::from_secs(30));
        let run = plan.run()?;
        let probes = probes(trial, &run.record)?;
        trial.note("probes", probes as f64);
        let used = run.record.arrived(Time::ZERO, Time::ZERO + Span::from_secs(30)) as f64
            / (30.0 * plan.capacity());
        trial.note("utilisation", used);
        trial.check("utilisation", used >= 0.96, || {
            format!("{:.1} % of the link are used over 30 s, less than 96 %", 100.0 * used)
        });
        Ok(())
    })]
}

/// Checks the conditions of every ProbeRTT of the run. Returns the number of ProbeRTTs.
pub(super) fn probes(trial: &mut Trial, record: &Record) -> Result<usize, String> {
    let mut from = Time::ZERO;
    let mut count = 0;
    while let Ok(entered) = record.enters(State::ProbeRtt, from) {
        let Ok(left) = record.leaves(entered) else { break };
        one(trial, record, entered, left);
        from = record.rows[left].at;
        count += 1;
    }
    if count == 0 { Err("there is no whole ProbeRTT".to_owned()) } else { Ok(count) }
}

fn one(trial: &mut Trial, record: &Record, entered: usize, left: usize) {
    let rows = &record.rows;
    let (row, at) = (&rows[entered], rows[entered].at);
    let due = stamp(rows, entered) + INTERVAL;
    // The controller keeps times in µs.
    let late = |row: &Row| row.at.as_nanos() / 1_000 > due.as_nanos() / 1_000;
    trial.check("interval", late(row) && !late(&rows[entered - 1]), || {
        format!(
            "ProbeRTT comes at {:.3} s; 5 s without a shorter round trip were over at {:.3} s",
            at.as_secs_f64(),
            due.as_secs_f64()
        )
    });
    trial.check("gain", row.get(Field::CwndGain) == 0.5, || {
        format!("the gain of the window is {}, not 0.5", row.get(Field::CwndGain))
    });
    let target =
        |index: usize| product(&rows[index], rows[index].get(Field::Bandwidth), 128).max(4);
    let small = |index: &usize| rows[*index].in_flight <= target(*index);
    let Some(emptied) = (entered..left).find(small) else {
        trial.check("flight", false, || "the flight never falls to half a BDP".to_owned());
        return;
    };
    let stays = (emptied..left).all(|index| small(&index));
    trial.check("flight", stays, || {
        "the flight exceeds half a BDP again before ProbeRTT ends".to_owned()
    });
    let (lasted, rounds) =
        (rows[left].at.since(rows[emptied].at), rows[left].rounds() - rows[emptied].rounds());
    trial.check("duration", lasted + Span::from_micros(1) > DURATION && rounds >= 1, || {
        format!(
            "the flight is small for {:.1} ms and {rounds} rounds, not for 200 ms and a round",
            lasted.as_millis_f64()
        )
    });
    let expected = if rows[left].is(Field::FullBwReached) { State::Cruise } else { State::Startup };
    trial.check("returns", rows[left].state() == Some(expected), || {
        format!("ProbeRTT is followed by {:?}", rows[left].state())
    });
}

/// Returns the time of the last update of `probe_rtt_min_delay` before row `entered`
/// (`probe_rtt_min_stamp`): by a shorter round trip, or at the end of ProbeRTT.
fn stamp(rows: &[Row], entered: usize) -> Time {
    let renewed = |index: &usize| {
        let [before, after] = [&rows[*index - 1], &rows[*index]];
        let shorter = after.get(Field::ProbeRttMinDelay) < before.get(Field::ProbeRttMinDelay);
        shorter
            || (before.state() == Some(State::ProbeRtt) && after.state() != Some(State::ProbeRtt))
    };
    // The first row has the value from the handshake.
    (1..entered).rev().find(renewed).map_or(rows[0].at, |index| rows[index].at)
}

pub(super) fn in_startup(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        // 100 Mbit/s exceed the link's rate. Sent for only 1 of every 10 ms, they are 10 Mbit/s on
        // average.
        let plan = Plan::r(subject).offered(100).lasting(Span::from_secs(7));
        let (on, period) = (Span::from_millis(1), Span::from_millis(10));
        let slow = plan.clone().at_times(Time::ZERO, Time::ZERO + Span::from_secs(7), on, period);
        let over = |record: &Record| record.leaves(record.enters(State::ProbeRtt, Time::ZERO)?);
        let all = |_: Plan, at: Time| {
            plan.clone().at_times(Time::ZERO, at, on, period).until(at + Span::from_secs(2))
        };
        let Changed { run, at, plan } = at_transition(trial, &slow, over, all)?;
        let record = &run.record;
        let after = record.leaves(record.enters(State::ProbeRtt, Time::ZERO)?)?;
        trial.note("probe_rtt_over_s", at.as_secs_f64());
        trial.check("returns", record.rows[after].state() == Some(State::Startup), || {
            format!("ProbeRTT is followed by {:?}", record.rows[after].state())
        });
        plateau_at(trial, record, plan.capacity(), at)?;
        Ok(())
    })]
}
