//! The choice of the switchbacks that are simulated.

use super::job::{Job, JobKind, Timing};
use super::outcome::{Candidate, Outcome};
use super::reduced::Reduced;
use super::whole::Plan;
use narrows_units::Span;

impl Plan {
    /// Returns the switchbacks to simulate next: the timings of the file and of the observation
    /// first, then those that follow from the completion times of the runs with one arm, from the
    /// shortest on, until one is without bias. Longer periods would take longer for the same
    /// precision, since the deviation of a pair hardly falls with the length of its periods.
    /// `second` are those that were simulated before. Empty if no more are needed.
    pub fn next_jobs(&self, first: &[(Job, Reduced)], second: &[(Job, Reduced)]) -> Vec<Job> {
        let is_done = |timing: &Timing| {
            second.iter().any(|(job, _)| job.kind == JobKind::Switchback(*timing))
        };
        let timings = self.timings(first);
        let Some(next) = timings.iter().find(|own| !is_done(own)) else { return Vec::new() };
        if self.is_given(next) {
            return self.jobs_of(*next);
        }
        let found = Outcome::of(self, first, second).candidates;
        let shorter = |own: &Candidate| Span::from_secs(own.period_s) <= next.period;
        if found.iter().any(|own| own.unbiased && shorter(own)) {
            return Vec::new();
        }
        self.jobs_of(*next)
    }
}
