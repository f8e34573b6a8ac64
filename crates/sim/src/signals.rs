//! Whether the network gives a controller the signals that it needs, and keeps those apart that do
//! not mix.

use crate::SimError;
use narrows_control::Choice;
use narrows_params::Need;
use narrows_scenario::{Flow, Scenario};
use narrows_wire::Ecn;

/// The signals that the simulator offers to controllers on any network.
pub const OFFERS: &[Need] = &[
    Need::RateSample,
    Need::BroadAppLimits,
    Need::Pacing,
    Need::EcnCounts,
    Need::Tags,
    Need::Outstanding,
];

/// Refuses a flow whose controller would miss a signal, or misread one; its packets carry `ecn`.
pub(crate) fn check(
    scenario: &Scenario,
    flow: &Flow,
    choice: &Choice,
    ecn: Ecn,
) -> Result<(), SimError> {
    match scenario.misheard(flow, choice, ecn, OFFERS) {
        Some((problem, remedy)) => {
            Err(SimError::Signal { flow: flow.name.clone(), problem, remedy })
        }
        None => Ok(()),
    }
}
