//! Controllers that the kernel is given for a run, and loses with its end.

use crate::error::LiveError;
use crate::replay::Lent;
use crate::run::Extras;
use crate::terms::Plan;
use narrows_control::TWINS;
use narrows_control::cores::Twin;
use narrows_control::{Choice, Entry};
use narrows_kernel::{KernelError, Loaded};
use narrows_params::ParamError;
use narrows_scenario::{Flow, Scenario};

/// Longest name that the kernel takes (`TCP_CA_NAME_MAX` less the end).
const LONGEST_NAME: usize = 15;

/// How often names are chosen anew.
const ATTEMPTS: usize = 20;

/// A controller to be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loan {
    pub twin: &'static Twin,
    pub constants: Vec<u8>,
    /// The kernel's name for it.
    pub name: String,
}

/// The controller of the kernel that the simulator's `entry` is, if narrows has it.
pub fn twin_of(entry: &Entry) -> Option<&'static Twin> {
    TWINS.iter().copied().find(|twin| twin.entry.name == entry.name)
}

/// The kernel's name for a choice among `loans`, which gets it if it has it not. `taken` are the names of the kernel's own controllers.
///
/// # Errors
///
/// Parameters that the kernel's form does not take.
pub fn borrow(loans: &mut Vec<Loan>, twin: &'static Twin, choice: &Choice, taken: &[String]) -> Result<String, ParamError> {
    let constants = twin.constants_of(choice)?;
    if let Some(loan) = loans.iter().find(|loan| loan.twin.kernel == twin.kernel && loan.constants == constants) {
        return Ok(loan.name.clone());
    }
    let free = |name: &String| !taken.contains(name) && loans.iter().all(|loan| loan.name != *name);
    let numbered = |number: u32| {
        let suffix = format!(".{number}");
        format!("{}{suffix}", &twin.kernel[..twin.kernel.len().min(LONGEST_NAME - suffix.len())])
    };
    let mut names = std::iter::once(twin.kernel.to_owned()).chain((2..).map(numbered));
    let name = names.find(free).expect("numbers do not end");
    loans.push(Loan { twin, constants, name: name.clone() });
    Ok(name)
}

/// The kernel's names for the controllers of a scenario's flows, which it is given if it has them not; `None` where it can have none.
///
/// # Errors
///
/// As [`borrow`] has them, at the flow that asks.
pub fn names(loans: &mut Vec<Loan>, scenario: &Scenario, taken: &[String]) -> Result<Vec<Option<String>>, LiveError> {
    let mut name = |flow: &Flow| {
        let Some(choice) = &flow.controller else { return Ok(None) };
        let Some(twin) = twin_of(choice.entry()) else { return Ok(choice.entry().kernel.map(str::to_owned)) };
        let refused = |error: ParamError| LiveError::refused(["flow", &flow.name, "controller"], error.to_string(), "leave it out");
        borrow(loans, twin, choice, taken).map(Some).map_err(refused)
    };
    scenario.flows.iter().map(&mut name).collect()
}

/// Makes a plan and gives the kernel what it needs; anew if another run was faster to take a name, which the next plan then avoids.
pub fn lend(mut plan: impl FnMut() -> Result<Plan, LiveError>, extras: &Extras) -> Result<(Plan, Lent), LiveError> {
    for _ in 1..ATTEMPTS {
        let plan = plan()?;
        match load(&plan.loans, extras) {
            Err(LiveError::Kernel(KernelError::NameTaken { .. })) => {}
            lent => return Ok((plan, lent?)),
        }
    }
    let plan = plan()?;
    let lent = load(&plan.loans, extras)?;
    Ok((plan, lent))
}

/// Gives them all to the kernel, until what is returned is dropped.
pub fn load(loans: &[Loan], extras: &Extras) -> Result<Lent, LiveError> {
    if extras.replay && loans.is_empty() {
        return Err(LiveError::NothingToReplay);
    }
    let loaded = loans.iter().map(|loan| Loaded::new(loan.twin, &loan.constants, &loan.name)).collect::<Result<_, _>>()?;
    Ok(Lent::new(loaded, loans, extras.replay))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_of_parameters_has_a_name_of_its_own() {
        let mut loans = Vec::new();
        let mut name = |text: &str, taken: &[String]| {
            let choice: Choice = text.parse().unwrap();
            borrow(&mut loans, twin_of(choice.entry()).unwrap(), &choice, taken).unwrap()
        };
        assert_eq!(name("pcc-kernel", &[]), "pcc_vivace");
        assert_eq!(name("pcc-kernel?fixed=true", &[]), "pcc_vivace.2");
        assert_eq!(name("pcc-kernel?probe=5", &[]), "pcc_vivace", "5 is the default");
        assert_eq!(name("pcc-kernel-allegro", &["pcc_allegro".to_owned()]), "pcc_allegro.2");
        for number in 3..=1000 {
            assert!(name(&format!("pcc-kernel?latency={number}"), &[]).len() <= LONGEST_NAME);
        }
    }
}
