//! The table of changes.

use super::column::{Column, at};
use super::table::Table;
use narrows_measure::{Change, Changed};
use narrows_units::Time;
use std::sync::LazyLock;

pub(crate) static CHANGES: LazyLock<Table<usize, Change>> = LazyLock::new(|| Table {
    file: "changes.parquet",
    about: "One row per change of a link or route, each step of a ramp included.",
    rows: |run| (0..run.changes.len()).collect(),
    columns: columns(),
});

/// Returns a change with nothing in it.
pub(crate) fn blank() -> Change {
    Change { at: Time::ZERO, of: String::new(), what: Changed::ALL[0], to: String::new() }
}

fn columns() -> Vec<Column<usize, Change>> {
    type Own = Column<usize, Change>;
    vec![
        Own::of(
            "time_s",
            "time of the change",
            |run, row| run.changes[row].at.as_secs_f64(),
            |change, time| change.at = at(time),
        ),
        Own::text(
            "of",
            "link or flow",
            |run, row| run.changes[row].of.as_str().into(),
            |change, of| change.of = of.to_owned(),
        ),
        Own::parsed(
            ("what", "a change"),
            "`rate`, `outage`, `delay`, `jitter`, `reordering`, `aggregation`, `ecn`, `loss`, `buffer` or `route`",
            |run, row| run.changes[row].what.name().into(),
            |change, name| {
                change.what = Changed::ALL.into_iter().find(|what| what.name() == name)?;
                Some(())
            },
        ),
        Own::text(
            "to",
            "new value with unit; an outage `begins` and `ends`",
            |run, row| run.changes[row].to.as_str().into(),
            |change, to| change.to = to.to_owned(),
        ),
    ]
}
