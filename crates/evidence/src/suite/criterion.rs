//! The requirements of a document on a controller.

use super::raw;

/// The environment for which a controller is intended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The Internet.
    Internet,
    /// A data centre.
    Datacenter,
    /// Networks under one administration.
    Controlled,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Scope; 3] = [Scope::Internet, Scope::Datacenter, Scope::Controlled];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Internet => "internet",
            Scope::Datacenter => "datacenter",
            Scope::Controlled => "controlled",
        }
    }
}

/// A requirement of a document on a controller.
#[derive(Clone, Debug)]
pub struct Criterion {
    /// Name on the command line and in files.
    pub id: String,
    /// Short title.
    pub title: String,
    /// Section of the document.
    pub section: String,
    /// Strength of the requirement: MUST, SHOULD, should, ought ...
    pub strength: String,
    /// The requirement, in our own words.
    pub asks: String,
    /// The only scope in which the criterion applies.
    pub scope: Option<Scope>,
    /// True if the criterion applies only to controllers that use signals of routers.
    pub signals: bool,
    /// Reason why no grid judges it.
    pub not_run: Option<String>,
    /// Reason why it never applies.
    pub not_applicable: Option<String>,
    /// True if its worst cell is also run on the kernel.
    pub live: bool,
    /// True if it is judged only by rules in the grids of other criteria.
    pub from_others: bool,
}

impl From<raw::Criterion> for Criterion {
    fn from(raw: raw::Criterion) -> Criterion {
        let raw::Criterion {
            id,
            title,
            section,
            strength,
            asks,
            scope,
            signals,
            not_run,
            not_applicable,
            live,
            from_others,
        } = raw;
        let scope =
            scope.and_then(|name| Scope::ALL.into_iter().find(|scope| scope.name() == name));
        Criterion {
            id,
            title,
            section,
            strength,
            asks,
            scope,
            signals,
            not_run,
            not_applicable,
            live,
            from_others,
        }
    }
}
