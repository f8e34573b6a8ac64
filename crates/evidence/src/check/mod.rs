//! A check of a controller: which runs a suite asks for, and what they say.
//!
//! It runs nothing itself. [`Check::first`] gives the runs that every check has, [`Check::further`] those that become necessary: a cell that does not pass is run again
//! with 30 fresh seeds, which alone decide, and what still does not pass in three variants, which show whether the verdict is fragile.

mod checker;
mod further;
mod options;
mod plan;
mod program;
mod run;
mod standing;
mod variant;
mod verdict;
mod worst;

pub use checker::{Check, Kept, Results};
pub use options::Options;
pub use program::place;
pub use run::{Run, Variant};
pub use standing::Standing;
pub use verdict::{CellVerdict, CriterionVerdict, Report, report};
