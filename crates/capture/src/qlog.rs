//! The log of one sender in qlog, as qvis reads it.

use narrows_control::CaState;
use narrows_scenario::{Flow, Scenario};
use narrows_transport::{Ack, Content, Observer, Point, Seen, Sender};
use narrows_units::Time;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// Refuses the log of a flow that has many connections.
pub(crate) fn refuse_arrivals(plan: &Flow) -> io::Result<()> {
    if !plan.workload.opens_connections() {
        return Ok(());
    }
    let problem = format!(
        "flow \"{}\" opens a connection for each transfer, which a log does not tell apart; log another flow",
        plan.name
    );
    Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
}

/// Writes the actions of one sender in qlog 0.3 (draft-ietf-quic-qlog-main-schema-02 and
/// -quic-events-02), the version that qvis opens, as a JSON text sequence (RFC 7464).
///
/// qlog is made for QUIC, where each transmission has a packet number of its own. Here this is the
/// count of transmissions so far. Payload belongs to stream 0. An acknowledgement lists the
/// transmissions that it newly acknowledges.
pub struct SenderLog {
    out: BufWriter<File>,
    flow: usize,
    mss: u64,
    sent: u64,
    acks: u64,
    /// The latest transmission of each segment that is not acknowledged.
    transmissions: BTreeMap<u64, u64>,
    /// The acknowledgement that the sender is about to process, and its size on the wire.
    arrived: Option<(Ack, u64)>,
    state: CaState,
    metrics: Metrics,
    failed: Option<io::Error>,
}

#[derive(Serialize)]
struct Head<'a> {
    qlog_version: &'static str,
    qlog_format: &'static str,
    title: &'a str,
    trace: Trace<'a>,
}

#[derive(Serialize)]
struct Trace<'a> {
    title: &'a str,
    description: String,
    vantage_point: VantagePoint,
    common_fields: CommonFields,
}

#[derive(Serialize)]
struct VantagePoint {
    name: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Serialize)]
struct CommonFields {
    time_format: &'static str,
    reference_time: f64,
    protocol_type: [&'static str; 1],
}

/// An event; times are in milliseconds.
#[derive(Serialize)]
struct Event<D> {
    time: f64,
    name: &'static str,
    data: D,
}

#[derive(Serialize)]
struct Packet {
    header: Header,
    raw: Raw,
    frames: [Frame; 1],
}

#[derive(Serialize)]
struct Header {
    packet_type: &'static str,
    packet_number: u64,
}

#[derive(Serialize)]
struct Raw {
    length: u64,
    payload_length: u64,
}

#[derive(Serialize)]
#[serde(tag = "frame_type", rename_all = "snake_case")]
enum Frame {
    Stream { stream_id: u64, offset: u64, length: u64 },
    Ack { acked_ranges: Vec<[u64; 2]>, ect0: u32, ect1: u32, ce: u32 },
}

#[derive(Serialize)]
struct Lost {
    header: Header,
    trigger: &'static str,
}

#[derive(Serialize)]
struct StateUpdate {
    old: &'static str,
    new: &'static str,
}

/// The changed part of the sender's state: times in milliseconds, windows in bytes, the rate in
/// bit/s.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Metrics {
    #[serde(skip_serializing_if = "Option::is_none")]
    min_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    smoothed_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latest_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    congestion_window: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_in_flight: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    packets_in_flight: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ssthresh: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pacing_rate: Option<u64>,
}

impl Metrics {
    fn of(sender: &Sender, mss: u64) -> Metrics {
        let bytes = |segments: f64| (segments * mss as f64) as u64;
        let mut ssthresh = None;
        sender.controller().inspect(&mut |name, value| {
            if name == "ssthresh" && value.is_finite() {
                ssthresh = Some(bytes(value));
            }
        });
        Metrics {
            min_rtt: sender.rtt().minimum().map(|rtt| rtt.as_millis_f64()),
            smoothed_rtt: sender.latest_rtt().map(|_| sender.rtt().srtt().as_millis_f64()),
            latest_rtt: sender.latest_rtt().map(|rtt| rtt.as_millis_f64()),
            congestion_window: Some(bytes(sender.effective_window())),
            bytes_in_flight: Some(u64::from(sender.in_flight()) * mss),
            packets_in_flight: Some(sender.in_flight().into()),
            ssthresh,
            pacing_rate: sender.pacing().map(|rate| rate.as_bps()),
        }
    }

    /// Returns only the values that differ from `before`.
    fn since(&self, before: &Metrics) -> Metrics {
        fn changed<T: PartialEq + Copy>(new: Option<T>, old: Option<T>) -> Option<T> {
            new.filter(|_| new != old)
        }
        Metrics {
            min_rtt: changed(self.min_rtt, before.min_rtt),
            smoothed_rtt: changed(self.smoothed_rtt, before.smoothed_rtt),
            latest_rtt: changed(self.latest_rtt, before.latest_rtt),
            congestion_window: changed(self.congestion_window, before.congestion_window),
            bytes_in_flight: changed(self.bytes_in_flight, before.bytes_in_flight),
            packets_in_flight: changed(self.packets_in_flight, before.packets_in_flight),
            ssthresh: changed(self.ssthresh, before.ssthresh),
            pacing_rate: changed(self.pacing_rate, before.pacing_rate),
        }
    }
}

impl SenderLog {
    /// Begins a log to `out` of `flow`, by its number in the scenario. Fails if `out` cannot be
    /// written, or with [`io::ErrorKind::InvalidInput`] if the flow has no controller or many
    /// connections.
    pub fn new(out: File, scenario: &Scenario, flow: usize) -> io::Result<SenderLog> {
        let plan = &scenario.flows[flow];
        let Some(controller) = &plan.controller else {
            let problem = format!(
                "flow \"{}\" has no controller, so there is nothing to log; choose a flow that has one",
                plan.name
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        };
        refuse_arrivals(plan)?;
        let mut log = SenderLog {
            out: BufWriter::new(out),
            flow,
            mss: plan.transport.mss.get(),
            sent: 0,
            acks: 0,
            transmissions: BTreeMap::new(),
            arrived: None,
            state: CaState::Open,
            metrics: Metrics::default(),
            failed: None,
        };
        log.record(&Head {
            qlog_version: "0.3",
            qlog_format: "JSON-SEQ",
            title: &scenario.name,
            trace: Trace {
                title: &plan.name,
                description: format!(
                    "{}, simulated by narrows {}, seed {}",
                    controller.text(),
                    env!("CARGO_PKG_VERSION"),
                    scenario.seed
                ),
                vantage_point: VantagePoint { name: "sender", kind: "server" },
                common_fields: CommonFields {
                    time_format: "relative",
                    reference_time: 0.0,
                    protocol_type: ["TCP"],
                },
            },
        });
        match log.failed.take() {
            Some(error) => Err(error),
            None => Ok(log),
        }
    }

    /// Ends the log. Fails if something could not be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.failed.map_or(Ok(()), Err)?;
        self.out.flush()
    }

    /// Writes a record, unless writing has failed before.
    fn record(&mut self, record: &impl Serialize) {
        if self.failed.is_none() {
            let mut write = || {
                self.out.write_all(b"\x1e")?;
                serde_json::to_writer(&mut self.out, record)?;
                self.out.write_all(b"\n")
            };
            self.failed = write().err();
        }
    }

    fn event(&mut self, at: Time, name: &'static str, data: impl Serialize) {
        self.record(&Event { time: at.since(Time::ZERO).as_millis_f64(), name, data });
    }
}

impl Observer for SenderLog {
    fn on_packet(&mut self, seen: &Seen) {
        if seen.flow != self.flow || seen.point != Point::Sender {
            return;
        }
        match seen.content {
            Content::Data(data) => {
                let header = header(self.sent);
                self.transmissions.insert(data.number, self.sent);
                self.sent += 1;
                let length = data.bytes.get();
                let raw = Raw { length: seen.size.get(), payload_length: length };
                let frames =
                    [Frame::Stream { stream_id: 0, offset: data.number * self.mss, length }];
                self.event(seen.at, "transport:packet_sent", Packet { header, raw, frames });
            }
            Content::Ack(ack) => self.arrived = Some((ack, seen.size.get())),
            Content::Datagram(_) => {}
        }
    }

    fn on_sender(&mut self, at: Time, flow: usize, sender: &Sender) {
        if flow != self.flow {
            return;
        }
        let acknowledged = self.arrived.is_some();
        if let Some((ack, size)) = self.arrived.take() {
            let mut numbers: Vec<u64> = sender
                .newly_acked()
                .iter()
                .filter_map(|acked| self.transmissions.remove(&acked.number))
                .collect();
            numbers.sort_unstable();
            let frames = [Frame::Ack {
                acked_ranges: ranges(&numbers),
                ect0: ack.ect0,
                ect1: ack.ect1,
                ce: ack.ce,
            }];
            let header = header(self.acks);
            self.acks += 1;
            self.event(
                at,
                "transport:packet_received",
                Packet { header, raw: Raw { length: size, payload_length: 0 }, frames },
            );
        }
        let state = sender.ca_state();
        let trigger =
            if state == CaState::Loss && !acknowledged { "pto_expired" } else { "time_threshold" };
        for lost in sender.newly_lost() {
            if let Some(number) = self.transmissions.get(&lost.number) {
                self.event(at, "recovery:packet_lost", Lost { header: header(*number), trigger });
            }
        }
        if state != self.state {
            let old = std::mem::replace(&mut self.state, state);
            self.event(
                at,
                "recovery:congestion_state_updated",
                StateUpdate { old: name(old), new: name(state) },
            );
        }
        let metrics = Metrics::of(sender, self.mss);
        let changed = metrics.since(&self.metrics);
        if changed != Metrics::default() {
            self.event(at, "recovery:metrics_updated", changed);
        }
        self.metrics = metrics;
    }
}

fn header(packet_number: u64) -> Header {
    Header { packet_type: "1RTT", packet_number }
}

/// Returns the name of a state in Linux.
fn name(state: CaState) -> &'static str {
    match state {
        CaState::Open => "open",
        CaState::Disorder => "disorder",
        CaState::Cwr => "cwr",
        CaState::Recovery => "recovery",
        CaState::Loss => "loss",
    }
}

/// Returns ascending numbers as ranges, first and last. The highest range comes first, as in QUIC.
fn ranges(numbers: &[u64]) -> Vec<[u64; 2]> {
    let mut ranges: Vec<[u64; 2]> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(range) if range[1] + 1 == *number => range[1] = *number,
            _ => ranges.push([*number, *number]),
        }
    }
    ranges.reverse();
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_range_and_the_highest_comes_first() {
        assert_eq!(ranges(&[]), Vec::<[u64; 2]>::new());
        assert_eq!(ranges(&[3, 4, 5, 9, 11, 12]), [[11, 12], [9, 9], [3, 5]]);
    }
}
