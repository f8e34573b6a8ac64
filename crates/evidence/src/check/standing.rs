//! The standing of a controller in a criterion.

use super::options::Options;
use crate::judge::Level;
use crate::suite::{Players, Suite};

/// The standing of a controller in a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The criterion was judged.
    Judged(Level),
    /// The numbers are shown but not judged.
    Shown,
    /// The criterion was not run, for this reason.
    NotRun(String),
    /// The criterion does not apply, for this reason.
    NotApplicable(String),
}

impl Standing {
    /// Returns the standing in one or two words.
    pub fn word(&self) -> &'static str {
        match self {
            Standing::Judged(level) => level.word(),
            Standing::Shown => "shown",
            Standing::NotRun(_) => "not run",
            Standing::NotApplicable(_) => "not applicable",
        }
    }

    /// Returns the reason why there is no verdict.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Standing::Judged(_) | Standing::Shown => None,
            Standing::NotRun(reason) | Standing::NotApplicable(reason) => Some(reason),
        }
    }
}

/// Returns the standing of a criterion that is not judged, if that is known before any run.
pub(super) fn standing_before(
    suite: &Suite,
    players: &Players,
    options: &Options,
    criterion: usize,
) -> Option<Standing> {
    let own = &suite.criteria[criterion];
    if !options.only.is_empty() && !options.only.contains(&own.id) {
        return Some(Standing::NotRun("not asked for".to_owned()));
    }
    if let Some(reason) = &own.not_applicable {
        return Some(Standing::NotApplicable(reason.clone()));
    }
    if let Some(scope) = own.scope.filter(|scope| *scope != options.scope) {
        return Some(Standing::NotApplicable(format!("only with --scope {}", scope.name())));
    }
    if players.program {
        if own.signals {
            return Some(Standing::NotRun(
                "which signals of routers a program uses is not known".to_owned(),
            ));
        }
        if options.quick && options.only.is_empty() && !own.live && !own.from_others {
            return Some(Standing::NotRun(format!(
                "not in a quick check of a program; --only {} runs it",
                own.id
            )));
        }
    }
    if own.signals && !options.signals {
        return Some(Standing::NotApplicable(
            "the controller uses no signals of routers".to_owned(),
        ));
    }
    own.not_run.as_ref().map(|reason| Standing::NotRun(reason.clone()))
}
