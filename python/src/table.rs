//! Tables as Arrow streams.

use crate::Error;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use narrows_sheet::{Cells, ParquetError, Reader, Sheet};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::fs::File;
use std::sync::Arc;

/// Least rows of a batch, except for the last one: runs with few rows share a batch.
const BATCH: usize = 1 << 16;

/// A table of a result, in memory. Consumers of its Arrow stream share this memory.
#[pyclass(frozen)]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// Reads a Parquet file as the table `name`.
    pub fn read(name: &str, file: File) -> PyResult<Table> {
        let read = || {
            let reader = Reader::new(file)?;
            let schema = SchemaRef::new(schema(reader.columns()));
            let (mut batches, mut gathered) = (Vec::new(), reader.columns().clone());
            for index in 0..reader.groups() {
                gathered.append(reader.group(index)?)?;
                if gathered.rows() >= BATCH || index + 1 == reader.groups() {
                    batches.push(batch(
                        &schema,
                        std::mem::replace(&mut gathered, reader.columns().clone()),
                    )?);
                }
            }
            Ok(Table { schema, batches })
        };
        let damaged = |error: ParquetError| {
            Error::new_err(format!(
                "the table {name} cannot be read: {error}; make the result again"
            ))
        };
        read().map_err(damaged)
    }
}

fn schema(sheet: &Sheet) -> Schema {
    let field = |(name, cells): &(String, Cells)| match cells {
        Cells::Text(_) => Field::new(name, DataType::Utf8, false),
        Cells::Flag(_) => Field::new(name, DataType::Boolean, false),
        Cells::Count(_) => Field::new(name, DataType::Int64, false),
        Cells::MaybeCount(_) => Field::new(name, DataType::Int64, true),
        Cells::Real(_) => Field::new(name, DataType::Float64, false),
        Cells::MaybeReal(_) => Field::new(name, DataType::Float64, true),
    };
    Schema::new(sheet.columns().iter().map(field).collect::<Vec<_>>())
}

fn batch(schema: &SchemaRef, sheet: Sheet) -> Result<RecordBatch, ParquetError> {
    let array = |(name, cells)| -> Result<ArrayRef, ParquetError> {
        Ok(match cells {
            Cells::Text(cells) => {
                let length: usize = cells.iter().map(|text| text.len()).sum();
                if i32::try_from(length).is_err() {
                    return Err(ParquetError::General(format!(
                        "the column {name} has {length} bytes of text in one run, more than Arrow's 2 GiB"
                    )));
                }
                Arc::new(StringArray::from_iter_values(cells))
            }
            Cells::Flag(cells) => Arc::new(BooleanArray::from(cells)),
            // Counts are signed, as in the files, and at most i64::MAX.
            Cells::Count(cells) => {
                Arc::new(Int64Array::from_iter_values(cells.into_iter().map(|count| count as i64)))
            }
            Cells::MaybeCount(cells) => Arc::new(Int64Array::from_iter(
                cells.into_iter().map(|cell| cell.map(|count| count as i64)),
            )),
            Cells::Real(cells) => Arc::new(Float64Array::from(cells)),
            Cells::MaybeReal(cells) => Arc::new(Float64Array::from(cells)),
        })
    };
    let arrays = sheet.into_iter().map(array).collect::<Result<_, _>>()?;
    RecordBatch::try_new(schema.clone(), arrays)
        .map_err(|error| ParquetError::External(Box::new(error)))
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Exports a stream of record batches (Arrow PyCapsule interface). Ignores `requested_schema`,
    /// which the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(
            batches,
            self.schema.clone(),
        )));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
