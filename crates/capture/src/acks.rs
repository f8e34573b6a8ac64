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

/// Description of a row of `acks.parquet`.
pub const ACKS: &str = "One row per acknowledgement at the senders named by `--acks FLOW`, in order of time. The simulator records the state after an acknowledgement, the kernel the state before it (as root, in a build with [kernel controllers](../how-to/kernel.md)). A note counts acknowledgements missed on a busy machine.";

/// A column of `acks.parquet`. Neighbours with the same description are described together.
pub struct AckColumn {
    /// Name, which ends in the unit of the values.
    pub name: &'static str,
    /// Description of the values.
    pub about: &'static str,
    values: Values,
}

/// The values of a column.
enum Values {
    Name,
    Count(fn(&AckSample) -> u64),
    Real(fn(&AckSample) -> f64),
    MaybeReal(fn(&AckSample) -> Option<f64>),
    /// One column for each name of a controller's state.
    State,
}

/// The columns of `acks.parquet`, in order.
pub const ACK_COLUMNS: [AckColumn; 12] = [
    column("flow", "the flow", Values::Name),
    column("flow_index", "the flow", Values::Count(|row| row.flow as u64)),
    column(
        "connection",
        "the sender's port; 0 in the simulator",
        Values::Count(|row| row.connection.into()),
    ),
    column("time_s", "time", Values::Real(|row| row.at.as_secs_f64())),
    column("cwnd_segments", WINDOWS, Values::Real(|row| row.cwnd)),
    column("ssthresh_segments", WINDOWS, Values::MaybeReal(|row| row.ssthresh)),
    column(
        "in_flight_segments",
        "amount of data in flight",
        Values::Count(|row| row.in_flight.into()),
    ),
    column("srtt_ms", ROUND_TRIPS, Values::MaybeReal(|row| row.srtt.map(Span::as_millis_f64))),
    column("rtt_ms", ROUND_TRIPS, Values::MaybeReal(|row| row.rtt.map(Span::as_millis_f64))),
    column(
        "pacing_mbps",
        "pacing rate, null without pacing; with headers in the simulator, payload only in the kernel",
        Values::MaybeReal(|row| row.pacing.map(Rate::as_mbps)),
    ),
    column(
        "delivery_mbps",
        "latest delivery-rate sample, payload; null in the simulator",
        Values::MaybeReal(|row| row.delivery.map(Rate::as_mbps)),
    ),
    column(
        "state.NAME",
        "each value that the controllers of these flows show of their inner state, in the simulator: `state.w_max` of `cubic`, members of the private area of a [BPF controller](../how-to/bring-your-own.md#what-it-remembers-and-prints); null where a controller has none of the name",
        Values::State,
    ),
];

const WINDOWS: &str = "window; slow start threshold, null if infinite or unknown";
const ROUND_TRIPS: &str = "smoothed and latest round trip, null before the first";

const fn column(name: &'static str, about: &'static str, values: Values) -> AckColumn {
    AckColumn { name, about, values }
}

fn sheet(names: &[Arc<str>], rows: &[AckSample], traced: &Remembered) -> Sheet {
    let mut sheet = Sheet::default();
    for column in &ACK_COLUMNS {
        let cells = match column.values {
            Values::Name => Cells::Text(rows.iter().map(|row| names[row.flow].clone()).collect()),
            Values::Count(of) => Cells::Count(rows.iter().map(of).collect()),
            Values::Real(of) => Cells::Real(rows.iter().map(of).collect()),
            Values::MaybeReal(of) => Cells::MaybeReal(rows.iter().map(of).collect()),
            Values::State => {
                for (place, name) in traced.names.iter().enumerate() {
                    let values = (0..rows.len()).map(|row| traced.value(row, place)).collect();
                    sheet.add(column.name.replace("NAME", name), Cells::MaybeReal(values));
                }
                continue;
            }
        };
        sheet.add(column.name, cells);
    }
    sheet
}

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
