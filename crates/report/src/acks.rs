//! The table of samples at each acknowledgement, `acks.parquet`.

use crate::sheet::{Cells, Sheet, write};
use narrows_measure::AckSample;
use narrows_transport::{Content, Observer, Point, Seen, Sender};
use narrows_units::{Rate, Span, Time};
use std::io::{self, Write};
use std::sync::Arc;

/// Writes samples, in their order; `flows` are the names of the scenario's flows.
///
/// # Errors
///
/// `out` cannot be written.
pub fn write_acks<W: Write + Send>(out: W, flows: &[String], samples: &[AckSample]) -> io::Result<W> {
    let names: Vec<Arc<str>> = flows.iter().map(|name| name.as_str().into()).collect();
    write(out, &sheet(&names, &[]), std::iter::once(sheet(&names, samples))).map_err(io::Error::other)
}

fn sheet(names: &[Arc<str>], rows: &[AckSample]) -> Sheet {
    let count = |of: &dyn Fn(&AckSample) -> u64| Cells::Count(rows.iter().map(of).collect());
    let real = |of: &dyn Fn(&AckSample) -> Option<f64>| Cells::MaybeReal(rows.iter().map(of).collect());
    let mut sheet = Sheet::default();
    sheet.add("flow", Cells::Text(rows.iter().map(|row| names[row.flow].clone()).collect()));
    sheet.add("flow_index", count(&|row| row.flow as u64));
    sheet.add("connection", count(&|row| row.connection.into()));
    sheet.add("time_s", Cells::Real(rows.iter().map(|row| row.at.as_secs_f64()).collect()));
    sheet.add("cwnd_segments", Cells::Real(rows.iter().map(|row| row.cwnd).collect()));
    sheet.add("ssthresh_segments", real(&|row| row.ssthresh));
    sheet.add("in_flight_segments", count(&|row| row.in_flight.into()));
    sheet.add("srtt_ms", real(&|row| row.srtt.map(Span::as_millis_f64)));
    sheet.add("rtt_ms", real(&|row| row.rtt.map(Span::as_millis_f64)));
    sheet.add("pacing_mbps", real(&|row| row.pacing.map(Rate::as_mbps)));
    sheet.add("delivery_mbps", real(&|row| row.delivery.map(Rate::as_mbps)));
    sheet
}

/// Gathers the samples of the simulator's senders.
#[derive(Debug, Default)]
pub struct AckLog {
    flows: Vec<usize>,
    /// The flow whose sender is about to process an acknowledgement.
    arrived: Option<usize>,
    samples: Vec<AckSample>,
}

impl AckLog {
    /// One for these flows, by their numbers in the scenario.
    pub fn new(flows: Vec<usize>) -> AckLog {
        AckLog { flows, arrived: None, samples: Vec::new() }
    }

    /// What was gathered.
    pub fn into_samples(self) -> Vec<AckSample> {
        self.samples
    }
}

impl Observer for AckLog {
    fn on_packet(&mut self, seen: &Seen) {
        if seen.point == Point::Sender && matches!(seen.content, Content::Ack(..)) && self.flows.contains(&seen.flow) {
            self.arrived = Some(seen.flow);
        }
    }

    fn on_sender(&mut self, at: Time, flow: usize, sender: &Sender) {
        if self.arrived.take_if(|arrived| *arrived == flow).is_none() {
            return;
        }
        let mut ssthresh = None;
        sender.controller().inspect(&mut |name, value| {
            if name == "ssthresh" && value.is_finite() {
                ssthresh = Some(value);
            }
        });
        self.samples.push(AckSample {
            at,
            flow,
            connection: 0,
            cwnd: sender.effective_window(),
            ssthresh,
            in_flight: sender.in_flight(),
            srtt: sender.latest_rtt().map(|_| sender.rtt().srtt()),
            rtt: sender.latest_rtt(),
            pacing: sender.pacing(),
            delivery: None,
        });
    }
}
