//! Rebuilds records from the rows of the Parquet tables.

use crate::emulation::EmulationOut;
use crate::summary::RunOut;
use crate::tables::{FLOW_COUNTERS, LINK_COUNTERS, TABLES};
use narrows_measure::{
    Change, Changed, FlowCounters, FlowRecord, FlowSample, Histogram, LinkCounters, LinkNature,
    LinkRecord, LinkSample, Ratios, Record, Transfer, Transfers,
};
use narrows_sheet::{ParquetError, Sheet};
use narrows_units::{Bytes, Rate, Span, Time};

/// Rebuilds a record from its sheets, which are in the order of [`TABLES`].
pub(crate) fn record(run: &RunOut, sheets: [&Sheet; TABLES.len()]) -> Result<Record, ParquetError> {
    let [flows, links, transfers, sizes, flow_samples, link_samples, histograms, changes] = sheets;
    let mut record = Record {
        seed: run.seed,
        duration: Span::from_secs_f64(run.duration_s),
        warmup: Span::from_secs_f64(run.warmup_s),
        part: None,
        interval: Span::from_secs_f64(run.interval_s),
        flows: (0..flows.text("flow")?.len())
            .map(|row| read_flow(flows, row))
            .collect::<Result<_, _>>()?,
        links: (0..links.text("link")?.len())
            .map(|row| read_link(links, row))
            .collect::<Result<_, _>>()?,
        changes: (0..changes.text("of")?.len())
            .map(|row| read_change(changes, row))
            .collect::<Result<_, _>>()?,
        events: run.events,
        hops: run.hops,
        icn: None,
        emulation: run.emulation.as_ref().map(EmulationOut::measured),
    };
    if record.flows.iter().flat_map(FlowRecord::links).any(|link| link >= record.links.len()) {
        return Err(damaged("a route"));
    }
    read_flow_samples(flow_samples, &mut record)?;
    read_link_samples(link_samples, &mut record)?;
    read_transfers(transfers, &mut record)?;
    read_histograms(histograms, flows, links, sizes, &mut record)?;
    Ok(record)
}

pub(crate) fn at(seconds: f64) -> Time {
    Time::ZERO + Span::from_secs_f64(seconds)
}

fn from_ms(ms: f64) -> Span {
    Span::from_nanos((ms * 1e6 + 0.5) as u64)
}

pub(crate) fn from_mbps(mbps: f64) -> Rate {
    Rate::from_bps((mbps * 1e6 + 0.5) as u64)
}

pub(crate) fn damaged(what: &str) -> ParquetError {
    ParquetError::General(format!("{what} does not fit the other tables"))
}

fn read_flow(sheet: &Sheet, row: usize) -> Result<FlowRecord, ParquetError> {
    let (route, later_routes) =
        read_routes(&sheet.text("route")?[row]).ok_or_else(|| damaged("a route"))?;
    let mut flow = FlowRecord {
        name: sheet.text("flow")?[row].to_string(),
        controller: sheet.text("controller")?[row].to_string(),
        start: at(sheet.real("start_s")?[row]),
        end: sheet.maybe_real("end_s")?[row].map(at),
        completed: sheet.flag("completed")?[row],
        transfers: read_transfer_counts(sheet, row)?,
        route,
        later_routes,
        multipath: sheet.flag("multipath")?[row],
        mss: Bytes::new(sheet.count("mss_bytes")?[row]),
        base_rtt: from_ms(sheet.real("base_rtt_ms")?[row]),
        total: FlowCounters::default(),
        steady: FlowCounters::default(),
        rtt: Histogram::new(),
        one_way: Histogram::new(),
        samples: vec![],
    };
    for (name, _, set) in FLOW_COUNTERS {
        set(&mut flow.steady, sheet.count(&format!("steady_{name}"))?[row]);
        set(&mut flow.total, sheet.count(&format!("total_{name}"))?[row]);
    }
    Ok(flow)
}

/// The later routes of a flow, each with the time from which the flow takes it.
type LaterRoutes = Vec<(Time, Vec<usize>)>;

/// Parses the links of a route and of later routes, such as "0 1; 20 s: 2".
fn read_routes(text: &str) -> Option<(Vec<usize>, LaterRoutes)> {
    let links = |text: &str| {
        text.split_whitespace().map(|link| link.parse().ok()).collect::<Option<Vec<usize>>>()
    };
    let mut parts = text.split(';');
    let first = links(parts.next()?)?;
    let later = parts.map(|part| {
        let (from, route) = part.split_once(':')?;
        Some((Time::ZERO + from.trim().parse::<Span>().ok()?, links(route)?))
    });
    Some((first, later.collect::<Option<_>>()?))
}

fn read_transfer_counts(sheet: &Sheet, row: usize) -> Result<Option<Transfers>, ParquetError> {
    let Some(begun) = sheet.maybe_count("transfers_begun")?[row] else { return Ok(None) };
    let count = |name| Ok::<u64, ParquetError>(sheet.maybe_count(name)?[row].unwrap_or_default());
    let deadline = sheet.maybe_real("deadline_ms")?[row].map(from_ms);
    Ok(Some(Transfers {
        begun,
        lost: count("transfers_lost")?,
        late: count("transfers_late")?,
        deadline,
        ..Transfers::default()
    }))
}

fn read_link(sheet: &Sheet, row: usize) -> Result<LinkRecord, ParquetError> {
    let mut link = LinkRecord {
        name: sheet.text("link")?[row].to_string(),
        rate: sheet.maybe_real("rate_mbps")?[row].map(from_mbps),
        delay: from_ms(sheet.real("delay_ms")?[row]),
        buffer: sheet.maybe_count("buffer_bytes")?[row].map(Bytes::new),
        buffer_packets: sheet.maybe_count("buffer_packets")?[row].map(|packets| packets as u32),
        nature: LinkNature {
            queue: sheet.text("queue")?[row].to_string(),
            loss: sheet.text("loss")?[row].to_string(),
            aggregate: from_ms(sheet.real("aggregate_ms")?[row]),
        },
        total: LinkCounters::default(),
        steady: LinkCounters::default(),
        capacity: sheet.maybe_count("steady_capacity_bytes")?[row].map(Bytes::new),
        queueing: Histogram::new(),
        samples: vec![],
        left_queued: sheet.count("left_queued_packets")?[row],
        left_in_flight: sheet.count("left_in_flight_packets")?[row],
    };
    for (name, _, set) in LINK_COUNTERS {
        set(&mut link.steady, sheet.count(&format!("steady_{name}"))?[row]);
        set(&mut link.total, sheet.count(&format!("total_{name}"))?[row]);
    }
    Ok(link)
}

fn read_change(sheet: &Sheet, row: usize) -> Result<Change, ParquetError> {
    let name = &sheet.text("what")?[row];
    Ok(Change {
        at: at(sheet.real("time_s")?[row]),
        of: sheet.text("of")?[row].to_string(),
        what: Changed::ALL
            .into_iter()
            .find(|what| what.name() == &**name)
            .ok_or_else(|| damaged("a change"))?,
        to: sheet.text("to")?[row].to_string(),
    })
}

fn read_flow_samples(sheet: &Sheet, record: &mut Record) -> Result<(), ParquetError> {
    let (index, time) = (sheet.count("flow_index")?, sheet.real("time_s")?);
    let (goodput, arrived) =
        (sheet.count("total_goodput_bytes")?, sheet.count("total_arrived_wire_bytes")?);
    let (rtt, cwnd, ssthresh) = (
        sheet.maybe_real("rtt_ms")?,
        sheet.real("cwnd_segments")?,
        sheet.maybe_real("ssthresh_segments")?,
    );
    let (in_flight, pacing) =
        (sheet.count("in_flight_segments")?, sheet.maybe_real("pacing_mbps")?);
    let connections = sheet.count("connections")?;
    let (sent, dropped) =
        (sheet.count("total_sent_packets")?, sheet.count("total_dropped_packets")?);
    for row in 0..index.len() {
        let flow = record
            .flows
            .get_mut(index[row] as usize)
            .ok_or_else(|| damaged("a sample of a flow"))?;
        flow.samples.push(FlowSample {
            at: at(time[row]),
            goodput: Bytes::new(goodput[row]),
            arrived_wire: Bytes::new(arrived[row]),
            rtt: rtt[row].map(from_ms),
            cwnd: cwnd[row],
            ssthresh: ssthresh[row],
            in_flight: in_flight[row] as u32,
            connections: connections[row] as u32,
            pacing: pacing[row].map(from_mbps),
            sent: sent[row],
            dropped: dropped[row],
        });
    }
    Ok(())
}

fn read_link_samples(sheet: &Sheet, record: &mut Record) -> Result<(), ParquetError> {
    let (index, time) = (sheet.count("link_index")?, sheet.real("time_s")?);
    let (queue, queue_packets, departed) = (
        sheet.count("queue_bytes")?,
        sheet.count("queue_packets")?,
        sheet.count("total_departed_bytes")?,
    );
    let (dropped, marked) =
        (sheet.count("total_dropped_packets")?, sheet.count("total_marked_packets")?);
    let capacity = sheet.count("total_capacity_bytes")?;
    for row in 0..index.len() {
        let link = record
            .links
            .get_mut(index[row] as usize)
            .ok_or_else(|| damaged("a sample of a link"))?;
        link.samples.push(LinkSample {
            at: at(time[row]),
            queue: Bytes::new(queue[row]),
            queue_packets: queue_packets[row],
            departed_bytes: Bytes::new(departed[row]),
            dropped: dropped[row],
            marked: marked[row],
            capacity: Bytes::new(capacity[row]),
        });
    }
    Ok(())
}

fn read_transfers(sheet: &Sheet, record: &mut Record) -> Result<(), ParquetError> {
    let (index, start, size) =
        (sheet.count("flow_index")?, sheet.real("start_s")?, sheet.count("size_bytes")?);
    let (took, ideal) = (sheet.real("completion_ms")?, sheet.real("ideal_ms")?);
    for row in 0..index.len() {
        let transfer = Transfer {
            start: at(start[row]),
            size: Bytes::new(size[row]),
            took: from_ms(took[row]),
            ideal: from_ms(ideal[row]),
        };
        transfers_mut(record, index[row])?.list.push(transfer);
    }
    Ok(())
}

fn transfers_mut(record: &mut Record, flow: u64) -> Result<&mut Transfers, ParquetError> {
    let flow = record.flows.get_mut(flow as usize);
    flow.and_then(|flow| flow.transfers.as_mut()).ok_or_else(|| damaged("a transfer of a flow"))
}

/// Reads the histograms. The minimum, maximum and sum of each are in the row of the table that
/// describes its flow, link or size range.
fn read_histograms(
    sheet: &Sheet,
    flows: &Sheet,
    links: &Sheet,
    sizes: &Sheet,
    record: &mut Record,
) -> Result<(), ParquetError> {
    let (of, index, from, count) =
        (sheet.text("of")?, sheet.count("index")?, sheet.real("from")?, sheet.count("count")?);
    let (size_flow, size_from) = (sizes.count("flow_index")?, sizes.count("from_bytes")?);
    let mut row = 0;
    while row < of.len() {
        let end = (row..of.len())
            .find(|other| of[*other] != of[row] || index[*other] != index[row])
            .unwrap_or(of.len());
        let (name, place) = (&*of[row], index[row] as usize);
        let (ends, unit, sum) = match name {
            "queueing" => (links, "_ms", "sum_ns"),
            "completion" => (sizes, "_ms", "sum_ns"),
            "slowdown" => (sizes, "", "sum_millionths"),
            _ => (flows, "_ms", "sum_ns"),
        };
        let edge = |edge: &str| {
            let column = ends.maybe_real(&format!("{name}_{edge}{unit}"))?;
            column.get(place).copied().flatten().map(from_ms).ok_or_else(|| damaged("a histogram"))
        };
        let (min, max) = (edge("min")?, edge("max")?);
        let sum = ends.count(&format!("{name}_{sum}"))?[place];
        let histogram = Histogram::restore(
            (row..end).map(|row| (from_ms(from[row]), count[row])),
            sum.into(),
            min,
            max,
        );
        match name {
            "rtt" => record.flows[place].rtt = histogram,
            "one_way" => record.flows[place].one_way = histogram,
            "queueing" => record.links[place].queueing = histogram,
            _ => {
                let bin =
                    transfers_mut(record, size_flow[place])?.bin(Bytes::new(size_from[place]));
                if name == "completion" {
                    bin.completion = histogram
                } else {
                    bin.slowdown = Ratios(histogram)
                }
            }
        }
        row = end;
    }
    Ok(())
}
