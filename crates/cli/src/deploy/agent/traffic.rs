//! The agent reads the records of connections, and the traffic of periods.

use super::Agent;
use super::reading::{Reading, is_kept, line};
use narrows_deploy::trial::Closed;
use narrows_units::Span;
use narrows_workbench::Failure;

impl Agent {
    /// Reads the records of closed connections.
    pub(super) fn read(&mut self) {
        let (trial, completion) = (&mut self.trial, &mut self.completion);
        let (keep, lines) = (self.experiment.result.keep, &mut self.lines);
        self.deployment.read(|own| {
            if is_kept(own.cookie, keep) {
                line(lines, &own);
            }
            // The rest is neither arm.
            if own.arm > 1 {
                return;
            }
            let busy = Span::from_nanos(own.busy_us.saturating_mul(1000));
            completion[own.arm as usize].record(busy);
            trial.close(&Closed {
                period: own.period as usize,
                age: Span::from_nanos(own.age_ns),
                treated: own.arm == 1,
                bytes: own.bytes_acked,
                busy,
                timeouts: own.timeouts.into(),
            });
        });
    }

    /// Takes the traffic of both arms at both ends of the part of a period that counts.
    pub(super) fn watch(&mut self, place: usize, age: Span) -> Result<(), Failure> {
        let (period, burn_in, burn_out) = self.trial.timing();
        if let Some((own, before)) = self.before.take_if(|(own, _)| *own != place) {
            // Without a part that does not count, the end of a period is seen in the next one.
            let is_next = burn_out == Span::ZERO && own + 1 == place && age < period / 4;
            if is_next {
                self.close(own, &before)?;
            } else {
                // The agent stood still over the end of the period.
                self.trial.void(own);
            }
        }
        if place >= self.trial.slots().len() {
            return Ok(());
        }
        let counts = age >= burn_in && age < period - burn_out;
        if counts && self.before.is_none() && self.watched != Some(place) {
            self.before = Some((place, self.reading()?));
        } else if !counts && let Some((own, before)) = self.before.take() {
            self.close(own, &before)?;
        }
        Ok(())
    }

    /// Takes the traffic of a period since its counted part began.
    fn close(&mut self, period: usize, before: &Reading) -> Result<(), Failure> {
        let now = self.reading()?;
        let both = [0, 1].map(|arm| before.until(&now, arm));
        self.trial.traffic(period, &both);
        let assigned = [0, 1].map(|arm| before.assigned_until(&now, arm));
        self.balance.add(self.trial.slots()[period], assigned);
        self.watched = Some(period);
        Ok(())
    }

    fn reading(&self) -> Result<Reading, Failure> {
        Ok(Reading::of(&self.deployment)?)
    }
}
