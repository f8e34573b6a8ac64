//! What is judged: rules and their bounds.

/// What is judged in the cells of a grid.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The place of the criterion that it belongs to.
    pub criterion: usize,
    /// How the numbers are compared.
    pub kind: Kind,
    /// The place of its number among those that the grid asks of runs.
    pub number: usize,
    /// How far is too far.
    pub levels: Levels,
    /// Words of which one must be in the label of a cell; any cell, if there are none.
    pub only: Vec<String>,
    /// True if a number that is not defined is within bounds.
    pub passes_undefined: bool,
    /// A mean, of which less is better, below this part of each baseline's is told as an improvement.
    pub improves: Option<f64>,
    /// The rule in words.
    pub says: String,
    /// Where the bound comes from.
    pub source: String,
}

/// How the numbers of the subject are compared with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// With the worse of the baselines in the same cell.
    Relative,
    /// With nothing but the bound.
    Limit,
    /// The harm to each baseline beside the subject, with the most that the baselines do to it (Ware, Mukerjee, Seshan and Sherry, HotNets 2019).
    Harm,
    /// With the worse of the baselines, each beside another flow of its own.
    Twins,
    /// With the baselines in two numbers: one is better in both, or each is better in one and not worse in the other.
    Pareto {
        /// The place of the second number.
        and: usize,
    },
    /// Whether the number is defined, where it is with all baselines.
    Undefined,
    /// Whether flows starve beside the subject that starve beside no baseline.
    Starves,
    /// With nothing: the number is shown, with those of the baselines.
    Shown,
    /// With the number in the cell before on this axis.
    Rises {
        /// The axis.
        axis: String,
    },
}

/// The bounds of a rule.
#[derive(Clone, Copy, Debug, Default)]
pub struct Levels {
    /// Beyond it, the verdict is fail.
    pub fail: Option<Bound>,
    /// Beyond it, the verdict is concern.
    pub concern: Option<Bound>,
}

/// A bound. Where it has several parts, only what is beyond all of them is beyond it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bound {
    /// The number may not be above this.
    pub above: Option<f64>,
    /// The number may not be below this.
    pub below: Option<f64>,
    /// The number may not be worse than what it is compared with by more than this, in its own unit.
    pub by: Option<f64>,
    /// The number may not be worse than what it is compared with by more than this factor.
    pub times: Option<f64>,
}

impl Kind {
    /// True if it compares with baselines, so that a baseline is within its bounds by construction.
    pub fn compares(&self) -> bool {
        matches!(
            self,
            Kind::Relative
                | Kind::Twins
                | Kind::Harm
                | Kind::Starves
                | Kind::Undefined
                | Kind::Pareto { .. }
        )
    }
}
