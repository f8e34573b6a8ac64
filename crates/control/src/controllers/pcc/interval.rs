//! One monitor interval: sent at one rate, and what became of it.

use super::plan::Plan;
use super::regression::Line;
use narrows_units::{Bytes, Span, Time};

/// An interval sent below this share of its rate is not judged.
const FULL: f64 = 0.9;

/// The result of an interval once the fate of each of its packets is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// The rate at which it was sent, in Mbit/s, headers included: all its packets over the time
    /// from the first to the last and one packet time.
    pub rate: f64,
    /// The part of that rate that was acknowledged, in Mbit/s.
    pub throughput: f64,
    /// Packets sent.
    pub sent: u32,
    /// Of these, lost.
    pub lost: u32,
    /// Lost packets over sent packets, 0 to 1.
    pub loss: f64,
    /// How the round trip changed with the time of sending, in seconds per second.
    pub slope: f64,
    /// The mean round trip, in seconds; 0 if nothing was acknowledged.
    pub rtt: f64,
    /// The round trip that was acknowledged last, in seconds; the one of the interval before if
    /// nothing was acknowledged.
    pub end_rtt: f64,
    /// That of the interval judged before; its own in the first.
    pub end_rtt_before: f64,
    /// The least round trip that the connection has seen, in seconds.
    pub base_rtt: f64,
}

impl Statistics {
    /// As if so many of the losses had not been.
    pub fn forgiving(self, losses: u32) -> Statistics {
        let lost = self.lost.saturating_sub(losses);
        Statistics { lost, loss: lost as f64 / self.sent.max(1) as f64, ..self }
    }
}

/// Why an interval is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discarded {
    /// A single packet tells nothing.
    TooFew,
    /// The application had nothing to send.
    NoData,
    /// It went out below 90 % of its rate for a reason on this side of the network: the window, or
    /// a host that cannot send as fast.
    Slow,
}

/// An interval, from its plan to the fate of its last packet.
#[derive(Clone, Debug)]
pub struct MonitorInterval {
    plan: Plan,
    began: Time,
    last_sent: Time,
    /// When the next interval began.
    ended: Option<Time>,
    sent: u32,
    acked: u32,
    lost: u32,
    sent_bytes: u64,
    acked_bytes: u64,
    app_limited: bool,
    line: Line,
    end_rtt: Span,
}

impl MonitorInterval {
    /// One of which nothing has been sent.
    pub fn new(plan: Plan) -> MonitorInterval {
        MonitorInterval {
            plan,
            began: Time::ZERO,
            last_sent: Time::ZERO,
            ended: None,
            sent: 0,
            acked: 0,
            lost: 0,
            sent_bytes: 0,
            acked_bytes: 0,
            app_limited: false,
            line: Line::default(),
            end_rtt: Span::ZERO,
        }
    }

    /// The purpose of the interval.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// When its first packet left.
    pub fn began(&self) -> Time {
        self.began
    }

    /// When the next one began.
    pub fn ended(&self) -> Option<Time> {
        self.ended
    }

    /// True if a packet that leaves at `now` belongs to the next one: it has had its time and its
    /// packets.
    pub fn is_over(&self, now: Time) -> bool {
        let length = &self.plan.length;
        self.sent >= length.most
            || (self.sent >= length.least && now.since(self.began) >= length.span)
    }

    /// A packet of `bytes` with its headers leaves.
    pub fn on_sent(&mut self, now: Time, bytes: Bytes, app_limited: bool) {
        if self.sent == 0 {
            self.began = now;
        }
        self.last_sent = now;
        self.sent += 1;
        self.sent_bytes += bytes.get();
        self.app_limited |= app_limited;
    }

    /// The next interval begins at `now`.
    pub fn end(&mut self, now: Time) {
        self.ended = Some(now);
    }

    /// One of its packets, sent at `sent_at`, has arrived.
    pub fn on_acked(&mut self, sent_at: Time, rtt: Span, bytes: Bytes) {
        if self.is_open() {
            self.acked += 1;
            self.acked_bytes += bytes.get();
            self.line.add(sent_at.since(self.began), rtt);
            self.end_rtt = rtt;
        }
    }

    /// One of its packets is lost.
    pub fn on_lost(&mut self) {
        if self.is_open() {
            self.lost += 1;
        }
    }

    /// All its packets without a fate are lost.
    pub fn lose_all(&mut self) {
        self.lost = self.sent - self.acked;
    }

    /// A packet that was counted lost and arrives later must not count twice.
    fn is_open(&self) -> bool {
        self.acked + self.lost < self.sent
    }

    /// True once it has ended and the fate of all its packets is known.
    pub fn is_complete(&self) -> bool {
        self.ended.is_some() && !self.is_open()
    }

    /// Packets sent, acknowledged and lost.
    #[cfg(test)]
    pub fn counts(&self) -> (u32, u32, u32) {
        (self.sent, self.acked, self.lost)
    }

    /// Its result, for a connection whose least round trip is `base_rtt` seconds. `before` is the
    /// end's round trip of the interval before.
    pub fn statistics(&self, base_rtt: f64, before: Option<f64>) -> Result<Statistics, Discarded> {
        if self.sent < 2 {
            return Err(Discarded::TooFew);
        }
        let bits = self.sent_bytes as f64 * 8.0;
        let taken = self.ended.unwrap_or(self.last_sent).since(self.began).as_secs_f64();
        if self.app_limited {
            return Err(Discarded::NoData);
        }
        if bits / 1e6 < FULL * self.plan.rate * taken {
            return Err(Discarded::Slow);
        }
        let packet_time = bits / self.sent as f64 / (self.plan.rate * 1e6);
        let duration = self.last_sent.since(self.began).as_secs_f64() + packet_time;
        // Without any acknowledgement nothing is known to have changed.
        let end_rtt =
            if self.acked > 0 { self.end_rtt.as_secs_f64() } else { before.unwrap_or(base_rtt) };
        Ok(Statistics {
            rate: bits / 1e6 / duration,
            throughput: self.acked_bytes as f64 * 8.0 / 1e6 / duration,
            sent: self.sent,
            lost: self.lost,
            loss: self.lost as f64 / self.sent as f64,
            slope: self.line.slope(),
            rtt: self.line.mean(),
            end_rtt,
            end_rtt_before: before.unwrap_or(end_rtt),
            base_rtt,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::pcc::plan::Length;
    use crate::testing::at;

    /// 12 Mbit/s: a packet of 1500 B each millisecond.
    fn interval(sent: u64) -> MonitorInterval {
        let length = Length { span: Span::from_millis(30), least: 10, most: 3000 };
        let mut interval = MonitorInterval::new(Plan { rate: 12.0, awaited: true, length });
        (0..sent).for_each(|ms| interval.on_sent(at(ms), Bytes::new(1500), false));
        interval
    }

    #[test]
    fn an_interval_lasts_for_its_time_and_its_packets() {
        assert!(!interval(9).is_over(at(100)), "too few packets");
        assert!(!interval(10).is_over(at(29)) && interval(10).is_over(at(30)));
        assert!(interval(3000).is_over(at(5)), "no more packets");
    }

    #[test]
    fn statistics_are_those_of_its_packets() {
        let mut interval = interval(30);
        interval.end(at(30));
        for ms in 0..27 {
            // A tenth of a millisecond more for each: 0.1 s per second.
            interval.on_acked(at(ms), Span::from_micros(30_000 + 100 * ms), Bytes::new(1500));
        }
        (0..2).for_each(|_| interval.on_lost());
        assert!(!interval.is_complete());
        interval.on_lost();
        assert!(interval.is_complete());
        let statistics = interval.statistics(0.03, None).unwrap();
        assert!(
            (statistics.rate - 12.0).abs() < 1e-9 && (statistics.throughput - 10.8).abs() < 1e-9
        );
        assert_eq!((statistics.sent, statistics.lost, statistics.loss), (30, 3, 0.1));
        assert!((statistics.slope - 0.1).abs() < 1e-9 && (statistics.rtt - 0.0313).abs() < 1e-9);
        assert_eq!((statistics.end_rtt, statistics.end_rtt_before), (0.0326, 0.0326));
        assert_eq!(interval.statistics(0.03, Some(0.04)).unwrap().end_rtt_before, 0.04);
        interval.on_acked(at(3), Span::from_millis(200), Bytes::new(1500));
        assert_eq!(
            interval.statistics(0.03, None).unwrap(),
            statistics,
            "what was counted lost and comes late changes nothing"
        );
    }

    #[test]
    fn what_tells_nothing_is_discarded() {
        let ended = |mut interval: MonitorInterval, ms| {
            interval.end(at(ms));
            interval.lose_all();
            interval.statistics(0.03, None).map(|statistics| statistics.loss)
        };
        assert_eq!(ended(interval(1), 1), Err(Discarded::TooFew));
        assert_eq!(ended(interval(10), 11), Ok(1.0));
        assert_eq!(ended(interval(10), 12), Err(Discarded::Slow), "10 of 12 packets");
        let mut limited = interval(10);
        limited.on_sent(at(10), Bytes::new(1500), true);
        assert_eq!(ended(limited, 11), Err(Discarded::NoData));
    }
}
