//! Cases T01 and T02: the end of Startup. Other cases use the same conditions.

use super::experiment::{Changed, at_transition};
use super::model::product;
use super::outcome::Trial;
use super::plan::Plan;
use super::record::{Field, Record, Row};
use super::subject::Subject;
use narrows_units::{Span, Time};

/// Largest number of rounds of Startup on path R: 4.1 doublings from ten packets to 167, three
/// rounds to detect the plateau, and slack.
const MOST_ROUNDS: u64 = 12;

pub(super) fn plateau(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let plan = Plan::r(subject);
        let run = plan.run()?;
        let drain = plateau_at(trial, &run.record, plan.capacity(), Time::ZERO)?;
        let rounds = run.record.rows[drain].rounds();
        trial.check("rounds", rounds <= MOST_ROUNDS, || {
            format!("Startup takes {rounds} rounds, more than {MOST_ROUNDS}")
        });
        Ok(())
    })]
}

/// Checks the conditions of a Startup that ends on a plateau after `from`. Returns the row of its
/// end.
pub(super) fn plateau_at(
    trial: &mut Trial,
    record: &Record,
    capacity: f64,
    from: Time,
) -> Result<usize, String> {
    let drain = record.ends_startup(from)?;
    let row = &record.rows[drain];
    trial.note("drain_at_s", row.at.as_secs_f64());
    trial.note("rounds", row.rounds() as f64);
    trial.note("max_bandwidth_packets_s", row.get(Field::MaxBandwidth));
    let full =
        (row.get(Field::FullBwCount), row.is(Field::FullBwNow), row.is(Field::FullBwReached));
    trial.check("same-ack", full == (3.0, true, true), || {
        format!(
            "on the acknowledgement that enters Drain, full_bw_count, full_bw_now and full_bw_reached are {full:?}, not (3, true, true)"
        )
    });
    let flat = flat_rounds(record, drain);
    let judged = |row: &&Row| row.is(Field::RoundStart) && !row.is(Field::AppLimited);
    let between = |one: &Row, next: &Row| {
        record.rows.iter().filter(judged).filter(|row| row.at > one.at && row.at < next.at).count()
    };
    let running = flat.len() == 3 && flat.windows(2).all(|pair| between(pair[0], pair[1]) == 0);
    trial.check("three-rounds", running, || {
        let rounds: Vec<u64> = flat.iter().map(|row| row.rounds()).collect();
        format!("full_bw_count reaches 3 in rounds {rounds:?}, not in three running of those that the application does not limit")
    });
    let baseline = baseline(record, drain);
    let flat_enough = flat
        .iter()
        .all(|row| row.get(Field::DeliveryRate) < 1.25 * baseline && !row.is(Field::AppLimited));
    trial.check("growth", flat_enough, || {
        format!("a round that counts as flat grew by a quarter of {baseline:.0} packets/s, or was limited by the application")
    });
    let off = row.get(Field::MaxBandwidth) / capacity - 1.0;
    trial.check("bandwidth", off.abs() <= 0.02, || {
        format!("max_bw is {:+.1} % off the capacity, more than 2 %", 100.0 * off)
    });
    Ok(drain)
}

/// Returns the rows up to `end` at which `full_bw_count` became 1, 2 and 3 for the last time.
pub(super) fn flat_rounds(record: &Record, end: usize) -> Vec<&Row> {
    let mut rows: Vec<&Row> = Vec::new();
    for pair in record.rows[..=end].windows(2) {
        let [before, after] = [pair[0].get(Field::FullBwCount), pair[1].get(Field::FullBwCount)];
        if after < before {
            rows.clear();
        } else if after > before {
            rows.push(&pair[1]);
        }
    }
    rows
}

/// Returns the delivery rate with which the flat rounds before `end` are compared: the rate of the
/// last start of a round with a count of 0.
fn baseline(record: &Record, end: usize) -> f64 {
    let grown = record.rows[..end].iter().rev().find(|row| {
        row.get(Field::FullBwCount) == 0.0
            && row.is(Field::RoundStart)
            && !row.is(Field::AppLimited)
    });
    grown.map_or(f64::NAN, |row| row.get(Field::DeliveryRate))
}

pub(super) fn loss(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let plan = Plan::r(subject).offered(20).lasting(Span::from_secs(1));
        let sixth = |record: &Record| {
            record
                .rows
                .iter()
                .position(|row| row.rounds() == 6)
                .ok_or("there is no sixth round".to_owned())
        };
        let Changed { run, .. } = at_transition(trial, &plan, sixth, |plan, at| {
            let lasting = plan.rtt() * 2;
            plan.loss(at, lasting, 15)
        })?;
        let record = &run.record;
        let drain = record.ends_startup(Time::ZERO)?;
        let row = &record.rows[drain];
        let first = record.lost.first().ok_or("nothing is lost")?.row;
        let rounds = row.rounds() - record.rows[first].rounds();
        trial.note("first_loss_s", record.rows[first].at.as_secs_f64());
        trial.note("drain_at_s", row.at.as_secs_f64());
        trial.note("rounds_after_first_loss", rounds as f64);
        trial.check("rounds", rounds <= 2, || {
            format!("Startup ends {rounds} rounds after the first loss, not within 2")
        });
        let limited = record.rows[first..=drain].iter().all(|row| row.is(Field::AppLimited));
        trial.check("app-limited", limited, || {
            "a sample between the first loss and Drain was not limited by the application"
                .to_owned()
        });
        trial.check("reached", row.is(Field::FullBwReached), || {
            "full_bw_reached is not set".to_owned()
        });
        let latest =
            record.rows[drain - 1].get(Field::InflightLatest).max(row.get(Field::InflightLatest));
        let expected =
            latest.max(product(&record.rows[drain - 1], row.get(Field::Bandwidth), 256) as f64);
        let bound = row.bound(Field::InflightLongTerm);
        trial.note("inflight_longterm", bound);
        trial.check("bound", bound == expected, || {
            format!("inflight_longterm is {bound}, not max(BDP, inflight_latest) = {expected}")
        });
        Ok(())
    })]
}
