//! `narrows kernel watch`.

use super::found::find;
use crate::cli::KernelWatchArgs;
use crate::terminal;
use narrows_kernel::{KernelError, Record};
use narrows_units::Rate;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use narrows_workbench::interruption::interruption;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Interval between two tables.
const REFRESH: Duration = Duration::from_millis(500);
/// Maximum number of connections in a table.
const ROWS: usize = 20;

/// Shows the decisions of a controller for each connection until the time is over, the command is
/// interrupted or the controller is unloaded.
pub fn watch(args: KernelWatchArgs) -> Result<Outcome, Failure> {
    let pinned = find(&args.name)?.map_err(KernelError::from)?;
    let stop = interruption();
    let watching = pinned.watch()?;
    let unrecorded = || pinned.stats().map_or(0, |stats| stats.unrecorded);
    let lost = unrecorded();
    let end = args.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds.into()));
    let ended = || stop.load(Ordering::Relaxed) || !watching.is_loaded();
    let rest =
        || end.map_or(REFRESH, |end| end.saturating_duration_since(Instant::now()).min(REFRESH));
    let mut out = io::stdout().lock();
    if args.csv || !out.is_terminal() {
        writeln!(out, "{HEADER}")?;
        while !ended() && !rest().is_zero() {
            let mut text = String::new();
            watching.records(rest(), |record| line(&mut text, &record));
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
    } else {
        let mut table = Table::default();
        while !ended() && !rest().is_zero() {
            watching.records(rest(), |record| table.take(&record));
            let shown = table.shown;
            let text = table.text(pinned.name());
            // Moves the cursor up and erases the previous table.
            let up = if shown > 0 { format!("\x1b[{shown}A\x1b[J") } else { String::new() };
            out.write_all((up + &text).as_bytes())?;
            out.flush()?;
        }
    }
    if !watching.is_loaded() {
        terminal::tell(&format!("{} was unloaded; watching ends", pinned.name()));
    }
    drop(watching);
    let lost = unrecorded() - lost;
    if lost > 0 {
        terminal::tell(&format!(
            "{lost} calls were lost because they came faster than they could be read"
        ));
    }
    Ok(Outcome::Ok)
}

const HEADER: &str = "time_us,connection,port,peer,call,rtt_us,srtt_us,cwnd,ssthresh,in_flight,delivered,lost,mss,pacing_bps,state";

/// Names of the values of [`narrows_cores::Event`].
const CALLS: [&str; 7] = ["init", "state", "rtt", "ack", "reduce", "undo", "restart"];
/// Names of the kernel's recovery states (`TCP_CA_Open` etc.).
const STATES: [&str; 5] = ["open", "disorder", "cwr", "recovery", "loss"];

fn name<'a>(names: &[&'a str], number: u32) -> &'a str {
    names.get(number as usize).copied().unwrap_or("?")
}

/// Returns the pacing rate after the call. `None` if the connection is not paced.
fn pacing(record: &Record) -> Option<Rate> {
    let rate = record.output.pacing_rate;
    (rate != u64::MAX && rate != u64::from(u32::MAX)).then(|| Rate::from_bytes_per_sec(rate as f64))
}

fn line(text: &mut String, record: &Record) {
    let Record { connection, port, peer, input, output, .. } = record;
    let optional =
        |value: u32, none: u32| if value == none { String::new() } else { value.to_string() };
    let pacing =
        pacing(record).map_or(String::new(), |rate| format!("{:.0}", rate.as_mbps() * 1e6));
    writeln!(
        text,
        "{},{connection},{port},{peer},{},{},{},{},{},{},{},{},{},{pacing},{}",
        input.now,
        name(&CALLS, input.event),
        optional(input.rtt, 0),
        optional(input.srtt, 0),
        output.cwnd,
        optional(output.ssthresh, 0x7fff_ffff),
        input.in_flight,
        input.delivered,
        input.lost,
        input.mss,
        name(&STATES, input.recovery),
    )
    .expect("a string grows");
}

/// The last call of each connection.
#[derive(Default)]
struct Table {
    rows: BTreeMap<u64, Row>,
    /// Number of lines on the terminal.
    shown: usize,
}

struct Row {
    last: Record,
    /// First call of the interval over which the delivery rate is computed.
    since: Record,
    calls: u64,
}

impl Table {
    fn take(&mut self, record: &Record) {
        let row = self.rows.entry(record.connection).or_insert_with(|| Row {
            last: record.clone(),
            since: record.clone(),
            calls: 0,
        });
        row.last = record.clone();
        row.calls += 1;
    }

    /// Formats the table of the time since the previous table. If there are too many connections,
    /// leaves out connections without calls first, then those with the oldest last call.
    fn text(&mut self, controller: &str) -> String {
        let mut rows: Vec<(&u64, &mut Row)> = self.rows.iter_mut().collect();
        rows.sort_by_key(|(number, row)| {
            (row.calls == 0, std::cmp::Reverse(row.last.input.now), **number)
        });
        let more = rows.len().saturating_sub(ROWS);
        rows.truncate(ROWS);
        rows.sort_by_key(|(number, _)| **number);
        let mut text = format!("{controller}, Ctrl-C stops\n");
        text += &format!(
            "{:>6} {:>5} -> {:<5} {:>7} {:>9} {:>14} {:>14} {:>6} {}\n",
            "number", "port", "peer", "cwnd", "srtt", "pacing", "delivery", "lost", "state"
        );
        for (number, row) in rows {
            let Record { port, peer, input, output, .. } = &row.last;
            let srtt = format!("{:.1} ms", f64::from(input.srtt) / 1000.0);
            let pacing = pacing(&row.last).map_or("-".to_owned(), mbps);
            let segments = input.delivered.wrapping_sub(row.since.input.delivered);
            let time = input.now.saturating_sub(row.since.input.now);
            let delivery = f64::from(segments) * f64::from(input.mss) * 8.0 / time as f64;
            let delivery = if row.calls == 0 {
                "silent".to_owned()
            } else if time == 0 {
                "-".to_owned()
            } else {
                format!("{delivery:.2} Mbit/s")
            };
            text += &format!(
                "{number:>6} {port:>5} -> {peer:<5} {:>7} {srtt:>9} {pacing:>14} {delivery:>14} {:>6} {}\n",
                output.cwnd,
                input.lost,
                name(&STATES, input.recovery)
            );
        }
        if more > 0 {
            text += &format!("and {more} more\n");
        }
        self.shown = text.lines().count();
        for row in self.rows.values_mut() {
            row.since = row.last.clone();
            row.calls = 0;
        }
        // Forgets connections without calls for a minute, because most of them have ended.
        let latest = self.rows.values().map(|row| row.last.input.now).max().unwrap_or(0);
        self.rows.retain(|_, row| latest - row.last.input.now < 60_000_000);
        text
    }
}

fn mbps(rate: Rate) -> String {
    format!("{:.2} Mbit/s", rate.as_mbps())
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_cores::{Input, Output};

    fn record(connection: u64, now: u64, delivered: u32) -> Record {
        let input = Input {
            now,
            delivered,
            event: 3,
            srtt: 10_500,
            cwnd: 9,
            ssthresh: 0x7fff_ffff,
            in_flight: 7,
            mss: 1250,
            ..Input::default()
        };
        let output = Output { pacing_rate: 250_000, cwnd: 10, ssthresh: 0x7fff_ffff };
        Record {
            connection,
            sequence: 0,
            port: 40_000,
            peer: 5201,
            input,
            output,
            state: Vec::new(),
        }
    }

    #[test]
    fn lines() {
        let mut text = String::new();
        line(&mut text, &record(3, 1_000_000, 40));
        let mut unpaced = record(4, 1_000_001, 41);
        unpaced.output.pacing_rate = u64::MAX;
        line(&mut text, &unpaced);
        assert_eq!(
            text.lines().next(),
            Some("1000000,3,40000,5201,ack,,10500,10,,7,40,0,1250,2000000,open")
        );
        assert!(text.ends_with(",1250,,open\n"), "{text}");
        assert!(text.lines().all(|line| line.split(',').count() == HEADER.split(',').count()));
    }

    #[test]
    fn delivery_is_that_of_the_time_since_the_last_table() {
        let mut table = Table::default();
        table.take(&record(0, 1_000_000, 0));
        table.take(&record(0, 1_500_000, 50));
        let text = table.text("x");
        // 50 segments of 1250 bytes in half a second.
        assert!(text.contains("1.00 Mbit/s") && text.contains("2.00 Mbit/s"), "{text}");
        assert_eq!(table.shown, 3);
        table.take(&record(1, 1_600_000, 5));
        let text = table.text("x");
        assert!(text.lines().any(|line| line.contains("silent")), "{text}");
        table.take(&record(1, 62_000_000, 6));
        table.text("x");
        assert_eq!(table.rows.len(), 1, "the silent one is forgotten");
    }

    #[test]
    fn a_crowd_is_cut() {
        let mut table = Table::default();
        (0..30).for_each(|number| table.take(&record(number, 1_000_000 + number, 0)));
        let text = table.text("x");
        assert!(
            text.contains("and 10 more")
                && !text.contains("\n     9 ")
                && text.contains("\n    29 "),
            "{text}"
        );
    }
}
