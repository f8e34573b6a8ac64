//! A controller that cannot go on.

use std::fmt;

/// Why a controller cannot go on: what it did, where, and what would be right, in words for its
/// author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    text: String,
}

impl Fault {
    /// A fault with this text: one line, a clause that may follow a colon.
    pub fn new(text: impl Into<String>) -> Fault {
        Fault { text: text.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
