//! `narrows export`.

use crate::cli::{ExportArgs, ExportFormat};
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output;

/// Writes the tables of a result directory in another format.
pub fn export(args: ExportArgs) -> Result<Outcome, Failure> {
    let result = narrows_report::open(&args.directory)?;
    let out = |name: &str| args.out.clone().unwrap_or_else(|| args.directory.join(name));
    let written = match args.format {
        ExportFormat::Csv => narrows_report::export_csv(&result, &out("csv"))?,
        ExportFormat::Perfetto => {
            let file = out("run.perfetto-trace");
            narrows_report::export_perfetto(&result, &file)?;
            vec![file]
        }
    };
    for path in written {
        output::print(&format!("{}\n", path.display()))?;
    }
    Ok(Outcome::Ok)
}
