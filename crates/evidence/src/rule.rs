//! Rules and their bounds.

/// A rule for the cells of a grid.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Index of the criterion that the rule belongs to.
    pub criterion: usize,
    /// Kind of comparison.
    pub kind: RuleKind,
    /// Index of the number in the grid's list of numbers.
    pub number: usize,
    /// Bounds of the number.
    pub levels: Levels,
    /// Words, one of which must be in the label of a cell; the rule applies to all cells if empty.
    pub only: Vec<String>,
    /// True if an undefined number is within bounds.
    pub passes_undefined: bool,
    /// A mean below this part of each baseline's is reported as an improvement, for a number that
    /// should be low.
    pub improves: Option<f64>,
    /// Description of the rule.
    pub says: String,
    /// Source of the bound.
    pub source: String,
}

/// The way in which the numbers of the subject are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// Compares with the worse of the baselines in the same cell.
    Relative,
    /// Compares only with the bound.
    Limit,
    /// Compares the harm to each baseline by the subject with the largest harm by a baseline (Ware,
    /// Mukerjee, Seshan and Sherry, HotNets 2019).
    Harm,
    /// Compares two flows of the subject with two flows of the worse baseline.
    Twins,
    /// Compares two numbers with the baselines': one baseline is better in both, or each baseline
    /// is better in one and not worse in the other.
    Pareto {
        /// Index of the second number.
        and: usize,
    },
    /// Requires that the number is defined if it is defined for all baselines.
    Undefined,
    /// Detects flows that starve next to the subject but next to no baseline.
    Starves,
    /// Makes no comparison: the number is shown, with the baselines'.
    Shown,
    /// Compares with the number in the previous cell on this axis.
    Rises {
        /// Name of the axis.
        axis: String,
    },
}

/// The bounds of a rule.
#[derive(Clone, Copy, Debug, Default)]
pub struct Levels {
    /// Bound of a failure.
    pub fail: Option<Bound>,
    /// Bound of a concern.
    pub concern: Option<Bound>,
}

/// A bound. If it has several parts, a number must exceed all of them to be beyond it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bound {
    /// Upper limit of the number.
    pub above: Option<f64>,
    /// Lower limit of the number.
    pub below: Option<f64>,
    /// Largest amount by which the number may be worse than the number for comparison, in its unit.
    pub by: Option<f64>,
    /// Largest factor by which the number may be worse than the number for comparison.
    pub times: Option<f64>,
}

impl RuleKind {
    /// True if the kind compares with baselines, so that a baseline is within the bounds by
    /// construction.
    pub fn compares(&self) -> bool {
        matches!(
            self,
            RuleKind::Relative
                | RuleKind::Twins
                | RuleKind::Harm
                | RuleKind::Starves
                | RuleKind::Undefined
                | RuleKind::Pareto { .. }
        )
    }
}
