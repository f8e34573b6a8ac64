//! Places in a program, for messages.

use crate::program::Program;

/// An instruction by its function, and its line if the object knows it.
pub(super) fn place(program: &Program, instruction: usize) -> String {
    let function = program.function_at(instruction).map_or("", |function| function.name.as_str());
    match program.lines.at(instruction) {
        Some(line) => format!("function {function}, {}:{} `{}`", line.file, line.line, line.text),
        None => format!("function {function}, instruction {instruction}"),
    }
}
