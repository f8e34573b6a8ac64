//! `narrows bench --kernel`: what controllers that narrows gives the kernel cost, beside the kernel's own CUBIC.

use crate::Outcome;
use crate::error::Failure;
use narrows_control::cores::TWINS;
use narrows_live::LiveError;
use narrows_scenario::Scenario;
use narrows_units::Time;
use serde::Serialize;
use std::fs;
use std::io::Write;

/// What is left out of each slice: controllers that pace begin slowly.
const WARMUP_S: u64 = 5;

/// What is measured of each slice.
const SLICE_S: u64 = 12;

/// What one controller cost so far.
#[derive(Default, Serialize)]
struct Row {
    controller: String,
    /// Processor time of the whole machine, the emulator included.
    cpu_s: f64,
    /// What crossed the link.
    bytes: u64,
    mbps: f64,
    ns_per_byte: f64,
    of_cubic: f64,
}

/// Measures `slices` of each controller in turn, so that what the machine does besides meets all alike, and prints.
pub fn bench(slices: u32, json: bool) -> Result<Outcome, Failure> {
    narrows_kernel::fit().map_err(LiveError::Kernel).map_err(Failure::Live)?;
    let paced = "cubic?pacing=true";
    let choices: Vec<&str> = ["cubic", paced].into_iter().chain(TWINS.iter().map(|twin| twin.choice)).collect();
    let mut rows: Vec<Row> = choices.iter().map(|choice| Row { controller: (*choice).to_owned(), ..Row::default() }).collect();
    for _ in 0..slices {
        for (choice, row) in choices.iter().zip(&mut rows) {
            let (seconds, bytes) = slice(&scenario(choice)?)?;
            row.cpu_s += seconds;
            row.bytes += bytes;
        }
    }
    for row in &mut rows {
        row.mbps = row.bytes as f64 * 8e-6 / (SLICE_S * u64::from(slices)) as f64;
        row.ns_per_byte = row.cpu_s * 1e9 / row.bytes as f64;
    }
    let cubic = rows[0].ns_per_byte;
    rows.iter_mut().for_each(|row| row.of_cubic = row.ns_per_byte / cubic);
    let mut out = std::io::stdout().lock();
    if json {
        let text = serde_json::to_string_pretty(&rows).map_err(|error| Failure::Other(error.to_string()))?;
        writeln!(out, "{text}")?;
        return Ok(Outcome::Ok);
    }
    writeln!(
        out,
        "One flow, 200 Mbit/s, round trip 24 ms, {slices} slices of {SLICE_S} s each; processor time of the whole machine, the emulator included"
    )?;
    writeln!(out, "{:<24} {:>8} {:>8} {:>9} {:>9}", "controller", "CPU s", "Mbit/s", "ns/byte", "of cubic")?;
    for Row { controller, cpu_s, mbps, ns_per_byte, of_cubic, .. } in &rows {
        writeln!(out, "{controller:<24} {cpu_s:>8.2} {mbps:>8.1} {ns_per_byte:>9.3} {of_cubic:>9.3}")?;
    }
    Ok(Outcome::Ok)
}

/// VCP has the routers that it needs.
fn scenario(choice: &str) -> Result<Scenario, Failure> {
    let queue = if choice.starts_with("vcp") { "queue = \"vcp\"\n" } else { "" };
    let text = format!(
        "duration = \"{} s\"\nwarmup = \"{WARMUP_S} s\"\n[[link]]\nname = \"link\"\nbetween = [\"a\", \"b\"]\nrate = \"200 Mbit/s\"\ndelay = \"12 ms\"\nbuffer = \"1 bdp\"\n{queue}\
         [[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"{choice}\"\n",
        WARMUP_S + SLICE_S
    );
    Ok(narrows_scenario::parse(&text, "bench.toml", &|path| fs::read_to_string(path))?)
}

/// Processor time and bytes after the warm-up.
fn slice(scenario: &Scenario) -> Result<(f64, u64), Failure> {
    let (mut before, mut after) = (None, 0.0);
    let record = narrows_live::run(scenario, &mut |now| {
        if now >= Time::ZERO + scenario.warmup {
            after = busy();
            before.get_or_insert(after);
        }
        true
    })?;
    Ok((after - before.unwrap_or(after), record.links[0].steady.departed_bytes.get()))
}

/// Seconds in which the machine's processors were not idle: user, nice, system, irq and softirq of `/proc/stat`, in hundredths (proc(5)).
fn busy() -> f64 {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks: Vec<f64> = text.lines().next().unwrap_or_default().split_whitespace().filter_map(|word| word.parse().ok()).collect();
    [0, 1, 2, 5, 6].iter().filter_map(|column| ticks.get(*column)).sum::<f64>() / 100.0
}
