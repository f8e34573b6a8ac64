//! The Parquet tables of results. Each column is declared once, with its name, what it holds, and
//! how it is written and read.

mod changes;
mod column;
mod flows;
mod histograms;
mod icn;
mod links;
mod record;
mod table;
mod transfers;

pub(crate) use icn::{class_goodput, icn_record};
pub(crate) use record::record;
pub(crate) use table::AnyTable;
pub use table::ColumnAbout;

use narrows_measure::Record;
use narrows_sheet::Sheet;
use narrows_units::Span;

/// Returns the tables that every result of a run or comparison has.
pub(crate) fn tables() -> [&'static dyn AnyTable; 8] {
    [
        &*flows::FLOWS,
        &*links::LINKS,
        &*transfers::TRANSFERS,
        &*transfers::TRANSFER_SIZES,
        &*flows::FLOW_SAMPLES,
        &*links::LINK_SAMPLES,
        &*histograms::HISTOGRAMS,
        &*changes::CHANGES,
    ]
}

/// Returns the tables that exist only if a run has the record of an information-centric network.
pub(crate) fn icn_tables() -> [&'static dyn AnyTable; 5] {
    [
        &*icn::CONSUMERS,
        &*icn::CONSUMER_SAMPLES,
        &*icn::SUBFLOW_SAMPLES,
        &*icn::INTERESTS,
        &*icn::RATE_SAMPLES,
    ]
}

/// A table as a page describes it.
pub struct TableAbout {
    /// File name.
    pub file: &'static str,
    /// Description of a row.
    pub about: &'static str,
    /// The columns in their order.
    pub columns: Vec<ColumnAbout>,
}

/// Describes all tables of results.
pub fn table_descriptions() -> Vec<TableAbout> {
    let about = |table: &dyn AnyTable| TableAbout {
        file: table.file(),
        about: table.about(),
        columns: table.columns(),
    };
    tables().into_iter().chain(icn_tables()).map(about).collect()
}

/// Returns the rows of `flows.parquet` of a run.
pub(crate) fn flows(case: &str, run: &Record) -> Sheet {
    flows::FLOWS.sheet(case, run)
}

/// Returns a record that gives tables without rows.
pub(crate) fn no_rows() -> Record {
    let zero = Span::ZERO;
    Record {
        seed: 0,
        duration: zero,
        warmup: zero,
        part: None,
        interval: zero,
        flows: vec![],
        links: vec![],
        changes: vec![],
        events: 0,
        hops: 0,
        icn: None,
        emulation: None,
    }
}
