//! Tables as Arrow streams.

use crate::Error;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::fs::File;

/// Rows that are read at once.
const BATCH: usize = 1 << 16;

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
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| damaged(&error))?;
        let reader = reader.with_batch_size(BATCH).build().map_err(|error| damaged(&error))?;
        let schema = reader.schema();
        let batches = reader.collect::<Result<_, _>>().map_err(|error| damaged(&error))?;
        Ok(Table { schema, batches })
    }
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
