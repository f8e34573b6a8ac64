//! Strict priority: Interests and Nacks before Data.

use crate::queue::buffer::Buffer;
use crate::{
    Backlog, Discipline, DisciplineEntry, DisciplineSetup, DropReason, Fate, Limit, Packet, Queued,
    Verdicts,
};
use narrows_params::Params;
use narrows_units::Time;

/// The registry line.
pub(crate) static ENTRY: DisciplineEntry = DisciplineEntry {
    name: "priority",
    summary: "Interests and NACKs before Data, each first in, first out; elsewhere like fifo",
    source: "strict priority as in Linux sch_prio; that Interests go first is ours",
    offers: &[],
    params: &[],
};

/// Two queues in one buffer, of which the first goes first. Interests that wait behind Data leave
/// as a burst, and cause a burst of Data in the other direction: without priority, the other
/// direction's Data compresses them. An urgent packet that does not fit pushes out the youngest of
/// the others.
#[derive(Clone, Debug)]
pub struct Priority<P> {
    urgent: Buffer<P>,
    others: Buffer<P>,
    /// Of both.
    backlog: Backlog,
}

impl<P> Priority<P> {
    /// An empty queue that holds the setup's limit.
    pub fn new(setup: &DisciplineSetup, _params: &Params) -> Priority<P> {
        Priority {
            urgent: Buffer::new(Limit::None),
            others: Buffer::new(Limit::None),
            backlog: Backlog::new(setup.limit),
        }
    }
}

impl<P: Packet> Priority<P> {
    /// Makes room for an urgent packet. False if it does not fit all the same; then nothing is
    /// pushed out.
    fn make_room(&mut self, packet: &P, verdicts: &mut Verdicts<P>) -> bool {
        if !self.backlog.limit().admits(self.urgent.bytes(), self.urgent.packets(), packet.size()) {
            return false;
        }
        while !self.backlog.admits(packet.size())
            && let Some(youngest) = self.others.pop_youngest()
        {
            self.backlog.remove(youngest.packet.size());
            verdicts.drop(youngest.packet, DropReason::Full);
        }
        true
    }
}

impl<P: Packet> Discipline<P> for Priority<P> {
    fn enqueue(&mut self, now: Time, packet: P, verdicts: &mut Verdicts<P>) -> Fate {
        let urgent = packet.is_urgent();
        let fits =
            self.backlog.admits(packet.size()) || urgent && self.make_room(&packet, verdicts);
        if !fits {
            return Fate::Dropped(DropReason::Full);
        }
        self.backlog.add(packet.size());
        if urgent {
            self.urgent.push(now, packet)
        } else {
            self.others.push(now, packet)
        }
        Fate::Queued
    }

    fn dequeue(&mut self, _now: Time, _verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        let next = self.urgent.pop().or_else(|| self.others.pop())?;
        self.backlog.remove(next.packet.size());
        Some(next)
    }

    fn may_be_passed(&self) -> bool {
        true
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
    use crate::queue::testing::{Bench, Small, ms};

    /// Flow 1 is urgent.
    fn bench(limit: Limit) -> Bench<Priority<Small>> {
        let mut bench = Bench::new("priority", Priority::new);
        bench.queue.set_limit(limit);
        bench
    }

    fn order(bench: &mut Bench<Priority<Small>>) -> Vec<u64> {
        std::iter::from_fn(|| bench.take(ms(9))).map(|queued| queued.packet.id).collect()
    }

    #[test]
    fn urgent_packets_go_first_and_all_keep_their_order() {
        let mut bench = bench(Limit::None);
        for flow in [0, 1, 0, 1, 1, 0] {
            assert_eq!(bench.offer_of(flow, ms(1), 100, narrows_wire::Ecn::NotEct), Fate::Queued);
        }
        assert_eq!(order(&mut bench), [1, 3, 4, 0, 2, 5]);
        assert_eq!(bench.queue.backlog().packets(), 0);
    }

    #[test]
    fn in_a_full_buffer_an_urgent_packet_pushes_out_the_youngest_of_the_others() {
        let mut bench = bench(Limit::Packets(3));
        let mut offer = |flow: u64| bench.offer_of(flow, ms(1), 100, narrows_wire::Ecn::NotEct);
        let fates = [0, 0, 1, 0, 1, 1, 1].map(&mut offer);
        let full = Fate::Dropped(DropReason::Full);
        assert_eq!(
            fates,
            [Fate::Queued, Fate::Queued, Fate::Queued, full, Fate::Queued, Fate::Queued, full]
        );
        let pushed_out: Vec<u64> =
            bench.verdicts.dropped.iter().map(|(packet, _)| packet.id).collect();
        assert_eq!((pushed_out, order(&mut bench)), (vec![1, 0], vec![2, 4, 5]));
    }
}
