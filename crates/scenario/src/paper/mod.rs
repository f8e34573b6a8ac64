//! Published results: the figures of a paper, each a scenario with axes, and the paper's claims.
//!
//! A figure file is a scenario file with more tables. `[figure]` describes the figure, `[[plot]]` a
//! plot, `[[claim]]` a statement of the paper with its bounds, `[quick]` the scaling for a quick
//! look, and `[live]` the run on the kernel. This module looks up all names in these tables (axes,
//! labels, metrics), so that a claim has its cells and a plot its lines.

mod asked;
mod claim;
mod figure;
mod places;
mod plot;
pub(crate) mod raw;
mod select;
mod statement;
mod worlds;

pub use crate::sweep::Mode;
pub use asked::{Asked, is_named};
pub use claim::{By, Claim, Judged, Over, Seeds, Than};
pub use figure::{Figure, Plan};
pub use plot::{Along, Drawn, Plot, Series, Trace};
pub use statement::{Origin, Standing, Statement};
pub use worlds::World;

use crate::error::ScenarioError;
use crate::syntax;

/// A paper or other document with reproduced results.
#[derive(Clone, Debug)]
pub struct Paper {
    /// Name on the command line: the name of the folder.
    pub name: String,
    /// Title.
    pub title: String,
    /// Authors.
    pub authors: String,
    /// Place and date of publication.
    pub published: String,
    /// Subject, and the reproduced part.
    pub about: String,
    /// Figures, in order.
    pub figures: Vec<Figure>,
    /// Experiments of this project, in the form of figures, that find out why statements do not
    /// hold.
    pub experiments: Vec<Figure>,
    /// Results that the document states, in its order; empty if they are not listed.
    pub statements: Vec<Statement>,
}

impl Paper {
    /// Reads `paper.toml` from `text`; errors call it `file`. Sorts figures and experiments.
    ///
    /// # Errors
    /// The text is not TOML, or a key is missing or unknown.
    pub fn parse(
        name: &str,
        text: &str,
        file: &str,
        figures: Vec<Figure>,
        experiments: Vec<Figure>,
    ) -> Result<Paper, ScenarioError> {
        let raw: raw::RawPaper =
            syntax::read(text).map_err(|problem| ScenarioError::new(*problem, file, text))?;
        let raw::RawPaper { title, authors, published, about } = raw;
        let [mut figures, mut experiments] = [figures, experiments];
        for own in [&mut figures, &mut experiments] {
            own.sort_by(|a, b| (a.order, &a.name).cmp(&(b.order, &b.name)));
        }
        Ok(Paper {
            name: name.to_owned(),
            title,
            authors,
            published,
            about,
            figures,
            experiments,
            statements: Vec::new(),
        })
    }
}
