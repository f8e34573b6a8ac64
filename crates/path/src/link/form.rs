//! How a link handles its queue.

use super::origin::Origin;
use super::{LinkConfig, Packet};
use crate::{AnyDiscipline, Discipline, DisciplineSetup, DropReason, Limit, Verdicts};
use narrows_measure::LinkCounters;

/// How a link handles its queue.
#[derive(Clone, Debug)]
pub enum Form<P> {
    /// A FIFO whose departures are known at arrival: one event per hop.
    Ahead(Limit),
    /// A discipline that chooses when the transmitter becomes free: two events per hop.
    AtDequeue(Box<Chosen<P>>),
}

/// A discipline that chooses at dequeue, and what it has done that nobody has asked for yet.
#[derive(Clone, Debug)]
pub struct Chosen<P> {
    pub(super) discipline: AnyDiscipline<P>,
    pub(super) verdicts: Verdicts<P>,
    /// Counted packets among those dropped.
    pub(super) counted: usize,
}

impl<P: Packet> Form<P> {
    /// The form of the discipline that `config` names.
    pub(super) fn new(config: &LinkConfig, origin: &Origin) -> Form<P> {
        let Some(choice) = &config.queue else { return Form::Ahead(config.limit) };
        let setup = DisciplineSetup {
            limit: config.limit,
            rate: config.rate.mean(),
            delay: config.delay,
            random: origin.stream("queue"),
        };
        Form::at_dequeue(AnyDiscipline::new(choice, &setup))
    }

    /// A discipline that chooses at dequeue.
    pub fn at_dequeue(discipline: AnyDiscipline<P>) -> Form<P> {
        Form::AtDequeue(Box::new(Chosen { discipline, verdicts: Verdicts::default(), counted: 0 }))
    }

    /// True if nothing waits for a choice, and none has to be asked for: then the departure of a
    /// packet that finds the transmitter free is known at once.
    pub(super) fn is_passable(&self) -> bool {
        match self {
            Form::Ahead(_) => true,
            Form::AtDequeue(chosen) => {
                chosen.discipline.may_be_passed() && chosen.discipline.backlog().packets() == 0
            }
        }
    }
}

impl<P: Packet> Chosen<P> {
    /// Adds to `counters` what the discipline did since the last time.
    pub(super) fn count(&mut self, counters: &mut LinkCounters) {
        counters.marked += std::mem::take(&mut self.verdicts.marked);
        for (_, why) in self.verdicts.dropped.range(self.counted..) {
            count_drop(counters, *why);
        }
        self.counted = self.verdicts.dropped.len();
    }
}

pub(super) fn count_drop(counters: &mut LinkCounters, why: DropReason) {
    match why {
        DropReason::Loss => counters.lost += 1,
        DropReason::Full => counters.overflowed += 1,
        DropReason::Early => counters.dropped_early += 1,
    }
}
