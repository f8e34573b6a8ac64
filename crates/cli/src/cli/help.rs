//! The program's help, which lists commands by task, and the arguments of its other forms.

use super::Cli;
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use std::path::PathBuf;

/// Commands by task.
const TASKS: [(&str, &[&str]); 9] = [
    ("Simulate", &["compare", "run", "sweep", "merge", "matrix"]),
    ("Run on Linux", &["live", "doctor", "kernel", "inspect"]),
    ("Deploy", &["deploy"]),
    ("Judge", &["check", "attack", "reproduce"]),
    ("Use results", &["report", "figure", "export", "diff"]),
    ("Measure", &["fit"]),
    ("Named Data Networking", &["ndn"]),
    ("Look up", &["list", "path", "schema", "completions", "man"]),
    ("Develop Narrows", &["lab"]),
];

#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

#[derive(Args)]
pub struct ManArgs {
    /// Directory for the pages, for example /usr/local/share/man/man1; it is created if it does not
    /// exist
    pub directory: PathBuf,
}

/// Returns the program's command line, whose help lists the commands by task.
pub fn command() -> Command {
    let command = Cli::command().version(narrows_workbench::version());
    let tasks = tasks(&command);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{tasks}\nOptions:\n{{options}}{{after-help}}"
    ))
}

/// Returns each task with its commands, and a line on each command.
fn tasks(command: &Command) -> String {
    let line = |name: &&str| {
        let about = command.find_subcommand(name).and_then(Command::get_about);
        format!("  {name:<12} {}\n", about.map_or_else(String::new, ToString::to_string))
    };
    let task = |(title, names): &(&str, &[&str])| {
        format!("\n{title}:\n{}", names.iter().map(line).collect::<String>())
    };
    TASKS.iter().map(task).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Width of a line on a command, in columns.
    const WIDTH: usize = 100;

    #[test]
    fn each_command_stands_at_one_task_with_a_line_that_fits() {
        let command = Cli::command();
        let shown = command.get_subcommands().filter(|own| !own.is_hide_set());
        let shown: BTreeSet<&str> = shown.map(Command::get_name).collect();
        let listed: Vec<&str> = TASKS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert_eq!(listed.len(), shown.len());
        assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), shown);
        for line in tasks(&command).lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
    }
}
