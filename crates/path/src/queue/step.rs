//! A marking threshold: what DCTCP asks of its switches, and the simplest marking for scalable
//! controllers.

use crate::queue::buffer::Buffer;
use crate::{
    Backlog, Discipline, DisciplineEntry, DisciplineSetup, DropReason, Fate, Packet, Queued,
    Verdicts,
};
use narrows_params::{Param, Params};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;

/// The registry line.
pub(crate) static ENTRY: DisciplineEntry = DisciplineEntry {
    name: "step",
    summary: "marks every ECN-capable packet above a threshold, none below; drops at a full buffer",
    source: "RFC 8257, section 3.1; RFC 9332, section 4.2.1",
    offers: &[],
    params: &[THRESHOLD.spec, UNIT.spec],
};

const THRESHOLD: Param<f64> =
    Param::number("threshold", 1.0, (0.0, 1e9), "", "threshold in `unit`");
const UNIT: Param<Unit> = Param::choice(
    "unit",
    "ms",
    &[("ms", Unit::Ms), ("packets", Unit::Packets), ("bytes", Unit::Bytes)],
    "ms: mark at departure after a longer wait; packets, bytes: mark on arrival at a longer queue (DCTCP's K)",
);

/// The unit of the threshold.
#[derive(Clone, Copy)]
enum Unit {
    Ms,
    Packets,
    Bytes,
}

/// A drop-tail queue that marks above a threshold.
#[derive(Clone, Debug)]
pub struct Step<P> {
    queue: Buffer<P>,
    threshold: Threshold,
}

#[derive(Clone, Copy, Debug)]
enum Threshold {
    Delay(Span),
    Packets(usize),
    Bytes(Bytes),
}

impl<P: Packet> Step<P> {
    /// An empty queue.
    pub fn new(setup: &DisciplineSetup, params: &Params) -> Step<P> {
        let threshold = params.get(&THRESHOLD);
        let threshold = match params.get(&UNIT) {
            Unit::Ms => Threshold::Delay(Span::from_secs_f64(threshold / 1e3)),
            Unit::Packets => Threshold::Packets(threshold as usize),
            Unit::Bytes => Threshold::Bytes(Bytes::new(threshold as u64)),
        };
        Step { queue: Buffer::new(setup.limit), threshold }
    }
}

impl<P: Packet> Discipline<P> for Step<P> {
    fn enqueue(&mut self, now: Time, mut packet: P, _verdicts: &mut Verdicts<P>) -> Fate {
        if !self.queue.admits(packet.size()) {
            return Fate::Dropped(DropReason::Full);
        }
        let above = match self.threshold {
            Threshold::Delay(_) => false,
            Threshold::Packets(most) => self.queue.packets() > most,
            Threshold::Bytes(most) => self.queue.bytes() > most,
        };
        let marks = above && packet.ecn() != Ecn::NotEct;
        if marks {
            packet.set_ecn(Ecn::Ce);
        }
        self.queue.push(now, packet);
        if marks { Fate::Marked } else { Fate::Queued }
    }

    fn dequeue(&mut self, now: Time, verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        let mut head = self.queue.pop()?;
        if let Threshold::Delay(most) = self.threshold
            && now.since(head.at) > most
            && head.packet.ecn() != Ecn::NotEct
        {
            verdicts.mark(&mut head.packet);
        }
        Some(head)
    }

    fn backlog(&self) -> &Backlog {
        self.queue.backlog()
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        self.queue.backlog_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{Bench, ms, us};

    #[test]
    fn arrivals_that_find_more_than_the_threshold_are_marked() {
        let mut bench = Bench::new("step?threshold=2&unit=packets", Step::new);
        let fates: Vec<Fate> = [Ecn::Ect0, Ecn::Ect1, Ecn::Ect0, Ecn::Ect0, Ecn::Ect1, Ecn::NotEct]
            .map(|ecn| bench.offer(ms(0), 1000, ecn))
            .to_vec();
        // The fourth finds three waiting.
        assert_eq!(
            fates,
            [Fate::Queued, Fate::Queued, Fate::Queued, Fate::Marked, Fate::Marked, Fate::Queued]
        );
        let codes: Vec<Ecn> =
            std::iter::from_fn(|| bench.take(ms(9))).map(|queued| queued.packet.ecn).collect();
        assert_eq!(codes, [Ecn::Ect0, Ecn::Ect1, Ecn::Ect0, Ecn::Ce, Ecn::Ce, Ecn::NotEct]);
        let mut bench = Bench::new("step?threshold=2500&unit=bytes", Step::new);
        let fates = [0, 0, 0, 0].map(|at| bench.offer(ms(at), 1000, Ecn::Ect0));
        assert_eq!(fates, [Fate::Queued, Fate::Queued, Fate::Queued, Fate::Marked]);
    }

    #[test]
    fn packets_that_waited_longer_than_the_threshold_are_marked_as_they_leave() {
        let mut bench = Bench::new("step", Step::new);
        for ecn in [Ecn::Ect1, Ecn::Ect1, Ecn::Ect1, Ecn::NotEct] {
            assert_eq!(bench.offer(ms(0), 1000, ecn), Fate::Queued);
        }
        let codes = [us(500), us(1000), us(1001), us(5000)]
            .map(|now| bench.take(now).map(|queued| queued.packet.ecn));
        assert_eq!(codes, [Ecn::Ect1, Ecn::Ect1, Ecn::Ce, Ecn::NotEct].map(Some));
        assert_eq!((bench.verdicts.marked, bench.verdicts.dropped.len()), (1, 0));
    }
}
