//! `narrows report`.

use crate::cli::ReportArgs;
use crate::terminal;
use narrows_evidence::report::{check_html, check_text, course_file};
use narrows_files::Output;
use narrows_report::ResultDir;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use narrows_workbench::overlays;
use narrows_workbench::stored::checked;
use std::collections::BTreeMap;

/// Rebuilds the table and the HTML report of a result directory.
pub fn report(args: ReportArgs) -> Result<Outcome, Failure> {
    let files = narrows_report::open(&args.directory)?;
    let (text, page) = if files.path().join("check.json").is_file() {
        check_again(&args, &files)?
    } else {
        again(&args, &files)?
    };
    let printed = terminal::print(&text);
    let out = match args.out {
        None => narrows_report::redraw(&args.directory, &page)?,
        Some(out) => {
            Output::write(&out, page.as_bytes()).map_err(|error| {
                Failure::Other(format!(
                    "the report cannot be written to {}: {error}; choose another --out",
                    out.display()
                ))
            })?;
            out
        }
    };
    printed?;
    if !args.json {
        terminal::print(&format!("\nReport: {}\n", out.display()))?;
    }
    Ok(Outcome::Ok)
}

/// Returns the table and the page of a check.
fn check_again(args: &ReportArgs, files: &ResultDir) -> Result<(String, String), Failure> {
    if !args.overlay.is_empty() {
        return Err(Failure::Other(
            "a check has no time series to overlay; use --overlay with the result of a run"
                .to_owned(),
        ));
    }
    let checked = checked(files)?;
    let text = if args.json { checked.json() } else { check_text(&checked) };
    let mut courses = BTreeMap::new();
    for own in &checked.criteria {
        let file = course_file(&own.id);
        if files.path().join(&file).is_file() {
            courses.insert(own.id.clone(), files.text(&file)?);
        }
    }
    Ok((text, check_html(&checked, &courses)))
}

/// Returns the table and the page of a run, a comparison or a sweep.
fn again(args: &ReportArgs, files: &ResultDir) -> Result<(String, String), Failure> {
    files.refuse_without_runs()?;
    Ok(match narrows_report::read_grid(files)? {
        Some(_) if !args.overlay.is_empty() => {
            return Err(Failure::Other(
                "a sweep has no time series to overlay; use --overlay with the result of a run"
                    .to_owned(),
            ));
        }
        Some(grid) => {
            let text = if args.json {
                narrows_workbench::grid_text(&grid)
            } else {
                narrows_report::grid_table(&grid, &[])
            };
            (text, narrows_report::grid_html(&grid))
        }
        None => {
            let mut comparison = narrows_report::read(files)?;
            comparison.overlays.extend(overlays::read(&args.overlay)?);
            let text = if args.json {
                narrows_report::summary_json(&comparison)
            } else {
                narrows_report::table(&comparison)
            };
            (text, narrows_report::html(&comparison))
        }
    })
}
