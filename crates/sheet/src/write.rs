//! Sheets to Parquet.

use crate::sheet::other_type;
use crate::{Cells, ParquetError, Sheet};
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use std::io::Write;
use std::mem::discriminant;
use std::sync::Arc;

/// The key under which a file's metadata have its heading.
pub(crate) const HEADING: &str = "narrows";

/// Columns of a row group in their order, with their names. Each is made when it is written, so that
/// a large group needs the memory of one column.
pub type Columns<'a> = Box<dyn Iterator<Item = (String, Cells)> + 'a>;

/// Writes row groups of equal columns. `like` gives the columns; its cells are not written.
/// `heading` is a text about the whole file.
///
/// # Errors
///
/// `out` cannot be written: its error is in [`ParquetError::External`]. Or a group has columns of
/// other kinds than `like`.
pub fn write(
    out: &mut (dyn Write + Send),
    heading: Option<&str>,
    like: &Sheet,
    groups: impl Iterator<Item: IntoIterator<Item = (String, Cells)>>,
) -> Result<(), ParquetError> {
    let mut groups = groups.map(|columns| -> Columns<'_> { Box::new(columns.into_iter()) });
    write_groups(out, heading, like, &mut groups)
}

fn write_groups(
    out: &mut (dyn Write + Send),
    heading: Option<&str>,
    like: &Sheet,
    groups: &mut dyn Iterator<Item = Columns<'_>>,
) -> Result<(), ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("narrows {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(
            heading.map(|heading| vec![KeyValue::new(HEADING.to_owned(), heading.to_owned())]),
        )
        .build();
    let mut writer = SerializedFileWriter::new(out, schema(like)?, Arc::new(properties))?;
    for columns in groups {
        let mut group = writer.next_row_group()?;
        for ((_, cells), (name, kind)) in columns.zip(&like.columns) {
            if discriminant(&cells) != discriminant(kind) {
                return Err(other_type(name));
            }
            write_column(&mut group, name, &cells)?;
        }
        group.close()?;
    }
    writer.close().map(drop)
}

fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    name: &str,
    cells: &Cells,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("too many columns".to_owned()));
    };
    match cells {
        Cells::Text(cells) => {
            column.typed::<ByteArrayType>().write_batch(&shared_bytes(cells), None, None)?
        }
        Cells::Flag(cells) => column.typed::<BoolType>().write_batch(cells, None, None)?,
        Cells::Count(cells) => {
            let signed: Vec<i64> =
                cells.iter().map(|count| signed(name, *count)).collect::<Result<_, _>>()?;
            column.typed::<Int64Type>().write_batch(&signed, None, None)?
        }
        Cells::MaybeCount(cells) => {
            let signed: Vec<i64> = cells
                .iter()
                .flatten()
                .map(|count| signed(name, *count))
                .collect::<Result<_, _>>()?;
            column.typed::<Int64Type>().write_batch(&signed, Some(&levels(cells)), None)?
        }
        Cells::Real(cells) => column.typed::<DoubleType>().write_batch(cells, None, None)?,
        Cells::MaybeReal(cells) => {
            let present: Vec<f64> = cells.iter().flatten().copied().collect();
            column.typed::<DoubleType>().write_batch(&present, Some(&levels(cells)), None)?
        }
    };
    column.close()
}

/// Neighbours that share their text share their bytes.
fn shared_bytes(cells: &[Arc<str>]) -> Vec<ByteArray> {
    let mut last: Option<(&Arc<str>, ByteArray)> = None;
    let bytes = |text| match &last {
        Some((own, bytes)) if Arc::ptr_eq(own, text) => bytes.clone(),
        _ => last.insert((text, ByteArray::from(&**text))).1.clone(),
    };
    cells.iter().map(bytes).collect()
}

fn levels<T>(cells: &[Option<T>]) -> Vec<i16> {
    cells.iter().map(|cell| cell.is_some() as i16).collect()
}

fn schema(sheet: &Sheet) -> Result<TypePtr, ParquetError> {
    let field = |(name, cells): &(String, Cells)| -> Result<TypePtr, ParquetError> {
        let (physical, logical, repetition) = match cells {
            Cells::Text(_) => {
                (Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED)
            }
            Cells::Flag(_) => (Physical::BOOLEAN, None, Repetition::REQUIRED),
            Cells::Count(_) => (Physical::INT64, Some(whole()), Repetition::REQUIRED),
            Cells::MaybeCount(_) => (Physical::INT64, Some(whole()), Repetition::OPTIONAL),
            Cells::Real(_) => (Physical::DOUBLE, None, Repetition::REQUIRED),
            Cells::MaybeReal(_) => (Physical::DOUBLE, None, Repetition::OPTIONAL),
        };
        let converted = match physical {
            Physical::BYTE_ARRAY => ConvertedType::UTF8,
            Physical::INT64 => ConvertedType::INT_64,
            _ => ConvertedType::NONE,
        };
        let builder = Type::primitive_type_builder(name, physical).with_repetition(repetition);
        Ok(Arc::new(builder.with_logical_type(logical).with_converted_type(converted).build()?))
    };
    let fields = sheet.columns.iter().map(field).collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder("narrows").with_fields(fields).build()?))
}

/// Whole numbers are signed, so that differences of counters can be negative in pandas, Polars and
/// DuckDB.
fn whole() -> LogicalType {
    LogicalType::integer(64, true)
}

fn signed(name: &str, count: u64) -> Result<i64, ParquetError> {
    i64::try_from(count).map_err(|_| {
        ParquetError::General(format!(
            "the column {name} has {count}, more than tables hold, which is {}",
            i64::MAX
        ))
    })
}
