//! Cases T12 and T13: bursts of acknowledgements, or of data.

use super::experiment::{Changed, at_transition};
use super::model::max_inflight;
use super::outcome::Trial;
use super::plan::{Plan, text};
use super::record::{Cause, Field, Record, Row, State};
use super::subject::Subject;
use narrows_units::{Span, Time};

/// Link setting with a burst every 10 ms.
const BURSTS: &str = "10 ms";

/// Returns a path of 40 Mbit/s and 40 ms with a buffer of 4 BDP.
pub(super) fn path(subject: &Subject) -> Plan {
    Plan::path(subject, 40_000_000, Span::from_millis(40), "800 kB")
}

pub(super) fn startup(subject: &Subject) -> Vec<Trial> {
    let variant = |name: &str, plan: Plan| {
        Trial::new(name, |trial| {
            let run = plan.run()?;
            let record = &run.record;
            let drain = record.enters(State::Drain, Time::ZERO)?;
            let began = record.rows[drain].at;
            let grown = |row: &&Row| {
                row.get(Field::ExtraAcked) > 0.0 && row.get(Field::Cwnd) > 2.0 * plan.bdp()
            };
            let grown = record.rows[..drain].iter().find(grown);
            trial.note("drain_at_s", began.as_secs_f64());
            trial.note("extra_acked", grown.map_or(f64::NAN, |row| row.get(Field::ExtraAcked)));
            trial.check("extra", grown.is_some(), || {
                "no acknowledgement before the pipe was full has extra_acked above 0 and cwnd above 2 BDP".to_owned()
            });
            let fastest =
                record.rows.iter().map(|row| row.get(Field::DeliveryRate)).fold(0.0, f64::max)
                    / plan.capacity();
            trial.note("highest_sample_of_capacity", fastest);
            trial.check("sample", fastest <= 1.05, || {
                format!("a delivery rate is {fastest:.3} of the capacity, above 1.05")
            });
            let max = record.rows[drain].get(Field::MaxBandwidth) / plan.capacity();
            trial.note("max_bandwidth_of_capacity", max);
            trial.check("bandwidth", (max - 1.0).abs() <= 0.1, || {
                format!("max_bw is {max:.3} of the capacity, more than 10 % off")
            });
            let used =
                record.arrived(began, began + Span::from_secs(2)) as f64 / (2.0 * plan.capacity());
            trial.note("utilisation", used);
            trial.check("utilisation", used >= 0.95, || {
                format!(
                    "{:.1} % of the link are used in the 2 s after Startup, less than 95 %",
                    100.0 * used
                )
            });
            Ok(())
        })
    };
    let plan = path(subject).lasting(Span::from_secs(4));
    vec![
        variant("acknowledgements", plan.clone().back(text("aggregate", BURSTS))),
        // A delivery rate sample can be too high by one burst, which is a fifth as large here.
        variant("short bursts of acknowledgements", plan.clone().back(text("aggregate", "2 ms"))),
        variant("data", plan.clone().link(text("aggregate", BURSTS))),
        variant("short bursts of data", plan.link(text("aggregate", "2 ms"))),
    ]
}

pub(super) fn cruise(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let plan = path(subject).lasting(Span::from_secs(2));
        let bursts = |plan: Plan, at: Time| {
            plan.change_back(at, text("aggregate", BURSTS)).until(at + Span::from_secs(6))
        };
        let Changed { run, at, plan } = at_transition(
            trial,
            &plan,
            |record: &Record| record.enters(State::Cruise, Time::ZERO),
            bursts,
        )?;
        let record = &run.record;
        let cruising = |row: &&Row| {
            row.at >= at + Span::from_millis(400) && row.state() == Some(State::Cruise)
        };
        let off = extra_acked(&record.rows).zip(&record.rows).filter(|(_, row)| cruising(row));
        let off =
            off.map(|(extra, row)| (row.get(Field::ExtraAcked) - extra).abs()).fold(0.0, f64::max);
        let largest = record
            .rows
            .iter()
            .filter(cruising)
            .map(|row| row.get(Field::ExtraAcked))
            .fold(0.0, f64::max);
        trial.note("extra_acked", largest);
        trial.note("extra_acked_off_by", off);
        trial.check("extra", largest > 0.0 && off <= 1.0, || {
            format!("extra_acked, up to {largest}, is up to {off} packets off the maximum of the last 10 rounds")
        });
        let pairs =
            record.rows.windows(2).filter(|pair| cruising(&&pair[0]) && cruising(&&pair[1]));
        let met = |pair: &[Row]| {
            let bound = pair[1].bound(Field::InflightShortTerm).min(max_inflight(&pair[1]) as f64);
            let allowed = bound.min(pair[0].get(Field::Cwnd) + pair[1].acked as f64);
            (pair[1].get(Field::Cwnd) - allowed).abs() <= 1.0
        };
        let missed = pairs.filter(|pair| pair[1].acked > 0 && !met(pair)).count();
        trial.note("windows_off", missed as f64);
        trial.check("window", missed == 0, || {
            format!("{missed} windows are not the target plus extra_acked, as far as acknowledgements let it grow")
        });
        let until = record
            .enters(State::ProbeRtt, at)
            .map_or(at + Span::from_secs(5), |row| record.rows[row].at);
        let over = until.min(at + Span::from_secs(5)).since(at);
        let used = record.arrived(at, at + over) as f64 / (over.as_secs_f64() * plan.capacity());
        trial.note("seconds", over.as_secs_f64());
        trial.note("utilisation", used);
        trial.check("utilisation", used >= 0.95, || {
            format!(
                "{:.1} % of the link are used while aggregation lasts, less than 95 %",
                100.0 * used
            )
        });
        Ok(())
    })]
}

/// Recomputes `UpdateACKAggregation` (section 5.5.9), with a plain maximum over the last 10 rounds.
fn extra_acked(rows: &[Row]) -> impl Iterator<Item = f64> + '_ {
    let (mut began, mut delivered) = (Time::ZERO, 0.0);
    let mut extras: Vec<(u64, f64)> = Vec::new();
    let mut window = f64::INFINITY;
    rows.iter().map(move |row| {
        if row.cause == Cause::Ack && row.acked > 0 {
            let mut expected = row.get(Field::Bandwidth) * row.at.since(began).as_secs_f64();
            if delivered <= expected {
                (began, delivered, expected) = (row.at, 0.0, 0.0);
            }
            delivered += row.acked as f64;
            extras.push((row.rounds(), (delivered - expected).min(window)));
            extras.retain(|(round, _)| round + 10 >= row.rounds());
            window = row.get(Field::Cwnd);
        }
        extras.iter().map(|(_, extra)| *extra).fold(0.0, f64::max)
    })
}
