//! Finds the kernel controller for a flow's choice.

use super::super::controllers::{Planned, PlannedController, missing, name_for, twin_of};
use super::super::kernel::Kernel;
use super::flow::Request;
use super::sysctl::Sysctl;
use crate::error::LiveError;
use narrows_control::TWINS;
use narrows_control::{Choice, Setup};
use narrows_params::Need;
use narrows_scenario::Scenario;

/// Signals that kernel controllers have without routers.
const OFFERS: &[Need] = &[
    Need::RateSample,
    Need::BroadAppLimits,
    Need::Pacing,
    Need::EcnCounts,
    Need::Tags,
    Need::Outstanding,
];

/// The kernel controller for a choice. ECN and pacing can be switched on for every controller.
pub struct Chosen {
    /// Name in the kernel.
    pub name: String,
    /// True if TCP requests ECN.
    pub ecn: bool,
    /// True if TCP paces although the controller does not request it.
    pub paced: bool,
}

/// Chooses the kernel's controller if it implements the choice. Otherwise chooses a controller that
/// is loaded for the run, and adds it to `planned`.
///
/// # Errors
///
/// Neither exists, or a parameter has another value in the kernel.
pub fn choose(
    request: &Request<'_>,
    choice: &Choice,
    planned: &mut Vec<PlannedController>,
) -> Result<Chosen, LiveError> {
    let (entry, kernel) = (choice.entry(), request.kernel);
    let own = entry.kernel().filter(|_| missing(entry, &kernel.controllers).is_none());
    let load = |planned: &mut Vec<PlannedController>| -> Result<String, LiveError> {
        let what = Planned::of(choice)
            .unwrap_or_else(|| Err(format!("{} cannot be given to a kernel", entry.name())));
        let what = what.map_err(|error| {
            request.refused("controller", error, "simulate it with narrows run")
        })?;
        Ok(name_for(planned, what, &kernel.controllers))
    };
    if narrows_control::kept_object(entry.name()).is_some() {
        // Its program controls ECN and pacing itself.
        return Ok(Chosen { name: load(planned)?, ecn: false, paced: false });
    }
    match (own, twin_of(entry)) {
        (Some(name), twin) if twin.is_none_or(|twin| twin.kernel != name) => {
            let (ecn, paced) = switches(request, choice, |name| kernel.default_of(entry, name))?;
            Ok(Chosen { name: name.to_owned(), ecn, paced })
        }
        (_, Some(twin)) => {
            let form = twin.form();
            let (ecn, paced) = switches(request, choice, |name| form.set(name))?;
            Ok(Chosen { name: load(planned)?, ecn, paced })
        }
        _ => {
            let (problem, mut remedy) = missing(entry, &kernel.controllers).unwrap_or_default();
            // Propose the integer version of a controller that has one.
            if let Some(twin) = TWINS
                .iter()
                .find(|twin| twin.entry.name.strip_suffix("-kernel") == Some(entry.name()))
            {
                remedy = format!(
                    "write {}, which the kernel is given for the run, or simulate it with narrows run",
                    twin.choice
                );
            }
            Err(request.refused(
                "controller",
                format!("{}: {problem}; it has {}", entry.name(), kernel.offers()),
                remedy,
            ))
        }
    }
}

/// True if the kernel's controller starts as `start` says: HyStart of cubic, and no other.
fn is_kernels(controller: &str, start: &str, fixed: impl Fn(&str) -> Option<String>) -> bool {
    let hystart = fixed("hystart").as_deref() == Some("true");
    match (controller, start) {
        ("newreno", "classic") => true,
        ("cubic", "hystart") => hystart,
        ("cubic", "classic") => !hystart,
        _ => false,
    }
}

/// Returns true for ECN and for pacing if they are requested. `fixed` returns the value of a
/// parameter that the kernel's controller fixes.
fn switches(
    request: &Request<'_>,
    choice: &Choice,
    fixed: impl Fn(&str) -> Option<String>,
) -> Result<(bool, bool), LiveError> {
    let entry = choice.entry();
    let (mut ecn, mut paced) = (false, false);
    for (param, value) in choice.params().texts() {
        match (entry.name(), param.name) {
            (_, "ecn") => ecn = value == "true",
            ("newreno", "pacing") => paced = value == "true",
            (owner, "start") if is_kernels(owner, &value, &fixed) => {}
            (_, name) => {
                if let Some(kernel) = fixed(name).filter(|kernel| *kernel != value) {
                    let problem = format!(
                        "{name}={value} of {} is not what the kernel's controller does",
                        entry.name()
                    );
                    let remedy = format!(
                        "write {}?{name}={kernel}, or simulate it with narrows run",
                        entry.name()
                    );
                    return Err(request.refused("controller", problem, remedy));
                }
            }
        }
    }
    Ok((ecn, paced))
}

/// Refuses a controller without its routers on the route, or with routers that write other codes
/// than it reads.
pub fn check_routers(
    request: &Request<'_>,
    scenario: &Scenario,
    choice: &Choice,
) -> Result<(), LiveError> {
    let built = choice
        .build(&Setup::default())
        .map_err(|error| request.refused("controller", error.to_string(), "leave it out"))?;
    match scenario.misheard(request.flow, choice, built.decision().ecn, OFFERS) {
        Some((problem, remedy)) => Err(request.refused("controller", problem, remedy)),
        None => Ok(()),
    }
}

/// Returns the setting that negotiates accurate ECN (`net.ipv4.tcp_ecn`), on a kernel that supports
/// it. On other kernels, controllers that need it switch it on by themselves.
pub fn accurate_ecn(choice: &Choice, kernel: &Kernel) -> Vec<Sysctl> {
    let counts = choice.needs().contains(&Need::EcnCounts) && twin_of(choice.entry()).is_some();
    let value = if counts { "3" } else { "2" }.to_owned();
    let setting =
        Sysctl { key: "controller", path: "ipv4/tcp_ecn", value, default: "2", both: true };
    kernel.accurate.then_some(setting).into_iter().collect()
}
