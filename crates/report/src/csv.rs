//! The tables of a result directory as CSV.

use crate::checksums::ResultDir;
use crate::error::{ReportError, failed};
use narrows_files::Folder;
use narrows_sheet::{ParquetError, read, write_csv};
use std::io;
use std::path::{Path, PathBuf};

/// Writes each Parquet table of a result as CSV into the directory `out`, which is created if it
/// does not exist; if `out` is `None`, into the folder `csv` of the result. [`write_csv`] defines
/// the format; columns and rows are those of the tables. Each file appears when it is complete.
/// Returns the paths of the files.
///
/// # Errors
///
/// There are no tables, a table is damaged, or a file cannot be written. A link in the place of a
/// file is not followed.
pub fn export_csv(files: &ResultDir, out: Option<&Path>) -> Result<Vec<PathBuf>, ReportError> {
    let tables: Vec<&str> = files.names().filter(|name| name.ends_with(".parquet")).collect();
    if tables.is_empty() {
        files.refuse_without_runs()?;
        let source = io::Error::new(io::ErrorKind::NotFound, "it has no tables");
        return Err(ReportError::Read { path: files.path().to_owned(), source });
    }
    let own = files.path().join("csv");
    let folder = match out {
        Some(out) => Folder::make(out),
        None => Folder::open(files.path()).and_then(|result| result.folder("csv")),
    };
    let folder = folder.map_err(|source| failed(out.unwrap_or(&own), source))?;
    let export = |table: &&str| {
        let name = format!("{}.csv", table.trim_end_matches(".parquet"));
        let path = folder.path(&name);
        let damaged = |error: ParquetError| ReportError::Damaged {
            path: files.path().join(table),
            reason: error.to_string(),
        };
        let sheets = read(files.file(table)?).map_err(damaged)?;
        let write = || -> io::Result<()> {
            let mut out = folder.create(&name)?;
            write_csv(&mut out, &sheets)?;
            out.finish()
        };
        write().map_err(|source| failed(&path, source))?;
        Ok(path)
    };
    tables.iter().map(export).collect()
}
