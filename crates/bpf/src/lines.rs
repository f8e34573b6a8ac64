//! Where in the source an instruction comes from (`line_info` of `.BTF.ext`).

use crate::types::{LineInfo, Strings};

/// The line of the source that an instruction comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The file, as the compiler was given it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 if the compiler did not say.
    pub column: u32,
    /// The text of the line, without the blanks around it; empty if the compiler did not keep it.
    pub text: String,
}

/// The lines of a program.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// With the index of the first instruction of each, ascending.
    lines: Vec<(usize, LineInfo)>,
    strings: Strings,
}

impl Lines {
    /// Of lines with the index of the first instruction of each. If two begin at one instruction,
    /// the latter counts.
    pub(crate) fn new(mut lines: Vec<(usize, LineInfo)>, strings: Strings) -> Lines {
        lines.sort_by_key(|(at, _)| *at);
        Lines { lines, strings }
    }

    /// That of an instruction: the nearest at or before it. `None` if the object has none there.
    pub fn at(&self, instruction: usize) -> Option<Line> {
        let after = self.lines.partition_point(|(at, _)| *at <= instruction);
        let (_, info) = &self.lines[after.checked_sub(1)?];
        // Compilers give code that comes from no line the number 0.
        let info = Some(info).filter(|info| info.line > 0)?;
        let file = self.strings.text(info.file).replace("/./", "/");
        let text = self.strings.text(info.text).trim().to_owned();
        Some(Line { file, line: info.line, column: info.column, text })
    }
}
