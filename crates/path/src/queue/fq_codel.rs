//! FQ-CoDel: each flow in a queue of its own under CoDel, served in turn; flows that keep no queue
//! go first.
//!
//! Linux `net/sched/sch_fq_codel.c` differs from RFC 8290 in two details: it forgets a new queue
//! that becomes empty at once if no queue is old, and it adds what a full buffer drops to CoDel's
//! count. Here it is as in the RFC.

use crate::queue::buffer::Buffer;
use crate::queue::codel::{self, DropLaw, Settings};
use crate::{
    Backlog, Discipline, DisciplineEntry, DisciplineSetup, DropReason, Fate, Limit, Packet, Queued,
    Verdicts,
};
use narrows_params::{Param, Params};
use narrows_units::Time;
use std::collections::VecDeque;

/// The registry line.
pub(crate) static ENTRY: DisciplineEntry = DisciplineEntry {
    name: "fq-codel",
    summary: "hashes flows to queues under CoDel; deficit round robin, new flows first; a full buffer drops from the longest",
    source: "RFC 8290, RFC 8289",
    offers: &[],
    params: &[
        codel::TARGET.spec,
        codel::INTERVAL.spec,
        codel::ECN.spec,
        FLOWS.spec,
        QUANTUM.spec,
        BATCH.spec,
    ],
};

const FLOWS: Param<f64> = Param::number(
    "flows",
    1024.0,
    (1.0, 65_536.0),
    "queues",
    "number of queues (RFC 8290 section 5.2.4)",
);
const QUANTUM: Param<f64> =
    Param::number("quantum", 1514.0, (1.0, 1e6), "B", "bytes per turn of a queue (section 5.2.3)");
const BATCH: Param<f64> = Param::number(
    "batch",
    64.0,
    (1.0, 65_536.0),
    "packets",
    "most packets dropped at once at a full buffer (section 4.1)",
);

/// Fair queues under CoDel.
#[derive(Clone, Debug)]
pub struct FqCodel<P> {
    backlog: Backlog,
    settings: Settings,
    quantum: i64,
    batch: usize,
    /// Makes the hash differ from link to link.
    salt: u64,
    flows: Vec<Flow<P>>,
    /// Queues that began to fill since they were last empty, and the others that have packets or
    /// had some a turn ago.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
}

#[derive(Clone, Debug)]
struct Flow<P> {
    queue: Buffer<P>,
    law: DropLaw,
    /// Bytes that it may still send in its turn.
    credit: i64,
    listed: bool,
}

impl<P: Packet> FqCodel<P> {
    /// Empty queues.
    pub fn new(setup: &DisciplineSetup, params: &Params) -> FqCodel<P> {
        let flow = || Flow {
            queue: Buffer::new(Limit::None),
            law: DropLaw::default(),
            credit: 0,
            listed: false,
        };
        FqCodel {
            backlog: Backlog::new(setup.limit),
            settings: Settings::new(params),
            quantum: params.get(&QUANTUM) as i64,
            batch: params.get(&BATCH) as usize,
            salt: setup.random.clone().bits(),
            flows: (0..params.get(&FLOWS) as usize).map(|_| flow()).collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
        }
    }

    /// The queue of a flow: the multiplicative hash of its salted key.
    fn queue_of(&self, flow: u64) -> usize {
        let mut hash = (flow ^ self.salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        ((hash as u128 * self.flows.len() as u128) >> 64) as usize
    }

    /// Drops from the head of the queue with most bytes: half of it, `batch` at most.
    fn drop_from_the_longest(&mut self, verdicts: &mut Verdicts<P>) {
        // Of queues of equal length the one whose turn is earliest.
        let Some(longest) = self
            .new
            .iter()
            .chain(&self.old)
            .copied()
            .rev()
            .max_by_key(|index| self.flows[*index as usize].queue.bytes())
        else {
            return;
        };
        let queue = &mut self.flows[longest as usize].queue;
        for _ in 0..queue.packets().div_ceil(2).min(self.batch) {
            if let Some(head) = queue.pop() {
                self.backlog.remove(head.packet.size());
                verdicts.drop(head.packet, DropReason::Full);
            }
        }
    }
}

impl<P: Packet> Discipline<P> for FqCodel<P> {
    /// The packet joins its queue in any case; if that is too much, the longest queue pays, which
    /// may be its own.
    fn enqueue(&mut self, now: Time, packet: P, verdicts: &mut Verdicts<P>) -> Fate {
        let index = self.queue_of(packet.flow());
        self.settings.note(packet.size());
        self.backlog.add(packet.size());
        let flow = &mut self.flows[index];
        flow.queue.push(now, packet);
        if !flow.listed {
            flow.listed = true;
            flow.credit = self.quantum;
            self.new.push_back(index as u32);
        }
        while self.backlog.is_exceeded() {
            self.drop_from_the_longest(verdicts);
        }
        Fate::Queued
    }

    fn dequeue(&mut self, now: Time, verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let index = *list.front()?;
            let flow = &mut self.flows[index as usize];
            if flow.credit <= 0 {
                flow.credit += self.quantum;
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let before = *flow.queue.backlog();
            let head = flow.law.dequeue(now, &self.settings, &mut flow.queue, verdicts);
            self.backlog.shrink(&before, flow.queue.backlog());
            match head {
                Some(head) => {
                    flow.credit -= head.packet.size().get() as i64;
                    return Some(head);
                }
                None => {
                    list.pop_front();
                    // A new queue must pass through the old ones, so that a flow cannot stay first
                    // by sending a packet at a time (section 4.2).
                    if is_new {
                        self.old.push_back(index);
                    } else {
                        flow.listed = false;
                    }
                }
            }
        }
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{Bench, Small, ms, us};
    use narrows_units::Bytes;
    use narrows_wire::Ecn;
    use std::collections::BTreeMap;

    fn fq(text: &str) -> Bench<FqCodel<Small>> {
        Bench::new(text, FqCodel::new)
    }

    #[test]
    fn flows_share_bytes_whatever_the_size_of_their_packets() {
        let mut bench = fq("fq-codel");
        for _ in 0..3000 {
            for (flow, size) in [(0, 1500), (1, 500), (2, 100), (2, 100)] {
                bench.offer_of(flow, ms(0), size, Ecn::NotEct);
            }
        }
        let mut sent: BTreeMap<u64, u64> = BTreeMap::new();
        for _ in 0..2000 {
            let packet = bench.take(ms(1)).unwrap().packet;
            *sent.entry(packet.flow).or_default() += packet.size;
        }
        let least = sent.values().min().unwrap();
        let most = sent.values().max().unwrap();
        // A turn's quantum and the packet that overdraws it.
        assert!(sent.len() == 3 && most - least <= 1514 + 1500, "{sent:?}");
    }

    #[test]
    fn a_flow_that_keeps_no_queue_goes_first() {
        let mut bench = fq("fq-codel");
        for _ in 0..100 {
            bench.offer_of(1, ms(0), 1500, Ecn::NotEct);
        }
        // The bulk flow spends its time as a new flow.
        for now in 1..4 {
            bench.take(ms(now));
        }
        for now in 4..40 {
            bench.offer_of(7, ms(now), 100, Ecn::NotEct);
            assert_eq!(bench.take(ms(now)).unwrap().packet.flow, 7, "at {now} ms");
            assert_eq!(bench.take(us(1000 * now + 500)).unwrap().packet.flow, 1);
        }
    }

    #[test]
    fn a_flow_that_becomes_empty_waits_for_the_old_ones_before_it_is_new_again() {
        let mut bench = fq("fq-codel?quantum=2000");
        for _ in 0..10 {
            bench.offer_of(1, ms(0), 1000, Ecn::NotEct);
        }
        let take = |bench: &mut Bench<FqCodel<Small>>| bench.take(ms(1)).unwrap().packet.flow;
        assert_eq!([take(&mut bench), take(&mut bench)], [1, 1]);
        bench.offer_of(7, ms(0), 100, Ecn::NotEct);
        // It sends, is found empty and goes behind the old flow, which begins its turn.
        assert_eq!([take(&mut bench), take(&mut bench)], [7, 1]);
        // A packet that comes now waits for the end of that turn.
        bench.offer_of(7, ms(0), 100, Ecn::NotEct);
        assert_eq!([take(&mut bench), take(&mut bench), take(&mut bench)], [1, 7, 1]);
    }

    #[test]
    fn a_new_flow_that_becomes_empty_is_old_even_if_no_other_is() {
        let mut bench = fq("fq-codel?quantum=2000");
        bench.offer_of(7, ms(0), 100, Ecn::NotEct);
        for _ in 0..10 {
            bench.offer_of(1, ms(0), 1000, Ecn::NotEct);
        }
        let take = |bench: &mut Bench<FqCodel<Small>>| bench.take(ms(1)).unwrap().packet.flow;
        // Both are new. The first is found empty and becomes old.
        assert_eq!([take(&mut bench), take(&mut bench)], [7, 1]);
        // So it is served among the old ones, and when it is empty again it is forgotten.
        bench.offer_of(7, ms(1), 100, Ecn::NotEct);
        assert_eq!([take(&mut bench), take(&mut bench), take(&mut bench)], [1, 7, 1]);
        // A packet that comes now makes it new, in the middle of the other's turn.
        bench.offer_of(7, ms(1), 100, Ecn::NotEct);
        assert_eq!([take(&mut bench), take(&mut bench)], [7, 1]);
    }

    #[test]
    fn the_longest_queue_pays_for_a_full_buffer_from_its_head_by_half() {
        let mut bench = fq("fq-codel");
        bench.queue.set_limit(Limit::Packets(12));
        for id in 0..10 {
            bench.offer_of(1, us(id), 1000, Ecn::NotEct);
        }
        for id in 10..13 {
            assert_eq!(bench.offer_of(2, us(id), 100, Ecn::NotEct), Fate::Queued);
        }
        let dropped: Vec<(u64, DropReason)> =
            bench.verdicts.dropped.iter().map(|(packet, why)| (packet.id, *why)).collect();
        assert_eq!(dropped, [0, 1, 2, 3, 4].map(|id| (id, DropReason::Full)));
        assert_eq!(
            (bench.queue.backlog.packets(), bench.queue.backlog.bytes()),
            (8, Bytes::new(5_300))
        );
        let mut bench = fq("fq-codel");
        bench.queue.set_limit(Limit::Packets(400));
        for id in 0..401 {
            bench.offer_of(1, us(id), 1000, Ecn::NotEct);
        }
        assert_eq!(bench.verdicts.dropped.len(), 64);
    }

    #[test]
    fn codel_acts_on_each_queue_by_itself() {
        let mut bench = fq("fq-codel");
        for now in 0..1000 {
            bench.offer_of(1, ms(now), 1000, Ecn::Ect0);
            bench.offer_of(1, ms(now), 1000, Ecn::NotEct);
            bench.offer_of(2, ms(now), 100, Ecn::NotEct);
            bench.take(ms(now));
            bench.take(us(1000 * now + 500));
        }
        assert!(bench.verdicts.marked > 3 && bench.verdicts.dropped.len() > 3);
        assert!(
            bench
                .verdicts
                .dropped
                .iter()
                .all(|(packet, why)| packet.flow == 1 && *why == DropReason::Early)
        );
    }

    #[test]
    fn flows_spread_over_the_queues() {
        let bench = fq("fq-codel");
        let mut seen: BTreeMap<usize, u32> = BTreeMap::new();
        for flow in 0..1024 {
            *seen.entry(bench.queue.queue_of(flow)).or_default() += 1;
        }
        // 1024 balls in 1024 bins: 1 - 1/e of the bins are hit, 647, give or take 16.
        assert!((580..=715).contains(&seen.len()), "{}", seen.len());
    }
}
