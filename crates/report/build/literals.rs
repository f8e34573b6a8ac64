//! As much of the grammar of JavaScript as finding the end of a bracket takes: what is a string, a template, a comment, a regular
//! expression.

/// Words after which a slash begins a regular expression.
const BEFORE_OPERAND: [&[u8]; 10] = [
    b"return",
    b"typeof",
    b"case",
    b"in",
    b"of",
    b"void",
    b"delete",
    b"throw",
    b"else",
    b"instanceof",
];

/// The place of the bracket that closes the one at `open`.
pub fn closing(text: &[u8], open: usize) -> Option<usize> {
    let mut brackets = Vec::new();
    // Where the latest token ended, and whether a slash after it divides.
    let (mut at, mut divides) = (open, false);
    loop {
        let byte = *text.get(at)?;
        match byte {
            b'"' | b'\'' => (at, divides) = (string(text, at)?, true),
            b'`' => (at, divides) = template(text, at, &mut brackets)?,
            b'}' if brackets.last() == Some(&b'$') => {
                brackets.pop();
                (at, divides) = template(text, at, &mut brackets)?;
            }
            b'/' if text.get(at + 1) == Some(&b'/') => {
                at += text[at..].iter().position(|byte| *byte == b'\n')?
            }
            b'/' if text.get(at + 1) == Some(&b'*') => {
                at += 2 + text[at + 2..].windows(2).position(|pair| pair == b"*/")? + 2
            }
            b'/' if divides => (at, divides) = (at + 1, false),
            b'/' => (at, divides) = (regular_expression(text, at)?, true),
            b'(' | b'[' | b'{' => {
                brackets.push(byte);
                (at, divides) = (at + 1, false);
            }
            b')' | b']' | b'}' => {
                let opened = brackets.pop()?;
                if !matches!((opened, byte), (b'(', b')') | (b'[', b']') | (b'{', b'}')) {
                    return None;
                }
                if brackets.is_empty() {
                    return Some(at);
                }
                (at, divides) = (at + 1, true);
            }
            _ if is_word(byte) => {
                let end = at + text[at..].iter().position(|byte| !is_word(*byte))?;
                // `a.return` is a name.
                let named = at > 0 && text[at - 1] == b'.';
                divides = named || !BEFORE_OPERAND.contains(&&text[at..end]);
                at = end;
            }
            _ => {
                divides = divides && byte.is_ascii_whitespace();
                at += 1;
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The place behind the string that begins at `at`.
fn string(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at + 1;
    while *text.get(end)? != text[at] {
        end += if text[end] == b'\\' { 2 } else { 1 };
    }
    Some(end + 1)
}

/// The place behind the part of a template that begins at `at`, up to its end or to an expression in it, which is noted as a bracket; and
/// whether a slash then divides.
fn template(text: &[u8], at: usize, brackets: &mut Vec<u8>) -> Option<(usize, bool)> {
    let mut end = at + 1;
    loop {
        match text.get(end)? {
            b'\\' => end += 2,
            b'`' => return Some((end + 1, true)),
            b'$' if text.get(end + 1) == Some(&b'{') => {
                brackets.push(b'$');
                return Some((end + 2, false));
            }
            _ => end += 1,
        }
    }
}

/// The place behind the regular expression that begins at `at`.
fn regular_expression(text: &[u8], at: usize) -> Option<usize> {
    let (mut end, mut in_class) = (at + 1, false);
    loop {
        match text.get(end)? {
            b'\\' => end += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(end + 1),
            b'\n' => return None,
            _ => {}
        }
        end += 1;
    }
}
