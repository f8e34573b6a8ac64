//! The pace of Data towards a neighbour whose link has a known rate.
//!
//! It delays nothing that the link would not delay as well, but what waits here is not lost: a neighbour whose socket has the kernel's
//! default buffer loses the 93rd datagram of a burst. The numbers are ours.

use narrows_units::{Rate, Span, Time};
use std::collections::VecDeque;

/// Datagrams that may leave at once.
const BURST: f64 = 32.0;
/// Data that would wait longer is dropped.
const LONGEST: Span = Span::from_millis(20);

/// A bucket that fills at the rate of the link, and the datagrams that wait for it.
#[derive(Debug, Default)]
pub(crate) struct Egress {
    /// Octets per second; `None` while the rate is not known, so that nothing waits.
    rate: Option<f64>,
    /// Octets that may leave now, and when it was so. Less than none after a datagram that was larger.
    room: f64,
    at: Time,
    /// The most room.
    depth: f64,
    queue: VecDeque<Box<[u8]>>,
    octets: usize,
}

impl Egress {
    /// The link carries `rate` from now on, in datagrams of at most `mtu` octets. Without a rate nothing waits any more.
    pub(crate) fn set_rate(&mut self, now: Time, rate: Option<Rate>, mtu: usize) {
        let depth = BURST * mtu as f64;
        if self.rate.is_none() {
            (self.room, self.at) = (depth, now);
        }
        self.refill(now);
        self.depth = depth;
        self.rate = rate.filter(|rate| *rate > Rate::ZERO).map(|rate| rate.as_bps() as f64 / 8.0);
    }

    /// Octets that wait.
    pub(crate) fn octets(&self) -> usize {
        self.octets
    }

    /// True if Data may be pushed: what waits leaves within 20 ms.
    pub(crate) fn admits(&self) -> bool {
        self.rate.is_none_or(|rate| self.octets as f64 <= rate * LONGEST.as_secs_f64())
    }

    /// True if a datagram leaves at once; otherwise it waits.
    pub(crate) fn push(&mut self, now: Time, datagram: &[u8]) -> bool {
        if self.rate.is_none() && self.queue.is_empty() {
            return true;
        }
        self.refill(now);
        if self.queue.is_empty() && self.room > 0.0 {
            self.room -= datagram.len() as f64;
            return true;
        }
        self.octets += datagram.len();
        self.queue.push_back(datagram.into());
        false
    }

    /// A datagram that has waited, and leaves now.
    pub(crate) fn take(&mut self, now: Time) -> Option<Box<[u8]>> {
        self.refill(now);
        if self.rate.is_some() && self.room <= 0.0 {
            return None;
        }
        let datagram = self.queue.pop_front()?;
        self.room -= datagram.len() as f64;
        self.octets -= datagram.len();
        Some(datagram)
    }

    /// When the next one may leave; never if none waits.
    pub(crate) fn due(&self) -> Time {
        match self.rate {
            _ if self.queue.is_empty() => Time::NEVER,
            Some(rate) if self.room <= 0.0 => self.at + Span::from_secs_f64((1.0 - self.room) / rate),
            _ => self.at,
        }
    }

    fn refill(&mut self, now: Time) {
        let Some(rate) = self.rate else { return };
        self.room = (self.room + rate * now.since(self.at).as_secs_f64()).min(self.depth);
        self.at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_micros(us)
    }

    /// 8 Mbit/s: an octet per microsecond.
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
        // Each leaves as soon as the one before has been paid for: 1000 us apart.
        assert_eq!(left.len(), 8);
        assert!(left[0] <= 2 && left.windows(2).all(|pair| (999..=1002).contains(&(pair[1] - pair[0]))), "{left:?}");
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
    fn without_a_rate_nothing_waits() {
        let mut egress = Egress::default();
        assert!((0..1000).all(|_| egress.admits() && egress.push(at(0), &[1; 1400])));
        assert_eq!(egress.due(), Time::NEVER);
    }

    #[test]
    fn what_waits_leaves_when_the_rate_is_forgotten() {
        let mut egress = egress();
        assert_eq!((0..40).filter(|_| !egress.push(at(0), &[1; 1000])).count(), 8);
        egress.set_rate(at(10), None, 1000);
        assert_eq!(std::iter::from_fn(|| egress.take(at(10))).count(), 8);
    }
}
