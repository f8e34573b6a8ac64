//! All controllers of this crate by name, and the names that others may have.

use crate::controllers::{
    bbr, c4, copa, cubic, dctcp, fast, hstcp, ledbatpp, newreno, pcc, prague, rcp, scalable,
    screamv2, vcp, vegas, xcp,
};
use crate::cores::Twin;
use crate::{Entry, EntryRef};
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
pub(crate) const OTHER_NAMES: &[(&str, &str)] = &[
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

/// Names that scenarios once had for controllers.
pub(crate) const FORMER_NAMES: &[(&str, &str)] =
    &[("pcc-kernel", "pcc-vivace"), ("pcc-kernel-allegro", "pcc-allegro")];

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
