//! Case T11: a restart after idleness.

use super::experiment::{Changed, at_transition};
use super::outcome::Trial;
use super::plan::Plan;
use super::record::{Cause, Field, PACKET, Record, State};
use super::subject::Subject;
use narrows_units::{Span, Time};

pub(super) fn restart(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let plan = Plan::r(subject).lasting(Span::from_secs(1));
        let silence = Span::from_secs(6);
        let quiet = |plan: Plan, at: Time| {
            plan.pause(at, at + silence).until(at + silence + Span::from_secs(6))
        };
        let Changed { run, at, .. } = at_transition(
            trial,
            &plan,
            |record: &Record| record.enters(State::Cruise, Time::ZERO),
            quiet,
        )?;
        let rows = &run.record.rows;
        let again = at + silence;
        let first = rows
            .iter()
            .position(|row| row.cause == Cause::Sent && row.at >= again)
            .ok_or("it does not send again into an empty network")?;
        let (row, before) = (&rows[first], &rows[first - 1]);
        trial.note("restart_at_s", row.at.as_secs_f64());
        trial.check("empty", before.in_flight == 0 && row.in_flight == 1, || {
            format!("{} packets were in flight", before.in_flight)
        });
        trial.check("idle-restart", row.is(Field::IdleRestart), || {
            "idle_restart is not set, so the first packet was not seen as limited by the application".to_owned()
        });
        let rate = row.pacing.map_or(f64::NAN, |rate| rate.as_bps() as f64) / (8 * PACKET) as f64;
        let bandwidth = row.get(Field::Bandwidth);
        trial.note("pacing_packets_s", rate);
        trial.note("bandwidth_packets_s", bandwidth);
        trial.check("pacing", (rate / (0.99 * bandwidth) - 1.0).abs() < 0.001, || {
            format!("it paces {rate:.1} packets/s, not 99 % of bw, which is {bandwidth:.1}")
        });
        let soon = row.at + Span::from_millis(4_900);
        let probe =
            rows[first..].iter().find(|row| row.at <= soon && row.state() == Some(State::ProbeRtt));
        trial.check("probe-rtt", probe.is_none(), || {
            format!(
                "ProbeRTT comes {:.2} s after the restart",
                probe.map_or(0.0, |probe| probe.at.since(row.at).as_secs_f64())
            )
        });
        Ok(())
    })]
}
