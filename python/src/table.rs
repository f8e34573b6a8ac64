//! Tables as Arrow streams.

use crate::Error;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use narrows_sheet::{Cells, Reader, Sheet};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::fs::File;
use std::sync::Arc;

/// A table of a result, in memory. Whoever takes its Arrow stream shares this memory.
#[pyclass(frozen)]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// Reads a Parquet file.
    pub fn read(file: File) -> PyResult<Table> {
        let damaged = |error: &dyn std::error::Error| Error::new_err(format!("the table cannot be read: {error}"));
        let reader = Reader::new(file).map_err(|error| damaged(&error))?;
        let schema = SchemaRef::new(schema(&reader.columns().map_err(|error| damaged(&error))?));
        let group = |index| batch(&schema, reader.group(index).map_err(|error| damaged(&error))?).map_err(|error| damaged(&error));
        let batches = (0..reader.groups()).map(group).collect::<PyResult<_>>()?;
        Ok(Table { schema, batches })
    }
}

fn schema(sheet: &Sheet) -> Schema {
    let field = |(name, cells): &(String, Cells)| match cells {
        Cells::Text(_) => Field::new(name, DataType::Utf8, false),
        Cells::Flag(_) => Field::new(name, DataType::Boolean, false),
        Cells::Count(_) => Field::new(name, DataType::UInt64, false),
        Cells::MaybeCount(_) => Field::new(name, DataType::UInt64, true),
        Cells::Real(_) => Field::new(name, DataType::Float64, false),
        Cells::MaybeReal(_) => Field::new(name, DataType::Float64, true),
    };
    Schema::new(sheet.columns().iter().map(field).collect::<Vec<_>>())
}

fn batch(schema: &SchemaRef, sheet: Sheet) -> Result<RecordBatch, ArrowError> {
    let array = |(_, cells)| -> ArrayRef {
        match cells {
            Cells::Text(cells) => Arc::new(StringArray::from_iter_values(cells)),
            Cells::Flag(cells) => Arc::new(BooleanArray::from(cells)),
            Cells::Count(cells) => Arc::new(UInt64Array::from(cells)),
            Cells::MaybeCount(cells) => Arc::new(UInt64Array::from(cells)),
            Cells::Real(cells) => Arc::new(Float64Array::from(cells)),
            Cells::MaybeReal(cells) => Arc::new(Float64Array::from(cells)),
        }
    };
    RecordBatch::try_new(schema.clone(), sheet.into_columns().into_iter().map(array).collect())
}

#[pymethods]
impl Table {
    /// The names of its columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The number of its rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The Arrow PyCapsule interface: a stream of record batches. `requested_schema` is not followed, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(&self, py: Python<'py>, requested_schema: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(batches, self.schema.clone())));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
