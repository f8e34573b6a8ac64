//! Published results: a paper's figures, each a scenario with its axes, and what the paper states of them.
//!
//! A figure file is an ordinary scenario file with more tables: `[figure]` says what it is, `[[plot]]` what it draws, `[[claim]]` what the
//! paper states of it and what would show that it holds, `[quick]` how it is scaled for a quick look, `[live]` how it is run on the kernel.
//! Everything that these tables name (axes, labels, metrics) is looked up here, so that a claim has its cells and a plot its lines.

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

/// A document whose results are reproduced.
#[derive(Clone, Debug)]
pub struct Paper {
    /// What commands call it: the name of its folder.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Who wrote it.
    pub authors: String,
    /// Where and when it was published.
    pub published: String,
    /// What it is about, and what is reproduced of it.
    pub about: String,
    /// Its figures, in their order.
    pub figures: Vec<Figure>,
    /// What decides why statements of it do not hold, in the same form; of ours, not of the document.
    pub experiments: Vec<Figure>,
    /// The results that it states, in the document's order; none if nobody has listed them.
    pub statements: Vec<Statement>,
}

impl Paper {
    /// Reads `paper.toml`, whose text is `text`; `file` is what errors call it. Figures and experiments are put in order.
    ///
    /// # Errors
    /// The text is not TOML, a key is missing or unknown.
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
