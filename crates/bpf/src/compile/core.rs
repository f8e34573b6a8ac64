//! Controllers of one function in C, `NAME_decide` of `core.h`: what is put around them before they are compiled.

use narrows_control::cores::CORE_HEADERS;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// What makes callbacks of the function.
const AROUND: (&str, &str) = ("around_core.h", include_str!("around_core.h"));

/// The end of the function's name.
const DECIDE: &str = "_decide";

/// What a source of callbacks names, and one of a function does not.
const TABLE: &str = "tcp_congestion_ops";

/// The name of the controller of which a source has the function, and no table of callbacks; `None` if it is another source.
fn name(source: &str) -> Option<&str> {
    if source.contains(TABLE) {
        return None;
    }
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    source.match_indices(DECIDE).find_map(|(at, _)| {
        let called = source[at + DECIDE.len()..].trim_start().starts_with('(');
        let begin = source[..at].rfind(|character| !is_part(character)).map_or(0, |before| before + 1);
        let returns_nothing = source[..begin].trim_end().ends_with("void");
        (called && returns_nothing && begin < at).then_some(&source[begin..at])
    })
}

/// Writes into a directory what is compiled in the place of a source that has the function of a core, and the headers of cores: the path of what is compiled. `None`
/// of another source, of which nothing is written. What is compiled includes the source by the name of its file.
pub(crate) fn wrap(into: &Path, source: &Path, text: &[u8]) -> io::Result<Option<PathBuf>> {
    let text = String::from_utf8_lossy(text);
    let (Some(name), Some(file)) = (name(&text), source.file_name().and_then(OsStr::to_str)) else { return Ok(None) };
    const WRAPPED: &str = "wrapped.bpf.c";
    for (header, text) in CORE_HEADERS.into_iter().chain([AROUND]) {
        fs::write(into.join(header), text)?;
    }
    let text = format!(
        "#include \"vmlinux.h\"\n#include <bpf/bpf_core_read.h>\n#include <bpf/bpf_helpers.h>\n#include <bpf/bpf_tracing.h>\n\
         #define CORE {name}\n#include \"core.h\"\n#include \"{file}\"\n#include \"{}\"\n",
        AROUND.0
    );
    let wrapped = into.join(WRAPPED);
    fs::write(&wrapped, text)?;
    Ok(Some(wrapped))
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn a_core_is_known_by_its_function() {
        for (source, expected) in [
            ("static void mine_decide(const struct mine_constants *c)", Some("mine")),
            ("#include \"core.h\"\nvoid\nits_own_decide (int x) {}", Some("its_own")),
            ("/* mine_decide is told */ void mine_decide(int x);", Some("mine")),
            ("void _decide(int x);", None),
            ("int mine_decide(int x);", None),
            ("void mine_decide;", None),
            ("void mine_decide(int x); struct tcp_congestion_ops mine;", None),
            ("", None),
        ] {
            assert_eq!(name(source), expected, "{source}");
        }
    }
}
