//! Case T14: a path that holds less than a packet.

use super::outcome::Trial;
use super::plan::Plan;
use super::record::{Field, PACKET};
use super::subject::Subject;
use narrows_scenario::Keys;
use narrows_units::{Span, Time};

/// Returns a path of 100 kbit/s and 20 ms (0.17 packets) with a buffer of 20 packets, without tail
/// loss probes. Probes belong to the transport: on this path a segment takes four times as long as
/// the handshake, so Linux's probe timer leads to a premature timeout with any controller (case
/// `slow` of `contrib/kernel-tcp`).
pub(super) fn path(subject: &Subject) -> Plan {
    let path = Plan::path(subject, 100_000, Span::from_millis(20), "20 packets")
        .lasting(Span::from_secs(60));
    path.transport(Keys::new().flag("tail_loss_probe", false))
}

pub(super) fn sub_packet(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let plan = path(subject);
        let run = plan.run()?;
        let rows = &run.record.rows;
        let least = rows.iter().map(|row| row.get(Field::Cwnd)).fold(f64::INFINITY, f64::min);
        trial.note("least_cwnd", least);
        trial.check("floor", least >= 4.0, || {
            format!("the window falls to {least} packets, below 4")
        });
        let off = rows.iter().filter(|row| row.is(Field::FullBwReached)).map(|row| {
            let rate =
                row.pacing.map_or(f64::NAN, |rate| rate.as_bps() as f64) / (8 * PACKET) as f64;
            (rate / (row.get(Field::PacingGain) * row.get(Field::Bandwidth)) - 1.0).abs()
        });
        let off = off.fold(0.0, f64::max);
        trial.note("pacing_off_by", off);
        trial.check("pacing", off <= 0.02, || {
            format!("pacing is {:.1} % off gain times bw, more than 2 %", 100.0 * off)
        });
        let used = run.record.arrived(Time::ZERO, Time::ZERO + Span::from_secs(60)) as f64
            / (60.0 * plan.capacity());
        trial.note("utilisation", used);
        trial.check("utilisation", used >= 0.95, || {
            format!("{:.1} % of the link are used, less than 95 %", 100.0 * used)
        });
        let timeouts = rows.last().map_or(0, |row| row.timeouts);
        trial.check("timeouts", timeouts == 0, || format!("there were {timeouts} timeouts"));
        Ok(())
    })]
}
