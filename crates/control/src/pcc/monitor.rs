//! Attribution: each transmission belongs to the interval in which it left, whose number is its tag.

use super::interval::Interval;
use super::law::Plan;
use crate::{Acked, Lost, Sent, Tag};
use narrows_units::{Bytes, Time};
use std::collections::VecDeque;

/// The intervals whose outcome is awaited, in the order of sending; the last is the one being sent. Never empty.
#[derive(Clone, Debug)]
pub struct Monitor {
    intervals: VecDeque<Interval>,
    /// The number of the first of them. Tags below it are of intervals that are judged or forgotten.
    first: u32,
    headers: Bytes,
}

impl Monitor {
    /// Nothing is sent yet; `plan` comes first. Packets have `headers` beside their payload.
    pub fn new(plan: Plan, headers: Bytes) -> Monitor {
        Monitor { intervals: VecDeque::from([Interval::new(plan)]), first: 0, headers }
    }

    /// The interval being sent.
    pub fn current(&self) -> &Interval {
        self.intervals.back().expect("never empty")
    }

    fn current_mut(&mut self) -> &mut Interval {
        self.intervals.back_mut().expect("never empty")
    }

    /// The oldest interval that is sent and not complete.
    pub fn oldest(&self) -> Option<&Interval> {
        self.intervals.front().filter(|interval| interval.ended().is_some())
    }

    /// `plan` is what the packets from `now` on are sent for.
    pub fn begin(&mut self, now: Time, plan: Plan) {
        self.current_mut().end(now);
        self.intervals.push_back(Interval::new(plan));
    }

    /// Forgets every interval and begins with `plan`: what is still to come of the others changes nothing.
    pub fn restart(&mut self, plan: Plan) {
        self.first = self.first.wrapping_add(self.intervals.len() as u32);
        self.intervals.clear();
        self.intervals.push_back(Interval::new(plan));
    }

    /// A packet leaves. Its tag is the number of the interval being sent.
    pub fn on_sent(&mut self, sent: &Sent) -> Tag {
        let bytes = sent.bytes + self.headers;
        self.current_mut().on_sent(sent.now, bytes, sent.app_limited);
        Tag(self.first.wrapping_add(self.intervals.len() as u32 - 1))
    }

    /// A packet has arrived.
    pub fn on_acked(&mut self, acked: &Acked) {
        let bytes = acked.bytes + self.headers;
        if let Some(interval) = self.tagged(acked.tag) {
            interval.on_acked(acked.sent_at, acked.rtt, bytes);
        }
    }

    /// A packet is lost.
    pub fn on_lost(&mut self, lost: &Lost) {
        if let Some(interval) = self.tagged(lost.tag) {
            interval.on_lost();
        }
    }

    /// All packets without a fate are lost.
    pub fn lose_all(&mut self) {
        self.intervals.iter_mut().for_each(Interval::lose_all);
    }

    fn tagged(&mut self, tag: Tag) -> Option<&mut Interval> {
        self.intervals.get_mut(tag.0.wrapping_sub(self.first) as usize)
    }

    /// Takes the oldest interval if it is complete.
    pub fn take_complete(&mut self) -> Option<Interval> {
        if !self.intervals.front().is_some_and(Interval::is_complete) {
            return None;
        }
        self.first = self.first.wrapping_add(1);
        self.intervals.pop_front()
    }
}
