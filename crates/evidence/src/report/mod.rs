//! Reports of a check: a table, a page, text for a mail or a draft, JSON, and the result directory.

mod cell;
mod compared;
mod conformance;
mod course;
mod exits;
mod files;
mod heat;
mod map;
mod markdown;
mod model;
mod page;
mod plot;
mod rows;
mod statements;
mod text;
mod versions;

pub use cell::{Beside, CheckedCell, OnKernel, Second};
pub use compared::compared;
pub use conformance::Conformance;
pub use course::course;
pub use files::{Pages, course_file, write_check};
pub use markdown::check_markdown;
pub use model::{Cases, Checked, CheckedCriterion, Counts, NOT_SHOWN, Terms};
pub use page::check_html;
pub use plot::check_figures;
pub use statements::{ASKED, Statements};
pub use text::{check_text, found};
pub use versions::{Change, Moved, Versions};
