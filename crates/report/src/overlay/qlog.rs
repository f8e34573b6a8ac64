//! Parser for qlog, the log of a QUIC stack: its recovery metrics.
//!
//! Stacks follow drafts of draft-ietf-quic-qlog-main-schema and -quic-events that differ: the event
//! is `recovery:metrics_updated` or `quic:recovery_metrics_updated`, and times are counted from a
//! reference or from the event before. A text sequence (RFC 7464) has a record for each event, a
//! JSON document all events of a connection.

use super::model::{Problem, Quantity, Series};
use serde_json::Value;

const REMEDY: &str = "give a qlog with recovery metrics, as a JSON text sequence or a document";

/// Largest plausible values, which are ours: the year 2286 in milliseconds since 1970, a round trip
/// of an hour, a window of a tebibyte.
const MOST_TIME: f64 = 1e13;
/// Times from here on count from 1970, and not from the start of a connection: three years.
const SINCE_1970: f64 = 1e11;
const MOST_RTT: f64 = 3.6e6;
const MOST_WINDOW: f64 = (1u64 << 40) as f64;

/// Bytes of a segment where the log does not tell the largest datagram: ours.
const DATAGRAM: f64 = 1452.0;

/// Smallest datagram that a log may tell, by RFC 9000 section 14, and the largest.
const DATAGRAMS: (f64, f64) = (1200.0, 65_535.0);

/// True if a text begins like a text sequence, or like a JSON document that is a qlog.
pub(super) fn is_qlog(text: &str) -> bool {
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let head = text.split('\x1e').nth(1).unwrap_or(text);
    text.starts_with('\x1e') || (head.starts_with('{') && beginning(head, 4096).contains("\"qlog_"))
}

/// The beginning of a text, at most so many bytes.
fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Parses window, bytes in flight and round trip of the first connection in the log.
pub(super) fn parse(text: &str) -> Result<Vec<Series>, Problem> {
    let mut metrics = Metrics::default();
    if text.contains('\x1e') {
        let mut line = 1;
        for record in text.split('\x1e') {
            let value = record.trim();
            if !value.is_empty() && value != "\u{feff}" {
                let value = serde_json::from_str(value)
                    .map_err(|error| (line + error.line().max(1) - 1, error.to_string(), REMEDY))?;
                metrics.record(&value).map_err(|problem| (line, problem, REMEDY))?;
            }
            line += record.matches('\n').count();
        }
    } else {
        let document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| (error.line().max(1), error.to_string(), REMEDY))?;
        metrics.document(&document).map_err(|problem| (1, problem, REMEDY))?;
    }
    metrics.into_series().ok_or_else(|| (1, "it has no recovery metrics".to_owned(), REMEDY))
}

/// The metrics of a connection so far.
#[derive(Default)]
struct Metrics {
    /// Times are differences to the time of the event before.
    by_delta: bool,
    now: f64,
    first: Option<f64>,
    /// Bytes of a full datagram.
    datagram: Option<f64>,
    window: Vec<(f64, f64)>,
    in_flight: Vec<(f64, f64)>,
    rtt: Vec<(f64, f64)>,
}

impl Metrics {
    /// All events of the first trace of a document.
    fn document(&mut self, document: &Value) -> Result<(), String> {
        let trace = document["traces"].get(0).unwrap_or(&document["trace"]);
        self.head(trace);
        let events = trace["events"].as_array().ok_or("it has no events")?;
        events.iter().try_for_each(|event| self.event(event))
    }

    /// A record of a text sequence: its head, or an event.
    fn record(&mut self, record: &Value) -> Result<(), String> {
        match record.get("trace").or_else(|| record.get("traces")) {
            Some(trace) => {
                self.head(trace.get(0).unwrap_or(trace));
                Ok(())
            }
            None if record.is_object() => self.event(record),
            None => Err("a record is no object".to_owned()),
        }
    }

    fn head(&mut self, trace: &Value) {
        let format = trace["common_fields"]["time_format"].as_str().unwrap_or_default();
        self.by_delta = matches!(format, "delta" | "relative_to_previous_event");
    }

    fn event(&mut self, event: &Value) -> Result<(), String> {
        let Some(name) = event["name"].as_str() else { return Ok(()) };
        let time = plausible(&event["time"], MOST_TIME, "a time in milliseconds")?
            .ok_or_else(|| format!("an event {name:?} has no time"))?;
        self.now = if self.by_delta { self.now + time } else { time };
        if self.now > MOST_TIME {
            return Err(format!("a time cannot be {:e} ms", self.now));
        }
        let first = *self.first.get_or_insert(self.now);
        if !name.ends_with("metrics_updated") {
            return Ok(());
        }
        // Times count from the start of the connection, or from 1970.
        let since = if first > SINCE_1970 { self.now - first } else { self.now };
        if since < 0.0 {
            return Err(format!("an event is {:e} ms before the first", -since));
        }
        let (at, data) = (since / 1e3, &event["data"]);
        let size = |key| plausible(&data[key], MOST_WINDOW, key);
        if let Some(bytes) = size("congestion_window")? {
            self.window.push((at, bytes));
        }
        if let Some(bytes) = size("bytes_in_flight")? {
            self.in_flight.push((at, bytes));
        }
        if let Some(bytes) = size("max_datagram_size")? {
            self.datagram = Some(bytes).filter(|_| (DATAGRAMS.0..=DATAGRAMS.1).contains(&bytes));
        }
        let rtt = plausible(&data["latest_rtt"], MOST_RTT, "latest_rtt in milliseconds")?;
        if let Some(rtt) = rtt {
            self.rtt.push((at, rtt));
        }
        Ok(())
    }

    /// The series; `None` without any.
    fn into_series(self) -> Option<Vec<Series>> {
        let full = self.datagram.unwrap_or(DATAGRAM);
        let datagrams = |points: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
            points.into_iter().map(|(at, bytes)| (at, bytes / full)).collect()
        };
        let series = [
            Series { quantity: Quantity::Window, points: datagrams(self.window) },
            Series { quantity: Quantity::InFlight, points: datagrams(self.in_flight) },
            Series { quantity: Quantity::Rtt, points: self.rtt },
        ];
        let told: Vec<Series> =
            series.into_iter().filter(|series| !series.points.is_empty()).collect();
        (!told.is_empty()).then_some(told)
    }
}

/// A number that is given and plausible.
fn plausible(value: &Value, most: f64, name: &str) -> Result<Option<f64>, String> {
    match value {
        Value::Null => Ok(None),
        _ => match value.as_f64() {
            Some(number) if (0.0..=most).contains(&number) => Ok(Some(number)),
            Some(number) => Err(format!("{name} cannot be {number:e}, only from 0 to {most:e}")),
            None => Err(format!("{name} is no number")),
        },
    }
}

#[cfg(test)]
mod tests;
