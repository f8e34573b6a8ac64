//! `narrows figure`.

use crate::cli::FigureArgs;
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output;
use narrows_files::Output;
use narrows_params::suggest;
use narrows_report::{Figure, ResultDir};
use std::path::Path;

/// Lists the figures of a result directory, or draws one.
pub fn figure(args: FigureArgs) -> Result<Outcome, Failure> {
    let files = narrows_report::open(&args.directory)?;
    let figures = figures(&files)?;
    let names: Vec<String> = figures.iter().map(Figure::name).collect();
    let Some(name) = args.name else {
        if names.is_empty() {
            output::print("no figures: this result has none, see report.html\n")?;
        }
        let wide = names.iter().map(String::len).max().unwrap_or(0);
        for (name, figure) in names.iter().zip(&figures) {
            output::print(&format!("{name:wide$}  {}\n", figure.title()))?;
        }
        return Ok(Outcome::Ok);
    };
    let Some(figure) = figures.iter().find(|figure| figure.name() == name) else {
        let known = suggest(&name, "figures", names.iter().map(String::as_str));
        return Err(Failure::Other(format!("this result has no figure \"{name}\"; {known}")));
    };
    let svg = args.svg.or_else(|| args.png.is_none().then(|| format!("{name}.svg").into()));
    if let Some(file) = svg {
        refuse_extension(&file, "png", "--svg", "--png")?;
        written(&file, figure.svg().as_bytes(), "--svg")?;
    }
    if let Some(file) = args.png {
        refuse_extension(&file, "svg", "--png", "--svg")?;
        let pixels = figure.png();
        let pixels = pixels.ok_or_else(|| {
            Failure::Other(format!("\"{name}\" is too large for a PNG; use --svg"))
        })?;
        written(&file, &pixels, "--png")?;
    }
    Ok(Outcome::Ok)
}

/// The figures of a result, whatever it is of.
pub fn figures(files: &ResultDir) -> Result<Vec<Figure>, Failure> {
    if let Some(kept) = narrows_report::read_plots(files)? {
        return Ok(narrows_report::reproduction_figures(&kept));
    }
    if let Some(kept) = narrows_report::read_fidelity(files)? {
        return Ok(narrows_report::fidelity_figures(&kept));
    }
    Ok(match narrows_report::read_grid(files)? {
        Some(grid) => narrows_report::grid_figures(&grid),
        None => narrows_report::figures(&narrows_report::read(files)?),
    })
}

/// Refuses a file of the other kind's name.
fn refuse_extension(file: &Path, other: &str, flag: &str, instead: &str) -> Result<(), Failure> {
    match file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(other)) {
        true => Err(Failure::Other(format!(
            "{flag} would write another kind of file into {}; use {instead}",
            file.display()
        ))),
        false => Ok(()),
    }
}

fn written(file: &Path, bytes: &[u8], flag: &str) -> Result<(), Failure> {
    Output::write(file, bytes).map_err(|error| {
        Failure::Other(format!(
            "the figure cannot be written to {}: {error}; choose another {flag}",
            file.display()
        ))
    })?;
    output::print(&format!("{}\n", file.display()))
}
