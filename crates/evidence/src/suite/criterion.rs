//! What a document asks of a controller.

use super::raw;

/// Where a controller is meant to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// On the Internet.
    Internet,
    /// Within a data centre.
    Datacenter,
    /// In networks under one control.
    Controlled,
}

impl Scope {
    /// All of them.
    pub const ALL: [Scope; 3] = [Scope::Internet, Scope::Datacenter, Scope::Controlled];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Internet => "internet",
            Scope::Datacenter => "datacenter",
            Scope::Controlled => "controlled",
        }
    }
}

/// One thing that a document asks of a controller.
#[derive(Clone, Debug)]
pub struct Criterion {
    /// Its name on the command line and in files.
    pub id: String,
    /// A few words on it.
    pub title: String,
    /// The document's section.
    pub section: String,
    /// How strongly the document asks: MUST, SHOULD, should, ought ...
    pub strength: String,
    /// What it asks, in our words.
    pub asks: String,
    /// The only scope in which it applies.
    pub scope: Option<Scope>,
    /// True if it applies only to controllers that use signals of routers.
    pub signals: bool,
    /// Why no grid judges it.
    pub not_run: Option<String>,
    /// Why it never applies.
    pub not_applicable: Option<String>,
    /// True if its worst cell is worth a run on the kernel.
    pub live: bool,
    /// True if it is judged by the rules of other criteria's grids alone.
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
