//! `iperf3 --json`.

use super::model::{Problem, Quantity, Series};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

const REMEDY: &str = "give the output of iperf3 --json";

/// Greatest values that a measurement can have, in the units of iperf3. Ours: a petabit a second, ten years, an hour's round trip, a window
/// of a tebibyte.
const MOST_RATE: f64 = 1e15;
const MOST_SECONDS: f64 = 3.2e8;
const MOST_RTT: f64 = 3.6e9;
const MOST_WINDOW: f64 = (1u64 << 40) as f64;
/// Greatest payload of a segment.
const MOST_MSS: f64 = 65_535.0;

#[derive(Deserialize)]
struct Output {
    #[serde(default)]
    start: Start,
    #[serde(default)]
    intervals: Vec<Interval>,
    error: Option<String>,
}

#[derive(Default, Deserialize)]
struct Start {
    /// Payload of a full segment.
    #[serde(default, deserialize_with = "mss")]
    tcp_mss_default: Option<f64>,
}

#[derive(Deserialize)]
struct Interval {
    streams: Vec<Stream>,
    sum: Sum,
}

/// Of one connection; a receiver tells no more than its rate.
#[derive(Deserialize)]
struct Stream {
    /// Microseconds.
    #[serde(default, deserialize_with = "rtt")]
    rtt: Option<f64>,
    /// Bytes.
    #[serde(default, deserialize_with = "window")]
    snd_cwnd: Option<f64>,
}

/// Of all connections; times are in seconds.
#[derive(Deserialize)]
struct Sum {
    #[serde(deserialize_with = "seconds")]
    start: f64,
    #[serde(deserialize_with = "seconds")]
    end: f64,
    #[serde(deserialize_with = "rate")]
    bits_per_second: f64,
    #[serde(default)]
    omitted: bool,
}

/// A value that can have been measured.
fn measured<E: Error>(value: f64, most: f64, name: &str) -> Result<f64, E> {
    match (0.0..=most).contains(&value) {
        true => Ok(value),
        false => Err(E::custom(format!("{name} cannot be {value:e}, only from 0 to {most:e}"))),
    }
}

fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    measured(f64::deserialize(deserializer)?, MOST_SECONDS, "a time in seconds")
}

fn rate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    measured(f64::deserialize(deserializer)?, MOST_RATE, "bits_per_second")
}

fn rtt<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Option::deserialize(deserializer)?.map(|value| measured(value, MOST_RTT, "rtt in microseconds")).transpose()
}

fn window<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Option::deserialize(deserializer)?.map(|value| measured(value, MOST_WINDOW, "snd_cwnd in bytes")).transpose()
}

fn mss<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    // An iperf3 that does not know it says 0.
    let known = Option::<f64>::deserialize(deserializer)?.filter(|mss| *mss != 0.0);
    known
        .map(|mss| {
            if mss < 1.0 {
                Err(D::Error::custom(format!("tcp_mss_default cannot be {mss:e} bytes")))
            } else {
                measured(mss, MOST_MSS, "tcp_mss_default in bytes")
            }
        })
        .transpose()
}

/// Throughput of all connections, the mean of their round trips, the sum of their windows; intervals that iperf3 omits are left out.
pub(super) fn parse(text: &str) -> Result<Vec<Series>, Problem> {
    let output: Output = serde_json::from_str(text).map_err(|error| (error.line().max(1), error.to_string(), REMEDY))?;
    if let Some(error) = output.error {
        return Err((1, format!("iperf3 failed: {error}"), "measure again"));
    }
    let intervals: Vec<&Interval> = output.intervals.iter().filter(|interval| !interval.sum.omitted).collect();
    if intervals.is_empty() {
        return Err((1, "no interval was measured".to_owned(), REMEDY));
    }
    let series = |quantity, value: &dyn Fn(&Interval) -> Option<(f64, f64)>| Series {
        quantity,
        points: intervals.iter().filter_map(|interval| value(interval)).collect(),
    };
    // A rate is a mean over its interval; what the kernel tells of a connection is as of the end.
    let throughput = series(Quantity::Throughput, &|interval| {
        let Sum { start, end, bits_per_second, .. } = interval.sum;
        Some(((start + end) / 2.0, bits_per_second / 1e6))
    });
    let rtt = series(Quantity::Rtt, &|interval| {
        let all: Vec<f64> = interval.streams.iter().filter_map(|stream| stream.rtt).filter(|rtt| *rtt > 0.0).collect();
        (!all.is_empty()).then(|| (interval.sum.end, all.iter().sum::<f64>() / all.len() as f64 / 1e3))
    });
    let window = series(Quantity::Window, &|interval| {
        let mss = output.start.tcp_mss_default?;
        let all: Vec<f64> = interval.streams.iter().filter_map(|stream| stream.snd_cwnd).collect();
        (!all.is_empty()).then(|| (interval.sum.end, all.iter().sum::<f64>() / mss))
    });
    Ok([throughput, rtt, window].into_iter().filter(|series| !series.points.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TWO_STREAMS: &str = r#"{
  "start": { "tcp_mss_default": 1448, "version": "iperf 3.12" },
  "intervals": [
    { "streams": [{ "rtt": 9, "snd_cwnd": 14480, "omitted": true }],
      "sum": { "start": 0, "end": 1, "seconds": 1, "bits_per_second": 5e6, "omitted": true } },
    { "streams": [{ "socket": 5, "rtt": 13505, "rttvar": 994, "snd_cwnd": 139008, "retransmits": 15, "omitted": false },
                  { "socket": 7, "rtt": 14505, "snd_cwnd": 5792 }],
      "sum": { "start": 0, "end": 1.5, "bytes": 11927552, "bits_per_second": 95437020.5, "retransmits": 15, "omitted": false, "sender": true } }
  ],
  "end": {}
}"#;

    #[test]
    fn streams_are_put_together_and_omitted_intervals_are_left_out() {
        let expected = [(Quantity::Throughput, (0.75, 95.4370205)), (Quantity::Rtt, (1.5, 14.005)), (Quantity::Window, (1.5, 100.0))];
        let expected = expected.map(|(quantity, point)| Series { quantity, points: vec![point] });
        assert_eq!(parse(TWO_STREAMS).unwrap(), expected);
    }

    #[test]
    fn a_receivers_output_has_rates_alone() {
        let text = r#"{"intervals":[{"streams":[{"socket":5}],"sum":{"start":0,"end":1,"bits_per_second":8e6}}]}"#;
        assert_eq!(parse(text).unwrap(), [Series { quantity: Quantity::Throughput, points: vec![(0.5, 8.0)] }]);
    }

    #[test]
    fn values_that_nobody_can_measure_are_refused_with_their_line() {
        for (from, to, line, says) in [
            ("95437020.5", "-5e9", 6, "bits_per_second cannot be -5e9"),
            ("95437020.5", "1.7e302", 6, "bits_per_second cannot be 1.7e302"),
            ("\"end\": 1.5", "\"end\": 8.4e18", 6, "a time in seconds cannot be 8.4e18"),
            ("13505", "-1", 5, "rtt in microseconds cannot be -1e0"),
            ("139008", "2e16", 5, "snd_cwnd in bytes cannot be 2e16"),
            ("1448", "1e9", 2, "tcp_mss_default in bytes cannot be 1e9"),
            ("1448", "1e-9", 2, "tcp_mss_default cannot be 1e-9 bytes"),
        ] {
            let (found, problem, _) = parse(&TWO_STREAMS.replace(from, to)).unwrap_err();
            assert!(problem.contains(says), "{problem}");
            assert!(found.abs_diff(line) <= 2, "line {found}: {problem}");
        }
    }

    #[test]
    fn an_error_names_the_line() {
        let (line, problem, _) = parse(&TWO_STREAMS.replace("\"end\": 1.5,", "")).unwrap_err();
        assert!(line == 8 && problem.contains("missing field `end`"), "{line}: {problem}");
        let (_, problem, remedy) = parse(r#"{"intervals":[],"error":"unable to connect to server"}"#).unwrap_err();
        assert_eq!((problem.as_str(), remedy), ("iperf3 failed: unable to connect to server", "measure again"));
    }

    proptest! {
        #[test]
        fn what_was_measured_is_what_is_read(rates in prop::collection::vec((0.0..1e11f64, 1..10_000_000u32), 1..50)) {
            let interval = |(index, (rate, rtt)): (usize, &(f64, u32))| serde_json::json!({
                "streams": [{ "rtt": rtt, "snd_cwnd": 1448 * index }],
                "sum": { "start": index, "end": index + 1, "bits_per_second": rate },
            });
            let intervals: Vec<_> = rates.iter().enumerate().map(interval).collect();
            let text = serde_json::json!({ "start": { "tcp_mss_default": 1448 }, "intervals": intervals }).to_string();
            let read = parse(&text).unwrap();
            for (index, (rate, rtt)) in rates.iter().enumerate() {
                let at = index as f64;
                prop_assert_eq!(read[0].points[index], (at + 0.5, rate / 1e6));
                prop_assert_eq!(read[1].points[index], (at + 1.0, f64::from(*rtt) / 1e3));
                prop_assert_eq!(read[2].points[index], (at + 1.0, at));
            }
        }

        #[test]
        fn no_text_makes_it_fall_over(text in "\\{?[ -~\n]{0,200}") {
            if let Err((line, ..)) = parse(&text) {
                prop_assert!(line >= 1 && line <= text.lines().count().max(1) + 1);
            }
        }
    }
}
