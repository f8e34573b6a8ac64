//! The tokens of a C header, with the comments that document members.

/// A token with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: TokenKind<'a>,
    pub line: usize,
}

/// A kind of token that matters for declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind<'a> {
    /// A name or a number.
    Word(&'a str),
    /// A character of punctuation.
    Sign(char),
    /// The text of a comment.
    Comment(&'a str),
    /// A preprocessor line without its `#`.
    Directive(&'a str),
}

/// Returns the tokens of a text. The dialect has no `//` comments.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut rest = text;
    let mut line = 1;
    let mut line_begins = true;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = match first {
            '#' if line_begins => {
                let end = directive_end(rest);
                (Some(TokenKind::Directive(&rest[1..end])), end)
            }
            '/' if rest.starts_with("/*") => {
                let end = rest.find("*/").unwrap_or(rest.len() - 2);
                (Some(TokenKind::Comment(&rest[2..end])), end + 2)
            }
            c if is_word(c) => {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                (Some(TokenKind::Word(&rest[..end])), end)
            }
            c if c.is_whitespace() => (None, c.len_utf8()),
            c => (Some(TokenKind::Sign(c)), c.len_utf8()),
        };
        all.extend(kind.map(|kind| Token { kind, line }));
        let taken = &rest[..length];
        line += taken.matches('\n').count();
        line_begins = if kind.is_none() { line_begins || taken == "\n" } else { false };
        rest = &rest[length..];
    }
    all
}

/// Returns the end of a directive: the first line end without a backslash before it.
fn directive_end(text: &str) -> usize {
    text.match_indices('\n')
        .find(|(at, _)| !text[..*at].ends_with('\\'))
        .map_or(text.len(), |(at, _)| at)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
