//! `narrows export`.

use crate::cli::ExportArgs;
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output;

/// Writes the tables of a result directory as CSV.
pub fn export(args: ExportArgs) -> Result<Outcome, Failure> {
    let out = args.out.unwrap_or_else(|| args.directory.join("csv"));
    for path in narrows_report::export_csv(&narrows_report::open(&args.directory)?, &out)? {
        output::print(&format!("{}\n", path.display()))?;
    }
    Ok(Outcome::Ok)
}
