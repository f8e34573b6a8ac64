//! Cases T15 to T17: a tenfold increase and decrease of the capacity, and a policer.

use super::experiment::{Changed, at_transition};
use super::outcome::Trial;
use super::plan::{Plan, text};
use super::probe_up::whole_probe;
use super::record::{Cause, Field, Record, State};
use super::subject::Subject;
use narrows_units::{Span, Time};

/// Returns a path with this rate, 40 ms and a buffer of 500 kB.
fn path(subject: &Subject, rate: u64) -> Plan {
    Plan::path(subject, rate, Span::from_millis(40), "500 kB")
}

const SLOW: u64 = 10_000_000;
const FAST: u64 = 100_000_000;

pub(super) fn up(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let plan = path(subject, SLOW).lasting(Span::from_secs(6));
        let lossy = |plan: Plan, at| {
            let rtt = plan.rtt();
            plan.loss(at, rtt, 5)
        };
        let Changed { plan, at: lossy, .. } = at_transition(
            trial,
            &plan,
            |record: &Record| record.enters(State::Up, Time::ZERO),
            lossy,
        )?;
        let cruising = |record: &Record| record.enters(State::Cruise, lossy);
        let faster = |plan: Plan, at: Time| {
            plan.change(at, text("rate", format!("{FAST} bit/s"))).until(at + Span::from_secs(13))
        };
        let Changed { run, at, .. } = at_transition(trial, &plan, cruising, faster)?;
        let record = &run.record;
        let bound = record.rows[record.up_to(at).len() - 1].bound(Field::InflightLongTerm);
        trial.note("inflight_longterm", bound);
        trial.check("bounded", bound.is_finite(), || {
            "the losses of the probe left no bound".to_owned()
        });
        let grown = growth(record, whole_probe(record, at)?);
        for (round, grown) in grown.iter().enumerate() {
            trial.note(&format!("grown_after_{}_rounds", round + 1), *grown);
        }
        // A deviation of a packet plus a quarter of the growth is allowed: the first round is
        // limited only in part, and the number of acknowledgements per packet is an integer.
        let due = (1..).map(|rounds| ((1u64 << rounds) - 1) as f64);
        let doubles =
            grown.iter().zip(due).all(|(grown, due)| (grown - due).abs() <= 1.0 + 0.25 * due);
        trial.check("increments", grown.len() >= 3 && doubles, || {
            format!("in successive rounds the bound has grown by {grown:?}, not by 1, 3, 7, 15 … as steps of 1, 2, 4, 8 make it")
        });
        fast_after(trial, record, at);
        Ok(())
    })]
}

/// Returns the growth of the bound since the beginning of the probe, after each round. The first
/// round may be full only in part. Later rounds count until the first one in which fewer than four
/// of five acknowledgements found the window full.
fn growth(record: &Record, up: usize) -> Vec<f64> {
    let rows = &record.rows[up..];
    let first = rows[0].bound(Field::InflightLongTerm);
    let (mut grown, mut acks, mut full) = (Vec::new(), 0, 0);
    for pair in rows.windows(2) {
        if pair[1].state() != Some(State::Up) {
            break;
        }
        if pair[1].rounds() > pair[0].rounds() {
            if !grown.is_empty() && 5 * full < 4 * acks {
                break;
            }
            grown.push(pair[0].bound(Field::InflightLongTerm) - first);
            (acks, full) = (0, 0);
        }
        acks += 1;
        full += (pair[1].in_flight_before as f64 >= pair[0].get(Field::Cwnd)) as u32;
    }
    grown
}

/// Checks that nine tenths of the new capacity are used, over half a second, within 6 s after `at`.
/// The search ends after 12 s.
pub(super) fn fast_after(trial: &mut Trial, record: &Record, at: Time) {
    let window = Span::from_millis(500);
    let fast = |after: &Span| {
        record.arrived(at + *after, at + *after + window) as f64 * 12_000.0
            >= 0.9 * FAST as f64 * window.as_secs_f64()
    };
    let after = (0..125).map(|step| Span::from_millis(100) * step).find(fast);
    let seconds = after.map_or(f64::INFINITY, Span::as_secs_f64);
    trial.note("fast_after_s", seconds);
    trial.check("time", seconds <= 6.0, || {
        format!("it reaches nine tenths of the new rate after {seconds:.1} s, not within 6 s")
    });
}

pub(super) fn down(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let plan = path(subject, FAST).lasting(Span::from_secs(1));
        let slower = |plan: Plan, at: Time| {
            plan.change(at, text("rate", format!("{SLOW} bit/s"))).until(at + Span::from_secs(25))
        };
        let Changed { run, at, .. } = at_transition(
            trial,
            &plan,
            |record: &Record| record.enters(State::Cruise, Time::ZERO),
            slower,
        )?;
        let record = &run.record;
        let new = SLOW as f64 / 12_000.0;
        let lost = record
            .rows
            .iter()
            .position(|row| row.at > at && row.lost > 0)
            .ok_or("nothing is lost")?;
        let adapted = (lost..record.rows.len())
            .find(|row| record.rows[*row].bound(Field::BandwidthShortTerm) <= 1.5 * new);
        let rounds = adapted.map(|row| record.rows[row].rounds() - record.rows[lost].rounds());
        trial.note("first_loss_s", record.rows[lost].at.as_secs_f64());
        trial.note(
            "rounds_until_bw_shortterm_is_low",
            rounds.map_or(f64::INFINITY, |rounds| rounds as f64),
        );
        cuts(trial, record, lost);
        // A cycle ends one round after its Up.
        let mut from = at;
        for _ in 0..2 {
            let up = record.enters(State::Up, from)?;
            from = record.rows[record.leaves(up)?].at;
        }
        let ended = record.up_to(from).len() - 1;
        let next = record.rows[ended..]
            .iter()
            .find(|row| row.rounds() > record.rows[ended].rounds() + 1)
            .ok_or("the second probe has no feedback")?;
        let max = next.get(Field::MaxBandwidth) / new;
        trial.note("second_cycle_over_s", next.at.as_secs_f64());
        trial.note("max_bandwidth_of_new_rate", max);
        trial.check("long-term", max <= 1.05, || {
            format!("max_bw is {max:.2} times the new rate after two whole cycles, above 1.05")
        });
        Ok(())
    })]
}

/// Checks the first three cuts of `bw_shortterm` after row `lost`: each is by Beta, unless the
/// round delivered more.
fn cuts(trial: &mut Trial, record: &Record, lost: usize) {
    let mut cuts = 0;
    for pair in record.rows[lost - 1..].windows(2) {
        let [before, after] =
            [pair[0].bound(Field::BandwidthShortTerm), pair[1].bound(Field::BandwidthShortTerm)];
        if after >= before || cuts == 3 {
            continue;
        }
        cuts += 1;
        let before = before.min(pair[1].get(Field::MaxBandwidth));
        let latest = pair[0].get(Field::BandwidthLatest).max(pair[1].get(Field::DeliveryRate));
        let expected = (0.7 * before).max(latest);
        trial.note(&format!("bw_shortterm_after_cut_{cuts}"), after);
        // The unit of a bandwidth is 0.06 packets/s.
        trial.check("cut", (after - expected).abs() <= 0.1, || {
            format!("bw_shortterm falls from {before:.1} to {after:.1}, not to max(bw_latest, 0.7 bw_shortterm) = {expected:.1}")
        });
    }
    trial.check("cuts", cuts == 3, || {
        format!("bw_shortterm is cut {cuts} times, not in three rounds with loss")
    });
}

/// Returns a plan with a token bucket of 10 Mbit/s and `bucket` kB on a link of 100 Mbit/s.
pub(super) fn policed(subject: &Subject, bucket: u32) -> Plan {
    let policer = text("queue", format!("policer?rate=10&burst={bucket}"));
    Plan::path(subject, FAST, Span::from_millis(40), "500 kB")
        .link(policer)
        .lasting(Span::from_secs(60))
}

/// Checks that from 20 s on at least four fifths of the tokens are used and at most 5 % of the
/// packets are lost: the draft's threshold of 2 %, plus a margin.
pub(super) fn tokens_used(trial: &mut Trial, record: &Record) {
    let (from, to) = (Time::ZERO + Span::from_secs(20), Time::ZERO + Span::from_secs(60));
    let arrived = record.arrived(from, to) as f64;
    let used = arrived * 12_000.0 / (40.0 * SLOW as f64);
    let dropped = record.drops.iter().filter(|at| **at >= from).count() as f64;
    let loss = dropped / (arrived + dropped);
    trial.note("share_of_tokens", used);
    trial.note("loss", loss);
    trial.check("goodput", used >= 0.8, || {
        format!("{:.1} % of the tokens are used after 20 s, less than 80 %", 100.0 * used)
    });
    trial.check("loss", loss <= 0.05, || {
        format!("{:.1} % of the packets are lost after 20 s, more than 5 %", 100.0 * loss)
    });
}

pub(super) fn policer(subject: &Subject) -> Vec<Trial> {
    // The smaller buckets show the cause of the losses: while a bucket refills, a probe measures
    // more than the token rate.
    vec![
        policed_by(subject, "bucket of 250 kB", 250),
        policed_by(subject, "bucket of 100 kB", 100),
        policed_by(subject, "bucket of 25 kB", 25),
    ]
}

fn policed_by(subject: &Subject, variant: &str, bucket: u32) -> Trial {
    Trial::new(variant, |trial| {
        let run = policed(subject, bucket).run()?;
        let record = &run.record;
        let rows = &record.rows;
        let probing = |index: usize| {
            matches!(rows[index].state(), Some(State::Startup | State::Refill | State::Up))
        };
        let lost = (1..rows.len())
            .find(|index| rows[*index].lost > 0 && !probing(*index) && !probing(*index - 1));
        let lost = lost.ok_or("nothing is lost outside of probes")?;
        // The round that begins with the loss ends when the first packet sent after it is
        // acknowledged.
        let ended = |row: &&super::record::Row| {
            row.cause == Cause::Ack
                && row.bound(Field::BandwidthShortTerm).is_finite()
                && row.bound(Field::InflightShortTerm).is_finite()
        };
        let bounded = rows[lost..].iter().find(ended);
        let rounds = bounded.map(|row| row.rounds() - rows[lost].rounds());
        trial.note("first_loss_s", rows[lost].at.as_secs_f64());
        trial.note("rounds_until_bounds", rounds.map_or(f64::INFINITY, |rounds| rounds as f64));
        trial.check("bounds", rounds.is_some_and(|rounds| rounds <= 2), || {
            format!("both short-term bounds are set {rounds:?} rounds after the first loss outside of probes, not within 2")
        });
        tokens_used(trial, record);
        Ok(())
    })
}
