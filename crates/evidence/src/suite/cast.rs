//! Who drives the flows of a grid's runs.

use narrows_scenario::Sweep;

/// A controller in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// The controller under test.
    Subject,
    /// One of the baselines.
    Baseline(usize),
}

/// Whatever is under test and the controllers beside which it is judged.
#[derive(Clone, Debug)]
pub struct Players {
    /// What it is called: the controller under test as a scenario writes it, or a program's command.
    pub subject: String,
    /// Standard controllers; at least one.
    pub baselines: Vec<String>,
    /// True if the subject is a program, which sends by itself in the place of the flow of `self`, on the kernel alone.
    pub program: bool,
}

impl Players {
    /// What somebody is called.
    pub fn text(&self, who: Who) -> &str {
        match who {
            Who::Subject => &self.subject,
            Who::Baseline(place) => &self.baselines[place],
        }
    }

    /// The controller that a scenario names: a program takes the place of a flow of the first baseline.
    pub fn controller(&self, who: Who) -> &str {
        match who {
            Who::Subject if self.program => &self.baselines[0],
            who => self.text(who),
        }
    }

    /// The one who plays: a subject that is one of the baselines plays as that one, so that its runs are made once.
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

    /// Subject and baselines, each once.
    pub fn all(&self) -> Vec<Who> {
        let subject = self.as_played(Who::Subject);
        std::iter::once(subject).chain(self.standard().filter(|who| *who != subject)).collect()
    }

    /// The baselines.
    pub fn standard(&self) -> impl Iterator<Item = Who> + use<> {
        (0..self.baselines.len()).map(Who::Baseline)
    }
}

/// Which runs a cell has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    /// One for each player, who drives every flow.
    Alone,
    /// One for each pair of a player and a baseline, one of each baseline alone, and one of a controller under test beside itself.
    Pairs,
}

/// Runs of a grid that share a scenario but for who drives its flows: the cells are the grid's, the last axis of the sweep is the pair.
#[derive(Clone, Debug)]
pub struct Part {
    /// Who drives the flows of `self` and of `other`, by the place on the last axis; nobody where there are no such flows.
    pub pairs: Vec<(Option<Who>, Option<Who>)>,
    /// Its scenarios.
    pub sweep: Sweep,
}
