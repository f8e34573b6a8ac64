//! The stack quinn (github.com/quinn-rs/quinn).
use narrows_control::Entry;
pub(crate) static ENTRIES: [&Entry; 0] = [];
