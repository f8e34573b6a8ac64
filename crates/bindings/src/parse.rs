//! Reads the declarations of a C header.

use crate::tokens::{Token, TokenKind, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// An integer type of C with a fixed size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `core_u16`.
    U16,
    /// `core_u32`.
    U32,
    /// `core_s32`.
    S32,
    /// `core_u64`.
    U64,
    /// `core_s64`.
    S64,
}

impl Scalar {
    fn of(name: &str) -> Option<Scalar> {
        Some(match name {
            "core_u16" => Scalar::U16,
            "core_u32" => Scalar::U32,
            "core_s32" => Scalar::S32,
            "core_u64" => Scalar::U64,
            "core_s64" => Scalar::S64,
            _ => return None,
        })
    }
}

/// The type of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// An integer.
    Scalar(Scalar),
    /// A structure, by its name in C.
    Struct(String),
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Name in C.
    pub name: String,
    /// Type of the member, or of its elements.
    pub kind: Type,
    /// Length, if the member is an array.
    pub array: Option<usize>,
    /// Comment behind the member. Empty without a comment.
    pub doc: String,
}

/// A structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Struct {
    /// Name in C.
    pub name: String,
    /// Comment before the structure. Empty without a comment.
    pub doc: String,
    /// Members in order.
    pub members: Vec<Member>,
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// Name in C.
    pub name: String,
    /// Comment before the enumeration. Empty without a comment.
    pub doc: String,
    /// Names and comments of the values, which count from 0.
    pub values: Vec<(String, String)>,
}

/// The declarations of a header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Structures in order.
    pub structs: Vec<Struct>,
    /// Enumerations whose values count from 0.
    pub enums: Vec<Enum>,
    /// For each function with a body: its name, and the structures to which its parameters point.
    pub functions: Vec<(String, Vec<String>)>,
}

impl Header {
    /// Reads a header. `path` is for errors.
    ///
    /// # Errors
    ///
    /// A structure is not in the dialect. The error has the file, the line and the remedy.
    pub fn read(path: &str, text: &str) -> Result<Header, String> {
        let tokens = tokens(text);
        let mut parser =
            Parser { path, rest: &tokens, doc: String::new(), lengths: lengths(&tokens) };
        let mut header = Header::default();
        while let Some(token) = parser.next() {
            match token.kind {
                TokenKind::Word("struct") if parser.sign_after_name('{') => {
                    let one = parser.structure()?;
                    header.structs.push(one);
                }
                TokenKind::Word("enum") if parser.sign_after_name('{') => {
                    header.enums.extend(parser.enumeration()?)
                }
                TokenKind::Word(name) if parser.peek() == Some(TokenKind::Sign('(')) => {
                    let pointers = parser.pointers();
                    if parser.peek() == Some(TokenKind::Sign('{')) {
                        header.functions.push((name.to_owned(), pointers));
                        parser.skip_block();
                    }
                }
                TokenKind::Sign('{') => parser.skip_rest_of_block(),
                _ => {}
            }
            if !matches!(token.kind, TokenKind::Comment(_)) {
                parser.doc.clear();
            }
        }
        Ok(header)
    }

    /// Keeps only the declarations of these names, and the structures of their members.
    pub fn only(mut self, names: &[&str]) -> Header {
        let mut wanted: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
        for one in self.structs.iter().filter(|one| names.contains(&&*one.name)) {
            wanted.extend(inner(&self.structs, one));
        }
        self.structs.retain(|one| wanted.contains(&one.name));
        self.enums.retain(|one| wanted.contains(&one.name));
        self
    }
}

/// Returns the structures in a structure, at any depth.
fn inner(all: &[Struct], one: &Struct) -> Vec<String> {
    let names = one.members.iter().filter_map(|member| match &member.kind {
        Type::Struct(name) => all.iter().find(|inner| inner.name == *name),
        Type::Scalar(_) => None,
    });
    names.flat_map(|found| inner(all, found).into_iter().chain([found.name.clone()])).collect()
}

/// Returns the numbers named by `#define`, for lengths of arrays.
fn lengths<'a>(tokens: &[Token<'a>]) -> BTreeMap<&'a str, usize> {
    let define = |token: &Token<'a>| {
        let TokenKind::Directive(text) = token.kind else { return None };
        let mut words = text.split_whitespace();
        (words.next()? == "define").then_some(())?;
        Some((words.next()?, words.next()?.parse().ok()?))
    };
    tokens.iter().filter_map(define).collect()
}

struct Parser<'a> {
    path: &'a str,
    rest: &'a [Token<'a>],
    /// The latest comment, if nothing followed it.
    doc: String,
    lengths: BTreeMap<&'a str, usize>,
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<&'a Token<'a>> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        if let TokenKind::Comment(text) = first.kind {
            self.doc = plain(text);
        }
        Some(first)
    }

    fn peek(&self) -> Option<TokenKind<'a>> {
        self.rest.first().map(|token| token.kind)
    }

    fn sign_after_name(&self, sign: char) -> bool {
        let mut kinds = self.rest.iter().map(|token| token.kind);
        matches!(kinds.next(), Some(TokenKind::Word(_)))
            && kinds.next() == Some(TokenKind::Sign(sign))
    }

    fn error<T>(&self, problem: &str) -> Result<T, String> {
        let line = self.rest.first().map_or(0, |token| token.line);
        Err(format!(
            "{}:{line}: {problem}; members are core_u16, core_u32, core_s32, core_u64, core_s64, structures, and arrays of them",
            self.path
        ))
    }

    fn word(&mut self) -> Result<&'a str, String> {
        match self.peek() {
            Some(TokenKind::Word(word)) => {
                self.next();
                Ok(word)
            }
            _ => self.error("a name is missing"),
        }
    }

    fn take(&mut self, sign: char) -> bool {
        let there = self.peek() == Some(TokenKind::Sign(sign));
        if there {
            self.next();
        }
        there
    }

    /// Takes the next token if it is a comment.
    fn comment(&mut self) -> String {
        match self.peek() {
            Some(TokenKind::Comment(text)) => {
                self.next();
                plain(text)
            }
            _ => String::new(),
        }
    }

    /// Reads the part after `struct`.
    fn structure(&mut self) -> Result<Struct, String> {
        let doc = std::mem::take(&mut self.doc);
        let name = self.word()?.to_owned();
        let mut members = Vec::new();
        self.take('{');
        while !self.take('}') {
            if !self.comment().is_empty() {
                continue;
            }
            let kind = match self.word()? {
                "struct" => Type::Struct(self.word()?.to_owned()),
                word => match Scalar::of(word) {
                    Some(scalar) => Type::Scalar(scalar),
                    None => return self.error(&format!("{word} is no type of a member of {name}")),
                },
            };
            let first = members.len();
            loop {
                let member = self.word()?.to_owned();
                let array = self.array()?;
                members.push(Member {
                    name: member,
                    kind: kind.clone(),
                    array,
                    doc: String::new(),
                });
                if !self.take(',') {
                    break;
                }
            }
            if !self.take(';') {
                return self
                    .error(&format!("the member {} of {name} does not end", members[first].name));
            }
            let doc = self.comment();
            members[first..].iter_mut().for_each(|member| member.doc = doc.clone());
        }
        Ok(Struct { name, doc, members })
    }

    /// Reads the length in brackets, if there is one.
    fn array(&mut self) -> Result<Option<usize>, String> {
        if !self.take('[') {
            return Ok(None);
        }
        let word = self.word()?;
        let length = word.parse().ok().or_else(|| self.lengths.get(word).copied());
        match (length, self.take(']')) {
            (Some(length), true) => Ok(Some(length)),
            _ => self.error(&format!("the length {word} is no number")),
        }
    }

    /// Reads the part after `enum`. Returns `None` if its values do not count from 0.
    fn enumeration(&mut self) -> Result<Option<Enum>, String> {
        let doc = std::mem::take(&mut self.doc);
        let name = self.word()?.to_owned();
        let mut values: Vec<(String, String)> = Vec::new();
        self.take('{');
        while !self.take('}') {
            let value = self.word()?.to_owned();
            if self.peek() == Some(TokenKind::Sign('=')) {
                self.skip_rest_of_block();
                return Ok(None);
            }
            self.take(',');
            values.push((value, self.comment()));
        }
        Ok(Some(Enum { name, doc, values }))
    }

    /// Returns the structures in the next parentheses.
    fn pointers(&mut self) -> Vec<String> {
        let mut depth = 0;
        let mut found = Vec::new();
        while let Some(token) = self.next() {
            match token.kind {
                TokenKind::Sign('(') => depth += 1,
                TokenKind::Sign(')') => depth -= 1,
                TokenKind::Word("struct") => {
                    if let Some(TokenKind::Word(name)) = self.peek() {
                        found.push(name.to_owned());
                    }
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        found
    }

    fn skip_block(&mut self) {
        self.take('{');
        self.skip_rest_of_block();
    }

    /// Skips to the brace that closes the current block.
    fn skip_rest_of_block(&mut self) {
        let mut depth = 1;
        while depth > 0
            && let Some(token) = self.next()
        {
            match token.kind {
                TokenKind::Sign('{') => depth += 1,
                TokenKind::Sign('}') => depth -= 1,
                _ => {}
            }
        }
    }
}

/// Returns the text of a comment on one line.
fn plain(comment: &str) -> String {
    let words: Vec<&str> = comment.split_whitespace().filter(|word| *word != "*").collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "/* Not about the state. */\n#define ROWS 3\n\nstatic const int table[2] = { 1, 2 };\n\n\
        struct x_row {\n\tcore_u32 from, to; /* both in ms */\n};\n\n\
        /* Kept state. */\nstruct x_state {\n\tcore_u64 rate; /* bytes/s */\n\tstruct x_row rows[ROWS];\n\tcore_s32 last;\n\
        \tcore_u32 reserved;\n};\n\n\
        enum x_phase { X_START, /* at first */ X_END };\nenum x_flag { X_ONE = 1, X_TWO = 2 };\n\n\
        static inline int x_decide(const struct x_row *row, struct x_state *state)\n{\n\tif (row) { return 1; }\n\treturn 0;\n}\n";

    #[test]
    fn declarations_are_read_with_their_comments() {
        let header = Header::read("x.h", TEXT).unwrap();
        let names: Vec<_> = header.structs.iter().map(|one| (&*one.name, &*one.doc)).collect();
        assert_eq!(names, [("x_row", ""), ("x_state", "Kept state.")]);
        let member = |place: usize, name: &str, kind, array, doc: &str| {
            let wanted = Member { name: name.to_owned(), kind, array, doc: doc.to_owned() };
            assert!(header.structs[place].members.contains(&wanted), "{wanted:?} in {header:?}");
        };
        member(0, "from", Type::Scalar(Scalar::U32), None, "both in ms");
        member(0, "to", Type::Scalar(Scalar::U32), None, "both in ms");
        member(1, "rate", Type::Scalar(Scalar::U64), None, "bytes/s");
        member(1, "rows", Type::Struct("x_row".to_owned()), Some(3), "");
        let phase = Enum {
            name: "x_phase".to_owned(),
            doc: String::new(),
            values: vec![
                ("X_START".to_owned(), "at first".to_owned()),
                ("X_END".to_owned(), String::new()),
            ],
        };
        assert_eq!(header.enums, [phase], "flags are no enumeration");
        assert_eq!(
            header.functions,
            [("x_decide".to_owned(), vec!["x_row".to_owned(), "x_state".to_owned()])]
        );
        let named =
            |header: Header| header.structs.into_iter().map(|one| one.name).collect::<Vec<_>>();
        assert_eq!(named(header.clone().only(&["x_state"])), ["x_row", "x_state"]);
        assert_eq!(named(header.only(&["x_row"])), ["x_row"]);
    }

    #[test]
    fn other_types_are_refused_with_their_line() {
        for wrong in ["long a;", "core_u32 *a;", "core_u32 a : 3;", "core_u32 a[N];"] {
            let error =
                Header::read("x.h", &format!("struct x {{\n\tcore_u32 b;\n\t{wrong}\n}};\n"))
                    .unwrap_err();
            assert!(error.starts_with("x.h:3: ") && error.contains("members are"), "{error}");
        }
    }
}
