//! `narrows completions` and `narrows man`.

use crate::cli::{self, CompletionsArgs, ManArgs};
use clap::Command;
use clap_mangen::Man;
use narrows_files::Output;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use std::io::{self, Write};
use std::path::Path;

/// Prints the completion script of a shell.
pub fn completions(args: &CompletionsArgs) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli::command(), "narrows", &mut script);
    io::stdout().write_all(&script)?;
    Ok(Outcome::Ok)
}

/// Writes a manual page for each command.
pub fn man(args: &ManArgs) -> Result<Outcome, Failure> {
    let unwritable = |error: io::Error| {
        let directory = args.directory.display();
        Failure::Other(format!(
            "cannot write manual pages into {directory}: {error}; give another directory"
        ))
    };
    std::fs::create_dir_all(&args.directory).map_err(unwritable)?;
    let mut command = cli::command().disable_help_subcommand(true);
    command.build();
    let written = pages(&command, &args.directory).map_err(unwritable)?;
    crate::terminal::tell(&format!(
        "{written} manual pages in {}; `man -l {}` shows the first",
        args.directory.display(),
        args.directory.join("narrows.1").display()
    ));
    Ok(Outcome::Ok)
}

/// Writes the page of a command and those of its subcommands. Returns their number.
fn pages(command: &Command, directory: &Path) -> io::Result<usize> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    Output::write(&directory.join(format!("{name}.1")), &page)?;
    let below = command.get_subcommands().filter(|own| !own.is_hide_set());
    below.map(|own| pages(own, directory)).try_fold(1, |sum, pages| Ok(sum + pages?))
}
