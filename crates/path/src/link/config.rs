//! The parts of a link.

use super::{Delivery, LossModel, RateSource};
use crate::{DisciplineChoice, Limit};
use narrows_units::Span;

/// The parts of a link, in one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// How fast it sends.
    pub rate: RateSource,
    /// Propagation delay.
    pub delay: Span,
    /// The treatment of packets at the far end.
    pub delivery: Delivery,
    /// Losses that have nothing to do with the queue; they happen before it.
    pub loss: LossModel,
    /// The size of the queue.
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
            loss: LossModel::None,
            limit: Limit::None,
            queue: None,
        }
    }
}
