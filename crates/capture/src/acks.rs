//! The table of samples at each acknowledgement, `acks.parquet`.

use narrows_measure::AckSample;
use narrows_sheet::{Cells, Sheet, write};
use narrows_transport::{Content, Observer, Point, Seen, Sender};
use narrows_units::{Rate, Span, Time};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

/// State of the controllers of sampled flows: a column for each name of
/// [`Controller::inspect`](narrows_control::Controller::inspect), with a value for each sample.
/// Empty for the kernel, which does not show this state.
#[derive(Clone, Debug, Default)]
pub struct Remembered {
    names: Vec<&'static str>,
    /// For each sample, the values of the names known at that time; NaN for names that the sample's
    /// controller does not have.
    values: Vec<Vec<f64>>,
}

impl Remembered {
    fn note(&mut self, row: usize, name: &'static str, value: f64) {
        let column = self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        self.values.resize(self.values.len().max(row + 1), Vec::new());
        let values = &mut self.values[row];
        values.resize(values.len().max(column + 1), f64::NAN);
        values[column] = value;
    }

    fn value(&self, row: usize, column: usize) -> Option<f64> {
        self.values.get(row)?.get(column).copied().filter(|value| value.is_finite())
    }
}

/// Writes samples, in their order, with the state of their controllers. `flows` are the names of
/// the scenario's flows.
///
/// # Errors
///
/// `out` cannot be written.
pub fn write_acks(
    out: File,
    flows: &[String],
    samples: &[AckSample],
    traced: &Remembered,
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let names: Vec<Arc<str>> = flows.iter().map(|name| name.as_str().into()).collect();
    write(
        &mut out,
        None,
        &sheet(&names, &[], traced),
        &mut std::iter::once(sheet(&names, samples, traced)),
    )
    .map_err(io::Error::other)?;
    out.flush()
}

fn sheet(names: &[Arc<str>], rows: &[AckSample], traced: &Remembered) -> Sheet {
    let count = |of: &dyn Fn(&AckSample) -> u64| Cells::Count(rows.iter().map(of).collect());
    let real =
        |of: &dyn Fn(&AckSample) -> Option<f64>| Cells::MaybeReal(rows.iter().map(of).collect());
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
    for (column, name) in traced.names.iter().enumerate() {
        let values = (0..rows.len()).map(|row| traced.value(row, column)).collect();
        sheet.add(format!("{STATE}{name}"), Cells::MaybeReal(values));
    }
    sheet
}

/// Prefix of the names of columns with a controller's state.
const STATE: &str = "state.";

/// Values of the state that have columns of their own.
const WINDOW: [&str; 2] = ["cwnd", "ssthresh"];

/// Gathers the samples of the simulator's senders.
#[derive(Debug, Default)]
pub struct AckLog {
    flows: Vec<usize>,
    /// The flow whose sender is about to process an acknowledgement.
    arrived: Option<usize>,
    samples: Vec<AckSample>,
    traced: Remembered,
}

impl AckLog {
    /// Returns a log for these flows, by their numbers in the scenario.
    pub fn new(flows: Vec<usize>) -> AckLog {
        AckLog { flows, ..AckLog::default() }
    }

    /// Returns the gathered samples.
    pub fn into_samples(self) -> (Vec<AckSample>, Remembered) {
        (self.samples, self.traced)
    }
}

impl Observer for AckLog {
    fn on_packet(&mut self, seen: &Seen) {
        if seen.point == Point::Sender
            && matches!(seen.content, Content::Ack(..))
            && self.flows.contains(&seen.flow)
        {
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
            if !WINDOW.contains(&name) {
                self.traced.note(self.samples.len(), name, value);
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
