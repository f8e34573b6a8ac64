//! `narrows figure`.

use crate::cli::FigureArgs;
use crate::terminal;
use narrows_files::Output;
use narrows_params::suggest;
use narrows_report::{Figure, Selection, Style};
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use narrows_workbench::stored::selected as figures;
use std::path::Path;

/// Lists the figures of a result directory, or draws one.
pub fn figure(args: FigureArgs) -> Result<Outcome, Failure> {
    let files = narrows_report::open(&args.directory)?;
    let selection = Selection { seed: args.seed, flows: args.flows.clone() };
    let figures = figures(&files, &selection)?;
    let names: Vec<String> = figures.iter().map(Figure::name).collect();
    let Some(name) = &args.name else {
        if names.is_empty() {
            terminal::print("no figures: this result has none, see report.html\n")?;
        }
        let wide = names.iter().map(String::len).max().unwrap_or(0);
        for (name, figure) in names.iter().zip(&figures) {
            terminal::print(&format!("{name:wide$}  {}\n", figure.title))?;
        }
        return Ok(Outcome::Ok);
    };
    let Some(figure) = figures.into_iter().find(|figure| figure.name() == *name) else {
        let known = suggest(name, "figures", names.iter().map(String::as_str));
        let seed = args.seed.map_or_else(String::new, |seed| format!(" of seed {seed}"));
        return Err(Failure::Other(format!("this result has no figure \"{name}\"{seed}; {known}")));
    };
    let figure = selected(figure, &args.flows)?;
    draw(&args, name, &figure)?;
    Ok(Outcome::Ok)
}

/// Keeps what `--flows` names.
fn selected(mut figure: Figure, wanted: &[String]) -> Result<Figure, Failure> {
    let legend: Vec<String> = figure.legend().into_iter().map(str::to_owned).collect();
    // A flow is named by itself, or after its case: "cubic.1" or "cubic cubic.1".
    let shown =
        |own: &String| wanted.iter().any(|name| own == name || own.ends_with(&format!(" {name}")));
    if let Some(unknown) = wanted
        .iter()
        .find(|name| !legend.iter().any(|own| own == *name || own.ends_with(&format!(" {name}"))))
    {
        return Err(Failure::Other(format!(
            "this figure shows no \"{unknown}\"; {}",
            suggest(unknown, "lines", legend.iter().map(String::as_str))
        )));
    }
    if !wanted.is_empty() {
        figure.keep(&legend.iter().filter(|own| shown(own)).cloned().collect::<Vec<_>>());
    }
    Ok(figure)
}

/// Writes the files that the arguments ask for, or an SVG file by the figure's name.
fn draw(args: &FigureArgs, name: &str, figure: &Figure) -> Result<(), Failure> {
    let mut style = args.width.map_or(Style::SCREEN, Style::paper);
    if let Some(points) = args.font {
        style.font = Style::points(points);
    }
    let none = args.png.is_none() && args.pdf.is_none();
    let svg = args.svg.clone().or_else(|| none.then(|| format!("{name}.svg").into()));
    let files = [("svg", &svg), ("png", &args.png), ("pdf", &args.pdf)];
    for (format, file) in files {
        let Some(file) = file else { continue };
        refuse_extension(file, format)?;
        let content = match format {
            "svg" => figure.svg(&style).into_bytes(),
            "pdf" => figure.pdf(&style),
            _ => figure.png(&style).ok_or_else(|| {
                Failure::Other(format!("\"{name}\" is too large for a PNG; use --svg or --pdf"))
            })?,
        };
        written(file, &content, format)?;
    }
    Ok(())
}

/// Refuses a file name with the extension of another format.
fn refuse_extension(file: &Path, format: &str) -> Result<(), Failure> {
    let extension = file.extension().map(|own| own.to_string_lossy().to_ascii_lowercase());
    let other = ["svg", "png", "pdf"]
        .into_iter()
        .find(|other| *other != format && extension.as_deref() == Some(other));
    match other {
        Some(other) => Err(Failure::Other(format!(
            "--{format} would write another kind of file into {}; use --{other}",
            file.display()
        ))),
        None => Ok(()),
    }
}

fn written(file: &Path, bytes: &[u8], format: &str) -> Result<(), Failure> {
    Output::write(file, bytes).map_err(|error| {
        Failure::Other(format!(
            "the figure cannot be written to {}: {error}; choose another --{format}",
            file.display()
        ))
    })?;
    terminal::print(&format!("{}\n", file.display()))
}
