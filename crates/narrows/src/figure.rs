//! `narrows figure`.

use crate::cli::FigureArgs;
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output;
use narrows_params::suggest;
use narrows_report::Figure;

/// Lists the figures of a result directory, or draws one.
pub fn figure(args: FigureArgs) -> Result<Outcome, Failure> {
    let files = narrows_report::open(&args.directory)?;
    let figures = match narrows_report::read_grid(&files)? {
        Some(grid) => narrows_report::grid_figures(&grid),
        None => narrows_report::figures(&narrows_report::read(&files)?),
    };
    let names: Vec<String> = figures.iter().map(Figure::name).collect();
    let Some(name) = args.name else {
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
    let file = args.svg.unwrap_or_else(|| format!("{name}.svg").into());
    std::fs::write(&file, figure.svg())
        .map_err(|error| Failure::Other(format!("the figure cannot be written to {}: {error}; choose another --svg", file.display())))?;
    output::print(&format!("{}\n", file.display()))?;
    Ok(Outcome::Ok)
}
