//! `narrows lab bench --live`: the highest rate that the emulator carries on this host, and its
//! timing errors.

use narrows_live::trial::{Arrival, Datagrams, Trial, trial};
use narrows_measure::Emulation;
use narrows_path::Link;
use narrows_scenario::{Draft, Keys, Scenario};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use narrows_workbench::interruption::{interruption, on_host};
use serde::Serialize;
use std::io::Write;
use std::sync::atomic::Ordering;

/// Rates for the measurement of one link, in Mbit/s.
const RATES: [u64; 5] = [10, 50, 100, 200, 500];

/// Rates to try in turn until the emulator does not carry one, in Mbit/s.
const LADDER: [u64; 14] =
    [250, 500, 750, 1_000, 1_250, 1_500, 1_750, 2_000, 2_500, 3_000, 4_000, 5_000, 7_000, 10_000];

/// Numbers of bulk connections.
const FLOWS: [u32; 2] = [1, 4];

/// Limit of the p99 lateness of packets at 80 % of the maximum, in microseconds.
const LATE_P99_US: f64 = 2_000.0;

/// Datagrams per burst while the rate is measured.
const BURST: u64 = 10;

/// Size of packets.
const SIZE: Bytes = Bytes::new(1_500);

#[derive(Serialize)]
struct Bench {
    links: Vec<Exactness>,
    maximum_mbps: u64,
    maximum_of_flows: Vec<Carried>,
    at_80_percent: Vec<Carried>,
    /// Reason for exit status 1. `None` if the maximum is sustained.
    fault: Option<String>,
}

/// Timing errors of one link that carries datagrams.
#[derive(Serialize)]
struct Exactness {
    rate_mbps: u64,
    /// Relative error of the long-run rate while the offered load exceeds the link rate.
    rate_error_percent: f64,
    /// One-way delay minus the delay of an ideal link, while the offered load is low.
    delay_error_p50_us: f64,
    delay_error_p99_us: f64,
    delay_error_max_us: f64,
}

/// Result of bulk connections through one bottleneck.
#[derive(Serialize)]
struct Carried {
    flows: u32,
    rate_mbps: u64,
    /// Rate that crossed the bottleneck after the warm-up.
    carried_mbps: f64,
    /// Packets of both directions that entered the emulator, per second.
    packets_per_s: f64,
    late_p50_us: f64,
    late_p99_us: f64,
    late_max_us: f64,
    busy_percent: f64,
    unplanned_drops: u64,
    /// Reasons why the emulator did not carry the rate. Empty if it did.
    reasons: Vec<String>,
}

/// Measures and prints a table or JSON.
pub fn bench(json: bool) -> Result<Outcome, Failure> {
    let mut out = std::io::stdout().lock();
    let mut say = |text: &str| if json { Ok(()) } else { writeln!(out, "{text}") };
    say("One link, 1500-byte datagrams, round trip 20 ms")?;
    say(&format!(
        "{:>9} {:>12} {:>19} {:>9} {:>9}",
        "Mbit/s", "rate error %", "delay error p50 us", "p99 us", "max us"
    ))?;
    let mut links = Vec::new();
    for rate_mbps in RATES {
        let row = exactness(rate_mbps)?;
        let Exactness {
            rate_error_percent,
            delay_error_p50_us,
            delay_error_p99_us,
            delay_error_max_us,
            ..
        } = &row;
        say(&format!(
            "{rate_mbps:>9} {rate_error_percent:>12.3} {delay_error_p50_us:>19.0} {delay_error_p99_us:>9.0} {delay_error_max_us:>9.0}"
        ))?;
        links.push(row);
    }
    say("\nBulk CUBIC connections, 1500-byte packets, round trip 30 ms")?;
    let heads =
        ["flows", "Mbit/s", "carried", "packets/s", "late p50 us", "p99 us", "max us", "busy %"];
    say(&heads.map(|head| format!("{head:>11}")).concat())?;
    let mut measured = |flows, rate_mbps| {
        let row = carried(flows, rate_mbps)?;
        say(&line(&row))?;
        Ok::<_, Failure>(row)
    };
    let mut maximum_of_flows = Vec::new();
    for flows in FLOWS {
        let mut once = Vec::new();
        for rate_mbps in LADDER {
            if !measured(flows, rate_mbps)?.reasons.is_empty() {
                break;
            }
            once.push(rate_mbps);
        }
        // A maximum counts only if a second run carries it too.
        for rate_mbps in once.into_iter().rev() {
            let row = measured(flows, rate_mbps)?;
            if row.reasons.is_empty() {
                maximum_of_flows.push(row);
                break;
            }
        }
    }
    let maximum_mbps = match &maximum_of_flows[..] {
        [one, four] => one.rate_mbps.min(four.rate_mbps),
        _ => 0,
    };
    let mut at_80_percent = Vec::new();
    if maximum_mbps > 0 {
        say("\nAt 80 % of the maximum")?;
        for flows in FLOWS {
            let row = carried(flows, maximum_mbps * 4 / 5)?;
            say(&line(&row))?;
            at_80_percent.push(row);
        }
    }
    let fault = fault(&at_80_percent);
    say(&format!(
        "\nMaximum: {maximum_mbps} Mbit/s of 1500-byte packets (narrows live FILE --maximum \"{maximum_mbps} Mbit/s\")"
    ))?;
    if let Some(fault) = &fault {
        say(fault)?;
    }
    let outcome = if fault.is_none() { Outcome::Ok } else { Outcome::Missed };
    if json {
        let bench = Bench { links, maximum_mbps, maximum_of_flows, at_80_percent, fault };
        let text = serde_json::to_string_pretty(&bench)
            .map_err(|error| Failure::Other(error.to_string()))?;
        writeln!(out, "{text}")?;
    }
    Ok(outcome)
}

/// Returns the defect of the maximum, judged by the rows at 80 % of it. Each row must be valid,
/// with a p99 lateness of at most [`LATE_P99_US`] and no unplanned drops.
fn fault(at_80_percent: &[Carried]) -> Option<String> {
    if at_80_percent.is_empty() {
        return Some(format!(
            "not sustained: the emulator did not carry {} Mbit/s twice; measure on an idle host",
            LADDER[0]
        ));
    }
    let unsound = |row: &&Carried| {
        !row.reasons.is_empty() || row.late_p99_us > LATE_P99_US || row.unplanned_drops > 0
    };
    at_80_percent.iter().find(unsound).map(|row| {
        let Carried { flows, rate_mbps, late_p99_us, unplanned_drops, reasons, .. } = row;
        let reasons: String = reasons.iter().map(|reason| format!("; {reason}")).collect();
        format!(
            "not sustained: {flows} flows at 80 % of the maximum ({rate_mbps} Mbit/s), with p99 lateness {late_p99_us:.0} us and {unplanned_drops} packets dropped by \
             devices and hosts{reasons}; measure on an idle host"
        )
    })
}

fn line(row: &Carried) -> String {
    let numbers = [
        row.carried_mbps,
        row.packets_per_s,
        row.late_p50_us,
        row.late_p99_us,
        row.late_max_us,
        row.busy_percent,
    ];
    let numbers = numbers.map(|number| format!("{number:>11.0}")).concat();
    let reasons: String =
        row.reasons.iter().map(|reason| format!("\n            too much: {reason}")).collect();
    format!("{:>11}{:>11}{numbers}{reasons}", row.flows, row.rate_mbps)
}

/// Returns the scenario of a link from a to b with a flow.
fn scenario(times: Keys, link: Keys, flow: Keys) -> Result<Scenario, Failure> {
    let link = Keys::new().text("name", "link").texts("between", ["a", "b"]).and(link);
    let flow = Keys::new().text("from", "a").text("to", "b").and(flow);
    let text = Draft::new(times).with("link", [link]).with("flow", [flow]).to_string();
    Ok(narrows_scenario::parse(&text, "bench.toml", &narrows_scenario::read_named)?)
}

fn exactness(rate_mbps: u64) -> Result<Exactness, Failure> {
    let scenario = scenario(
        Keys::new().text("duration", "2200 ms"),
        Keys::new()
            .text("rate", format!("{rate_mbps} Mbit/s"))
            .text("delay", "10 ms")
            .text("buffer", "1000 packets"),
        Keys::new().table("workload", Keys::new().text("rate", "1 Mbit/s")),
    )?;
    let sent = |gap: Span, burst: u64, length: Span| {
        let count = length.as_nanos() / gap.as_nanos();
        let start = Time::ZERO + Span::from_millis(50);
        trial(
            &scenario,
            Datagrams { count, size: SIZE, gap, burst, ecn: Ecn::NotEct, start },
            &mut |_| true,
        )
    };
    let length = Span::from_secs(2);
    // Offers 20 % more than the link rate, so that the link always has a packet to send.
    let full = sent(Span::from_nanos(SIZE.get() * 8_000 / rate_mbps * 5 / 6), BURST, length)?;
    // Offers 5 % of the link rate, but at most 1000 datagrams per second.
    let thin =
        sent(Span::from_nanos((SIZE.get() * 8_000 / rate_mbps * 20).max(1_000_000)), 1, length)?;
    let mut errors = errors(&scenario, &thin);
    errors.sort_by(f64::total_cmp);
    let quantile = |share: f64| {
        errors
            .get(((errors.len() as f64 * share) as usize).min(errors.len().saturating_sub(1)))
            .copied()
            .unwrap_or(f64::NAN)
    };
    Ok(Exactness {
        rate_mbps,
        rate_error_percent: (rate(&full) / rate_mbps as f64 - 1.0) * 100.0,
        delay_error_p50_us: quantile(0.5),
        delay_error_p99_us: quantile(0.99),
        delay_error_max_us: quantile(1.0),
    })
}

/// Returns the rate in Mbit/s from the first arrival to the last.
fn rate(trial: &Trial) -> f64 {
    let [first, .., last] = &trial.arrivals[..] else { return f64::NAN };
    let bits = (trial.arrivals.len() - 1) as f64 * SIZE.get() as f64 * 8.0;
    bits / last.arrived.since(first.arrived).as_secs_f64() / 1e6
}

/// Returns by how much each datagram arrived later than over an ideal link that received it at the
/// time of sending, in microseconds.
fn errors(scenario: &Scenario, trial: &Trial) -> Vec<f64> {
    let mut link = Link::new(&scenario.links[0].config, scenario.seed, &scenario.links[0].name);
    let mut ideal = vec![Time::NEVER; trial.sent.len()];
    let mut settle = |link: &mut Link<Numbered>, until: Time| {
        while let Some((at, Numbered(number))) = link.pop(until) {
            ideal[number] = at;
        }
    };
    for (number, sent) in trial.sent.iter().enumerate() {
        settle(&mut link, *sent);
        link.offer(*sent, Numbered(number));
    }
    settle(&mut link, Time::NEVER);
    let us = |time: Time| time.since(Time::ZERO).as_secs_f64() * 1e6;
    trial
        .arrivals
        .iter()
        .map(|Arrival { number, arrived, .. }| us(*arrived) - us(ideal[*number as usize]))
        .collect()
}

/// A datagram on the ideal link.
struct Numbered(usize);

impl narrows_path::Packet for Numbered {
    fn size(&self) -> Bytes {
        SIZE
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ecn(&mut self, _: Ecn) {}
    fn flow(&self) -> u64 {
        0
    }
    fn header(&mut self) -> Option<&mut narrows_wire::Header> {
        None
    }
}

fn carried(flows: u32, rate_mbps: u64) -> Result<Carried, Failure> {
    let scenario = scenario(
        Keys::new().text("duration", "4 s").text("warmup", "1500 ms"),
        Keys::new()
            .text("rate", format!("{rate_mbps} Mbit/s"))
            .text("delay", "15 ms")
            .text("buffer", "1 bdp"),
        Keys::new().text("controller", "cubic").whole("count", flows.into()),
    )?;
    let _on_host = on_host();
    let record = narrows_live::run(&scenario, &mut |_| !interruption().load(Ordering::Relaxed))?;
    let link = &record.links[0];
    let steady = (scenario.duration - scenario.warmup).as_secs_f64();
    let carried_mbps = link.steady.departed_bytes.get() as f64 * 8e-6 / steady;
    let emulation = record.emulation.unwrap_or_default();
    let mut reasons = emulation.validity_issues();
    // One BDP of buffer keeps the link full (RFC 3649 section 5), so missing throughput is the
    // host's fault.
    if carried_mbps < rate_mbps as f64 * 0.98 {
        reasons.push(format!("{carried_mbps:.0} Mbit/s only crossed the link"));
    }
    let Emulation { late_p50, late_p99, late_max, packets, busy, wall, overrun, refused, .. } =
        emulation;
    let us = |span: Span| span.as_secs_f64() * 1e6;
    Ok(Carried {
        flows,
        rate_mbps,
        carried_mbps,
        packets_per_s: packets as f64 / wall.as_secs_f64(),
        late_p50_us: us(late_p50),
        late_p99_us: us(late_p99),
        late_max_us: us(late_max),
        busy_percent: busy.as_secs_f64() / wall.as_secs_f64() * 100.0,
        unplanned_drops: overrun + refused,
        reasons,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Carried {
        Carried {
            flows: 4,
            rate_mbps: 800,
            carried_mbps: 800.0,
            packets_per_s: 90_000.0,
            late_p50_us: 1.0,
            late_p99_us: 1_999.0,
            late_max_us: 9_000.0,
            busy_percent: 60.0,
            unplanned_drops: 0,
            reasons: Vec::new(),
        }
    }

    #[test]
    fn a_maximum_whose_80_percent_are_not_sound_is_a_fault() {
        assert_eq!(fault(&[row(), row()]), None);
        assert!(fault(&[]).is_some_and(|text| text.contains("250 Mbit/s")));
        let late = Carried { late_p99_us: 2_001.0, ..row() };
        let dropping = Carried { unplanned_drops: 1, ..row() };
        let doubted = Carried { reasons: vec!["the emulator was at work".to_owned()], ..row() };
        for (row_at_fault, told) in [
            (late, "2001 us"),
            (dropping, "1 packets dropped"),
            (doubted, "; the emulator was at work"),
        ] {
            let text = fault(&[row(), row_at_fault]).expect(told);
            assert!(text.contains("800 Mbit/s") && text.contains(told), "{text}");
        }
    }
}
