//! Statements of a document, with the claims that judge them.

use super::{Claim, Figure, Mode, Paper};
use crate::error::{Checked, Problem, ScenarioError};
use crate::syntax;
use crate::text::At;
use narrows_params::suggest;
use serde::Deserialize;

/// A result that a document states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Name in claims; unique in the paper.
    pub name: String,
    /// The statement, in our words.
    pub says: String,
    /// Place in the document.
    pub source: String,
    /// Origin of the statement.
    pub origin: Origin,
    /// Range in which the statement was judged, if it may not hold outside; `None` for the range of
    /// the document.
    pub range: Option<String>,
    /// Reason why the statement does not hold, holds only in part, or cannot be judged; `None` if
    /// it holds.
    pub why: Option<String>,
    /// Experiment that decides the cause, by name: a figure of [`Paper::experiments`].
    pub experiment: Option<String>,
}

/// Origin of a statement. Statements that the document's text does not contain are counted
/// separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The text of the document states it.
    #[default]
    Text,
    /// A picture shows it, but only axes and titles of the picture were available.
    Picture,
    /// It is from memory, because the document was not available.
    Memory,
}

impl Origin {
    /// All origins, in the order of lists.
    pub const ALL: [Origin; 3] = [Origin::Text, Origin::Picture, Origin::Memory];

    /// Returns the name in `statements.toml`.
    pub fn text(self) -> &'static str {
        match self {
            Origin::Text => "text",
            Origin::Picture => "picture",
            Origin::Memory => "memory",
        }
    }
}

/// The verdict on a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// All claims of the statement hold.
    Held,
    /// Some of the claims hold.
    InPart,
    /// No claim holds.
    NotHeld,
    /// No claim judges the statement.
    NotJudged,
}

impl Standing {
    /// Judges a statement by the verdicts of its claims.
    pub fn of(holds: impl IntoIterator<Item = bool>) -> Standing {
        let (mut held, mut all) = (0, 0);
        for holds in holds {
            held += usize::from(holds);
            all += 1;
        }
        match (held, all) {
            (_, 0) => Standing::NotJudged,
            (held, all) if held == all => Standing::Held,
            (0, _) => Standing::NotHeld,
            _ => Standing::InPart,
        }
    }

    /// Returns the verdict in words.
    pub fn text(self) -> &'static str {
        match self {
            Standing::Held => "held",
            Standing::InPart => "held in part",
            Standing::NotHeld => "not held",
            Standing::NotJudged => "not judged",
        }
    }
}

/// The file `statements.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStatements {
    statement: Vec<At<RawStatement>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStatement {
    name: At<String>,
    says: String,
    source: String,
    #[serde(default)]
    from: Origin,
    range: Option<String>,
    why: Option<At<String>>,
    experiment: Option<At<String>>,
}

impl Paper {
    /// Reads `statements.toml` from `text`; errors call it `file`. Figures and experiments must be
    /// set before.
    ///
    /// # Errors
    /// The text is not TOML; a key is missing or unknown; a name is given twice; a statement that
    /// does not hold, or that no claim judges, has no `why`; a statement that holds has a `why`; an
    /// experiment does not exist.
    pub fn state(&mut self, text: &str, file: &str) -> Result<(), ScenarioError> {
        self.statements = self
            .read_statements(text)
            .map_err(|problem| ScenarioError::new(*problem, file, text))?;
        Ok(())
    }

    fn read_statements(&self, text: &str) -> Checked<Vec<Statement>> {
        let raw: RawStatements = syntax::read(text)?;
        let mut statements: Vec<Statement> = Vec::new();
        for RawStatement { name, says, source, from, range, why, experiment } in
            raw.statement.into_iter().map(|own| own.value)
        {
            if statements.iter().any(|other| other.name == name.value) {
                return Err(Problem::at(
                    &name.span,
                    format!("two statements are called \"{}\"", name.value),
                    "give one another name",
                ));
            }
            let standing = self.standing(&name.value);
            match (&why, standing) {
                (None, Standing::InPart | Standing::NotHeld) => {
                    let help = "add why = \"...\": the cause, and experiment = \"why/...\": the figure that decides it";
                    return Err(Problem::at(
                        &name.span,
                        format!("the statement is {}, and why is missing", standing.text()),
                        help,
                    ));
                }
                (None, Standing::NotJudged) => {
                    let help = format!(
                        "write statement = \"{}\" in the claims that judge it, or add why = \"...\"",
                        name.value
                    );
                    return Err(Problem::at(
                        &name.span,
                        "no claim judges the statement, and why is missing",
                        help,
                    ));
                }
                (Some(why), Standing::Held) => {
                    return Err(Problem::at(
                        &why.span,
                        "all claims of the statement hold: there is no why",
                        "leave it out",
                    ));
                }
                _ => {}
            }
            if let Some(unknown) = experiment
                .as_ref()
                .filter(|wanted| self.experiments.iter().all(|own| own.name != wanted.value))
            {
                let help = suggest(
                    &unknown.value,
                    "experiments",
                    self.experiments.iter().map(|own| own.name.as_str()),
                );
                return Err(Problem::at(
                    &unknown.span,
                    format!("there is no experiment \"{}\"", unknown.value),
                    help,
                ));
            }
            let (why, experiment) =
                (why.map(|why| why.value), experiment.map(|experiment| experiment.value));
            statements.push(Statement {
                name: name.value,
                says,
                source,
                origin: from,
                range,
                why,
                experiment,
            });
        }
        Ok(statements)
    }

    /// Yields the claims that judge a statement, each with its figure, from the plans without
    /// `--quick` and `--live`.
    pub fn judging<'a>(
        &'a self,
        statement: &'a str,
    ) -> impl Iterator<Item = (&'a Figure, &'a Claim)> {
        let of = |figure: &'a Figure| {
            figure
                .plan(Mode::default())
                .into_iter()
                .flat_map(move |plan| plan.claims.iter().map(move |claim| (figure, claim)))
        };
        self.figures
            .iter()
            .flat_map(of)
            .filter(move |(_, claim)| claim.statement.as_deref() == Some(statement))
    }

    /// Judges a statement by the verdicts in the figure files.
    pub fn standing(&self, statement: &str) -> Standing {
        Standing::of(self.judging(statement).map(|(_, claim)| claim.known.is_none()))
    }
}

impl Figure {
    /// Checks that `statements` has every statement that the claims name. `text` and `file` belong
    /// to the figure.
    ///
    /// # Errors
    /// The first unknown name.
    pub fn check_statements(
        &self,
        statements: &[Statement],
        text: &str,
        file: &str,
    ) -> Result<(), ScenarioError> {
        let Some(unknown) =
            self.named.iter().find(|name| statements.iter().all(|own| own.name != name.value))
        else {
            return Ok(());
        };
        let help =
            suggest(&unknown.value, "statements", statements.iter().map(|own| own.name.as_str()));
        let problem = Problem::at(
            &unknown.span,
            format!("statements.toml has no statement \"{}\"", unknown.value),
            help,
        );
        Err(ScenarioError::new(*problem, file, text))
    }
}
