//! Parser for logs of mahimahi's `mm-link` (`--uplink-log`, `--downlink-log`).

use super::model::{Problem, Quantity, Series};
use std::collections::BTreeMap;

const REMEDY: &str = "a line is a time in milliseconds and an event: \"12 + 1504\" (arrival, bytes), \"15 # 1504\" (opportunity, bytes), \
                      \"15 - 1504 3\" (departure, bytes, delay in ms) or \"16 d 1 1504\" (drop, packets, bytes), after \"# base timestamp: 0\"";

/// Width of the bins, in milliseconds.
const BIN: u64 = 100;
/// Longest log and longest delay, in milliseconds: a week.
const LONGEST: u64 = 7 * 24 * 3_600_000;
/// Most bytes in an event, our choice: far more than a packet or an opportunity of mm-link.
const MOST_BYTES: u64 = 1 << 20;

/// Packets that departed in a bin.
#[derive(Clone, Copy, Default)]
struct Departed {
    bytes: u64,
    packets: u64,
    delay_ms: u64,
}

/// Parses the throughput and the mean queueing delay of departed packets, in bins of 0.1 s.
pub(super) fn parse(text: &str) -> Result<Vec<Series>, Problem> {
    let mut base = None;
    let mut bins: BTreeMap<u64, Departed> = BTreeMap::new();
    let mut last = 0;
    for (line, content) in (1..).zip(text.lines()) {
        let fail = |problem: String| (line, problem, REMEDY);
        if let Some(comment) = content.strip_prefix('#') {
            if let Some(value) = comment.trim().strip_prefix("base timestamp:") {
                base = Some(
                    value
                        .trim()
                        .parse::<u64>()
                        .map_err(|_| fail(format!("\"{}\" is not a time", value.trim())))?,
                );
            }
            continue;
        }
        let words: Vec<&str> = content.split_whitespace().collect();
        let number = |index: usize| words.get(index).and_then(|word| word.parse::<u64>().ok());
        let Some(event) = words.get(1) else {
            match words.is_empty() {
                true => continue,
                false => return Err(fail(format!("\"{content}\" has no event"))),
            }
        };
        let time = number(0).ok_or_else(|| fail(format!("\"{}\" is not a time", words[0])))?;
        let base = base.ok_or_else(|| fail("an event before the base timestamp".to_owned()))?;
        let since = time
            .checked_sub(base)
            .ok_or_else(|| fail(format!("{time} ms is before the base timestamp, {base} ms")))?;
        if since > LONGEST {
            return Err(fail(format!(
                "{time} ms is more than a week after the base timestamp, {base} ms"
            )));
        }
        let amount = number(2).ok_or_else(|| fail(format!("\"{content}\" lacks a number")))?;
        if amount > MOST_BYTES {
            return Err(fail(format!("{amount} exceeds the limit of one event ({MOST_BYTES})")));
        }
        match *event {
            "+" | "#" | "d" => {}
            "-" => {
                let delay_ms = number(3)
                    .ok_or_else(|| fail(format!("\"{content}\" lacks the delay of a departure")))?;
                if delay_ms > LONGEST {
                    return Err(fail(format!("a delay of {delay_ms} ms is more than a week")));
                }
                let bin = bins.entry(since / BIN).or_default();
                bin.bytes += amount;
                bin.delay_ms += delay_ms;
                bin.packets += 1;
            }
            other => return Err(fail(format!("\"{other}\" is no event"))),
        }
        last = last.max(since);
    }
    if bins.is_empty() {
        return Err((1, "no packet departed".to_owned(), REMEDY));
    }
    let middle = |bin: u64| (bin as f64 + 0.5) * BIN as f64 / 1e3;
    let throughput = |bin: u64| {
        bins.get(&bin).map_or(0.0, |departed| departed.bytes as f64 * 8.0 / (BIN as f64 * 1e3))
    };
    // The last bin may be incomplete, and would show a throughput that is too low.
    let whole = ((last + 1) / BIN).max(1);
    Ok(vec![
        Series {
            quantity: Quantity::Throughput,
            points: (0..whole).map(|bin| (middle(bin), throughput(bin))).collect(),
        },
        Series {
            quantity: Quantity::QueueingDelay,
            points: bins
                .iter()
                .map(|(bin, departed)| {
                    (middle(*bin), departed.delay_ms as f64 / departed.packets as f64)
                })
                .collect(),
        },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LOG: &str = "# mahimahi mm-link (downlink) [trace] > log\n# command line: mm-link trace trace\n# queue: infinite\n# init timestamp: 99000\n\
                       # base timestamp: 1000\n1010 + 1504\n1012 # 1504\n1012 - 1504 2\n1050 d 1 1504\n1199 - 500 10\n1199 - 1000 20\n1250 + 40\n";

    #[test]
    fn departures_become_throughput_and_delay() {
        let read = parse(LOG).unwrap();
        // 1504 B in the first bin, 1500 B in the second. The third bin is incomplete.
        assert_eq!(read[0].points, [(0.05, 1504.0 * 8.0 / 1e5), (0.15, 0.12)]);
        assert_eq!(read[1].points, [(0.05, 2.0), (0.15, 15.0)]);
    }

    #[test]
    fn an_error_names_the_line() {
        for (from, to, line, problem) in [
            ("1012 - 1504 2", "1012 - 1504", 8, "lacks the delay"),
            ("1199 - 500 10", "1199 ! 500 10", 10, "\"!\" is no event"),
            ("# base timestamp: 1000\n", "", 5, "an event before the base timestamp"),
            ("1250 + 40", "900 + 40", 12, "is before the base timestamp"),
            ("1010 + 1504", "1010", 6, "has no event"),
            ("1010 + 1504", "x + 1504", 6, "\"x\" is not a time"),
            ("1010 + 1504", "1010 + many", 6, "lacks a number"),
            ("1010 + 1504", "1010 + 99999999", 6, "99999999 exceeds the limit of one event"),
            ("1012 - 1504 2", "1012 - 1504 999999999", 8, "is more than a week"),
        ] {
            let (found, text, _) = parse(&LOG.replace(from, to)).unwrap_err();
            assert!(found == line && text.contains(problem), "{found}: {text}");
        }
    }

    proptest! {
        #[test]
        fn every_byte_that_departs_is_in_some_bin(events in prop::collection::vec((0..5_000u64, 1..1505u64, 0..900u64), 1..200)) {
            let mut log = "# base timestamp: 77\n".to_owned();
            for (at, bytes, delay) in &events {
                log += &format!("{} - {bytes} {delay}\n", at + 77);
            }
            // An opportunity at the end completes the last bin.
            log += "5176 # 1504\n";
            let read = parse(&log).unwrap();
            let bits: f64 = read[0].points.iter().map(|(_, mbps)| mbps * 1e5).sum();
            let sent: u64 = events.iter().map(|(_, bytes, _)| bytes * 8).sum();
            prop_assert!((bits - sent as f64).abs() < 1e-3 * sent as f64);
            let most = events.iter().map(|(.., delay)| *delay).max().unwrap_or(0) as f64;
            prop_assert!(read[1].points.iter().all(|(_, delay)| *delay <= most));
        }

        #[test]
        fn no_text_makes_it_fall_over(lines in prop::collection::vec("(# base timestamp: [0-9]{1,20}|[0-9]{1,20} [-+#d!] [0-9]{0,20} ?[0-9]{0,20}|[ -~]{0,20})", 0..20)) {
            let text = lines.join("\n");
            if let Err((line, ..)) = parse(&text) {
                prop_assert!(line >= 1 && line <= lines.len().max(1));
            }
        }
    }
}
