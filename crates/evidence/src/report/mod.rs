//! What people read and attach: a table, a page, text for a mail or a draft, JSON, and the result directory.

mod conformance;
mod files;
mod markdown;
mod model;
mod page;
mod plot;
mod statements;
mod text;
mod versions;

pub use conformance::Conformance;
pub use files::write_check;
pub use markdown::check_markdown;
pub use model::{Beside, Checked, CheckedCell, CheckedCriterion, Counts, NOT_SHOWN, OnKernel, Terms};
pub use page::check_html;
pub use statements::{ASKED, Statements};
pub use text::check_text;
pub use versions::{Change, Moved, Versions};
