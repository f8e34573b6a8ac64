//! The tables of a result directory as CSV.

use crate::checksums::ResultDir;
use crate::error::{ReportError, failed};
use narrows_sheet::{ParquetError, read, write_csv};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes each Parquet table of a result as CSV into the directory `out`, which is made if need be: same columns, same rows, written as [`write_csv`] does. Returns the
/// files.
///
/// # Errors
/// There are no tables, one is not what it should be, or something cannot be written.
pub fn export_csv(files: &ResultDir, out: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let tables: Vec<&str> = files.names().filter(|name| name.ends_with(".parquet")).collect();
    if tables.is_empty() {
        let source = io::Error::new(io::ErrorKind::NotFound, "it has no tables");
        return Err(ReportError::Read { path: files.path().to_owned(), source });
    }
    fs::create_dir_all(out).map_err(|source| failed(out, source))?;
    let export = |table: &&str| {
        let path = out.join(Path::new(table).with_extension("csv"));
        let damaged = |error: ParquetError| ReportError::Damaged { path: files.path().join(table), reason: error.to_string() };
        let sheets = read(files.file(table)?).map_err(damaged)?;
        let write = || -> io::Result<()> {
            let mut out = BufWriter::new(File::create(&path)?);
            write_csv(&mut out, &sheets)?;
            out.flush()
        };
        write().map_err(|source| failed(&path, source))?;
        Ok(path)
    };
    tables.iter().map(export).collect()
}
