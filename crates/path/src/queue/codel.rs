//! CoDel: keeps the time that packets wait near a target by dropping at the head.

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
    name: "codel",
    summary: "drops or marks at the head once delay exceeds a target for an interval, then increasingly often",
    source: "RFC 8289",
    offers: &[],
    params: &[TARGET.spec, INTERVAL.spec, ECN.spec],
};

/// The parameters, here and in FQ-CoDel.
pub(crate) const TARGET: Param<Span> = Param::millis(
    "target",
    5.0,
    (0.001, 10_000.0),
    "acceptable standing delay (RFC 8289 section 4.4: 5 to 10 % of the interval)",
);
pub(crate) const INTERVAL: Param<Span> = Param::millis(
    "interval",
    100.0,
    (0.01, 100_000.0),
    "longest excess over the target; a usual round trip (section 4.3)",
);
pub(crate) const ECN: Param<bool> =
    Param::flag("ecn", true, "mark ECN-capable packets instead of dropping them (section 4.1)");

/// A queue under CoDel.
#[derive(Clone, Debug)]
pub struct Codel<P> {
    queue: Buffer<P>,
    settings: Settings,
    law: DropLaw,
}

impl<P> Codel<P> {
    /// An empty queue.
    pub fn new(setup: &DisciplineSetup, params: &Params) -> Codel<P> {
        Codel {
            queue: Buffer::new(setup.limit),
            settings: Settings::new(params),
            law: DropLaw::default(),
        }
    }
}

impl<P: Packet> Discipline<P> for Codel<P> {
    fn enqueue(&mut self, now: Time, packet: P, _verdicts: &mut Verdicts<P>) -> Fate {
        let size = packet.size();
        let fate = self.queue.offer(now, packet);
        if fate == Fate::Queued {
            self.settings.note(size);
        }
        fate
    }

    fn dequeue(&mut self, now: Time, verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        self.law.dequeue(now, &self.settings, &mut self.queue, verdicts)
    }

    fn backlog(&self) -> &Backlog {
        self.queue.backlog()
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        self.queue.backlog_mut()
    }
}

/// The settings that all queues of a link share.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    target: Span,
    interval: Span,
    ecn: bool,
    /// The largest packet so far: no more than this waiting is no standing queue.
    largest: Bytes,
}

impl Settings {
    pub(crate) fn new(params: &Params) -> Settings {
        Settings {
            target: params.get(&TARGET),
            interval: params.get(&INTERVAL),
            ecn: params.get(&ECN),
            largest: Bytes::ZERO,
        }
    }

    /// A packet of this size came.
    pub(crate) fn note(&mut self, size: Bytes) {
        self.largest = self.largest.max(size);
    }
}

/// The state of one queue (RFC 8289 section 5).
#[derive(Clone, Debug, Default)]
pub(crate) struct DropLaw {
    /// When the delay will have been above the target for an interval.
    first_above: Option<Time>,
    dropping: bool,
    /// When the next packet is dropped, if the delay stays above.
    drop_next: Time,
    /// Drops since the dropping state was entered, and what it was when it was last entered.
    count: u32,
    last_count: u32,
}

impl DropLaw {
    /// The next packet to send; those before it may be dropped (section 5.6).
    pub(crate) fn dequeue<P: Packet>(
        &mut self,
        now: Time,
        settings: &Settings,
        queue: &mut Buffer<P>,
        verdicts: &mut Verdicts<P>,
    ) -> Option<Queued<P>> {
        let (mut head, mut may_drop) = self.look(now, settings, queue)?;
        if self.dropping {
            self.dropping = may_drop;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                if settings.ecn && head.packet.ecn() != Ecn::NotEct {
                    verdicts.mark(&mut head.packet);
                    self.drop_next = self.control(self.drop_next, settings);
                    return Some(head);
                }
                verdicts.drop(head.packet, DropReason::Early);
                (head, may_drop) = self.look(now, settings, queue)?;
                self.dropping = may_drop;
                if self.dropping {
                    self.drop_next = self.control(self.drop_next, settings);
                }
            }
        } else if may_drop {
            self.enter(now, settings);
            if settings.ecn && head.packet.ecn() != Ecn::NotEct {
                verdicts.mark(&mut head.packet);
                return Some(head);
            }
            verdicts.drop(head.packet, DropReason::Early);
            (head, _) = self.look(now, settings, queue)?;
        }
        Some(head)
    }

    /// Takes the head, and judges whether it may be dropped. An empty queue ends all.
    fn look<P: Packet>(
        &mut self,
        now: Time,
        settings: &Settings,
        queue: &mut Buffer<P>,
    ) -> Option<(Queued<P>, bool)> {
        let Some(head) = queue.pop() else {
            self.first_above = None;
            self.dropping = false;
            return None;
        };
        if now.since(head.at) < settings.target || queue.bytes() <= settings.largest {
            self.first_above = None;
            return Some((head, false));
        }
        let due = *self.first_above.get_or_insert(now + settings.interval);
        Some((head, now >= due))
    }

    /// Enters the dropping state, at the rate that held the queue the last time if that was not
    /// long ago (section 5.4).
    fn enter(&mut self, now: Time, settings: &Settings) {
        self.dropping = true;
        let drops = self.count - self.last_count;
        // `drop_next` may lie ahead: then the last time is certainly not long ago.
        let recent = now.since(self.drop_next) < settings.interval * 16;
        self.count = if drops > 1 && recent { drops } else { 1 };
        self.last_count = self.count;
        self.drop_next = self.control(now, settings);
    }

    /// The next drop after one at `t`: an interval over the square root of the count later (section
    /// 5.3).
    fn control(&self, t: Time, settings: &Settings) -> Time {
        t + Span::from_nanos(
            (settings.interval.as_nanos() as f64 / f64::from(self.count).sqrt()) as u64,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Codel;
    use crate::queue::testing::{Bench, ms, us};
    use crate::{DropReason, Fate};
    use narrows_wire::Ecn;

    fn codel(text: &str) -> Bench<Codel<crate::queue::testing::Small>> {
        Bench::new(text, Codel::new)
    }

    /// A queue that holds a packet for each millisecond from 0 on and is served 20 ms late, a
    /// packet each millisecond: all have waited longer than the target.
    fn overloaded(
        bench: &mut Bench<Codel<crate::queue::testing::Small>>,
        ecn: Ecn,
        until_ms: u64,
    ) -> Vec<u64> {
        let mut acted = Vec::new();
        for now in 0..until_ms {
            bench.offer(ms(now), 1000, ecn);
            if now >= 20 {
                bench.take(ms(now));
                acted.extend((0..bench.acted()).map(|_| now));
            }
        }
        acted
    }

    #[test]
    fn drops_follow_the_interval_over_the_square_root_of_their_count() {
        let acted = overloaded(&mut codel("codel"), Ecn::NotEct, 560);
        // Above the target from 20 ms on: the first drop an interval later, then after 100/sqrt(1),
        // 100/sqrt(2), ... ms, each at the next dequeue.
        let times = [
            120.0,
            220.0,
            290.710_678,
            348.445_705,
            398.445_705,
            443.167_064,
            483.991_893,
            521.788_340,
            557.143_679,
        ];
        assert_eq!(acted, times.map(|time: f64| time.ceil() as u64));
    }

    #[test]
    fn marks_come_when_drops_would() {
        let mut bench = codel("codel");
        let marks = overloaded(&mut bench, Ecn::Ect0, 560);
        assert_eq!(marks, overloaded(&mut codel("codel"), Ecn::NotEct, 560));
        assert_eq!((bench.verdicts.dropped.len(), bench.verdicts.marked), (0, 9));
        let mut deaf = codel("codel?ecn=false");
        overloaded(&mut deaf, Ecn::Ect0, 560);
        assert_eq!((deaf.verdicts.dropped.len(), deaf.verdicts.marked), (9, 0));
    }

    #[test]
    fn a_delay_below_the_target_or_a_single_packet_is_no_standing_queue() {
        let mut bench = codel("codel");
        for now in 0..1000 {
            bench.offer(ms(now), 1000, Ecn::NotEct);
            if now >= 4 {
                bench.take(ms(now));
            }
        }
        assert_eq!(bench.acted(), 0, "4 ms are below the target");
        // One packet remains behind each that leaves: they wait 100 ms, because the link is slow.
        let mut bench = codel("codel");
        for now in 0..100 {
            bench.offer(ms(100 * now), 1000, Ecn::NotEct);
            if now >= 1 {
                bench.take(ms(100 * now + 10));
            }
        }
        assert_eq!(bench.acted(), 0);
    }

    #[test]
    fn a_dip_below_the_target_starts_the_interval_anew() {
        let mut bench = codel("codel");
        overloaded(&mut bench, Ecn::NotEct, 119);
        // All but one leave within a millisecond; then the queue stands again from 140 ms on.
        while bench.take(us(118_500)).is_some() {}
        for now in 119..400 {
            bench.offer(ms(now), 1000, Ecn::NotEct);
            if now >= 140 {
                bench.take(ms(now));
                if bench.acted() > 0 {
                    assert_eq!(now, 240);
                    return;
                }
            }
        }
        panic!("no drop");
    }

    #[test]
    fn entering_again_soon_resumes_the_rate_of_the_last_time() {
        let mut bench = codel("codel");
        overloaded(&mut bench, Ecn::NotEct, 400);
        assert_eq!((bench.queue.law.count, bench.queue.law.last_count), (5, 1));
        while bench.take(ms(400)).is_some() {}
        assert!(!bench.queue.law.dropping);
        let again = |mut bench: Bench<Codel<crate::queue::testing::Small>>, from: u64| {
            bench.acted();
            for now in from..from + 130 {
                bench.offer(ms(now), 1000, Ecn::NotEct);
                if now >= from + 20 {
                    bench.take(ms(now));
                }
            }
            assert_eq!(bench.acted(), 1);
            (bench.queue.law.count, bench.queue.law.last_count)
        };
        // Four drops came after the one that entered the state.
        assert_eq!(again(bench.clone(), 500), (4, 4));
        // The next drop was due at 443 ms; 16 intervals later nothing is remembered.
        assert_eq!(again(bench.clone(), 1900), (4, 4));
        assert_eq!(again(bench, 1950), (1, 1));
    }

    #[test]
    fn a_late_transmitter_drops_all_that_have_become_due() {
        let mut bench = codel("codel");
        for now in 0..400 {
            bench.offer(ms(now), 1000, Ecn::NotEct);
        }
        for now in [400, 500] {
            bench.take(ms(now));
        }
        assert_eq!(bench.acted(), 1);
        // Due at 600, 670.7 and 728.4 ms.
        bench.take(ms(740));
        assert_eq!(bench.acted(), 3);
        assert_eq!(
            bench.verdicts.dropped.iter().map(|(packet, _)| packet.id).collect::<Vec<_>>(),
            [1, 3, 4, 5]
        );
    }

    #[test]
    fn a_full_buffer_drops_at_the_tail() {
        let mut bench = codel("codel");
        crate::Discipline::<crate::queue::testing::Small>::set_limit(
            &mut bench.queue,
            crate::Limit::Packets(2),
        );
        let fates = [0, 0, 0].map(|at| bench.offer(ms(at), 1000, Ecn::Ect0));
        assert_eq!(fates, [Fate::Queued, Fate::Queued, Fate::Dropped(DropReason::Full)]);
    }
}
