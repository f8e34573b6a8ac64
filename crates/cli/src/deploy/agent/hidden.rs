//! Connections that ended without a call of the program.

use super::Agent;
use narrows_kernel::deployment::Counts;
use narrows_workbench::Failure;
use std::time::{Duration, Instant};

/// Time between two counts of the open connections.
const EACH: Duration = Duration::from_secs(30);

impl Agent {
    /// Counts the connections that ended unseen, if that was not done for some time.
    pub(super) fn look_for_hidden(&mut self) -> Result<(), Failure> {
        if self.looked.elapsed() < EACH {
            return Ok(());
        }
        self.count_hidden()
    }

    /// Counts the connections that ended unseen, because another program of their control group has
    /// taken the callbacks away: those that were assigned, less those that ended and those that are
    /// open. Connections that come and go meanwhile can only make the number too small.
    pub(super) fn count_hidden(&mut self) -> Result<(), Failure> {
        self.looked = Instant::now();
        let assigned = self.sum(|own| own.assigned)?;
        let open: u64 = self.deployment.open_connections()?.iter().sum();
        let closed = self.sum(|own| own.closed)?;
        let hidden = assigned.saturating_sub(open + closed);
        self.state.uncalled = self.state.uncalled.max(hidden);
        Ok(())
    }

    fn sum(&self, of: fn(&Counts) -> u64) -> Result<u64, Failure> {
        Ok(self.deployment.counts()?.iter().map(of).sum())
    }
}
