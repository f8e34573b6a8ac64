//! Chooses the kernel controller of a flow: the kernel's, or one that is loaded for the run.

use crate::error::LiveError;
use narrows_bpf::ForKernel;
use narrows_control::TWINS;
use narrows_control::cores::Twin;
use narrows_control::{Choice, EntryRef};
use narrows_scenario::{Flow, Scenario};
use std::fs;

/// Longest name of a controller in the kernel (`TCP_CA_NAME_MAX` without the terminator).
const MAX_NAME: usize = 15;

/// A controller that is loaded into the kernel for a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedController {
    /// Controller to load.
    pub what: Planned,
    /// Name in the kernel.
    pub name: String,
}

/// A controller that can be loaded.
#[derive(Clone, Debug)]
pub enum Planned {
    /// A controller of narrows.
    Core {
        /// Twin of the controller.
        twin: &'static Twin,
        /// Constants of its core, as bytes.
        constants: Vec<u8>,
    },
    /// A controller from a file.
    File {
        /// Choice in the scenario.
        choice: Choice,
        /// Object with its values.
        program: ForKernel,
    },
}

/// Equal if the kernel cannot distinguish them, even if their texts differ.
impl PartialEq for Planned {
    fn eq(&self, other: &Planned) -> bool {
        match (self, other) {
            (
                Planned::Core { twin: a, constants: one },
                Planned::Core { twin: b, constants: two },
            ) => a.kernel == b.kernel && one == two,
            (Planned::File { program: a, .. }, Planned::File { program: b, .. }) => a == b,
            _ => false,
        }
    }
}

impl Eq for Planned {}

impl Planned {
    /// Returns the controller to load for a choice; `None` if none can be loaded.
    ///
    /// # Errors
    ///
    /// The kernel's version of the controller does not support the parameters.
    pub fn of(choice: &Choice) -> Option<Result<Planned, String>> {
        if let Some(program) = ForKernel::chosen(choice) {
            return Some(program.map(|program| Planned::File { choice: choice.clone(), program }));
        }
        let twin = twin_of(choice.entry())?;
        let constants = twin.constants_of(choice).map_err(|error| error.to_string());
        Some(constants.map(|constants| Planned::Core { twin, constants }))
    }

    /// Returns the preferred name in the kernel.
    fn own_name(&self) -> &str {
        match self {
            Planned::Core { twin, .. } => twin.kernel,
            Planned::File { program, .. } => &program.name,
        }
    }
}

/// Returns the controller that can be loaded into the kernel for a registry entry.
pub fn twin_of(entry: &EntryRef) -> Option<&'static Twin> {
    TWINS.iter().copied().find(|twin| twin.entry.name == entry.name())
}

/// Returns the reason why this kernel has no controller for a registry entry, with the remedy;
/// `None` if it has one. `available` are the names that the kernel lists.
pub fn missing(entry: &EntryRef, available: &[String]) -> Option<(String, String)> {
    let Some(name) = entry.kernel() else {
        return Some((
            "Linux has no such controller".to_owned(),
            "simulate it with narrows run".to_owned(),
        ));
    };
    if available.iter().any(|one| one == name) {
        return None;
    }
    // Only reno cannot be a module.
    let module = match name {
        "reno" => "reno".to_owned(),
        name => format!("tcp_{name}"),
    };
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let modules = fs::read_to_string(format!("/lib/modules/{}/modules.dep", release.trim()))
        .unwrap_or_default();
    let remedy = match modules.contains(&format!("/{module}.ko")) {
        true => format!("load it: sudo modprobe {module}"),
        false => format!(
            "this kernel was built without {module}; take a kernel that has it, or simulate it with narrows run"
        ),
    };
    Some((format!("this kernel does not offer \"{name}\""), remedy))
}

/// Returns the name in the kernel of a controller that is loaded for the run. Flows with equal
/// constants share a controller. A new controller is added to `planned`, with a name that is
/// neither in `planned` nor in `taken`.
pub fn name_for(planned: &mut Vec<PlannedController>, what: Planned, taken: &[String]) -> String {
    if let Some(same) = planned.iter().find(|one| one.what == what) {
        return same.name.clone();
    }
    let free = |name: &String| !taken.contains(name) && planned.iter().all(|one| one.name != *name);
    let own = what.own_name();
    let numbered = |number: u32| {
        let suffix = format!(".{number}");
        let kept: String = own.chars().take(MAX_NAME - suffix.len()).collect();
        format!("{kept}{suffix}")
    };
    let mut names = std::iter::once(own.to_owned()).chain((2..).map(numbered));
    let name = names.find(free).expect("numbers do not end");
    planned.push(PlannedController { what, name: name.clone() });
    name
}

/// Returns the kernel names of the controllers of a scenario's flows, and adds new ones to
/// `planned`; `None` for a flow whose controller the kernel cannot have.
///
/// # Errors
///
/// The errors of [`Planned::of`], at the flow.
pub fn names_of(
    planned: &mut Vec<PlannedController>,
    scenario: &Scenario,
    taken: &[String],
) -> Result<Vec<Option<String>>, LiveError> {
    let mut name = |flow: &Flow| {
        let Some(choice) = &flow.controller else { return Ok(None) };
        let Some(what) = Planned::of(choice) else {
            return Ok(choice.entry().kernel().map(str::to_owned));
        };
        let what = what.map_err(|error| {
            LiveError::refused(["flow", &flow.name, "controller"], error, "leave it out")
        })?;
        Ok(Some(name_for(planned, what, taken)))
    };
    scenario.flows.iter().map(&mut name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_of_parameters_has_a_name_of_its_own() {
        let mut planned = Vec::new();
        let mut name = |text: &str, taken: &[String]| {
            let choice: Choice = text.parse().unwrap();
            name_for(&mut planned, Planned::of(&choice).unwrap().unwrap(), taken)
        };
        assert_eq!(name("pcc-vivace", &[]), "pcc_vivace");
        assert_eq!(name("pcc-vivace?fixed=true", &[]), "pcc_vivace.2");
        assert_eq!(name("pcc-vivace?probe=5", &[]), "pcc_vivace", "5 is the default");
        assert_eq!(name("pcc-allegro", &["pcc_allegro".to_owned()]), "pcc_allegro.2");
        for number in 3..=1000 {
            assert!(name(&format!("pcc-vivace?latency={number}"), &[]).len() <= MAX_NAME);
        }
    }
}
