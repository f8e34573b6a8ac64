//! Attribution: each transmission belongs to the interval in which it left, whose number is its
//! tag.

use super::interval::MonitorInterval;
use super::plan::Plan;
use crate::{Acked, Lost, Sent, Tag};
use narrows_units::{Bytes, Time};
use std::collections::VecDeque;

/// The intervals whose outcome is awaited, in the order of sending; the last is the one being sent.
/// Never empty.
#[derive(Clone, Debug)]
pub struct Monitor {
    intervals: VecDeque<MonitorInterval>,
    /// The number of the first of them. Tags below it are of intervals that are judged or
    /// forgotten.
    first: u32,
    headers: Bytes,
}

impl Monitor {
    /// Nothing is sent yet; `plan` comes first. Packets have `headers` beside their payload.
    pub fn new(plan: Plan, headers: Bytes) -> Monitor {
        Monitor { intervals: VecDeque::from([MonitorInterval::new(plan)]), first: 0, headers }
    }

    /// The interval being sent.
    pub fn current(&self) -> &MonitorInterval {
        self.intervals.back().expect("never empty")
    }

    fn current_mut(&mut self) -> &mut MonitorInterval {
        self.intervals.back_mut().expect("never empty")
    }

    /// The oldest interval that is sent and not complete.
    pub fn oldest(&self) -> Option<&MonitorInterval> {
        self.intervals.front().filter(|interval| interval.ended().is_some())
    }

    /// `plan` is what the packets from `now` on are sent for.
    pub fn begin(&mut self, now: Time, plan: Plan) {
        self.current_mut().end(now);
        self.intervals.push_back(MonitorInterval::new(plan));
    }

    /// Forgets every interval and begins with `plan`: what is still to come of the others changes
    /// nothing.
    pub fn restart(&mut self, plan: Plan) {
        self.first = self.first.wrapping_add(self.intervals.len() as u32);
        self.intervals.clear();
        self.intervals.push_back(MonitorInterval::new(plan));
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
        self.intervals.iter_mut().for_each(MonitorInterval::lose_all);
    }

    fn tagged(&mut self, tag: Tag) -> Option<&mut MonitorInterval> {
        self.intervals.get_mut(tag.0.wrapping_sub(self.first) as usize)
    }

    /// Takes the oldest interval if it is complete.
    pub fn take_complete(&mut self) -> Option<MonitorInterval> {
        if !self.intervals.front().is_some_and(MonitorInterval::is_complete) {
            return None;
        }
        self.first = self.first.wrapping_add(1);
        self.intervals.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::pcc::plan::Length;
    use crate::testing::at;
    use narrows_units::Span;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(Clone, Debug)]
    enum Operation {
        Send,
        Begin,
        /// The fate of the packet under way at this place, counted from the oldest.
        Fate(usize, bool),
        /// The acknowledgement of a packet that was counted lost.
        Late(usize),
        Take,
        Restart,
    }

    fn operation() -> impl Strategy<Value = Operation> {
        prop_oneof![
            8 => Just(Operation::Send),
            1 => Just(Operation::Begin),
            8 => (0..20usize, any::<bool>()).prop_map(|(place, acked)| Operation::Fate(place, acked)),
            1 => (0..20usize).prop_map(Operation::Late),
            4 => Just(Operation::Take),
            1 => prop::bool::weighted(0.1).prop_map(|really| if really { Operation::Restart } else { Operation::Take }),
        ]
    }

    fn plan() -> Plan {
        Plan {
            rate: 1.0,
            awaited: true,
            length: Length { span: Span::from_millis(1), least: 1, most: 100 },
        }
    }

    proptest! {
        /// Each packet sent counts in one interval, the one whose number is its tag, and so does
        /// its fate, once.
        #[test]
        fn every_packet_is_attributed_once(operations in prop::collection::vec(operation(), 0..400)) {
            let mut monitor = Monitor::new(plan(), Bytes::ZERO);
            let (mut flying, mut lost): (Vec<Tag>, Vec<Tag>) = Default::default();
            let mut expected: BTreeMap<u32, (u32, u32, u32)> = BTreeMap::from([(0, (0, 0, 0))]);
            let mut next = 0;
            let mut newest = 0;
            for (ms, operation) in operations.into_iter().enumerate() {
                let now = at(ms as u64);
                let bytes = Bytes::new(1448);
                let sent_at = now;
                let mut late = Vec::new();
                match operation {
                    Operation::Send => {
                        let tag = monitor.on_sent(&Sent::new(now, ms as u64, bytes, 0));
                        prop_assert_eq!(tag.0, newest);
                        expected.get_mut(&newest).unwrap().0 += 1;
                        flying.push(tag);
                    }
                    Operation::Begin => {
                        monitor.begin(now, plan());
                        newest += 1;
                        expected.insert(newest, (0, 0, 0));
                    }
                    Operation::Fate(place, acked) if place < flying.len() => {
                        let tag = flying.remove(place);
                        let known = expected.get_mut(&tag.0);
                        if acked {
                            known.into_iter().for_each(|counts| counts.1 += 1);
                            late.push(tag);
                        } else {
                            known.into_iter().for_each(|counts| counts.2 += 1);
                            monitor.on_lost(&Lost { number: 0, bytes, sent_at, tag });
                            lost.push(tag);
                        }
                    }
                    // Only once its interval is settled: before that the transport is what knows
                    // that it had been counted.
                    Operation::Late(place) if place < lost.len() && expected.get(&lost[place].0).is_none_or(|(sent, acked, lost)| acked + lost == *sent) => {
                        late.push(lost.remove(place));
                    }
                    Operation::Take => {
                        let complete = newest > next && expected[&next].0 == expected[&next].1 + expected[&next].2;
                        let taken = monitor.take_complete();
                        prop_assert_eq!(taken.as_ref().map(MonitorInterval::counts), complete.then(|| expected[&next]));
                        if complete {
                            expected.remove(&next);
                            next += 1;
                        }
                    }
                    Operation::Restart => {
                        monitor.restart(plan());
                        newest += 1;
                        next = newest;
                        expected = BTreeMap::from([(newest, (0, 0, 0))]);
                    }
                    Operation::Fate(..) | Operation::Late(_) => {}
                }
                for tag in late {
                    let acked = Acked { number: 0, bytes, sent_at, rtt: Span::from_millis(1), tag, app_limited: false, window_limited: true };
                    monitor.on_acked(&acked);
                }
                prop_assert_eq!(monitor.current().counts(), expected[&newest]);
            }
        }
    }
}
