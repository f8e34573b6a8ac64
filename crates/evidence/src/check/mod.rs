//! A check of a controller: the runs that a suite needs, and the verdicts that follow from them.
//!
//! The check does not run anything itself. [`Check::first`] returns the runs of every check,
//! [`Check::further`] those that become necessary. A cell that does not pass is run again with 30
//! fresh seeds, which alone decide. A cell that still does not pass is run in three variants, which
//! show whether the verdict is fragile.

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
