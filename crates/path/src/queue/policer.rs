//! A token bucket that drops what exceeds it and delays nothing.

use crate::queue::buffer::Buffer;
use crate::work::{BYTE, work};
use crate::{
    Backlog, Discipline, DisciplineChoice, DisciplineEntry, DisciplineSetup, DropReason, Fate,
    Packet, Queued, Verdicts,
};
use narrows_params::{Param, Params};
use narrows_units::{Bytes, Rate, Time};

/// The registry line.
pub(crate) static ENTRY: DisciplineEntry = DisciplineEntry {
    name: "policer",
    summary: "a token bucket: drops a packet that finds too few tokens; one that finds enough waits only for the transmitter",
    source: "RFC 2697, section 3, of which red is dropped and the excess bucket is empty; Linux `net/sched/act_police.c`",
    offers: &[],
    params: &[RATE.spec, BURST.spec],
};

const RATE: Param<f64> = Param::number(
    "rate",
    10.0,
    (0.001, 1e6),
    "Mbit/s",
    "tokens per time, in packets with their headers from IP on",
);
const BURST: Param<f64> = Param::number(
    "burst",
    250.0,
    (0.1, 1e9),
    "kB",
    "size of the bucket, which is full at first; a larger packet never passes",
);

/// The largest packet that a discipline ever passes, if it is a policer.
pub fn largest_packet(choice: &DisciplineChoice) -> Option<Bytes> {
    // Others have no such parameter.
    (choice.entry().name == ENTRY.name)
        .then(|| Bytes::new((choice.params().get(&BURST) * 1e3 + 0.5) as u64))
}

/// A policer in front of a FIFO. Tokens are counted to the bit and nanosecond, so that no rounding
/// adds up.
#[derive(Clone, Debug)]
pub struct Policer<P> {
    queue: Buffer<P>,
    rate: Rate,
    /// The size of the bucket and what is in it, as [`work`] counts.
    burst: u128,
    tokens: u128,
    /// Up to when the tokens are counted.
    counted: Time,
}

impl<P> Policer<P> {
    /// An empty queue behind a full bucket.
    pub fn new(setup: &DisciplineSetup, params: &Params) -> Policer<P> {
        let bytes = (params.get(&BURST) * 1e3 + 0.5) as u128;
        Policer {
            queue: Buffer::new(setup.limit),
            rate: Rate::from_bps((params.get(&RATE) * 1e6 + 0.5) as u64),
            burst: bytes * BYTE,
            tokens: bytes * BYTE,
            counted: Time::ZERO,
        }
    }

    /// Adds what has come since the latest arrival.
    fn fill(&mut self, now: Time) {
        self.tokens = self.burst.min(self.tokens + work(self.rate, now.since(self.counted)));
        self.counted = now;
    }
}

impl<P: Packet> Discipline<P> for Policer<P> {
    fn enqueue(&mut self, now: Time, packet: P, _verdicts: &mut Verdicts<P>) -> Fate {
        self.fill(now);
        let asked = u128::from(packet.size().get()) * BYTE;
        if asked > self.tokens {
            return Fate::Dropped(DropReason::Early);
        }
        self.tokens -= asked;
        self.queue.offer(now, packet)
    }

    fn dequeue(&mut self, _now: Time, _verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        self.queue.pop()
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
    use narrows_wire::Ecn;

    const PASSED: Fate = Fate::Queued;
    const DROPPED: Fate = Fate::Dropped(DropReason::Early);

    fn fates<const N: usize>(
        bench: &mut Bench<Policer<crate::queue::testing::Small>>,
        at: [Time; N],
    ) -> [Fate; N] {
        at.map(|at| bench.offer(at, 1000, Ecn::Ect0))
    }

    #[test]
    fn a_full_bucket_passes_a_burst_and_then_a_packet_for_each_time_that_it_takes_to_fill() {
        // 1000 B at 1 Mbit/s take 8 ms; the bucket holds three of them.
        let mut bench = Bench::new("policer?rate=1&burst=3", Policer::new);
        assert_eq!(fates(&mut bench, [ms(0); 4]), [PASSED, PASSED, PASSED, DROPPED]);
        // A dropped packet takes no tokens.
        assert_eq!(
            fates(&mut bench, [us(7_999), ms(8), us(15_999), ms(16), ms(16)]),
            [DROPPED, PASSED, DROPPED, PASSED, DROPPED]
        );
        // From 16 ms on empty: after 23.9 ms there are 2987.5 B, after 24 ms three packets, and
        // after any longer time no more.
        assert_eq!(fates(&mut bench, [us(39_900); 3]), [PASSED, PASSED, DROPPED]);
        assert_eq!(fates(&mut bench, [ms(1_000); 4]), [PASSED, PASSED, PASSED, DROPPED]);
        assert!(
            std::iter::from_fn(|| bench.take(ms(1_000)))
                .all(|queued| queued.packet.ecn == Ecn::Ect0),
            "it marks nothing"
        );
    }

    #[test]
    fn a_packet_larger_than_the_bucket_never_passes() {
        let mut bench = Bench::new("policer?rate=1&burst=1.4", Policer::new);
        assert_eq!(
            [1_401, 1_400].map(|size| bench.offer(ms(500), size, Ecn::NotEct)),
            [DROPPED, PASSED]
        );
    }

    #[test]
    fn what_the_buffer_refuses_has_taken_its_tokens() {
        let mut bench = Bench::new("policer?rate=1&burst=2", Policer::new);
        bench.queue.set_limit(crate::Limit::Packets(1));
        let full = Fate::Dropped(DropReason::Full);
        assert_eq!(fates(&mut bench, [ms(0); 3]), [PASSED, full, DROPPED]);
    }
}
