//! The controllers of the flows in a grid's runs.

use narrows_scenario::Sweep;

/// A controller in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// The controller under test.
    Subject,
    /// One of the baselines.
    Baseline(usize),
}

/// The subject of a check and its baselines.
#[derive(Clone, Debug)]
pub struct Players {
    /// Name of the subject: the controller as in a scenario, or a program's command.
    pub subject: String,
    /// Standard controllers; at least one.
    pub baselines: Vec<String>,
    /// True if the subject is a program. It runs only on the kernel, and takes the place of the
    /// flow of `self`.
    pub program: bool,
}

impl Players {
    /// Returns the name of a player.
    pub fn text(&self, who: Who) -> &str {
        match who {
            Who::Subject => &self.subject,
            Who::Baseline(place) => &self.baselines[place],
        }
    }

    /// Returns the controller for the scenario. For a program it is the first baseline: the program
    /// replaces that flow.
    pub fn controller(&self, who: Who) -> &str {
        match who {
            Who::Subject if self.program => &self.baselines[0],
            who => self.text(who),
        }
    }

    /// Returns the player that runs. A subject that is also a baseline runs as that baseline, so
    /// that its runs are made only once.
    pub fn as_played(&self, who: Who) -> Who {
        match who {
            Who::Subject if self.program => Who::Subject,
            Who::Subject => self
                .baselines
                .iter()
                .position(|own| *own == self.subject)
                .map_or(Who::Subject, Who::Baseline),
            baseline => baseline,
        }
    }

    /// Returns subject and baselines, each once.
    pub fn all(&self) -> Vec<Who> {
        let subject = self.as_played(Who::Subject);
        std::iter::once(subject).chain(self.standard().filter(|who| *who != subject)).collect()
    }

    /// Returns the baselines.
    pub fn standard(&self) -> impl Iterator<Item = Who> + use<> {
        (0..self.baselines.len()).map(Who::Baseline)
    }
}

/// The runs of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    /// One run for each player, which drives every flow.
    Alone,
    /// One run for each pair of a player and a baseline, one for each baseline alone, and one of
    /// the controller under test next to itself.
    Pairs,
}

/// Runs of a grid with a common scenario except for the controllers. The cells are the grid's, and
/// the last axis of the sweep is the pair.
#[derive(Clone, Debug)]
pub struct Part {
    /// Controllers of the flows of `self` and of `other`, by index on the last axis; `None` if
    /// there are no such flows.
    pub pairs: Vec<(Option<Who>, Option<Who>)>,
    /// Scenarios of the part.
    pub sweep: Sweep,
}
