//! Registries whose entries are chosen by text.

use crate::{Need, ParamError, Params, Spec, suggest};
use std::borrow::Cow;

/// A line of a registry whose entries are chosen by text, as choices hold it.
pub trait Registered: Clone + 'static {
    /// The kind of thing that the registry holds, for messages: "controller".
    const WHAT: &'static str;
    /// The name in scenarios and on the command line.
    fn name(&self) -> &str;
    /// Its parameters.
    fn params(&self) -> &[Spec];
    /// Signals without which it cannot work, whatever its parameters.
    fn needs(&self) -> &[Need] {
        &[]
    }
    /// Why it does not have the parameter `name`, which others have; `None` if there is nothing to
    /// say.
    fn absent(&self, name: &str) -> Option<&'static str> {
        let _ = name;
        None
    }
    /// Name and parameters for a holder that may outlive the line: copies, unless they are static.
    fn kept(&self) -> (Cow<'static, str>, Cow<'static, [Spec]>);
}

/// The entries of a registry.
pub trait Catalogue: 'static {
    /// One line: a static reference, or a shared owner of a line that was made at run time.
    type Entry: Registered;
    /// Every entry that the program has by itself, in the order in which lists show them.
    fn built_in() -> Vec<Self::Entry>;
    /// Entries that were added at run time, in the order in which they came; a registry to which
    /// none can be added has none.
    fn added() -> Vec<Self::Entry> {
        Vec::new()
    }
    /// Every entry, in the order in which lists show them: first those of the program, then those
    /// added.
    fn all() -> Vec<Self::Entry> {
        let mut all = Self::built_in();
        all.extend(Self::added());
        all
    }
    /// Entries that are chosen by their names and stand in no list: those of tests, and those that
    /// follow from others.
    fn hidden() -> Vec<Self::Entry> {
        Vec::new()
    }
    /// Other names that the field has for entries, each with the entry's own.
    fn other_names() -> &'static [(&'static str, &'static str)] {
        &[]
    }
    /// The remedy for a name that only other builds of the program know.
    fn built_without(name: &str) -> Option<String> {
        let _ = name;
        None
    }
    /// Names that entries no longer have, each with the present one.
    fn former_names() -> &'static [(&'static str, &'static str)] {
        &[]
    }
}

/// The entry of a name, its own or another that the field has for it.
///
/// # Errors
///
/// [`ParamError::UnknownName`], [`ParamError::Renamed`].
pub fn find<C: Catalogue>(name: &str) -> Result<C::Entry, ParamError> {
    let known = |table: &[(&str, &'static str)]| {
        table.iter().find(|(other, _)| *other == name).map(|(_, own)| *own)
    };
    let own = known(C::other_names()).unwrap_or(name);
    let all = C::all();
    let hidden = C::hidden();
    if let Some(entry) = all.iter().chain(&hidden).find(|entry| entry.name() == own) {
        return Ok(entry.clone());
    }
    let what = C::Entry::WHAT;
    let written = name.to_owned();
    if let Some(now) = known(C::former_names()) {
        return Err(ParamError::Renamed { what, name: written, now });
    }
    let suggested = || suggest(name, &format!("{what}s"), all.iter().map(|entry| entry.name()));
    let help = C::built_without(name).unwrap_or_else(suggested);
    Err(ParamError::UnknownName { what, name: written, help })
}

/// A registry's line that makes something of a choice: a controller.
pub trait Makes: Registered {
    /// The setup that it must know beside the parameters.
    type Setup;
    /// The thing that it makes.
    type Made;
    /// Makes one; refuses parameters that do not fit together.
    fn make(&self, setup: &Self::Setup, params: &Params) -> Result<Self::Made, ParamError>;
}
