//! Rebuilds records from the rows of the Parquet tables.

use super::changes::{self, CHANGES};
use super::column::damaged;
use super::flows::{self, FLOW_SAMPLES, FLOWS};
use super::histograms::{self, HISTOGRAMS};
use super::links::{self, LINK_SAMPLES, LINKS};
use super::table::Of;
use super::transfers::{self, TRANSFER_SIZES, TRANSFERS};
use crate::emulation::EmulationOut;
use crate::summary::RunOut;
use narrows_measure::{FlowRecord, Record};
use narrows_sheet::{ParquetError, Sheet};
use narrows_units::Span;

/// Rebuilds a record from its sheets, which are in the order of the tables.
pub(crate) fn record(run: &RunOut, sheets: [&Sheet; 8]) -> Result<Record, ParquetError> {
    let [of_flows, of_links, of_transfers, sizes, of_samples, of_link_samples, buckets, of_changes] =
        sheets;
    let mut record = Record {
        seed: run.seed,
        duration: Span::from_secs_f64(run.duration_s),
        warmup: Span::from_secs_f64(run.warmup_s),
        part: None,
        interval: Span::from_secs_f64(run.interval_s),
        flows: FLOWS.read(of_flows, flows::blank)?,
        links: LINKS.read(of_links, links::blank)?,
        changes: CHANGES.read(of_changes, changes::blank)?,
        events: run.events,
        hops: run.hops,
        icn: None,
        emulation: run.emulation.as_ref().map(EmulationOut::measured),
    };
    if record.flows.iter().flat_map(FlowRecord::links).any(|link| link >= record.links.len()) {
        return Err(damaged("a route"));
    }
    for Of { index, value } in FLOW_SAMPLES.read(of_samples, Of::default)? {
        let flow = record.flows.get_mut(index as usize);
        flow.ok_or_else(|| damaged("a sample of a flow"))?.samples.push(value);
    }
    for Of { index, value } in LINK_SAMPLES.read(of_link_samples, Of::default)? {
        let link = record.links.get_mut(index as usize);
        link.ok_or_else(|| damaged("a sample of a link"))?.samples.push(value);
    }
    for Of { index, value } in TRANSFERS.read(of_transfers, transfers::blank)? {
        let own = record.flows.get_mut(index as usize).and_then(|flow| flow.transfers.as_mut());
        own.ok_or_else(|| damaged("a transfer of a flow"))?.list.push(value);
    }
    let bins = TRANSFER_SIZES.read(sizes, Of::default)?;
    let bins: Vec<_> = bins.iter().map(|own| (own.index as usize, own.value)).collect();
    let buckets = HISTOGRAMS.read(buckets, histograms::blank)?;
    histograms::restore(&buckets, (of_flows, of_links, sizes), &bins, &mut record)?;
    Ok(record)
}
