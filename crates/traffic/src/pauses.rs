//! Times in which an application offers nothing.

use narrows_scenario::Pause;
use narrows_units::Time;

/// The pauses of a flow, in order and apart.
#[derive(Clone, Debug)]
pub(crate) struct Pauses(Vec<Pause>);

impl Pauses {
    pub(crate) fn new(pauses: &[Pause]) -> Pauses {
        Pauses(pauses.to_vec())
    }

    /// The first time from `at` on that lies in no pause.
    pub(crate) fn after(&self, at: Time) -> Time {
        self.ending_after(at).filter(|pause| pause.from <= at).map_or(at, |pause| pause.to)
    }

    /// When the next pause begins that has not begun by `at`, which lies in none; [`Time::NEVER`]
    /// if none does.
    pub(crate) fn next(&self, at: Time) -> Time {
        self.ending_after(at).map_or(Time::NEVER, |pause| pause.from)
    }

    fn ending_after(&self, at: Time) -> Option<Pause> {
        self.0.get(self.0.partition_point(|pause| pause.to <= at)).copied()
    }
}
