//! The tables of transfers and of their sizes.

use super::column::{Column, QUANTILES, at, from_ms, ms, summary, whole};
use super::table::{Of, Table};
use narrows_measure::{FlowRecord, Record, SizeBin, Transfer};
use narrows_units::{Bytes, Span, Time};
use std::sync::LazyLock;

pub(crate) static TRANSFERS: LazyLock<Table<Place, Of<Transfer>>> = LazyLock::new(|| Table {
    file: "transfers.parquet",
    about: "One row per completed transfer, warm-up included, in order of completion within a flow; of more than a million, the first million.",
    rows: |run| {
        let transfers = |(flow, own): (usize, &FlowRecord)| {
            let count = own.transfers.as_ref().map_or(0, |own| own.list.len());
            (0..count).map(move |transfer| (flow, transfer))
        };
        run.flows.iter().enumerate().flat_map(transfers).collect()
    },
    columns: transfers(),
});

pub(crate) static TRANSFER_SIZES: LazyLock<Table<Place, Of<Bytes>>> = LazyLock::new(|| Table {
    file: "transfer_sizes.parquet",
    about: "One row per flow and range of sizes, of transfers begun since the warm-up.",
    rows: size_bins,
    columns: sizes(),
});

/// Returns a transfer with nothing in it.
pub(crate) fn blank() -> Of<Transfer> {
    let zero = Span::ZERO;
    Of {
        index: 0,
        value: Transfer { start: Time::ZERO, size: Bytes::ZERO, took: zero, ideal: zero },
    }
}

/// A flow, and a transfer or a range of sizes of it.
type Place = (usize, usize);

/// Returns the size ranges of all flows, in the order of the rows of `transfer_sizes.parquet`.
pub(crate) fn size_bins(run: &Record) -> Vec<Place> {
    let bins = |(flow, own): (usize, &FlowRecord)| {
        let count = own.transfers.as_ref().map_or(0, |own| own.sizes.len());
        (0..count).map(move |bin| (flow, bin))
    };
    run.flows.iter().enumerate().flat_map(bins).collect()
}

/// Returns the range of sizes at a place.
pub(crate) fn size_bin(run: &Record, (flow, bin): Place) -> &SizeBin {
    &run.flows[flow].transfers.as_ref().expect("a place has transfers").sizes[bin]
}

fn transfer(run: &Record, (flow, transfer): Place) -> &Transfer {
    &run.flows[flow].transfers.as_ref().expect("a place has transfers").list[transfer]
}

/// Returns the columns that name a flow and its row.
fn of_flow<T: 'static>() -> [Column<Place, Of<T>>; 2] {
    [
        Column::<Place, Of<T>>::name("flow", "the flow", |run, (flow, _)| {
            run.flows[flow].name.as_str().into()
        }),
        Column::<Place, Of<T>>::of(
            "flow_index",
            "the flow",
            |_, (flow, _)| flow as u64,
            |row: &mut Of<T>, index| row.index = index,
        ),
    ]
}

fn transfers() -> Vec<Column<Place, Of<Transfer>>> {
    type Own = Column<Place, Of<Transfer>>;
    let mut columns = Vec::from(of_flow());
    columns.extend([
        Own::of(
            "start_s",
            "when the application had it ready",
            |run, row| transfer(run, row).start.as_secs_f64(),
            |row: &mut Of<Transfer>, start| row.value.start = at(start),
        ),
        Own::of(
            "size_bytes",
            "payload",
            |run, row| transfer(run, row).size.get(),
            |row, size| row.value.size = Bytes::new(size),
        ),
        Own::of(
            "completion_ms",
            "from start to in-order delivery of the last byte",
            |run, row| ms(transfer(run, row).took),
            |row, took| row.value.took = from_ms(took),
        ),
        Own::of(
            "ideal_ms",
            "least time alone on its path ([formula](metrics.md))",
            |run, row| ms(transfer(run, row).ideal),
            |row, ideal| row.value.ideal = from_ms(ideal),
        ),
        Own::derived("slowdown", "completion over ideal", |run, row| transfer(run, row).slowdown()),
    ]);
    columns
}

fn sizes() -> Vec<Column<Place, Of<Bytes>>> {
    type Own = Column<Place, Of<Bytes>>;
    const RANGE: &str = "the range, upper end excluded";
    const SLOWDOWN: &str = "slowdowns";
    let mut columns = Vec::from(of_flow());
    columns.extend([
        Own::of(
            "from_bytes",
            RANGE,
            |run, row| size_bin(run, row).from.get(),
            |row: &mut Of<Bytes>, from| row.value = Bytes::new(from),
        ),
        Own::derived("to_bytes", RANGE, |run, row| size_bin(run, row).end().get()),
        Own::derived("completed", "transfers of these sizes", |run, row| {
            size_bin(run, row).completion.count()
        }),
    ]);
    columns.extend(summary::<Place, Of<Bytes>>("completion", "completion times", |run, row| {
        &size_bin(run, row).completion
    }));
    columns.extend(QUANTILES.map(|(column, q)| {
        Own::derived(format!("slowdown_{column}"), SLOWDOWN, move |run: &Record, row| {
            size_bin(run, row).slowdown.quantile(q)
        })
    }));
    columns.extend([
        Own::derived("slowdown_min", SLOWDOWN, |run, row| {
            size_bin(run, row).slowdown.0.min().map(ms)
        }),
        Own::derived("slowdown_max", SLOWDOWN, |run, row| {
            size_bin(run, row).slowdown.0.max().map(ms)
        }),
        Own::derived("slowdown_sum_millionths", SLOWDOWN, |run, row| {
            whole(size_bin(run, row).slowdown.0.sum())
        }),
    ]);
    columns
}
