//! `narrows export`.

use crate::cli::{ExportArgs, ExportFormat};
use crate::terminal;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;

/// Writes the tables of a result directory in another format.
pub fn export(args: ExportArgs) -> Result<Outcome, Failure> {
    let result = narrows_report::open(&args.directory)?;
    let written = match args.format {
        ExportFormat::Csv => narrows_report::export_csv(&result, args.out.as_deref())?,
        ExportFormat::Perfetto => {
            vec![narrows_report::export_perfetto(&result, args.out.as_deref())?]
        }
    };
    for path in written {
        terminal::print(&format!("{}\n", path.display()))?;
    }
    Ok(Outcome::Ok)
}
