//! Exports a run as a Perfetto trace: counters for flows and links, slices for transfers, instants
//! for changes.
//!
//! Messages and field numbers are those of Perfetto's protos/perfetto/trace (trace_packet.proto,
//! track_event/*.proto), in the form described by Perfetto's page "Writing TrackEvent Protos
//! Synthetically".

use crate::checksums::ResultDir;
use crate::error::{ReportError, failed};
use narrows_files::{Folder, Output};
use narrows_sheet::{self as sheet, Cells, ParquetError, Sheet};
use prost::Message;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Clone, PartialEq, Message)]
struct Trace {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<TracePacket>,
}

#[derive(Clone, PartialEq, Message)]
struct TracePacket {
    /// In nanoseconds.
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    /// Identifies the writer of the packet. All packets have the same value.
    #[prost(uint32, optional, tag = "10")]
    trusted_packet_sequence_id: Option<u32>,
    #[prost(message, optional, tag = "11")]
    track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "60")]
    track_descriptor: Option<TrackDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct TrackDescriptor {
    #[prost(uint64, optional, tag = "1")]
    uuid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    name: Option<String>,
    #[prost(uint64, optional, tag = "5")]
    parent_uuid: Option<u64>,
    #[prost(message, optional, tag = "8")]
    counter: Option<CounterDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct CounterDescriptor {
    #[prost(string, optional, tag = "6")]
    unit_name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct TrackEvent {
    #[prost(int32, optional, tag = "9")]
    r#type: Option<i32>,
    #[prost(uint64, optional, tag = "11")]
    track_uuid: Option<u64>,
    #[prost(string, optional, tag = "23")]
    name: Option<String>,
    #[prost(double, optional, tag = "44")]
    double_counter_value: Option<f64>,
}

/// Values of TrackEvent.Type.
const SLICE_BEGIN: i32 = 1;
const SLICE_END: i32 = 2;
const INSTANT: i32 = 3;
const COUNTER: i32 = 4;

/// Suffixes of column names, and the units that they stand for.
const UNITS: [(&str, &str); 6] = [
    ("_mbps", "Mbit/s"),
    ("_ms", "ms"),
    ("_segments", "segments"),
    ("_bytes", "B"),
    ("_packets", "packets"),
    ("_interests", "Interests"),
];

/// Name of the trace in a result directory.
const TRACE: &str = "run.perfetto-trace";

/// Writes the samples, transfers and changes of a result directory as one Perfetto trace to `out`;
/// if `out` is `None`, to `run.perfetto-trace` in the result directory. Each run has a track, each
/// of its flows and links has a track below it, and each sampled quantity has a counter below that.
/// Time zero is the start of the run. The file appears when it is complete. Returns its path.
///
/// # Errors
///
/// The result has no samples, a table is damaged, or the trace cannot be written.
pub fn export_perfetto(files: &ResultDir, out: Option<&Path>) -> Result<PathBuf, ReportError> {
    if !files.names().any(|name| name.ends_with("_samples.parquet")) {
        files.refuse_without_runs()?;
        let source = io::Error::new(
            io::ErrorKind::NotFound,
            "it has no samples over time, which runs and comparisons have",
        );
        return Err(ReportError::Read { path: files.path().to_owned(), source });
    }
    let path = out.map_or_else(|| files.path().join(TRACE), Path::to_owned);
    let begun = match out {
        Some(out) => Output::create(out),
        None => Folder::open(files.path()).and_then(|result| result.create(TRACE)),
    };
    let failed = |source| failed(&path, source);
    let mut writer = Writer { out: begun.map_err(failed)?, tracks: BTreeMap::new() };
    for (table, add) in TABLES {
        if !files.names().any(|name| name == *table) {
            continue;
        }
        let damaged = |error: ParquetError| ReportError::Damaged {
            path: files.path().join(table),
            reason: error.to_string(),
        };
        for sheet in sheet::read(files.file(table)?).map_err(damaged)? {
            let packets = writer.packets(&sheet, *add).map_err(damaged)?;
            writer.write(packets).map_err(failed)?;
        }
    }
    writer.out.finish().map_err(failed)?;
    Ok(path)
}

type Add = fn(&mut Writer, &Sheet, &mut Vec<TracePacket>) -> Result<(), ParquetError>;

/// The exported tables, and the function that converts each.
const TABLES: &[(&str, Add)] = &[
    ("flow_samples.parquet", |writer, sheet, packets| writer.samples(sheet, "flow", packets)),
    ("consumer_samples.parquet", |writer, sheet, packets| {
        writer.samples(sheet, "consumer", packets)
    }),
    ("link_samples.parquet", |writer, sheet, packets| writer.samples(sheet, "link", packets)),
    ("transfers.parquet", Writer::transfers),
    ("changes.parquet", Writer::changes),
];

struct Writer {
    out: Output,
    /// The identifier of each track, by its path in the tree of tracks.
    tracks: BTreeMap<Vec<String>, u64>,
}

impl Writer {
    fn packets(&mut self, sheet: &Sheet, add: Add) -> Result<Vec<TracePacket>, ParquetError> {
        let mut packets = Vec::new();
        add(self, sheet, &mut packets)?;
        Ok(packets)
    }

    /// Appends the packets as one `Trace` message. A reader takes concatenated messages as one
    /// message.
    fn write(&mut self, packets: Vec<TracePacket>) -> io::Result<()> {
        self.out.write_all(&Trace { packet: packets }.encode_to_vec())
    }

    /// Returns the identifier of the track at this path. The first call for a path adds the
    /// descriptors of the track and of its parents to `packets`.
    fn track(&mut self, place: &[&str], unit: Option<&str>, packets: &mut Vec<TracePacket>) -> u64 {
        let key: Vec<String> = place.iter().map(|name| (*name).to_owned()).collect();
        if let Some(uuid) = self.tracks.get(&key) {
            return *uuid;
        }
        let parent =
            (place.len() > 1).then(|| self.track(&place[..place.len() - 1], None, packets));
        let uuid = self.tracks.len() as u64 + 1;
        self.tracks.insert(key, uuid);
        packets.push(TracePacket {
            track_descriptor: Some(TrackDescriptor {
                uuid: Some(uuid),
                name: place.last().map(|name| (*name).to_owned()),
                parent_uuid: parent,
                counter: unit.map(|unit| CounterDescriptor {
                    unit_name: (!unit.is_empty()).then(|| unit.to_owned()),
                }),
            }),
            trusted_packet_sequence_id: Some(1),
            ..TracePacket::default()
        });
        uuid
    }

    /// Adds a counter for each column of samples, except for cumulative counts.
    fn samples(
        &mut self,
        sheet: &Sheet,
        of: &str,
        packets: &mut Vec<TracePacket>,
    ) -> Result<(), ParquetError> {
        let (cases, seeds, names, times) =
            (sheet.text("case")?, sheet.count("seed")?, sheet.text(of)?, sheet.real("time_s")?);
        let sampled = sheet.columns().iter().filter(|(name, _)| {
            !["case", "seed", of, "time_s"].contains(&name.as_str())
                && !name.ends_with("_index")
                && !name.starts_with("total_")
        });
        for (column, cells) in sampled {
            let (title, unit) = UNITS
                .iter()
                .find_map(|(end, unit)| Some((column.strip_suffix(end)?, *unit)))
                .unwrap_or((column.as_str(), ""));
            let title = title.replace('_', " ");
            for row in 0..sheet.rows() {
                let Some(value) = number(cells, row) else { continue };
                let run = run(&cases[row], seeds[row]);
                let uuid = self.track(&[&run, &names[row], &title], Some(unit), packets);
                packets.push(event(times[row], COUNTER, uuid, None, Some(value)));
            }
        }
        Ok(())
    }

    /// Adds a slice for each completed transfer. Overlapping transfers of a flow get separate
    /// tracks.
    fn transfers(
        &mut self,
        sheet: &Sheet,
        packets: &mut Vec<TracePacket>,
    ) -> Result<(), ParquetError> {
        let (cases, seeds, flows) =
            (sheet.text("case")?, sheet.count("seed")?, sheet.text("flow")?);
        let (starts, sizes, took) =
            (sheet.real("start_s")?, sheet.column("size_bytes")?, sheet.column("completion_ms")?);
        let mut lanes: BTreeMap<(u64, String, String), Vec<f64>> = BTreeMap::new();
        for row in 0..sheet.rows() {
            let Some(took) = number(took, row) else { continue };
            let (start, end) = (starts[row], starts[row] + took / 1e3);
            let busy = lanes
                .entry((seeds[row], cases[row].to_string(), flows[row].to_string()))
                .or_default();
            let lane = busy.iter().position(|until| *until <= start).unwrap_or(busy.len());
            busy.resize(busy.len().max(lane + 1), 0.0);
            busy[lane] = end;
            let title =
                if lane == 0 { "transfers".to_owned() } else { format!("transfers {}", lane + 1) };
            let uuid =
                self.track(&[&run(&cases[row], seeds[row]), &flows[row], &title], None, packets);
            let name = number(sizes, row).map(|bytes| format!("{bytes} B"));
            packets.push(event(start, SLICE_BEGIN, uuid, name, None));
            packets.push(event(end, SLICE_END, uuid, None, None));
        }
        Ok(())
    }

    fn changes(
        &mut self,
        sheet: &Sheet,
        packets: &mut Vec<TracePacket>,
    ) -> Result<(), ParquetError> {
        let (cases, seeds, times) =
            (sheet.text("case")?, sheet.count("seed")?, sheet.real("time_s")?);
        let (of, what, to) = (sheet.text("of")?, sheet.text("what")?, sheet.text("to")?);
        for row in 0..sheet.rows() {
            let uuid = self.track(&[&run(&cases[row], seeds[row]), "changes"], None, packets);
            packets.push(event(
                times[row],
                INSTANT,
                uuid,
                Some(format!("{}: {} {}", of[row], what[row], to[row])),
                None,
            ));
        }
        Ok(())
    }
}

fn run(case: &str, seed: u64) -> String {
    format!("{case}, seed {seed}")
}

fn event(
    seconds: f64,
    kind: i32,
    uuid: u64,
    name: Option<String>,
    value: Option<f64>,
) -> TracePacket {
    TracePacket {
        timestamp: Some((seconds * 1e9).round() as u64),
        trusted_packet_sequence_id: Some(1),
        track_event: Some(TrackEvent {
            r#type: Some(kind),
            track_uuid: Some(uuid),
            name,
            double_counter_value: value,
        }),
        track_descriptor: None,
    }
}

fn number(cells: &Cells, row: usize) -> Option<f64> {
    match cells {
        Cells::Text(_) | Cells::Flag(_) => None,
        Cells::Count(cells) => Some(cells[row] as f64),
        Cells::MaybeCount(cells) => cells[row].map(|count| count as f64),
        Cells::Real(cells) => Some(cells[row]),
        Cells::MaybeReal(cells) => cells[row],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_encoded_as_the_schema_says() {
        // Field 1 of Trace, which contains timestamp (8), sequence (10) and track event (11), which
        // contains type (9), track (11) and double value (44).
        let trace = Trace { packet: vec![event(1e-9, COUNTER, 7, None, Some(2.0))] };
        let value = [0xe1, 0x02, 0, 0, 0, 0, 0, 0, 0, 0x40];
        let inner = [&[0x48, 4, 0x58, 7][..], &value].concat();
        let packet = [&[0x40, 1, 0x50, 1, 0x5a, inner.len() as u8][..], &inner].concat();
        assert_eq!(trace.encode_to_vec(), [&[0x0a, packet.len() as u8][..], &packet].concat());
    }
}
