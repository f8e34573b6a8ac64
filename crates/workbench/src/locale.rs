//! Text for terminals whose locale is not UTF-8.

use std::borrow::Cow;

/// Environment variables for the character encoding. The first one that is set wins
/// (`setlocale(3)`, `LC_CTYPE`).
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

/// Characters in tables and units, with their ASCII replacements.
const SIGNS: [(char, &str); 13] = [
    ('─', "-"),
    ('│', "|"),
    ('–', "-"),
    ('—', "-"),
    ('×', "x"),
    ('µ', "u"),
    ('…', "..."),
    ('≤', "<="),
    ('≥', ">="),
    ('→', "->"),
    ('±', "+-"),
    ('·', "."),
    ('−', "-"),
];

/// True if output may contain characters outside of ASCII: the locale is UTF-8, or no locale is
/// set.
pub fn is_utf8() -> bool {
    says_utf8(|name| std::env::var(name).ok())
}

fn says_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let chosen =
        VARIABLES.into_iter().find_map(|name| variable(name).filter(|value| !value.is_empty()));
    chosen.is_none_or(|locale| locale.to_ascii_lowercase().replace('-', "").contains("utf8"))
}

/// Replaces the program's special characters by ASCII if the locale is not UTF-8. Other characters
/// stay, because they are from the user's names. JSON stays too, because RFC 8259 (section 8.1)
/// requires UTF-8.
pub fn localised(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.starts_with(['{', '[']) || is_utf8() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(in_ascii(text))
    }
}

fn in_ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match SIGNS.iter().find(|(sign, _)| *sign == character) {
            Some((_, letters)) => plain += letters,
            None => plain.push(character),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let of = |set: &[(&str, &str)]| {
            let set: Vec<(String, String)> =
                set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            says_utf8(|name| {
                set.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone())
            })
        };
        assert!(
            of(&[]) && of(&[("LANG", "C.UTF-8")]) && of(&[("LANG", "C"), ("LC_ALL", "de_DE.utf8")])
        );
        assert!(
            !of(&[("LANG", "C")])
                && !of(&[("LANG", "en_GB.UTF-8"), ("LC_ALL", "C")])
                && !of(&[("LC_CTYPE", "POSIX")])
        );
        assert!(of(&[("LC_ALL", ""), ("LANG", "en_GB.UTF-8")]), "an empty variable is not set");
    }

    #[test]
    fn signs_become_ascii_and_names_stay() {
        assert_eq!(in_ascii("── 2.5× 3–4 … Zürich"), "-- 2.5x 3-4 ... Zürich");
    }
}
