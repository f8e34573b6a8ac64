//! Result directories.

use crate::raised;
use crate::table::Table;
use narrows::workbench::stored::{self, Figure, ResultDir, Style};
use narrows_files::Output;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use std::io::Read;
use std::path::PathBuf;

/// File name extension of a table.
const PARQUET: &str = ".parquet";

/// A result directory, whose files were verified when it was opened.
#[pyclass(frozen)]
pub struct Directory {
    files: ResultDir,
}

#[pymethods]
impl Directory {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Directory> {
        let files = py.detach(|| stored::open(&path)).map_err(raised)?;
        Ok(Directory { files })
    }

    /// Returns the names of the files.
    fn names(&self) -> Vec<String> {
        self.files.names().map(str::to_owned).collect()
    }

    /// Returns the names of the tables.
    fn tables(&self) -> Vec<String> {
        self.files
            .names()
            .filter_map(|name| name.strip_suffix(PARQUET))
            .map(str::to_owned)
            .collect()
    }

    /// Reads a table.
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

    /// Reads a file.
    fn read(&self, name: &str) -> PyResult<Vec<u8>> {
        let mut content = Vec::new();
        self.files.file(name).map_err(|error| raised(error.into()))?.read_to_end(&mut content)?;
        Ok(content)
    }

    /// Returns the table for people.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| stored::text(&self.files)).map_err(raised)
    }

    /// Returns the figures.
    fn figures(&self, py: Python<'_>) -> PyResult<Vec<Drawing>> {
        let figures = py.detach(|| stored::figures(&self.files)).map_err(raised)?;
        Ok(figures.into_iter().map(|figure| Drawing { figure }).collect())
    }
}

/// Writes a file, which gets its name when it is complete.
///
/// # Errors
/// The file cannot be written. An older file of this name is unchanged.
#[pyfunction]
pub fn write(py: Python<'_>, path: PathBuf, content: &[u8]) -> PyResult<()> {
    Ok(py.detach(|| Output::write(&path, content))?)
}

/// A figure of a result, which is drawn on request.
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
        &self.figure.title
    }

    /// Draws the figure as SVG, `width` millimetres wide as in a paper, or for the screen.
    #[pyo3(signature = (width=None))]
    fn svg(&self, py: Python<'_>, width: Option<f64>) -> String {
        py.detach(|| self.figure.svg(&style(width)))
    }

    /// Draws the figure as PNG; `None` if memory does not suffice.
    #[pyo3(signature = (width=None))]
    fn png(&self, py: Python<'_>, width: Option<f64>) -> Option<Vec<u8>> {
        py.detach(|| self.figure.png(&style(width)))
    }

    /// Draws the figure as PDF.
    #[pyo3(signature = (width=None))]
    fn pdf(&self, py: Python<'_>, width: Option<f64>) -> Vec<u8> {
        py.detach(|| self.figure.pdf(&style(width)))
    }
}

fn style(width: Option<f64>) -> Style {
    width.map_or(Style::SCREEN, Style::paper)
}
