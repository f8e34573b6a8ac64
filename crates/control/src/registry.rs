//! All controllers by name: those of this crate, and those that sessions add.

use crate::controllers::{
    bbr, c4, copa, cubic, dctcp, fast, hstcp, ledbatpp, newreno, pcc, prague, rcp, scalable,
    screamv2, vcp, vegas, xcp,
};
use crate::cores::Twin;
use crate::files::{FileForm, KeptFile};
use crate::session::{Added, Session};
use crate::{Entry, EntryRef};
use narrows_params::{Catalogue, ParamError, find, suggest};
use std::sync::Arc;
use thiserror::Error;

/// The controllers that are deployed and standardised (RFC 5681, RFC 9438), beside which others are
/// judged.
pub const BASELINES: [&str; 2] = ["newreno", "cubic"];

/// The controllers that are compared if none is named.
pub const DEFAULTS: [&str; 3] = ["newreno", "cubic", "bbr"];

/// Every controller of this crate, in the order in which lists show them.
pub static ENTRIES: &[&Entry] = &[
    &newreno::ENTRY,
    &cubic::ENTRY,
    &hstcp::ENTRY,
    &scalable::ENTRY,
    &dctcp::ENTRY,
    &prague::ENTRY,
    &fast::ENTRY,
    &fast::SC2002,
    &fast::KERNEL,
    &vegas::ENTRY,
    &copa::ENTRY,
    &ledbatpp::ENTRY,
    &screamv2::ENTRY,
    &bbr::v1::ENTRY,
    &bbr::v3::ENTRY,
    &c4::ENTRY,
    &pcc::allegro::ENTRY,
    &pcc::vivace::ENTRY,
    &pcc::nsdi18::ENTRY,
    &pcc::nsdi15::ENTRY,
    &pcc::kernel::vivace::ENTRY,
    &pcc::kernel::allegro::ENTRY,
    &vcp::ENTRY,
    &vcp::KERNEL,
    &xcp::ENTRY,
    &rcp::ENTRY,
];

/// Every controller that the kernel can be given.
pub static TWINS: &[&Twin] = &[
    &pcc::kernel::vivace::TWIN,
    &pcc::kernel::allegro::TWIN,
    &hstcp::TWIN,
    &scalable::TWIN,
    &fast::TWIN,
    &fast::SC2002_TWIN,
    &vcp::TWIN,
];

/// Other names of controllers: those of the field, and the kernel's own for those that it gets from
/// here.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("reno", "newreno"),
    ("highspeed", "hstcp"),
    ("bbr1", "bbr"),
    ("bbrv1", "bbr"),
    ("bbr-v1", "bbr"),
    ("bbrv3", "bbr3"),
    ("bbr-v3", "bbr3"),
    ("pcc_vivace", "pcc-vivace"),
    ("pcc_allegro", "pcc-allegro"),
    ("fast_kernel", "fast-kernel"),
    ("fast_sc2002", "fast-sc2002"),
    ("vcp_kernel", "vcp-kernel"),
    ("ledbat++", "ledbatpp"),
];

/// QUIC stacks that programs may have as guests.
const STACKS: [&str; 2] = ["noq", "quinn"];

/// Names that scenarios once had for controllers.
const FORMER_NAMES: &[(&str, &str)] =
    &[("pcc-kernel", "pcc-vivace"), ("pcc-kernel-allegro", "pcc-allegro")];

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

/// Refuses a name that cannot be written, or that a controller of this crate or of `others` has.
pub(crate) fn check<'a>(
    entry: &EntryRef,
    mut others: impl Iterator<Item = &'a EntryRef>,
) -> Result<(), Refused> {
    let name = entry.name();
    // The name of a guest says which stack it is of: "noq:bbr3", "copa@noq".
    let of_stack = |byte: u8| entry.is_guest() && matches!(byte, b':' | b'@');
    let may_be = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') || of_stack(byte)
    };
    if name.is_empty() || !name.bytes().all(may_be) {
        return Err(Refused::Name { name: name.to_owned() });
    }
    let built_in = ENTRIES.iter().find(|other| other.name == name).map(|other| other.summary);
    let added = || others.find(|other| other.name() == name).map(|other| other.summary());
    if let Some(other) = built_in.or_else(added) {
        return Err(Refused::Taken {
            name: name.to_owned(),
            summary: entry.summary().to_owned(),
            other: other.to_owned(),
        });
    }
    if let Some((_, own)) = OTHER_NAMES.iter().chain(FORMER_NAMES).find(|(other, _)| *other == name)
    {
        return Err(Refused::OtherName { name: name.to_owned(), own });
    }
    Ok(())
}

/// Why a controller was not added.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refused {
    /// Its name cannot be written in scenarios and on the command line.
    #[error(
        "the controller \"{name}\" cannot be added: a name has letters, digits, '-', '_' and '.'; give it such a name in its Entry"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// The name of a file cannot be the name of a controller.
    #[error(
        "the file's name gives the controller's, \"{stem}\", and the name of a controller has letters, digits, '-', '_' and '.': rename the file"
    )]
    FileName {
        /// The file's name without its end.
        stem: String,
    },
    /// Another controller has this name.
    #[error(
        "the controller \"{name}\" ({summary}) cannot be added: \"{name}\" is there already ({other}); give it another name in its Entry"
    )]
    Taken {
        /// The name.
        name: String,
        /// One line on the controller that was to be added.
        summary: String,
        /// One line on the one that is there.
        other: String,
    },
    /// The name is another name, or was a name, of a controller.
    #[error(
        "the controller \"{name}\" cannot be added: \"{name}\" is another name of \"{own}\"; give it another name in its Entry"
    )]
    OtherName {
        /// The name.
        name: String,
        /// The controller that has it.
        own: &'static str,
    },
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
