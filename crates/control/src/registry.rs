//! All controllers by name.

use crate::Controller;
use crate::controllers::{bbr, cubic, dctcp, fast, hstcp, newreno, pcc, prague, rcp, scalable, vcp, xcp};
use crate::cores::Twin;
use crate::entry::{Built, Choice, Entry, Setup};
use narrows_params::{Makes, Need, Param, ParamError, Params, Registered};

/// Every controller, in the order in which lists show them.
pub const ENTRIES: &[&Entry] = &[
    &newreno::ENTRY,
    &cubic::ENTRY,
    &hstcp::ENTRY,
    &scalable::ENTRY,
    &dctcp::ENTRY,
    &prague::ENTRY,
    &fast::ENTRY,
    &fast::SC2002,
    &fast::KERNEL,
    &bbr::v1::ENTRY,
    &bbr::v3::ENTRY,
    &pcc::allegro::ENTRY,
    &pcc::vivace::ENTRY,
    &pcc::nsdi18::ENTRY,
    &pcc::kernel::VIVACE,
    &pcc::kernel::ALLEGRO,
    &vcp::ENTRY,
    &vcp::KERNEL,
    &xcp::ENTRY,
    &rcp::ENTRY,
];

/// Every controller that the kernel can be given.
pub const TWINS: &[&Twin] =
    &[&pcc::kernel::VIVACE_TWIN, &pcc::kernel::ALLEGRO_TWIN, &hstcp::TWIN, &scalable::TWIN, &fast::TWIN, &vcp::TWIN];

impl Registered for Entry {
    const WHAT: &'static str = "controller";
    fn all() -> &'static [&'static Entry] {
        ENTRIES
    }
    fn name(&self) -> &'static str {
        self.name
    }
    fn params(&self) -> &'static [Param] {
        self.params
    }
    fn needs(&self) -> &'static [Need] {
        self.needs
    }
}

impl Makes for Entry {
    type Setup = Setup;
    type Made = Box<dyn Controller>;
    fn make(&self, setup: &Setup, params: &Params) -> Result<Box<dyn Controller>, ParamError> {
        (self.build)(setup, params).map(Built::into_inner)
    }
}

impl Twin {
    /// The twin of this name: the kernel's (`pcc_vivace`), the same with `-` for `_`, or that of the registry (`pcc-kernel`).
    pub fn named(name: &str) -> Option<&'static Twin> {
        TWINS.iter().copied().find(|twin| twin.kernel == name || twin.kernel == name.replace('-', "_") || twin.entry.name() == name)
    }

    /// A twin with its parameters, as the command line has them: `pcc-vivace?fixed=true`. The choice is that of its simulation.
    ///
    /// # Errors
    ///
    /// No such twin, or not its parameters.
    pub fn read(text: &str) -> Result<(&'static Twin, Choice), ParamError> {
        let (name, settings) = text.split_once('?').unwrap_or((text, ""));
        let Some(twin) = Twin::named(name) else {
            let known: Vec<String> = TWINS.iter().map(|twin| twin.name()).collect();
            return Err(ParamError::UnknownName { what: "controller for the kernel", name: name.to_owned(), known: known.join(", ") });
        };
        let mut all: Vec<&str> = twin.choice.split('?').nth(1).unwrap_or_default().split('&').filter(|one| !one.is_empty()).collect();
        let own = all.len();
        all.extend(settings.split('&').filter(|one| !one.is_empty() && !all[..own].contains(one)).collect::<Vec<_>>());
        let mark = if all.is_empty() { "" } else { "?" };
        let choice: Choice = format!("{}{mark}{}", twin.entry.name(), all.join("&")).parse()?;
        twin.constants_of(&choice)?;
        Ok((twin, choice))
    }
}
