//! Pacing of datagrams towards a neighbour.
//!
//! A neighbour with the kernel's default socket buffer loses the 93rd datagram of a burst; a
//! neighbour with a slow process loses an earlier one. A burst therefore has at most 32 datagrams.
//! If the rate of the link is known, Data follows at this rate. Pacing then adds no delay that the
//! link would not add, and the datagrams held here are not lost. If the rate is not known, the next
//! burst may leave as soon as a packet arrives from the neighbour, because its process is then
//! running, or after 1 ms. The numbers are our choice.

use narrows_units::{Rate, Span, Time};
use std::collections::VecDeque;

/// Datagrams that may leave at once.
const BURST: usize = 32;
/// Longest wait. Datagrams that would wait longer are dropped.
const LONGEST_WAIT: Span = Span::from_millis(20);
/// Interval between bursts to a neighbour that sends nothing.
const PAUSE: Span = Span::from_millis(1);
/// Most datagrams that wait for a neighbour that sends nothing: as many as leave within the longest
/// wait.
const MOST_WAITING: usize = BURST * (LONGEST_WAIT.as_nanos() / PAUSE.as_nanos()) as usize;

/// Rule for when datagrams may leave.
#[derive(Debug, Default)]
enum Pace {
    /// At any time: a stream has its own pace.
    #[default]
    Any,
    /// In bursts: `left` more in the burst that began at this time.
    Bursts { left: usize, began: Time },
    /// Data at the rate of a token bucket.
    Rate(Bucket),
}

/// A token bucket that fills at the rate of the link.
#[derive(Debug)]
struct Bucket {
    /// Octets per second.
    rate: f64,
    /// Octets that could leave at time `at`. Negative after a datagram that was larger than the
    /// room.
    room: f64,
    at: Time,
    /// Most octets that the bucket holds.
    depth: f64,
}

impl Bucket {
    fn refill(&mut self, now: Time) {
        self.room = (self.room + self.rate * now.since(self.at).as_secs_f64()).min(self.depth);
        self.at = now;
    }
}

/// Queue of datagrams held back by pacing.
#[derive(Debug, Default)]
pub(crate) struct Egress {
    pace: Pace,
    queue: VecDeque<Box<[u8]>>,
    octets: usize,
}

impl Egress {
    /// Sets the pace towards a peer with datagrams of at most `mtu` octets: `rate` if the rate of
    /// the link is known, or else bursts.
    pub(crate) fn set_rate(&mut self, now: Time, rate: Option<Rate>, mtu: usize) {
        let depth = (BURST * mtu) as f64;
        let rate = rate.filter(|rate| *rate > Rate::ZERO).map(|rate| rate.as_bps() as f64 / 8.0);
        match (&mut self.pace, rate) {
            (Pace::Rate(bucket), Some(rate)) => {
                bucket.refill(now);
                (bucket.rate, bucket.depth) = (rate, depth);
            }
            (_, Some(rate)) => self.pace = Pace::Rate(Bucket { rate, room: depth, at: now, depth }),
            (Pace::Bursts { .. }, None) => {}
            (_, None) => self.pace = Pace::Bursts { left: BURST, began: now },
        }
    }

    /// Notes that a packet has arrived from the neighbour.
    pub(crate) fn heard(&mut self, now: Time) {
        if let Pace::Bursts { left, began } = &mut self.pace
            && now > *began
        {
            (*left, *began) = (BURST, now);
        }
    }

    /// Octets that count against the budget: the waiting octets, and the overhead of each datagram.
    pub(crate) fn held(&self) -> u64 {
        const DATAGRAM: usize = 64;
        (self.octets + DATAGRAM * self.queue.len()) as u64
    }

    /// Octets that wait.
    pub(crate) fn octets(&self) -> usize {
        self.octets
    }

    /// True if packets are paced: Data only, or all packets.
    pub(crate) fn paces(&self, is_data: bool) -> bool {
        match self.pace {
            Pace::Any => false,
            Pace::Bursts { .. } => true,
            Pace::Rate(_) => is_data,
        }
    }

    /// True if another datagram may be pushed: the waiting datagrams leave within 20 ms.
    pub(crate) fn admits(&self) -> bool {
        match &self.pace {
            Pace::Any => true,
            Pace::Bursts { .. } => self.queue.len() < MOST_WAITING,
            Pace::Rate(bucket) => self.octets as f64 <= bucket.rate * LONGEST_WAIT.as_secs_f64(),
        }
    }

    /// Queues a datagram unless it may leave at once. True if it may.
    pub(crate) fn push(&mut self, now: Time, datagram: &[u8]) -> bool {
        if self.queue.is_empty() && self.leaves(now, datagram.len()) {
            return true;
        }
        self.octets += datagram.len();
        self.queue.push_back(datagram.into());
        false
    }

    /// Takes the next waiting datagram if it may leave now.
    pub(crate) fn take(&mut self, now: Time) -> Option<Box<[u8]>> {
        let size = self.queue.front()?.len();
        if !self.leaves(now, size) {
            return None;
        }
        self.octets -= size;
        self.queue.pop_front()
    }

    /// Time at which the next datagram may leave. `Time::NEVER` if none waits.
    pub(crate) fn due(&self) -> Time {
        match &self.pace {
            _ if self.queue.is_empty() => Time::NEVER,
            Pace::Any => Time::ZERO,
            Pace::Bursts { left: 0, began } => *began + PAUSE,
            Pace::Bursts { began, .. } => *began,
            Pace::Rate(bucket) if bucket.room <= 0.0 => {
                bucket.at + Span::from_secs_f64((1.0 - bucket.room) / bucket.rate)
            }
            Pace::Rate(bucket) => bucket.at,
        }
    }

    /// True if a datagram of this size may leave now. Counts it as having left.
    fn leaves(&mut self, now: Time, size: usize) -> bool {
        match &mut self.pace {
            Pace::Any => true,
            Pace::Bursts { left, began } => {
                if now >= *began + PAUSE {
                    (*left, *began) = (BURST, now);
                }
                let leaves = *left > 0;
                *left -= usize::from(leaves);
                leaves
            }
            Pace::Rate(bucket) => {
                bucket.refill(now);
                let leaves = bucket.room > 0.0;
                if leaves {
                    bucket.room -= size as f64;
                }
                leaves
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_micros(us)
    }

    /// Pacing at 8 Mbit/s: an octet per microsecond.
    fn egress() -> Egress {
        let mut egress = Egress::default();
        egress.set_rate(at(0), Some(Rate::from_mbps(8)), 1000);
        egress
    }

    #[test]
    fn thirty_two_leave_at_once_and_the_others_at_the_rate_of_the_link() {
        let mut egress = egress();
        let datagram = [7; 1000];
        assert_eq!((0..40).filter(|_| egress.push(at(0), &datagram)).count(), 32);
        assert_eq!((egress.octets(), egress.take(at(0))), (8000, None));
        let mut left = Vec::new();
        while egress.due() < Time::NEVER {
            let due = egress.due();
            assert!(egress.take(due).is_some(), "due means that one leaves");
            left.push(due.since(Time::ZERO).as_micros());
        }
        // Each datagram leaves once its predecessor has been paid for: 1000 us apart.
        assert_eq!(left.len(), 8);
        assert!(
            left[0] <= 2 && left.windows(2).all(|pair| (999..=1002).contains(&(pair[1] - pair[0]))),
            "{left:?}"
        );
    }

    #[test]
    fn data_that_would_wait_for_more_than_20_ms_is_not_admitted() {
        let mut egress = egress();
        let mut pushed = 0;
        while egress.admits() {
            egress.push(at(0), &[1; 1000]);
            pushed += 1;
        }
        assert_eq!(pushed, 32 + 21, "20,000 octets wait, and the last one that found no more");
        while egress.take(at(5000)).is_some() {}
        assert!(egress.admits());
    }

    #[test]
    fn a_stream_is_not_paced() {
        let mut egress = Egress::default();
        assert!(
            !egress.paces(true)
                && (0..1000).all(|_| egress.admits() && egress.push(at(0), &[1; 1400]))
        );
        assert_eq!(egress.due(), Time::NEVER);
    }

    /// Pacing towards a peer whose rate is not known.
    fn bursts() -> Egress {
        let mut egress = Egress::default();
        egress.set_rate(at(0), None, 1400);
        egress
    }

    #[test]
    fn without_a_rate_a_burst_has_thirty_two_and_a_silent_neighbour_gets_one_in_a_millisecond() {
        let mut egress = bursts();
        assert!(egress.paces(false) && egress.paces(true));
        assert_eq!((0..100).filter(|_| egress.push(at(10), &[1; 100])).count(), 32);
        let mut left = Vec::new();
        while egress.due() < Time::NEVER {
            let due = egress.due();
            left.push((
                due.since(at(0)).as_micros(),
                std::iter::from_fn(|| egress.take(due)).count(),
            ));
        }
        assert_eq!(left, [(1000, 32), (2000, 32), (3000, 4)]);
        assert_eq!(
            (0..100).filter(|_| egress.push(at(3500), &[1; 100])).count(),
            28,
            "the rest of the burst that began at 3 ms"
        );
    }

    #[test]
    fn a_burst_may_follow_when_the_neighbour_is_heard_once_for_all_that_comes_at_a_time() {
        let mut egress = bursts();
        for _ in 0..100 {
            egress.heard(at(50));
            egress.push(at(50), &[1; 100]);
        }
        assert_eq!((egress.octets(), egress.due()), (6800, at(1050)));
        egress.heard(at(60));
        assert_eq!(
            (egress.due(), std::iter::from_fn(|| egress.take(at(60))).count()),
            (at(60), 32)
        );
        egress.heard(at(60));
        assert_eq!((egress.take(at(60)), egress.due()), (None, at(1060)));
    }

    #[test]
    fn datagrams_that_would_wait_over_20_ms_for_a_silent_neighbour_are_not_admitted() {
        let mut egress = bursts();
        let pushed =
            std::iter::from_fn(|| egress.admits().then(|| egress.push(at(0), &[1; 100]))).count();
        assert_eq!(pushed, 32 + 20 * 32);
        egress.heard(at(1));
        while egress.take(at(1)).is_some() {}
        assert_eq!(
            std::iter::from_fn(|| egress.admits().then(|| egress.push(at(1), &[1; 100]))).count(),
            32
        );
    }

    #[test]
    fn waiting_datagrams_leave_in_bursts_when_the_rate_is_removed() {
        let mut egress = egress();
        assert_eq!((0..40).filter(|_| !egress.push(at(0), &[1; 1000])).count(), 8);
        egress.set_rate(at(10), None, 1000);
        assert_eq!(std::iter::from_fn(|| egress.take(at(10))).count(), 8);
        egress.set_rate(at(20), Some(Rate::from_mbps(8)), 1000);
        assert_eq!((0..40).filter(|_| egress.push(at(20), &[1; 1000])).count(), 32);
    }
}
