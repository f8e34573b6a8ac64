//! Controllers of one function in C, `NAME_decide` of `core.h`: what is put around them before they
//! are compiled.

use narrows_cores::CORE_HEADERS;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The file that makes callbacks of the function.
const AROUND: (&str, &str) = ("around_core.h", include_str!("around_core.h"));

/// The end of the function's name.
const DECIDE: &str = "_decide";

/// A name that stands in a source of callbacks, and not in a source of one function.
const TABLE: &str = "tcp_congestion_ops";

/// How a source includes our header, and what that begins with.
const HEADER: &str = "\"core.h\"";
const GUARD: &str = "NARROWS_CORE_H";

/// True of the characters of names in C.
fn is_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// The name of the controller of which a source has the function, and no table of callbacks; `None`
/// if it is another source.
fn name(source: &str) -> Option<&str> {
    if source.contains(TABLE) {
        return None;
    }
    source.match_indices(DECIDE).find_map(|(at, _)| {
        let called = source[at + DECIDE.len()..].trim_start().starts_with('(');
        let begin =
            source[..at].rfind(|character| !is_part(character)).map_or(0, |before| before + 1);
        let returns_nothing = source[..begin].trim_end().ends_with("void");
        (called && returns_nothing && begin < at).then_some(&source[begin..at])
    })
}

/// The controller's name, if a source includes `core.h` and has neither a function `NAME_decide`
/// nor a table of callbacks: `grad` if it has `struct grad_constants` or `struct grad_state`, else
/// `NAME`.
/// `header` reads a header that the compiler would find before ours: a `core.h` that is not ours
/// belongs to the source.
pub(crate) fn lacks_its_function(
    source: &str,
    header: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let includes = source.lines().any(|line| {
        let line = line
            .trim_start()
            .strip_prefix('#')
            .map(str::trim_start)
            .and_then(|line| line.strip_prefix("include"));
        line.is_some_and(|line| {
            [HEADER, "<core.h>"].iter().any(|header| line.trim_start().starts_with(header))
        })
    });
    if !includes
        || source.contains(TABLE)
        || name(source).is_some()
        || header("core.h").is_some_and(|text| !text.contains(GUARD))
    {
        return None;
    }
    let of_structure = |end: &str| {
        source.match_indices("struct ").find_map(|(at, _)| {
            let word = source[at + "struct ".len()..].trim_start();
            let word =
                &word[..word.find(|character: char| !is_part(character)).unwrap_or(word.len())];
            word.strip_suffix(end).filter(|name| !name.is_empty())
        })
    };
    let name = of_structure("_constants").or_else(|| of_structure("_state")).unwrap_or("NAME");
    Some(name.to_owned())
}

/// Writes into a directory what is compiled in the place of a source that has the function of a
/// core, and the headers of cores: the path of what is compiled. `None` of another source, of which
/// nothing is written. The compiled file includes the source by the name of its file.
pub(crate) fn wrap(into: &Path, source: &Path, text: &[u8]) -> io::Result<Option<PathBuf>> {
    let text = String::from_utf8_lossy(text);
    let (Some(name), Some(file)) = (name(&text), source.file_name().and_then(OsStr::to_str)) else {
        return Ok(None);
    };
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
    use super::{lacks_its_function, name};

    #[test]
    fn a_function_that_is_called_otherwise_is_missed() {
        const SOURCE: &str = "#include \"core.h\"\nstruct grad_constants { core_u32 x; };\nstatic void decide(const struct grad_constants *c)";
        let missed = |source: &str| lacks_its_function(source, |_| None);
        assert_eq!(missed(SOURCE).as_deref(), Some("grad"));
        assert_eq!(
            missed("# include <core.h>\nstruct grad_state { int x; };").as_deref(),
            Some("grad")
        );
        assert_eq!(missed("#include \"core.h\"\nint grad_decide(int x);").as_deref(), Some("NAME"));
        assert_eq!(missed("#include \"core.h\"\nvoid grad_decide(int x);"), None);
        assert_eq!(missed("#include \"core.h\"\nstruct tcp_congestion_ops own;"), None);
        assert_eq!(missed("#include \"other.h\"\n"), None);
        assert_eq!(lacks_its_function(SOURCE, |_| Some("#define CORE 1".to_owned())), None);
        assert!(
            lacks_its_function(SOURCE, |_| Some("#ifndef NARROWS_CORE_H".to_owned())).is_some()
        );
    }

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
