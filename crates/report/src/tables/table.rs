//! A table: a file with a row for each thing of one kind in a run.

use super::column::Column;
use narrows_measure::Record;
use narrows_sheet::{Cells, Columns, ParquetError, Sheet};
use std::iter;
use std::sync::Arc;

/// A table whose rows have places `K` in a run, and are read into `R`.
pub(crate) struct Table<K, R> {
    /// File name.
    pub file: &'static str,
    /// Description of a row.
    pub about: &'static str,
    /// The places of all rows of a run, in order.
    pub rows: fn(&Record) -> Vec<K>,
    /// The columns behind those that identify the run.
    pub columns: Vec<Column<K, R>>,
}

/// A column as a page describes it.
pub struct ColumnAbout {
    /// Name, which ends in the unit of the values.
    pub name: String,
    /// Description of the values. Neighbours with the same description are described together.
    pub about: &'static str,
    /// True if it is one of two columns of a counter, `steady_` and `total_`.
    pub is_counter: bool,
}

/// A table of any rows.
pub(crate) trait AnyTable: Sync {
    /// Returns the file name.
    fn file(&self) -> &'static str;
    /// Returns the description of a row.
    fn about(&self) -> &'static str;
    /// Returns the columns of a run of this case, each when the iterator comes to it.
    fn written<'a>(&'a self, case: &str, run: &'a Record) -> Columns<'a>;
    /// Returns the rows of a run of this case.
    fn sheet(&self, case: &str, run: &Record) -> Sheet {
        self.written(case, run).collect()
    }
    /// Describes the columns.
    fn columns(&self) -> Vec<ColumnAbout>;
}

impl<K: Copy + 'static, R: 'static> AnyTable for Table<K, R> {
    fn file(&self) -> &'static str {
        self.file
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn written<'a>(&'a self, case: &str, run: &'a Record) -> Columns<'a> {
        let rows = (self.rows)(run);
        let count = rows.len();
        let case: Arc<str> = Arc::from(case);
        let case = move || ("case".to_owned(), Cells::Text(vec![case; count]));
        let seed = move || ("seed".to_owned(), Cells::Count(vec![run.seed; count]));
        let own = self.columns.iter().map(move |own| (own.name.clone(), own.write(run, &rows)));
        Box::new(iter::once_with(case).chain(iter::once_with(seed)).chain(own))
    }

    fn columns(&self) -> Vec<ColumnAbout> {
        let run = ["case", "seed"].map(|name| ColumnAbout {
            name: name.to_owned(),
            about: "the run",
            is_counter: false,
        });
        let own = self.columns.iter().map(|own| ColumnAbout {
            name: own.name.clone(),
            about: own.about,
            is_counter: own.is_counter,
        });
        run.into_iter().chain(own).collect()
    }
}

impl<K: Copy + 'static, R: 'static> Table<K, R> {
    /// Reads the rows of a run. Each begins as `blank`.
    pub fn read(&self, sheet: &Sheet, blank: impl Fn() -> R) -> Result<Vec<R>, ParquetError> {
        let mut rows: Vec<R> = iter::repeat_with(blank).take(sheet.rows()).collect();
        self.columns.iter().try_for_each(|column| column.read(sheet, &mut rows))?;
        Ok(rows)
    }
}

/// A row that belongs to a row of another table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Of<T> {
    /// Row of the other table.
    pub index: u64,
    /// The row's values.
    pub value: T,
}
