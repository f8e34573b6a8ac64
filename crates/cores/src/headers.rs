//! BPF's restrictions on the headers.

use crate::call::HEADERS;

/// Without comments and texts.
fn code(header: &str) -> String {
    let mut rest = header;
    let mut code = String::new();
    while let Some((before, after)) = rest.split_once("/*") {
        code += before;
        rest = after.split_once("*/").expect("comments end").1;
    }
    code += rest;
    code.split('"').step_by(2).collect()
}

#[test]
fn headers_need_no_library_no_float_and_no_wide_integer() {
    for header in HEADERS {
        let code = code(header);
        for word in [
            "float",
            "double",
            "__int128",
            "long double",
            "__builtin",
            "malloc",
            "<",
            "goto",
            "while",
        ] {
            let found = match word {
                // Only our own headers are included.
                "<" => code.lines().any(|line| line.starts_with("#include") && line.contains('<')),
                word => code
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .any(|token| token == word),
            };
            assert!(!found, "{word}");
        }
    }
}

/// BPF has no signed division before version 4 of its instructions: one function divides,
/// magnitudes; and constants divide constants and indices.
#[test]
fn only_magnitudes_are_divided() {
    let divisions: Vec<String> = HEADERS
        .iter()
        .flat_map(|header| code(header).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let divisions: Vec<&str> = divisions
        .iter()
        .map(|line| line.trim())
        .filter(|line| line.contains('/') || line.contains('%'))
        .collect();
    assert_eq!(
        divisions,
        [
            "return b ? a / b : 0;",
            "return &state->intervals[index % PCC_INTERVALS];",
            "core_u32 low_first = random >> i / 2 & 1;",
        ]
    );
}
