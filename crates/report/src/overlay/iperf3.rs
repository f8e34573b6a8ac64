//! Parser for the output of `iperf3 --json` and `iperf3 --json-stream`.

use super::model::{Problem, Quantity, Series};
use super::samples::{Sample, Samples};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

const REMEDY: &str = "give the output of iperf3 --json";

/// Largest plausible values, in the units of iperf3: a petabit per second, ten years, a round trip
/// of an hour, a window of a tebibyte. The limits are our choice.
const MOST_RATE: f64 = 1e15;
const MOST_SECONDS: f64 = 3.2e8;
const MOST_RTT: f64 = 3.6e9;
const MOST_WINDOW: f64 = (1u64 << 40) as f64;
/// Largest payload of a segment, in bytes.
const MOST_MSS: f64 = 65_535.0;

#[derive(Default, Deserialize)]
struct Output {
    #[serde(default)]
    start: Start,
    #[serde(default)]
    intervals: Vec<Interval>,
    #[serde(default)]
    end: End,
    error: Option<String>,
}

#[derive(Default, Deserialize)]
struct Start {
    /// Payload of a full segment, in bytes.
    #[serde(default, deserialize_with = "mss")]
    tcp_mss_default: Option<f64>,
}

/// The results of the whole measurement.
#[derive(Default, Deserialize)]
struct End {
    /// Controller of the sender.
    #[serde(default)]
    sender_tcp_congestion: Option<String>,
    #[serde(default)]
    sum_received: Option<Received>,
}

/// The receiver's own counts.
#[derive(Deserialize)]
struct Received {
    #[serde(default, deserialize_with = "window")]
    bytes: Option<f64>,
}

#[derive(Deserialize)]
struct Interval {
    streams: Vec<Stream>,
    sum: Sum,
}

/// One connection. A receiver reports only its rate.
#[derive(Deserialize)]
struct Stream {
    /// In microseconds.
    #[serde(default, deserialize_with = "rtt")]
    rtt: Option<f64>,
    /// In bytes.
    #[serde(default, deserialize_with = "window")]
    snd_cwnd: Option<f64>,
    /// Segments sent again in the interval.
    #[serde(default, deserialize_with = "window")]
    retransmits: Option<f64>,
}

/// All connections together. Times are in seconds.
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

/// Checks that a value is plausible.
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
    Option::deserialize(deserializer)?
        .map(|value| measured(value, MOST_RTT, "rtt in microseconds"))
        .transpose()
}

fn window<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Option::deserialize(deserializer)?
        .map(|value| measured(value, MOST_WINDOW, "snd_cwnd in bytes"))
        .transpose()
}

fn mss<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    // iperf3 writes 0 if it does not know the MSS.
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

/// A JSON document in a text.
struct Document {
    /// Offset of its first byte.
    start: usize,
    value: Value,
}

/// Splits a text into JSON documents: one for `--json`, one per event for `--json-stream`, or
/// several outputs in sequence.
fn documents(text: &str) -> Result<Vec<Document>, Problem> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let mut documents = Vec::new();
    loop {
        let before = stream.byte_offset();
        let start = text.len() - text[before..].trim_start().len();
        match stream.next() {
            None => return Ok(documents),
            Some(Ok(value)) => documents.push(Document { start, value }),
            Some(Err(error)) => return Err(refusal(&error, 0)),
        }
    }
}

/// Counts the lines before an offset.
/// Returns a problem behind so many lines. It names its line once.
fn refusal(error: &serde_json::Error, before: usize) -> Problem {
    let line = error.line().max(1);
    if error.is_eof() {
        let problem = "the file ends in the middle of a value, as if iperf3 was stopped";
        return (before + line, problem.to_owned(), "measure again");
    }
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    (before + line, text.strip_suffix(&place).unwrap_or(&text).to_owned(), REMEDY)
}

fn lines_before(text: &str, place: usize) -> usize {
    text[..place].matches('\n').count()
}

/// Parses the output that begins at `start`. Parsing the text again, not the value, gives errors
/// with line numbers.
fn output_at(text: &str, start: usize) -> Result<Output, Problem> {
    let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Output>();
    let read = stream.next().transpose();
    read.map(Option::unwrap_or_default).map_err(|error| refusal(&error, lines_before(text, start)))
}

/// Combines the events of `--json-stream` into one output.
fn streamed(text: &str, events: Vec<Document>) -> Result<Output, Problem> {
    let mut output = Output::default();
    for Document { start, value } in events {
        let kind = value.get("event").and_then(Value::as_str).unwrap_or_default().to_owned();
        let data = value.get("data").cloned().unwrap_or_default();
        let read = match kind.as_str() {
            "start" => serde_json::from_value(data).map(|start| output.start = start),
            "end" => serde_json::from_value(data).map(|end| output.end = end),
            "interval" => {
                serde_json::from_value(data).map(|interval| output.intervals.push(interval))
            }
            "error" => serde_json::from_value(data).map(|error| output.error = Some(error)),
            _ => Ok(()),
        };
        // A value that has been read already has no lines.
        read.map_err(|error: serde_json::Error| {
            (lines_before(text, start) + 1, error.to_string(), REMEDY)
        })?;
    }
    Ok(output)
}

/// Parses the only measurement in a text.
fn single(text: &str) -> Result<Output, Problem> {
    let all = documents(text)?;
    if all.first().is_some_and(|first| first.value.get("event").is_some()) {
        return streamed(text, all);
    }
    let has_intervals = |value: &Value| {
        value.get("intervals").and_then(Value::as_array).is_some_and(|own| !own.is_empty())
    };
    let mut measured: Vec<&Document> =
        all.iter().filter(|document| has_intervals(&document.value)).collect();
    // Some versions of iperf3 print their output twice.
    measured.dedup_by(|later, earlier| later.value == earlier.value);
    match &measured[..] {
        [_, second, ..] => {
            let problem =
                format!("another measurement begins here; the file holds {}", measured.len());
            Err((
                lines_before(text, second.start) + 1,
                problem,
                "give each measurement a file of its own",
            ))
        }
        [only] => output_at(text, only.start),
        [] => output_at(text, 0),
    }
}

/// Parses the throughput of all connections together, their mean round trip, and the sum of their
/// windows. Intervals that iperf3 marks as omitted are left out. For a measurement with `--bidir`,
/// the client's direction counts. An interrupted measurement counts; the second value is then
/// iperf3's error message.
pub(super) fn parse(text: &str) -> Result<(Vec<Series>, Option<String>), Problem> {
    let output = single(text)?;
    if let Some(error) = output.error.as_ref().filter(|_| output.intervals.is_empty()) {
        return Err((1, format!("iperf3 failed: {error}"), "measure again"));
    }
    let intervals: Vec<&Interval> =
        output.intervals.iter().filter(|interval| !interval.sum.omitted).collect();
    if intervals.is_empty() {
        return Err((1, "no interval was measured".to_owned(), REMEDY));
    }
    let series = |quantity, value: &dyn Fn(&Interval) -> Option<(f64, f64)>| Series {
        quantity,
        points: intervals.iter().filter_map(|interval| value(interval)).collect(),
    };
    // A rate is a mean over its interval. The kernel's round trip and window are as of its end.
    let throughput = Series { quantity: Quantity::Throughput, points: rates(&intervals) };
    let rtt = series(Quantity::Rtt, &|interval| {
        let all: Vec<f64> = interval
            .streams
            .iter()
            .filter_map(|stream| stream.rtt)
            .filter(|rtt| *rtt > 0.0)
            .collect();
        (!all.is_empty())
            .then(|| (interval.sum.end, all.iter().sum::<f64>() / all.len() as f64 / 1e3))
    });
    let window = series(Quantity::Window, &|interval| {
        let mss = output.start.tcp_mss_default?;
        let all: Vec<f64> = interval.streams.iter().filter_map(|stream| stream.snd_cwnd).collect();
        (!all.is_empty()).then(|| (interval.sum.end, all.iter().sum::<f64>() / mss))
    });
    let series =
        [throughput, rtt, window].into_iter().filter(|series| !series.points.is_empty()).collect();
    Ok((series, output.error.map(|error| format!("iperf3 ended with: {error}"))))
}

/// Parses the intervals of a single TCP connection.
/// Returns the rates in Mbit/s over a second each, or over longer intervals. Shorter ones say when
/// the application wrote a block, not what the network carried.
fn rates(intervals: &[&Interval]) -> Vec<(f64, f64)> {
    let (mut points, mut first, mut bits) = (Vec::new(), None, 0.0);
    for Interval { sum, .. } in intervals {
        let start = *first.get_or_insert(sum.start);
        bits += sum.bits_per_second * (sum.end - sum.start).max(0.0);
        if sum.end - start >= 1.0 - SLACK {
            points.push(((start + sum.end) / 2.0, bits / (sum.end - start) / 1e6));
            (first, bits) = (None, 0.0);
        }
    }
    if let (true, Some(start), Some(last)) = (points.is_empty(), first, intervals.last())
        && last.sum.end > start
    {
        let end = last.sum.end;
        points.push(((start + end) / 2.0, bits / (end - start) / 1e6));
    }
    points
}

/// Seconds by which intervals of a second in all may be short.
const SLACK: f64 = 0.02;

pub(super) fn samples(text: &str) -> Result<Samples, Problem> {
    let output = single(text)?;
    let kept: Vec<&Interval> =
        output.intervals.iter().filter(|interval| !interval.sum.omitted).collect();
    let Some(first) = kept.first() else {
        return Err((1, "no interval was measured".to_owned(), REMEDY));
    };
    if let Some(other) = kept.iter().find(|interval| interval.streams.len() != 1) {
        let problem = format!("an interval has {} connections", other.streams.len());
        return Err((1, problem, "measure one connection, without --parallel and --bidir"));
    }
    let begins = first.sum.start;
    let is_whole = output.intervals.iter().all(|interval| !interval.sum.omitted);
    let mut at = begins;
    let mut points = Vec::new();
    for Interval { streams, sum } in kept {
        if sum.end <= at {
            return Err((
                1,
                format!("an interval ends at {} s, not after the one before", sum.end),
                REMEDY,
            ));
        }
        let stream = &streams[0];
        points.push(Sample {
            at: sum.end,
            bytes: sum.bits_per_second / 8.0 * (sum.end - sum.start).max(0.0),
            rtt_ms: stream.rtt.filter(|rtt| *rtt > 0.0).map(|rtt| rtt / 1e3),
            window: stream.snd_cwnd.zip(output.start.tcp_mss_default).map(|(own, mss)| own / mss),
            resent: stream.retransmits.unwrap_or_default(),
        });
        at = sum.end;
    }
    Ok(Samples {
        is_ss: false,
        controller: output.end.sender_tcp_congestion,
        mss: output.start.tcp_mss_default,
        least_rtt_ms: None,
        received: output
            .end
            .sum_received
            .and_then(|own| own.bytes)
            .filter(|bytes| is_whole && *bytes > 0.0),
        begins,
        points,
        remark: output.error.map(|error| format!("iperf3 ended with: {error}")),
    })
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
        let expected = [
            (Quantity::Throughput, (0.75, 95.4370205)),
            (Quantity::Rtt, (1.5, 14.005)),
            (Quantity::Window, (1.5, 100.0)),
        ];
        let expected = expected.map(|(quantity, point)| Series { quantity, points: vec![point] });
        assert_eq!(parse(TWO_STREAMS).unwrap(), (expected.to_vec(), None));
    }

    #[test]
    fn a_receivers_output_has_rates_alone() {
        let text = r#"{"intervals":[{"streams":[{"socket":5}],"sum":{"start":0,"end":1,"bits_per_second":8e6}}]}"#;
        assert_eq!(
            parse(text).unwrap().0,
            [Series { quantity: Quantity::Throughput, points: vec![(0.5, 8.0)] }]
        );
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
    fn blocks_of_an_application_are_rates_over_a_second() {
        let interval = |at: usize| {
            let bits = if at.is_multiple_of(5) { 4e7 } else { 0.0 };
            let (start, end) = (at as f64 / 10.0, (at + 1) as f64 / 10.0);
            format!(
                "{{\"streams\": [{{\"rtt\": 9}}], \"sum\": {{\"start\": {start}, \"end\": {end}, \"bits_per_second\": {bits}}}}}"
            )
        };
        let intervals = (0..25).map(interval).collect::<Vec<_>>().join(",");
        let end = "\"end\": {\"sum_received\": {\"bytes\": 1500000}}";
        let text = format!("{{\"intervals\": [{intervals}], {end}}}");
        let points = parse(&text).unwrap().0[0].points.clone();
        assert!(points.iter().all(|(_, rate)| (rate - 8.0).abs() < 1e-9), "{points:?}");
        assert_eq!(points.len(), 2);
        let written = |samples: &Samples| samples.points.iter().map(|own| own.bytes).sum::<f64>();
        let own = samples(&text).unwrap();
        assert_eq!((written(&own).round(), own.received), (2.5e6, Some(1.5e6)));
    }

    #[test]
    fn an_interval_without_length_has_no_rate() {
        let text = r#"{"intervals":[{"streams":[{"rtt":9}],"sum":{"start":3,"end":3,"bits_per_second":8e6}}]}"#;
        let series = parse(text).unwrap().0;
        assert_eq!(series.iter().map(|own| own.quantity).collect::<Vec<_>>(), [Quantity::Rtt]);
    }

    #[test]
    fn a_file_that_is_cut_says_so_and_names_its_place_once() {
        let (line, problem, _) = parse("{\"intervals\": [\n{\"streams\": [").unwrap_err();
        assert_eq!((line, problem.contains("in the middle of a value")), (2, true), "{problem}");
        let (_, problem, _) = parse("{\"intervals\": [\n nonsense").unwrap_err();
        assert!(!problem.contains("column"), "{problem}");
    }

    #[test]
    fn an_error_names_the_line() {
        let (line, problem, _) = parse(&TWO_STREAMS.replace("\"end\": 1.5,", "")).unwrap_err();
        assert!(line == 8 && problem.contains("missing field `end`"), "{line}: {problem}");
        let (_, problem, remedy) =
            parse(r#"{"intervals":[],"error":"unable to connect to server"}"#).unwrap_err();
        assert_eq!(
            (problem.as_str(), remedy),
            ("iperf3 failed: unable to connect to server", "measure again")
        );
    }

    #[test]
    fn an_interrupted_measurement_counts_with_its_error() {
        let interrupted = TWO_STREAMS.replace(
            "\"end\": {}",
            "\"end\": {}, \"error\": \"interrupt - the client has terminated\"",
        );
        let (series, remark) = parse(&interrupted).unwrap();
        assert_eq!(series, parse(TWO_STREAMS).unwrap().0);
        assert_eq!(
            remark.as_deref(),
            Some("iperf3 ended with: interrupt - the client has terminated")
        );
    }

    #[test]
    fn events_of_a_stream_make_up_one_output() {
        let value: Value = serde_json::from_str(TWO_STREAMS).unwrap();
        let mut events = vec![serde_json::json!({ "event": "start", "data": value["start"] })];
        events.extend(
            value["intervals"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| serde_json::json!({ "event": "interval", "data": one })),
        );
        events.push(serde_json::json!({ "event": "end", "data": {} }));
        let text: String = events.iter().map(|event| format!("{event}\n")).collect();
        assert_eq!(parse(&text).unwrap(), parse(TWO_STREAMS).unwrap());
        let text = text + "{\"event\":\"error\",\"data\":\"gone\"}\n";
        assert_eq!(parse(&text).unwrap().1.as_deref(), Some("iperf3 ended with: gone"));
    }

    #[test]
    fn a_repeated_output_counts_once_and_two_measurements_are_refused() {
        assert_eq!(
            parse(&format!("{TWO_STREAMS}\n{TWO_STREAMS}")).unwrap(),
            parse(TWO_STREAMS).unwrap()
        );
        let failed = r#"{"intervals":[],"error":"unable to connect"}"#;
        assert_eq!(
            parse(&format!("{failed}\n{TWO_STREAMS}")).unwrap(),
            parse(TWO_STREAMS).unwrap()
        );
        let other = TWO_STREAMS.replace("95437020.5", "1e6");
        let (line, problem, _) = parse(&format!("{TWO_STREAMS}\n{other}")).unwrap_err();
        assert_eq!(
            (line, problem.as_str()),
            (12, "another measurement begins here; the file holds 2")
        );
        let (line, ..) =
            parse(&format!("{failed}\n{}", TWO_STREAMS.replace("13505", "-1"))).unwrap_err();
        assert!((6..=8).contains(&line), "line {line}");
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
            let (read, _) = parse(&text).unwrap();
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
