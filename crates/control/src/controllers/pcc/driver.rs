//! The controller around a rate control. It sends in monitor intervals back to back, and passes the
//! result of each one to the rate control. It begins again when feedback stops, and after a second
//! without a usable interval. A congestion window bounds the data in flight.

use super::interval::{Discarded, MonitorInterval, Statistics};
use super::law::{Context, Judged, Next, Outcome, RateControl};
use super::lengths::Lengths;
use super::monitor::Monitor;
use super::plan::Plan;
use super::utility::Utility;
use crate::Setup;
use crate::{Controller, Decision, Feedback, Open, Reduction, Sent, Tag, Timeout};
use narrows_units::{Bytes, Random, Rate, Segments, Span, Time};
use narrows_wire::Ecn;

/// The round trip that is assumed until one is known.
const NOMINAL_RTT: Span = Span::from_millis(100);
/// The initial rate, which is the least one too, in packets per round trip.
const FIRST_PACKETS: f64 = 2.0;
/// The wait for the feedback of an interval after its end, in round trips.
const FEEDBACK_TIMEOUT: u64 = 4;
/// The least wait. It leaves room for delayed acknowledgements (the bound of PCC-Uspace,
/// NSDI-2018).
const LEAST_FEEDBACK_TIMEOUT: Span = Span::from_millis(50);
/// The search begins again after this time without a usable interval.
const IDLE: Span = Span::from_secs(1);

/// A PCC controller.
pub struct Pcc<L> {
    law: L,
    utility: Box<dyn Utility>,
    lengths: Lengths,
    /// Lost packets that are ignored in each interval of slow start.
    forgiven: u32,
    monitor: Monitor,
    packet: Bytes,
    initial_window: f64,
    /// The smoothed round trip; `None` before the first.
    srtt: Option<Span>,
    least_rtt: Span,
    /// When the present run of unusable intervals began; `None` if the latest one was usable.
    unjudged_since: Option<Time>,
    /// Utility and statistics of the latest usable interval.
    latest: (f64, Statistics),
    /// The last round trip of the latest usable interval, in seconds.
    end_rtt: Option<f64>,
    random: Random,
}

impl<L: RateControl> Pcc<L> {
    /// A controller at the start of a connection.
    pub fn new(setup: &Setup, mut law: L, utility: Box<dyn Utility>, lengths: Lengths) -> Pcc<L> {
        let packet = setup.mss + setup.headers;
        law.start(least_rate(packet, NOMINAL_RTT));
        let mut random = Random::stream(setup.seed, "pcc");
        let plan = next_plan(&mut law, &lengths, &mut random, packet, NOMINAL_RTT);
        Pcc {
            law,
            utility,
            lengths,
            forgiven: 0,
            monitor: Monitor::new(plan, setup.headers),
            packet,
            initial_window: setup.initial_window.get(),
            srtt: None,
            least_rtt: Span::MAX,
            unjudged_since: None,
            latest: (0.0, Statistics::default()),
            end_rtt: None,
            random,
        }
    }

    /// Returns a controller that ignores this many lost packets in each interval of slow start.
    pub fn forgiving(self, losses: f64) -> Pcc<L> {
        Pcc { forgiven: losses as u32, ..self }
    }

    fn rtt(&self) -> Span {
        self.srtt.unwrap_or(NOMINAL_RTT)
    }

    fn plan(&mut self) -> Plan {
        let rtt = self.rtt();
        next_plan(&mut self.law, &self.lengths, &mut self.random, self.packet, rtt)
    }

    fn restart(&mut self) {
        let plan = self.plan();
        self.monitor.restart(plan);
    }

    fn on_rtt(&mut self, srtt: Span) {
        if srtt.is_zero() {
            return;
        }
        if self.srtt.replace(srtt).is_none() {
            self.law.start(least_rate(self.packet, srtt));
            self.restart();
        }
    }

    fn judge_complete(&mut self) {
        while let Some(interval) = self.monitor.take_complete() {
            let forgiven = if self.law.is_starting() { self.forgiven } else { 0 };
            let statistics = interval.statistics(self.least_rtt.as_secs_f64(), self.end_rtt);
            let statistics = statistics.map(|statistics| statistics.forgiving(forgiven));
            if let Ok(statistics) = statistics {
                self.end_rtt = Some(statistics.end_rtt);
                self.latest = (self.utility.of(&statistics), statistics);
            }
            if self.lacks_intervals(&interval, &statistics) {
                self.law.on_idle();
                return self.restart();
            }
            if !interval.plan().awaited {
                continue;
            }
            let judged = statistics.map(|statistics| Judged { utility: self.latest.0, statistics });
            let outcome = Outcome { rate: interval.plan().rate, judged };
            let floor = least_rate(self.packet, self.rtt());
            if self.law.on_outcome(&outcome, &mut Context { floor, random: &mut self.random })
                == Next::Anew
            {
                return self.restart();
            }
        }
    }

    /// Follows the present run of unusable intervals. True once it is longer than [`IDLE`].
    fn lacks_intervals(
        &mut self,
        interval: &MonitorInterval,
        statistics: &Result<Statistics, Discarded>,
    ) -> bool {
        match statistics {
            Ok(_) => {
                self.unjudged_since = None;
                false
            }
            Err(_) => {
                let since = *self.unjudged_since.get_or_insert(interval.began());
                let idle = interval.ended().is_some_and(|ended| ended.since(since) > IDLE);
                if idle {
                    self.unjudged_since = None;
                }
                idle
            }
        }
    }

    fn window(&self) -> f64 {
        let Some(srtt) = self.srtt else {
            return self.lengths.window.of(0.0).max(self.initial_window);
        };
        let packets = self.monitor.current().plan().rate * 1e6 * srtt.as_secs_f64()
            / (self.packet.get() as f64 * 8.0);
        self.lengths.window.of(packets)
    }
}

/// The initial rate, which is the least one too, in Mbit/s: [`FIRST_PACKETS`] per `rtt`.
fn least_rate(packet: Bytes, rtt: Span) -> f64 {
    FIRST_PACKETS * packet.get() as f64 * 8.0 / 1e6 / rtt.as_secs_f64()
}

fn next_plan(
    law: &mut impl RateControl,
    lengths: &Lengths,
    random: &mut Random,
    packet: Bytes,
    rtt: Span,
) -> Plan {
    let floor = least_rate(packet, rtt);
    let (rate, awaited) = law.plan(&mut Context { floor, random });
    Plan { rate, awaited, length: lengths.draw(rtt, random) }
}

impl<L: RateControl> Controller for Pcc<L> {
    fn on_open(&mut self, open: &Open) {
        self.least_rtt = self.least_rtt.min(open.rtt);
        self.on_rtt(open.rtt);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        if self.monitor.current().is_over(sent.now) {
            let plan = self.plan();
            self.monitor.begin(sent.now, plan);
        }
        self.monitor.on_sent(sent)
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.on_rtt(feedback.srtt);
        for acked in feedback.acked {
            self.least_rtt = self.least_rtt.min(acked.rtt);
            self.monitor.on_acked(acked);
        }
        for lost in feedback.lost {
            self.monitor.on_lost(lost);
        }
        self.judge_complete();
    }

    fn on_timeout(&mut self, _timeout: &Timeout) {
        self.monitor.lose_all();
        self.judge_complete();
    }

    fn on_undo(&mut self, _now: Time) {}

    fn next_timer(&self) -> Option<Time> {
        let timeout = (self.rtt() * FEEDBACK_TIMEOUT).max(LEAST_FEEDBACK_TIMEOUT);
        self.monitor.oldest().and_then(MonitorInterval::ended).map(|ended| ended + timeout)
    }

    fn on_timer(&mut self, now: Time) {
        if self.next_timer().is_some_and(|due| due <= now) {
            let floor = least_rate(self.packet, self.rtt());
            self.law.on_silence(&mut Context { floor, random: &mut self.random });
            self.restart();
        }
    }

    fn decision(&self) -> Decision {
        let bps = (self.monitor.current().plan().rate * 1e6) as u64;
        Decision {
            window: Segments::new(self.window()),
            pacing: Some(Rate::from_bps(bps.max(1))),
            quantum: self.packet,
            ecn: Ecn::NotEct,
            reduction: Reduction::Immediate,
        }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let (utility, statistics) = &self.latest;
        visit("cwnd", self.window());
        visit("rate_mbps", self.law.rate());
        visit("pacing_mbps", self.monitor.current().plan().rate);
        visit("utility", *utility);
        visit("rtt_gradient", statistics.slope);
        visit("loss", statistics.loss);
        self.law.inspect(visit);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{at, inspect};
    use crate::{Acked, Controller, Feedback, Lost, Open, Sent, Tag, Timeout};
    use crate::{Choice, Setup};
    use narrows_units::{Bytes, Rate, Span, Time};

    /// Open, with a round trip of 30 ms: 2 packets of 1500 B in that time are 0.8 Mbit/s, a packet
    /// each 15 ms.
    fn open() -> Box<dyn Controller> {
        let mut pcc = "vivace".parse::<Choice>().unwrap().build(&Setup::default()).unwrap();
        pcc.on_open(&Open::new(Time::ZERO, Span::from_millis(30)));
        pcc
    }

    fn send(pcc: &mut dyn Controller, ms: u64) -> Tag {
        pcc.on_sent(&Sent::new(at(ms), ms, Bytes::new(1448), 1))
    }

    fn acked(tag: Tag, sent_ms: u64) -> Acked {
        let bytes = Bytes::new(1448);
        let rtt = Span::from_millis(30);
        Acked {
            number: sent_ms,
            bytes,
            sent_at: at(sent_ms),
            rtt,
            tag,
            app_limited: false,
            window_limited: false,
        }
    }

    #[test]
    fn the_first_rate_is_two_packets_per_round_trip_and_doubles_with_each_interval() {
        let mut pcc = open();
        assert_eq!(pcc.decision().pacing, Some(Rate::from_bps(800_000)));
        assert_eq!(pcc.decision().window.get(), 4.0);
        let tags: Vec<Tag> = (0..10).map(|packet| send(&mut *pcc, 15 * packet)).collect();
        assert!(tags.iter().all(|tag| *tag == tags[0]), "ten packets at least");
        assert_ne!(send(&mut *pcc, 150), tags[0]);
        assert_eq!(pcc.decision().pacing, Some(Rate::from_bps(1_600_000)));
        // Twice rate and round trip: 2 * 4 packets.
        assert!((pcc.decision().window.get() - 8.0).abs() < 1e-9);
    }

    #[test]
    fn feedback_is_missing_four_round_trips_after_the_end_of_an_interval() {
        let mut pcc = open();
        assert_eq!(pcc.next_timer(), None);
        let mut tags: Vec<(Tag, u64)> =
            (0..=10).map(|packet| (send(&mut *pcc, 15 * packet), 15 * packet)).collect();
        assert_eq!(pcc.next_timer(), Some(at(150 + 120)));
        tags.truncate(10);
        let acked: Vec<Acked> = tags.iter().map(|(tag, ms)| acked(*tag, *ms)).collect();
        pcc.on_feedback(&Feedback {
            acked: &acked,
            srtt: Span::from_millis(30),
            ..Feedback::at(at(180))
        });
        assert_eq!(pcc.next_timer(), None, "all is known");
        (1..=20).for_each(|packet| _ = send(&mut *pcc, 150 + 8 * packet));
        let due = pcc.next_timer().unwrap();
        pcc.on_timer(due);
        // 0.8 Mbit/s had proved best: half of it is below two packets per round trip.
        assert_eq!((inspect(&*pcc, "phase"), inspect(&*pcc, "rate_mbps")), (1.0, 0.8));
        assert_eq!(pcc.next_timer(), None, "what is under way is forgotten");
    }

    #[test]
    fn a_timeout_loses_all_that_is_under_way() {
        let mut pcc = open();
        (0..=10).for_each(|packet| _ = send(&mut *pcc, 15 * packet));
        pcc.on_timeout(&Timeout::new(at(400), 11, 11, false));
        assert_eq!((inspect(&*pcc, "loss"), pcc.next_timer()), (1.0, None));
    }

    #[test]
    fn losses_belong_to_the_interval_that_sent_them() {
        let mut pcc = open();
        let tags: Vec<Tag> = (0..=10).map(|packet| send(&mut *pcc, 15 * packet)).collect();
        let lost: Vec<Lost> = (0..2)
            .map(|n| Lost { number: n, bytes: Bytes::new(1448), sent_at: at(15 * n), tag: tags[0] })
            .collect();
        let acked: Vec<Acked> = (2..10).map(|n| acked(tags[0], 15 * n)).collect();
        pcc.on_feedback(&Feedback {
            acked: &acked,
            lost: &lost,
            srtt: Span::from_millis(30),
            ..Feedback::at(at(180))
        });
        assert_eq!(inspect(&*pcc, "loss"), 0.2);
    }

    /// Ten packets from `start` on, `gap` ms apart, and their tag.
    fn send_ten(pcc: &mut dyn Controller, start: u64, gap: u64) -> Tag {
        let tags: Vec<Tag> = (0..10).map(|n| send(pcc, start + gap * n)).collect();
        assert!(tags.iter().all(|tag| *tag == tags[0]), "one interval");
        tags[0]
    }

    /// Their acknowledgements, but for the first `lost`; each round trip is `growth` longer than
    /// the one before.
    fn acknowledge_ten(
        pcc: &mut dyn Controller,
        tag: Tag,
        start: u64,
        gap: u64,
        lost: u64,
        growth: Span,
    ) {
        let of = |n: u64| Acked {
            rtt: Span::from_millis(30) + growth * n,
            ..acked(tag, start + gap * n)
        };
        let acked: Vec<Acked> = (lost..10).map(of).collect();
        let lost: Vec<Lost> = (0..lost)
            .map(|number| Lost {
                number,
                bytes: Bytes::new(1448),
                sent_at: at(start + gap * number),
                tag,
            })
            .collect();
        let end = at(start + gap * 10 + 40);
        pcc.on_feedback(&Feedback {
            acked: &acked,
            lost: &lost,
            srtt: Span::from_millis(30),
            ..Feedback::at(end)
        });
    }

    #[test]
    fn a_pair_of_probes_gives_the_gradient_of_what_became_of_their_packets() {
        let mut pcc = open();
        let pcc = &mut *pcc;
        // Slow start: two of ten packets lost at 1.6 Mbit/s are worth less than none at 0.8.
        let first = send_ten(pcc, 0, 15);
        let second = send_ten(pcc, 150, 8);
        send(pcc, 230);
        acknowledge_ten(pcc, first, 0, 15, 0, Span::ZERO);
        acknowledge_ten(pcc, second, 150, 8, 2, Span::ZERO);
        assert_eq!((inspect(pcc, "phase"), inspect(pcc, "rate_mbps")), (1.0, 0.8));
        // Probes of 0.84 and 0.76 Mbit/s, a packet each 14.3 and 15.8 ms, sent each 14 and 16 ms.
        // The first packet of an interval is what shows its rate.
        let mut start = 300;
        let mut probes = Vec::new();
        for _ in 0..2 {
            let tag = send(pcc, start);
            let high = pcc.decision().pacing == Some(Rate::from_bps(840_000));
            assert!(
                high || pcc.decision().pacing == Some(Rate::from_bps(760_000)),
                "{:?}",
                pcc.decision().pacing
            );
            let gap = if high { 14 } else { 16 };
            (1..10).for_each(|n| assert_eq!(send(pcc, start + gap * n), tag));
            probes.push((high, tag, start, gap));
            start += 10 * gap;
        }
        send(pcc, start);
        assert_eq!(pcc.decision().pacing, Some(Rate::from_bps(800_000)), "a filler at the rate");
        assert_ne!(probes[0].0, probes[1].0);
        for (high, tag, start, gap) in probes {
            // Round trips that grow by 0.28 ms in 14 are a slope of 0.02.
            acknowledge_ten(
                pcc,
                tag,
                start,
                gap,
                0,
                if high { Span::from_micros(280) } else { Span::ZERO },
            );
            // 120 kbit in 9 * 14 + 14.286 ms are 0.8554 Mbit/s: 0.8554^0.9 - 900 * 0.8554 * 0.02;
            // in 9 * 16 + 15.789 ms 0.75099: 0.75099^0.9.
            let (slope, utility) = if high { (0.02, -14.5283) } else { (0.0, 0.7728) };
            assert!(
                (inspect(pcc, "rtt_gradient") - slope).abs() < 1e-9,
                "{}",
                inspect(pcc, "rtt_gradient")
            );
            assert!(
                (inspect(pcc, "utility") - utility).abs() < 1e-3,
                "{}",
                inspect(pcc, "utility")
            );
        }
        // (-14.5283 - 0.7728) / (2 * 0.05 * 0.8); the rate stays at two packets per round trip.
        assert!(
            (inspect(pcc, "utility_gradient") + 191.264).abs() < 0.01,
            "{}",
            inspect(pcc, "utility_gradient")
        );
        assert_eq!((inspect(pcc, "direction"), inspect(pcc, "rate_mbps")), (-1.0, 0.8));
    }

    #[test]
    fn after_a_second_without_data_the_search_begins_anew_at_the_rate_and_not_in_slow_start() {
        let mut pcc = open();
        (0..10).for_each(|packet| _ = send(&mut *pcc, 15 * packet));
        let first = pcc
            .on_sent(&Sent { app_limited: true, ..Sent::new(at(1_300), 10, Bytes::new(1448), 0) });
        let acked: Vec<Acked> =
            (0..10).map(|packet| acked(Tag(first.0 - 1), 15 * packet)).collect();
        pcc.on_feedback(&Feedback {
            acked: &acked,
            srtt: Span::from_millis(30),
            ..Feedback::at(at(1_330))
        });
        assert_eq!((inspect(&*pcc, "phase"), inspect(&*pcc, "rate_mbps")), (1.0, 0.8));
    }
}
