//! `narrows report`.

use crate::Outcome;
use crate::cli::ReportArgs;
use crate::error::Failure;
use crate::overlays;
use std::io::Write;

/// Makes table and HTML of a result directory again.
pub fn report(args: ReportArgs) -> Result<Outcome, Failure> {
    let mut comparison = narrows_report::read(&args.directory)?;
    comparison.overlays.extend(overlays::read(&args.overlay)?);
    let text = if args.json { narrows_report::summary_json(&comparison) } else { narrows_report::table(&comparison) };
    let printed = std::io::stdout().write_all(text.as_bytes());
    let out = match args.out {
        None => narrows_report::redraw(&args.directory, &comparison)?,
        Some(out) => {
            std::fs::write(&out, narrows_report::html(&comparison)).map_err(|error| {
                Failure::Other(format!("the report cannot be written to {}: {error}; choose another --out", out.display()))
            })?;
            out
        }
    };
    printed?;
    if !args.json {
        writeln!(std::io::stdout(), "\nReport: {}", out.display())?;
    }
    Ok(Outcome::Ok)
}
