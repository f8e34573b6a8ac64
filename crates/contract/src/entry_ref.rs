//! The reference by which choices hold registry lines, and lines that are made at run time.

use crate::{Basis, Build, Controller, Entry, Guest, Setup};
use narrows_params::{Makes, Need, ParamError, Params, Registered, Spec};
use std::borrow::Cow;
use std::sync::Arc;

/// The registry line of a controller that is made at run time: of a file, of a class of another
/// language, or of another controller. No kernel has it, and it acknowledges as TCP does. It is
/// freed with the last [`EntryRef`] to it.
pub struct OwnedEntry {
    /// The name in scenarios and on the command line.
    pub name: String,
    /// One line on what it does.
    pub summary: String,
    /// The documents or code it follows. For a file, its path.
    pub source: String,
    /// The observation on which it bases its rate.
    pub basis: Basis,
    /// Signals without which it cannot work, whatever its parameters.
    pub needs: Vec<Need>,
    /// Its parameters.
    pub params: Vec<Spec>,
    /// Makes one for a new connection.
    pub build: Build,
}

/// A registry line: one of the program, or one that was made at run time.
#[derive(Clone)]
pub enum EntryRef {
    /// A line of the program.
    Static(&'static Entry),
    /// A line that was made at run time.
    Owned(Arc<OwnedEntry>),
}

impl EntryRef {
    /// The name in scenarios and on the command line.
    pub fn name(&self) -> &str {
        match self {
            EntryRef::Static(entry) => entry.name,
            EntryRef::Owned(entry) => &entry.name,
        }
    }

    /// The name of the same controller in the Linux kernel, if it has one.
    pub fn kernel(&self) -> Option<&'static str> {
        match self {
            EntryRef::Static(entry) => entry.kernel,
            EntryRef::Owned(_) => None,
        }
    }

    /// One line on what it does.
    pub fn summary(&self) -> &str {
        match self {
            EntryRef::Static(entry) => entry.summary,
            EntryRef::Owned(entry) => &entry.summary,
        }
    }

    /// The documents or code it follows.
    pub fn source(&self) -> &str {
        match self {
            EntryRef::Static(entry) => entry.source,
            EntryRef::Owned(entry) => &entry.source,
        }
    }

    /// The observation on which it bases its rate.
    pub fn basis(&self) -> Basis {
        match self {
            EntryRef::Static(entry) => entry.basis,
            EntryRef::Owned(entry) => entry.basis,
        }
    }

    /// Signals without which it cannot work, whatever its parameters.
    pub fn needs(&self) -> &[Need] {
        match self {
            EntryRef::Static(entry) => entry.needs,
            EntryRef::Owned(entry) => &entry.needs,
        }
    }

    /// True if its transport acknowledges numbered transmissions, unless a scenario says otherwise.
    pub fn numbered(&self) -> bool {
        match self {
            EntryRef::Static(entry) => entry.numbered,
            EntryRef::Owned(_) => false,
        }
    }

    /// Its parameters.
    pub fn params(&self) -> &[Spec] {
        match self {
            EntryRef::Static(entry) => entry.params,
            EntryRef::Owned(entry) => &entry.params,
        }
    }

    /// Makes one for a new connection.
    pub fn build(&self) -> &Build {
        match self {
            EntryRef::Static(entry) => &entry.build,
            EntryRef::Owned(entry) => &entry.build,
        }
    }

    /// Both ends of a new connection, if the entry is a guest: a transport of its own.
    ///
    /// # Errors
    ///
    /// Parameters that do not fit together, or something that the program lacks.
    pub fn guest(
        &self,
        setup: &Setup,
        params: &Params,
    ) -> Option<Result<Box<dyn Guest>, ParamError>> {
        match self.build() {
            Build::Guest(make) => Some(make(setup, params)),
            Build::Function(_) | Build::Shared(_) => None,
        }
    }

    /// True if the entry comes with a transport of its own ([`Guest`]).
    pub fn is_guest(&self) -> bool {
        matches!(self.build(), Build::Guest(_))
    }
}

impl From<&'static Entry> for EntryRef {
    fn from(entry: &'static Entry) -> EntryRef {
        EntryRef::Static(entry)
    }
}

impl From<OwnedEntry> for EntryRef {
    fn from(entry: OwnedEntry) -> EntryRef {
        EntryRef::Owned(Arc::new(entry))
    }
}

/// Parameters that choose how a connection starts, of controllers that let it be chosen.
const STARTS: [&str; 3] = ["start", "resume", "growth"];

impl Registered for EntryRef {
    const WHAT: &'static str = "controller";
    fn name(&self) -> &str {
        EntryRef::name(self)
    }
    fn params(&self) -> &[Spec] {
        EntryRef::params(self)
    }
    fn needs(&self) -> &[Need] {
        EntryRef::needs(self)
    }
    fn absent(&self, name: &str) -> Option<&'static str> {
        STARTS.contains(&name).then_some(
            "its start is the controller's own and cannot be exchanged; leave it out, or take a controller that lists it",
        )
    }
    fn kept(&self) -> (Cow<'static, str>, Cow<'static, [Spec]>) {
        match self {
            EntryRef::Static(entry) => (Cow::Borrowed(entry.name), Cow::Borrowed(entry.params)),
            EntryRef::Owned(entry) => {
                (Cow::Owned(entry.name.clone()), Cow::Owned(entry.params.clone()))
            }
        }
    }
}

impl Makes for EntryRef {
    type Setup = Setup;
    type Made = Box<dyn Controller>;
    fn make(&self, setup: &Setup, params: &Params) -> Result<Box<dyn Controller>, ParamError> {
        self.build().make(setup, params).map(crate::Built::into_inner)
    }
}
