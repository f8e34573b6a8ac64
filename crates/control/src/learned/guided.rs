//! A policy made of a steering and of whoever chooses its actions.

use super::steering::Steering;
use crate::{Fault, Feedback, Interval, Open, Policy, Reduction, Sent, Setting, Timeout};
use narrows_units::{Span, Time};

/// Chooses actions.
pub trait Chooser: Send {
    /// The action for what the steering shows: a number as the preset has it.
    ///
    /// # Errors
    ///
    /// It cannot go on: the run ends with this.
    fn choose(&mut self, steering: &dyn Steering) -> Result<f32, Fault>;
}

/// A connection whose actions somebody chooses at the end of each interval that shows something.
pub struct Guided<C> {
    steering: Box<dyn Steering>,
    chooser: C,
    interval: Option<Span>,
    action: f32,
}

impl<C: Chooser> Guided<C> {
    /// For a new connection, with intervals of this length, or as long as the smoothed round trip.
    pub fn new(steering: Box<dyn Steering>, interval: Option<Span>, chooser: C) -> Guided<C> {
        Guided { steering, chooser, interval, action: 0.0 }
    }

    /// The chooser of actions.
    pub fn chooser(&mut self) -> &mut C {
        &mut self.chooser
    }
}

impl<C: Chooser> Policy for Guided<C> {
    fn decide(&mut self, interval: &Interval) -> Result<Option<Setting>, Fault> {
        if !self.steering.observe(interval) {
            return Ok(None);
        }
        self.action = self.chooser.choose(&*self.steering)?;
        Ok(Some(self.steering.act(self.action)))
    }

    fn next(&self, now: Time, srtt: Span) -> Option<Time> {
        Some(now + self.interval.unwrap_or(srtt))
    }

    fn on_open(&mut self, open: &Open) {
        self.steering.on_open(open);
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.steering.on_sent(sent);
    }

    fn on_feedback(
        &mut self,
        feedback: &Feedback<'_>,
        seen: &Interval,
    ) -> Result<Option<Setting>, Fault> {
        Ok(self.steering.on_feedback(feedback, seen))
    }

    fn on_timeout(&mut self, timeout: &Timeout, seen: &Interval) -> Result<Option<Setting>, Fault> {
        Ok(self.steering.on_timeout(timeout, seen))
    }

    fn on_undo(&mut self, now: Time, _: &Interval) -> Result<Option<Setting>, Fault> {
        Ok(self.steering.on_undo(now))
    }

    fn reduction(&self) -> Reduction {
        self.steering.reduction()
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("action", f64::from(self.action));
        visit("reward", self.steering.reward());
    }
}
