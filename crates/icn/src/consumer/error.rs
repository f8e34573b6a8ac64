//! Consumers that cannot be created, and the signals that a consumer offers to a controller.

use narrows_params::{Need, ParamError};
use thiserror::Error;

/// The signals that a consumer offers to the controller that drives it.
pub const OFFERS: &[Need] = &[
    Need::RateSample,
    Need::BroadAppLimits,
    Need::Pacing,
    Need::EcnCounts,
    Need::Tags,
    Need::Outstanding,
];

/// A consumer that cannot be created.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ConsumerError {
    /// Its controller rejects its parameters.
    #[error(transparent)]
    Params(#[from] ParamError),
    /// Its controller needs a signal that a consumer does not offer.
    #[error("{controller} needs {need}, which a consumer cannot give it; it can give {}", offers())]
    Needs {
        /// The controller.
        controller: String,
        /// The missing signal.
        need: Need,
    },
}

fn offers() -> String {
    OFFERS.iter().map(Need::to_string).collect::<Vec<_>>().join(", ")
}
