//! Parquet to sheets. Files may come from anywhere: what is damaged is an error, and what would
//! take more than a quarter of the free memory when it is decoded is refused before that: a column
//! of one value takes a few bytes in a file, however many rows it has.

use crate::memory::Budget;
use crate::pages::largest;
use crate::sheet::Cells;
use crate::write::HEADING;
use crate::{ParquetError, Sheet};
use parquet::basic::Type as Physical;
use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use std::cell::Cell;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Once};

/// Rows that are asked for at once: a damaged page says that it has any number of them.
const AT_ONCE: usize = 1 << 16;

/// Reads a file's row groups.
///
/// # Errors
///
/// It is no Parquet file, is damaged, has a column of a kind that is not written here, or takes too
/// much memory when it is decoded.
pub fn read(file: File) -> Result<Vec<Sheet>, ParquetError> {
    let file = Reader::new(file)?;
    let mut budget = Budget::of_this_process();
    (0..file.groups()).map(|index| file.group_within(index, &mut budget)).collect()
}

/// A file that is read one row group after another.
pub struct Reader {
    file: SerializedFileReader<File>,
    /// The file.
    bytes: File,
    columns: Sheet,
}

impl Reader {
    /// Reads the file's description.
    ///
    /// # Errors
    ///
    /// It is no Parquet file, or has a column of a kind that is not written here.
    pub fn new(file: File) -> Result<Reader, ParquetError> {
        guarded(|| {
            let bytes =
                file.try_clone().map_err(|error| ParquetError::External(Box::new(error)))?;
            let file = SerializedFileReader::new(file)?;
            let columns = file.metadata().file_metadata().schema_descr().columns();
            let columns =
                columns.iter().map(|column| Ok((column.name().to_owned(), empty(column)?)));
            let columns = Sheet { columns: columns.collect::<Result<_, ParquetError>>()? };
            Ok(Reader { file, bytes, columns })
        })
    }

    /// The text about the whole file, if it has one.
    pub fn heading(&self) -> Option<&str> {
        let all = self.file.metadata().file_metadata().key_value_metadata()?;
        all.iter().find(|pair| pair.key == HEADING)?.value.as_deref()
    }

    /// How many row groups there are.
    pub fn groups(&self) -> usize {
        self.file.metadata().num_row_groups()
    }

    /// The columns, without rows.
    pub fn columns(&self) -> &Sheet {
        &self.columns
    }

    /// One of the row groups.
    ///
    /// # Errors
    ///
    /// If the group is damaged, takes too much memory when it is decoded, or does not exist.
    pub fn group(&self, index: usize) -> Result<Sheet, ParquetError> {
        self.group_within(index, &mut Budget::of_this_process())
    }

    fn group_within(&self, index: usize, budget: &mut Budget) -> Result<Sheet, ParquetError> {
        if index >= self.groups() {
            return Err(ParquetError::General(format!(
                "there are {} groups of rows, none of index {index}",
                self.groups()
            )));
        }
        guarded(|| {
            let group = self.file.get_row_group(index)?;
            let rows = usize::try_from(self.file.metadata().row_group(index).num_rows())?;
            let width = self.columns.columns.iter().map(|(_, cells)| width(cells)).sum();
            budget.take(rows as u64, width)?;
            for column in self.file.metadata().row_group(index).columns() {
                let (from, length) = column.byte_range();
                budget.has(largest(&self.bytes, from, length)?)?;
            }
            let mut sheet = self.columns.clone();
            for (at, (name, cells)) in sheet.columns.iter_mut().enumerate() {
                read_column(group.get_column_reader(at)?, rows, name, cells, budget)?;
            }
            Ok(sheet)
        })
    }
}

thread_local! {
    /// True while this thread decodes: its panics are answers, and nobody is to be told of them.
    static DECODES: Cell<bool> = const { Cell::new(false) };
}

/// The decoder panics on some damaged files.
fn guarded<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let told = take_hook();
        set_hook(Box::new(move |panic| {
            if !DECODES.get() {
                told(panic);
            }
        }));
    });
    let read = || {
        let before = DECODES.replace(true);
        let answer = catch_unwind(AssertUnwindSafe(read));
        DECODES.set(before);
        answer
    };
    let panicked = |_| Err(ParquetError::General("its pages cannot be decoded".to_owned()));
    read().unwrap_or_else(panicked)
}

/// The cells of a column without rows.
fn empty(column: &ColumnDescriptor) -> Result<Cells, ParquetError> {
    match (column.physical_type(), column.max_def_level(), column.max_rep_level()) {
        (Physical::BYTE_ARRAY, 0, 0) => Ok(Cells::Text(Vec::new())),
        (Physical::BOOLEAN, 0, 0) => Ok(Cells::Flag(Vec::new())),
        (Physical::INT64, 0, 0) => Ok(Cells::Count(Vec::new())),
        (Physical::INT64, 1, 0) => Ok(Cells::MaybeCount(Vec::new())),
        (Physical::DOUBLE, 0, 0) => Ok(Cells::Real(Vec::new())),
        (Physical::DOUBLE, 1, 0) => Ok(Cells::MaybeReal(Vec::new())),
        _ => Err(ParquetError::General(format!(
            "the column {} has a type that Narrows does not write",
            column.name()
        ))),
    }
}

/// Bytes that a cell of a column takes while it is decoded, but for the letters of texts.
fn width(cells: &Cells) -> u64 {
    let bytes = match cells {
        Cells::Text(_) => size_of::<ByteArray>() + size_of::<Arc<str>>(),
        Cells::Flag(_) => size_of::<bool>(),
        Cells::Count(_) => size_of::<u64>(),
        Cells::Real(_) => size_of::<f64>(),
        // The values that are there, of each row whether it has one, and both together.
        Cells::MaybeCount(_) => size_of::<u64>() + size_of::<i16>() + size_of::<Option<u64>>(),
        Cells::MaybeReal(_) => size_of::<f64>() + size_of::<i16>() + size_of::<Option<f64>>(),
    };
    bytes as u64
}

fn read_column(
    reader: ColumnReader,
    rows: usize,
    name: &str,
    cells: &mut Cells,
    budget: &mut Budget,
) -> Result<(), ParquetError> {
    match cells {
        Cells::Text(cells) => {
            *cells = shared_text(&values::<ByteArrayType>(reader, rows, name)?.0, budget)?
        }
        Cells::Flag(cells) => *cells = values::<BoolType>(reader, rows, name)?.0,
        Cells::Count(cells) => *cells = counts(values::<Int64Type>(reader, rows, name)?.0, name)?,
        Cells::MaybeCount(cells) => {
            let (values, levels) = values::<Int64Type>(reader, rows, name)?;
            *cells = spread(counts(values, name)?.into_iter(), &levels);
        }
        Cells::Real(cells) => *cells = values::<DoubleType>(reader, rows, name)?.0,
        Cells::MaybeReal(cells) => {
            let (values, levels) = values::<DoubleType>(reader, rows, name)?;
            *cells = spread(values.into_iter(), &levels);
        }
    }
    Ok(())
}

/// The values of a column that are there. If some rows may have none, also of each row whether it
/// has one.
fn values<T: DataType>(
    reader: ColumnReader,
    rows: usize,
    name: &str,
) -> Result<(Vec<T::T>, Vec<i16>), ParquetError> {
    let mut values = Vec::new();
    let mut levels = Vec::new();
    let mut typed = get_typed_column_reader::<T>(reader);
    let mut left = rows;
    while left > 0 {
        let (read, ..) =
            typed.read_records(left.min(AT_ONCE), Some(&mut levels), None, &mut values)?;
        if read == 0 {
            break;
        }
        left -= read;
    }
    let said =
        if levels.is_empty() { rows } else { levels.iter().filter(|level| **level > 0).count() };
    let equally_long = levels.is_empty() || levels.len() == rows;
    if left > 0 || values.len() != said || !equally_long {
        return Err(ParquetError::EOF(format!(
            "the column {name} has not as many values as there are rows"
        )));
    }
    Ok((values, levels))
}

/// Counts, which files hold as signed numbers; earlier versions marked the same numbers as
/// unsigned.
fn counts(values: Vec<i64>, name: &str) -> Result<Vec<u64>, ParquetError> {
    let count = |value| {
        u64::try_from(value).map_err(|_| {
            ParquetError::General(format!(
                "the column {name} has {value}; its numbers are 0 to {}",
                i64::MAX
            ))
        })
    };
    values.into_iter().map(count).collect()
}

/// Neighbours that are equal share their text.
fn shared_text(values: &[ByteArray], budget: &mut Budget) -> Result<Vec<Arc<str>>, ParquetError> {
    let mut texts: Vec<Arc<str>> = Vec::with_capacity(values.len());
    for bytes in values {
        let text = match texts.last() {
            Some(last) if last.as_bytes() == bytes.data() => last.clone(),
            _ => {
                budget.take(1, bytes.len() as u64)?;
                bytes.as_utf8()?.into()
            }
        };
        texts.push(text);
    }
    Ok(texts)
}

fn spread<T>(mut values: impl Iterator<Item = T>, levels: &[i16]) -> Vec<Option<T>> {
    levels.iter().map(|level| if *level > 0 { values.next() } else { None }).collect()
}
