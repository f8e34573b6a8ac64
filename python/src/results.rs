//! Result directories.

use crate::raised;
use crate::table::Table;
use narrows::within::{self, Figure, ResultDir};
use narrows_files::Output;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use std::io::Read;
use std::path::PathBuf;

/// The end of a table's file name.
const PARQUET: &str = ".parquet";

/// A result directory, whose files were as they were written when it was opened.
#[pyclass(frozen)]
pub struct Directory {
    files: ResultDir,
}

#[pymethods]
impl Directory {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Directory> {
        let files = py.detach(|| within::open(&path)).map_err(raised)?;
        Ok(Directory { files })
    }

    /// The names of its files.
    fn names(&self) -> Vec<String> {
        self.files.names().map(str::to_owned).collect()
    }

    /// The names of its tables.
    fn tables(&self) -> Vec<String> {
        self.files
            .names()
            .filter_map(|name| name.strip_suffix(PARQUET))
            .map(str::to_owned)
            .collect()
    }

    /// One of its tables.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        let file = format!("{name}{PARQUET}");
        if !self.files.names().any(|own| own == file) {
            return Err(PyKeyError::new_err(format!(
                "this result has no table {name:?}; it has {}",
                self.tables().join(", ")
            )));
        }
        py.detach(|| {
            Table::read(name, self.files.file(&file).map_err(|error| raised(error.into()))?)
        })
    }

    /// What one of its files holds.
    fn read(&self, name: &str) -> PyResult<Vec<u8>> {
        let mut content = Vec::new();
        self.files.file(name).map_err(|error| raised(error.into()))?.read_to_end(&mut content)?;
        Ok(content)
    }

    /// The table for people.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| within::text(&self.files)).map_err(raised)
    }

    /// Its figures.
    fn figures(&self, py: Python<'_>) -> PyResult<Vec<Drawing>> {
        let figures = py.detach(|| within::figures(&self.files)).map_err(raised)?;
        Ok(figures.into_iter().map(|figure| Drawing { figure }).collect())
    }
}

/// Writes a file that gets its name when it is complete.
///
/// # Errors
/// It cannot be written. A file of this name stays as it was.
#[pyfunction]
pub fn write(py: Python<'_>, path: PathBuf, content: &[u8]) -> PyResult<()> {
    Ok(py.detach(|| Output::write(&path, content))?)
}

/// A figure of a result, which is drawn when it is asked for.
#[pyclass(frozen)]
pub struct Drawing {
    figure: Figure,
}

#[pymethods]
impl Drawing {
    #[getter]
    fn name(&self) -> String {
        self.figure.name()
    }

    #[getter]
    fn title(&self) -> &str {
        self.figure.title()
    }

    /// As SVG.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| self.figure.svg())
    }

    /// As PNG, if it is small enough.
    fn png(&self, py: Python<'_>) -> Option<Vec<u8>> {
        py.detach(|| self.figure.png())
    }
}
