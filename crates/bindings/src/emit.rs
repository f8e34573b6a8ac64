//! Declarations as Rust, and assertions of their layout as C.

use crate::layout::Layout;
use crate::parse::{Enum, Header, Scalar, Struct, Type};
use std::fmt::Write;

/// Returns the structures and enumerations of a header as Rust, with assertions of their layouts.
/// Names lose `prefix` and a following `_`: `x_state` becomes `State`, and `X_END` becomes `End`.
/// The structures derive `bytemuck::Pod`, which allows no padding.
///
/// # Errors
///
/// A member has the type of a structure that the header does not declare.
pub fn rust(header: &Header, prefix: &str) -> Result<String, String> {
    let mut text = String::new();
    for one in &header.enums {
        enumeration(&mut text, one, prefix);
    }
    for one in &header.structs {
        structure(&mut text, one, &Layout::of(one, header)?, prefix);
    }
    Ok(text)
}

/// Returns assertions in C that the layouts are equal.
///
/// # Errors
///
/// The errors of [`rust`].
pub fn checks(header: &Header) -> Result<String, String> {
    let mut text = String::new();
    for one in &header.structs {
        let layout = Layout::of(one, header)?;
        let name = &one.name;
        writeln!(
            text,
            "_Static_assert(sizeof(struct {name}) == {}, \"size of {name}\");",
            layout.size
        )
        .expect(GROWS);
        for (member, offset) in one.members.iter().zip(layout.offsets) {
            let member = &member.name;
            writeln!(text, "_Static_assert(__builtin_offsetof(struct {name}, {member}) == {offset}, \"place of {name}.{member}\");")
                .expect(GROWS);
        }
    }
    Ok(text)
}

const GROWS: &str = "a string grows";

fn enumeration(text: &mut String, one: &Enum, prefix: &str) {
    doc(text, "", &one.doc, &format!("enum {}", one.name));
    let name = type_name(&one.name, prefix);
    writeln!(
        text,
        "#[derive(Clone, Copy, Debug, PartialEq, Eq)]\n#[repr(u32)]\npub enum {name} {{"
    )
    .expect(GROWS);
    for (value, comment) in &one.values {
        doc(text, "    ", comment, value);
        writeln!(text, "    {},", type_name(value, prefix)).expect(GROWS);
    }
    text.push_str("}\n\n");
}

fn structure(text: &mut String, one: &Struct, layout: &Layout, prefix: &str) {
    doc(text, "", &one.doc, &format!("struct {}", one.name));
    let name = type_name(&one.name, prefix);
    text.push_str("#[repr(C)]\n#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ::bytemuck::Pod, ::bytemuck::Zeroable)]\n");
    writeln!(text, "pub struct {name} {{").expect(GROWS);
    for member in &one.members {
        doc(text, "    ", &member.doc, &member.name);
        let kind = match &member.kind {
            Type::Scalar(scalar) => rust_name(*scalar).to_owned(),
            Type::Struct(inner) => type_name(inner, prefix),
        };
        let kind = member.array.map_or(kind.clone(), |length| format!("[{kind}; {length}]"));
        writeln!(text, "    pub {}: {kind},", member.name).expect(GROWS);
    }
    writeln!(text, "}}\nconst _: () = assert!(size_of::<{name}>() == {});", layout.size)
        .expect(GROWS);
    for (member, offset) in one.members.iter().zip(&layout.offsets) {
        writeln!(
            text,
            "const _: () = assert!(::std::mem::offset_of!({name}, {}) == {offset});",
            member.name
        )
        .expect(GROWS);
    }
    text.push('\n');
}

/// Writes a comment as documentation. Without a comment, writes the name in C.
fn doc(text: &mut String, indent: &str, comment: &str, name: &str) {
    let sentence = if comment.is_empty() { format!("`{name}`") } else { comment.to_owned() };
    let sentence: String = sentence
        .chars()
        .enumerate()
        .map(|(at, c)| if at == 0 { c.to_ascii_uppercase() } else { c })
        .collect();
    let end = if sentence.ends_with('.') { "" } else { "." };
    writeln!(text, "{indent}#[doc = {:?}]", format!("{sentence}{end}")).expect(GROWS);
}

fn rust_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::U16 => "u16",
        Scalar::U32 => "u32",
        Scalar::S32 => "i32",
        Scalar::U64 => "u64",
        Scalar::S64 => "i64",
    }
}

/// Returns the name in Rust of `x_last_state` or `X_LAST_STATE` with the prefix `x`: `LastState`.
pub fn type_name(name: &str, prefix: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let own = lower.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')).unwrap_or(&lower);
    own.split('_')
        .flat_map(|word| {
            word.chars().enumerate().map(|(at, c)| if at == 0 { c.to_ascii_uppercase() } else { c })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_say_the_same_of_a_layout() {
        let text = "struct x_row {\n\tcore_u16 from; /* in ms */\n\tcore_u16 to;\n\tcore_u32 count;\n};\n\
            struct x_all {\n\tcore_u32 a;\n\tstruct x_row rows[2];\n\tcore_s64 b;\n};\nenum x_code { X_NO_LOAD, X_LOAD };\n";
        let header = Header::read("x.h", text).unwrap();
        let rust = rust(&header, "x").unwrap();
        let c = checks(&header).unwrap();
        for wanted in [
            "pub struct All {",
            "    pub rows: [Row; 2],",
            "    #[doc = \"In ms.\"]\n    pub from: u16,",
            "    pub b: i64,",
            "assert!(size_of::<All>() == 32)",
            "offset_of!(All, b) == 24",
            "pub enum Code {\n    #[doc = \"`X_NO_LOAD`.\"]\n    NoLoad,",
        ] {
            assert!(rust.contains(wanted), "{wanted}\n{rust}");
        }
        for wanted in [
            "sizeof(struct x_all) == 32",
            "__builtin_offsetof(struct x_all, b) == 24",
            "__builtin_offsetof(struct x_row, count) == 4",
        ] {
            assert!(c.contains(wanted), "{wanted}\n{c}");
        }
    }

    #[test]
    fn a_structure_of_another_header_is_refused() {
        let header = Header::read("x.h", "struct x_all {\n\tstruct y_row row;\n};\n").unwrap();
        assert_eq!(
            rust(&header, "x").unwrap_err(),
            "struct y_row of x_all.row is declared in another header"
        );
    }
}
