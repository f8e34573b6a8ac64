//! What a link is made of.

use super::{Delivery, EcnField, LossModel, RateSource};
use crate::{DisciplineChoice, Limit};
use narrows_units::Span;

/// The parts of a link, in one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// How fast it sends.
    pub rate: RateSource,
    /// Propagation delay.
    pub delay: Span,
    /// How deliveries at the far end are spread.
    pub delivery: Delivery,
    /// What becomes of the ECN field at the far end.
    pub ecn: EcnField,
    /// Losses that have nothing to do with the queue; they happen before it.
    pub loss: LossModel,
    /// What the queue holds.
    pub limit: Limit,
    /// The queue discipline; `None` for a FIFO.
    pub queue: Option<DisciplineChoice>,
}

impl Default for LinkConfig {
    fn default() -> LinkConfig {
        LinkConfig {
            rate: RateSource::Unlimited,
            delay: Span::ZERO,
            delivery: Delivery::default(),
            ecn: EcnField::Keep,
            loss: LossModel::None,
            limit: Limit::None,
            queue: None,
        }
    }
}
