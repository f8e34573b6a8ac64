//! Controllers chosen by name: those of this crate, and those of this thread's session.

use crate::EntryRef;
use crate::cores::Twin;
use crate::files::{FileForm, KeptFile};
use crate::registry::{ENTRIES, FORMER_NAMES, OTHER_NAMES, TWINS};
use crate::session::{Added, Session};
use narrows_params::{Catalogue, ParamError, find, suggest};
use std::sync::Arc;

/// QUIC stacks that programs may have as guests.
const STACKS: [&str; 2] = ["noq", "quinn"];

/// The controllers that were made of files so far, in the order in which they came.
pub fn kept_files() -> Vec<(EntryRef, Arc<KeptFile>)> {
    added_now().into_iter().filter_map(|added| Some((added.entry, added.file?))).collect()
}

/// The controllers that were made of BPF objects so far.
pub fn kept_objects() -> Vec<(EntryRef, Arc<KeptFile>)> {
    kept_files().into_iter().filter(|(_, file)| file.form == FileForm::Object).collect()
}

/// The BPF object of the controller with this name; `None` if it was not made of an object.
pub fn kept_object(name: &str) -> Option<Arc<KeptFile>> {
    kept_objects().into_iter().find(|(entry, _)| entry.name() == name).map(|(_, file)| file)
}

/// The names and identities of the controllers that were added for one command.
pub fn passing_identities() -> Vec<(EntryRef, String)> {
    added_now().into_iter().filter_map(|added| Some((added.entry, added.identity?))).collect()
}

fn added_now() -> Vec<Added> {
    Session::current().all_added()
}

/// The controllers, as choices are made of them.
#[derive(Clone, Copy, Debug)]
pub enum Controllers {}

impl Catalogue for Controllers {
    type Entry = EntryRef;
    fn built_in() -> Vec<EntryRef> {
        ENTRIES.iter().copied().map(EntryRef::from).collect()
    }
    fn added() -> Vec<EntryRef> {
        added_now().into_iter().filter(|added| added.listed).map(|added| added.entry).collect()
    }
    fn hidden() -> Vec<EntryRef> {
        let added = added_now().into_iter().filter(|added| !added.listed);
        #[cfg_attr(not(feature = "mutants"), expect(unused_mut))]
        let mut hidden: Vec<EntryRef> = added.map(|added| added.entry).collect();
        #[cfg(feature = "mutants")]
        hidden.extend(crate::mutants::all().into_iter().map(EntryRef::from));
        hidden
    }
    fn other_names() -> &'static [(&'static str, &'static str)] {
        OTHER_NAMES
    }
    fn built_without(name: &str) -> Option<String> {
        let before = name.split_once(':').map(|(stack, _)| stack);
        let stack = before.or_else(|| name.rsplit_once('@').map(|(_, stack)| stack))?;
        let has_stacks = added_now().iter().any(|added| added.entry.is_guest());
        (STACKS.contains(&stack) && !has_stacks).then(|| {
            format!(
                "this program is built without the QUIC stack {stack}; build it with \
                 --features quic, which is a default feature"
            )
        })
    }
    fn former_names() -> &'static [(&'static str, &'static str)] {
        FORMER_NAMES
    }
}

/// A controller chosen by name, with its parameters checked: `newreno`, `cubic?profile=rfc9438`.
pub type Choice = narrows_params::Choice<Controllers>;

impl Twin {
    /// The choice whose simulation is this core.
    pub fn form(&self) -> Choice {
        self.choice.parse().expect("every twin's choice is one of the registry")
    }

    /// The constants of a choice such as `pcc-vivace?fixed=true`.
    ///
    /// # Errors
    ///
    /// Parameters that do not fit together.
    pub fn constants_of(&self, choice: &Choice) -> Result<Vec<u8>, ParamError> {
        (self.constants)(&choice.params())
    }

    /// The twin of a controller of this name, in scenarios (`pcc-vivace`) or in the kernel
    /// (`pcc_vivace`).
    ///
    /// # Errors
    ///
    /// No such controller, or none that the kernel can be given.
    pub fn named(name: &str) -> Result<&'static Twin, ParamError> {
        let unknown = || {
            let for_kernel = format!("{name}-kernel");
            let known = TWINS.iter().map(|twin| twin.entry.name);
            let word =
                if known.clone().any(|known| known == for_kernel) { &for_kernel } else { name };
            ParamError::UnknownName {
                what: "kernel controller",
                name: name.to_owned(),
                help: suggest(word, "kernel controllers", known),
            }
        };
        let missing = |entry: &EntryRef| match entry.kernel() {
            Some(_) => {
                let help =
                    "Linux has it, built in or as a module: `narrows live` takes it as it is"
                        .to_owned();
                ParamError::UnknownName {
                    what: "loadable kernel controller",
                    name: name.to_owned(),
                    help,
                }
            }
            None => unknown(),
        };
        match find::<Controllers>(name) {
            Ok(entry) => TWINS
                .iter()
                .copied()
                .find(|twin| twin.entry.name == entry.name())
                .ok_or_else(|| missing(&entry)),
            Err(ParamError::UnknownName { .. }) => Err(unknown()),
            Err(renamed) => Err(renamed),
        }
    }

    /// A twin with its parameters, as scenarios have them: `pcc-vivace?fixed=true`. The choice is
    /// the name of its simulation.
    ///
    /// # Errors
    ///
    /// No such twin, or not its parameters.
    pub fn read(text: &str) -> Result<(&'static Twin, Choice), ParamError> {
        let (name, settings) = text.split_once('?').unwrap_or((text, ""));
        let twin = Twin::named(name)?;
        let mut all: Vec<&str> = twin
            .choice
            .split('?')
            .nth(1)
            .unwrap_or_default()
            .split('&')
            .filter(|one| !one.is_empty())
            .collect();
        let own = all.len();
        all.extend(
            settings
                .split('&')
                .filter(|one| !one.is_empty() && !all[..own].contains(one))
                .collect::<Vec<_>>(),
        );
        let mark = if all.is_empty() { "" } else { "?" };
        let choice: Choice = format!("{}{mark}{}", twin.entry.name, all.join("&")).parse()?;
        twin.constants_of(&choice)?;
        Ok((twin, choice))
    }
}
