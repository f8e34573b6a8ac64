//! Tables of named columns, and how they are written to and read from Parquet. One row group holds one run.

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType as ParquetType, DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnDescriptor, Type, TypePtr};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::sync::Arc;

pub use parquet::errors::ParquetError;

/// The cells of a column, by their kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cells {
    /// Texts, which neighbours that are equal share.
    Text(Vec<Arc<str>>),
    /// Yes or no.
    Flag(Vec<bool>),
    /// Whole numbers.
    Count(Vec<u64>),
    /// Whole numbers that some rows do not have.
    MaybeCount(Vec<Option<u64>>),
    /// Numbers.
    Real(Vec<f64>),
    /// Numbers that some rows do not have.
    MaybeReal(Vec<Option<f64>>),
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Cells::Text(cells) => cells.len(),
            Cells::Flag(cells) => cells.len(),
            Cells::Count(cells) => cells.len(),
            Cells::MaybeCount(cells) => cells.len(),
            Cells::Real(cells) => cells.len(),
            Cells::MaybeReal(cells) => cells.len(),
        }
    }

    fn append(&mut self, other: Cells) -> Option<()> {
        match (self, other) {
            (Cells::Text(own), Cells::Text(more)) => own.extend(more),
            (Cells::Flag(own), Cells::Flag(more)) => own.extend(more),
            (Cells::Count(own), Cells::Count(more)) => own.extend(more),
            (Cells::MaybeCount(own), Cells::MaybeCount(more)) => own.extend(more),
            (Cells::Real(own), Cells::Real(more)) => own.extend(more),
            (Cells::MaybeReal(own), Cells::MaybeReal(more)) => own.extend(more),
            _ => return None,
        }
        Some(())
    }
}

/// Columns of equal length, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    columns: Vec<(String, Cells)>,
}

impl Sheet {
    /// Adds a column behind the others, of as many rows.
    pub fn add(&mut self, name: impl Into<String>, cells: Cells) {
        self.columns.push((name.into(), cells));
    }

    /// The same sheet with columns before its own; those of its own that have the same name are left out.
    pub fn after(self, mut before: Sheet) -> Sheet {
        let own = self.columns.into_iter().filter(|(name, _)| before.columns.iter().all(|(taken, _)| taken != name));
        let own: Vec<_> = own.collect();
        before.columns.extend(own);
        before
    }

    /// The same sheet less one column.
    pub fn without(mut self, name: &str) -> Sheet {
        self.columns.retain(|(own, _)| own != name);
        self
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, cells)| cells.len())
    }

    /// Adds the rows of a sheet of the same columns.
    ///
    /// # Errors
    ///
    /// A column has another kind there.
    pub fn append(&mut self, other: Sheet) -> Result<(), ParquetError> {
        if self.columns.is_empty() {
            *self = other;
            return Ok(());
        }
        for ((name, cells), (_, more)) in self.columns.iter_mut().zip(other.columns) {
            cells.append(more).ok_or_else(|| other_type(name))?;
        }
        Ok(())
    }

    /// Its columns in their order, with their names.
    pub fn columns(&self) -> &[(String, Cells)] {
        &self.columns
    }

    /// The same, and the sheet goes.
    pub fn into_columns(self) -> Vec<(String, Cells)> {
        self.columns
    }

    /// The cells of a column.
    ///
    /// # Errors
    ///
    /// There is none of this name.
    pub fn column(&self, name: &str) -> Result<&Cells, ParquetError> {
        let found = self.columns.iter().find(|(own, _)| own == name).map(|(_, cells)| cells);
        found.ok_or_else(|| ParquetError::General(format!("the column {name} is missing")))
    }

    /// The cells of a column of texts.
    ///
    /// # Errors
    ///
    /// There is none of this name and kind.
    pub fn text(&self, name: &str) -> Result<&[Arc<str>], ParquetError> {
        if let Cells::Text(cells) = self.column(name)? { Ok(cells) } else { Err(other_type(name)) }
    }

    /// The cells of a column of flags.
    ///
    /// # Errors
    ///
    /// There is none of this name and kind.
    pub fn flag(&self, name: &str) -> Result<&[bool], ParquetError> {
        if let Cells::Flag(cells) = self.column(name)? { Ok(cells) } else { Err(other_type(name)) }
    }

    /// The cells of a column of whole numbers.
    ///
    /// # Errors
    ///
    /// There is none of this name and kind.
    pub fn count(&self, name: &str) -> Result<&[u64], ParquetError> {
        if let Cells::Count(cells) = self.column(name)? { Ok(cells) } else { Err(other_type(name)) }
    }

    /// The cells of a column of whole numbers that some rows do not have.
    ///
    /// # Errors
    ///
    /// There is none of this name and kind.
    pub fn maybe_count(&self, name: &str) -> Result<&[Option<u64>], ParquetError> {
        if let Cells::MaybeCount(cells) = self.column(name)? { Ok(cells) } else { Err(other_type(name)) }
    }

    /// The cells of a column of numbers.
    ///
    /// # Errors
    ///
    /// There is none of this name and kind.
    pub fn real(&self, name: &str) -> Result<&[f64], ParquetError> {
        if let Cells::Real(cells) = self.column(name)? { Ok(cells) } else { Err(other_type(name)) }
    }

    /// The cells of a column of numbers that some rows do not have.
    ///
    /// # Errors
    ///
    /// There is none of this name and kind.
    pub fn maybe_real(&self, name: &str) -> Result<&[Option<f64>], ParquetError> {
        if let Cells::MaybeReal(cells) = self.column(name)? { Ok(cells) } else { Err(other_type(name)) }
    }

    fn schema(&self) -> Result<TypePtr, ParquetError> {
        let field = |(name, cells): &(String, Cells)| -> Result<TypePtr, ParquetError> {
            let (physical, logical, repetition) = match cells {
                Cells::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
                Cells::Flag(_) => (Physical::BOOLEAN, None, Repetition::REQUIRED),
                Cells::Count(_) => (Physical::INT64, Some(unsigned()), Repetition::REQUIRED),
                Cells::MaybeCount(_) => (Physical::INT64, Some(unsigned()), Repetition::OPTIONAL),
                Cells::Real(_) => (Physical::DOUBLE, None, Repetition::REQUIRED),
                Cells::MaybeReal(_) => (Physical::DOUBLE, None, Repetition::OPTIONAL),
            };
            let converted = match physical {
                Physical::BYTE_ARRAY => ConvertedType::UTF8,
                Physical::INT64 => ConvertedType::UINT_64,
                _ => ConvertedType::NONE,
            };
            let builder = Type::primitive_type_builder(name, physical).with_repetition(repetition);
            Ok(Arc::new(builder.with_logical_type(logical).with_converted_type(converted).build()?))
        };
        let fields = self.columns.iter().map(field).collect::<Result<_, _>>()?;
        Ok(Arc::new(Type::group_type_builder("narrows").with_fields(fields).build()?))
    }
}

fn unsigned() -> LogicalType {
    LogicalType::integer(64, false)
}

fn other_type(name: &str) -> ParquetError {
    ParquetError::General(format!("the column {name} has another type"))
}

/// The key under which a file's metadata have its heading.
const HEADING: &str = "narrows";

/// Writes sheets of equal columns, one row group each. `like` gives the columns; its cells are not written. `heading` is a text about the whole file.
///
/// # Errors
///
/// `out` cannot be written: its error is in [`ParquetError::External`].
pub fn write(
    out: &mut (dyn Write + Send),
    heading: Option<&str>,
    like: &Sheet,
    sheets: &mut dyn Iterator<Item = Sheet>,
) -> Result<(), ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("narrows {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(heading.map(|heading| vec![KeyValue::new(HEADING.to_owned(), heading.to_owned())]))
        .build();
    let mut writer = SerializedFileWriter::new(out, like.schema()?, Arc::new(properties))?;
    for sheet in sheets {
        let mut group = writer.next_row_group()?;
        for (_, cells) in &sheet.columns {
            write_column(&mut group, cells)?;
        }
        group.close()?;
    }
    writer.close().map(drop)
}

fn write_column<W: Write + Send>(group: &mut SerializedRowGroupWriter<'_, W>, cells: &Cells) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Err(ParquetError::General("too many columns".to_owned())) };
    match cells {
        Cells::Text(cells) => column.typed::<ByteArrayType>().write_batch(&shared_bytes(cells), None, None)?,
        Cells::Flag(cells) => column.typed::<BoolType>().write_batch(cells, None, None)?,
        Cells::Count(cells) => {
            let signed: Vec<i64> = cells.iter().map(|count| *count as i64).collect();
            column.typed::<Int64Type>().write_batch(&signed, None, None)?
        }
        Cells::MaybeCount(cells) => {
            let signed: Vec<i64> = cells.iter().flatten().map(|count| *count as i64).collect();
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

/// Neighbours that are equal share their text.
fn shared_text(values: &[ByteArray]) -> Result<Vec<Arc<str>>, ParquetError> {
    let mut texts: Vec<Arc<str>> = Vec::with_capacity(values.len());
    for bytes in values {
        let text = match texts.last() {
            Some(last) if last.as_bytes() == bytes.data() => last.clone(),
            _ => bytes.as_utf8()?.into(),
        };
        texts.push(text);
    }
    Ok(texts)
}

fn levels<T>(cells: &[Option<T>]) -> Vec<i16> {
    cells.iter().map(|cell| cell.is_some() as i16).collect()
}

/// Reads a file's row groups.
///
/// # Errors
///
/// It is no Parquet file, is damaged, or has a column of a kind that is not written here.
pub fn read(file: File) -> Result<Vec<Sheet>, ParquetError> {
    let file = Reader::new(file)?;
    (0..file.groups()).map(|index| file.group(index)).collect()
}

/// A file that is read one row group after another.
pub struct Reader(SerializedFileReader<File>);

impl Reader {
    /// Reads the file's description.
    ///
    /// # Errors
    ///
    /// It is no Parquet file.
    pub fn new(file: File) -> Result<Reader, ParquetError> {
        Ok(Reader(SerializedFileReader::new(file)?))
    }

    /// The text about the whole file, if it has one.
    pub fn heading(&self) -> Option<&str> {
        let all = self.0.metadata().file_metadata().key_value_metadata()?;
        all.iter().find(|pair| pair.key == HEADING)?.value.as_deref()
    }

    /// How many row groups there are.
    pub fn groups(&self) -> usize {
        self.0.metadata().num_row_groups()
    }

    /// The columns, without rows.
    ///
    /// # Errors
    ///
    /// One is of a kind that is not written here.
    pub fn columns(&self) -> Result<Sheet, ParquetError> {
        let columns = self.0.metadata().file_metadata().schema_descr().columns();
        let columns = columns.iter().map(|column| Ok((column.name().to_owned(), empty(column)?)));
        Ok(Sheet { columns: columns.collect::<Result<_, ParquetError>>()? })
    }

    /// One of them.
    ///
    /// # Errors
    ///
    /// It is damaged, or has a column of a kind that is not written here.
    pub fn group(&self, index: usize) -> Result<Sheet, ParquetError> {
        let group = self.0.get_row_group(index)?;
        let rows = self.0.metadata().row_group(index).num_rows() as usize;
        let mut sheet = self.columns()?;
        for (at, (_, cells)) in sheet.columns.iter_mut().enumerate() {
            read_column(group.get_column_reader(at)?, rows, cells)?;
        }
        Ok(sheet)
    }
}

fn empty(column: &ColumnDescriptor) -> Result<Cells, ParquetError> {
    let optional = column.max_def_level() > 0;
    Ok(match column.physical_type() {
        Physical::BYTE_ARRAY => Cells::Text(Vec::new()),
        Physical::BOOLEAN => Cells::Flag(Vec::new()),
        Physical::INT64 if optional => Cells::MaybeCount(Vec::new()),
        Physical::INT64 => Cells::Count(Vec::new()),
        Physical::DOUBLE if optional => Cells::MaybeReal(Vec::new()),
        Physical::DOUBLE => Cells::Real(Vec::new()),
        _ => return Err(ParquetError::General("a column has a type that Narrows does not write".to_owned())),
    })
}

fn read_column(reader: ColumnReader, rows: usize, cells: &mut Cells) -> Result<(), ParquetError> {
    match cells {
        Cells::Text(cells) => *cells = shared_text(&values::<ByteArrayType>(reader, rows)?.0)?,
        Cells::Flag(cells) => *cells = values::<BoolType>(reader, rows)?.0,
        Cells::Count(cells) => *cells = values::<Int64Type>(reader, rows)?.0.into_iter().map(|count| count as u64).collect(),
        Cells::MaybeCount(cells) => {
            let (values, levels) = values::<Int64Type>(reader, rows)?;
            *cells = spread(values.into_iter().map(|count| count as u64), &levels);
        }
        Cells::Real(cells) => *cells = values::<DoubleType>(reader, rows)?.0,
        Cells::MaybeReal(cells) => {
            let (values, levels) = values::<DoubleType>(reader, rows)?;
            *cells = spread(values.into_iter(), &levels);
        }
    }
    Ok(())
}

/// The values of a column that are there, and of each row whether it has one.
fn values<T: ParquetType>(reader: ColumnReader, rows: usize) -> Result<(Vec<T::T>, Vec<i16>), ParquetError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut typed = get_typed_column_reader::<T>(reader);
    let mut left = rows;
    while left > 0 {
        let (read, ..) = typed.read_records(left, Some(&mut levels), None, &mut values)?;
        if read == 0 {
            return Err(ParquetError::EOF("a column is too short".to_owned()));
        }
        left -= read;
    }
    Ok((values, levels))
}

fn spread<T>(mut values: impl Iterator<Item = T>, levels: &[i16]) -> Vec<Option<T>> {
    levels.iter().map(|level| if *level > 0 { values.next() } else { None }).collect()
}
