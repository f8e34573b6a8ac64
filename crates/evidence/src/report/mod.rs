//! What people read and attach: a table, a page, text for a mail or a draft, JSON, and the result directory.

mod files;
mod markdown;
mod model;
mod page;
mod plot;
mod text;

pub use files::write_check;
pub use markdown::check_markdown;
pub use model::{Beside, Checked, CheckedCell, CheckedCriterion, Counts, NOT_SHOWN};
pub use page::check_html;
pub use text::check_text;
