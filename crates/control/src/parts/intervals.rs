//! Controllers that decide once per interval, such as a round trip, from statistics of it: control
//! laws that set rates, and policies that are too slow to decide at every acknowledgement.

use crate::{Controller, Decision, Fault, Feedback, Open, Reduction, Sent, Setup, Tag, Timeout};
use narrows_units::{Bytes, Rate, Segments, Span, Time};
use narrows_wire::Ecn;

/// The events of a connection in an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// When it ends.
    pub now: Time,
    /// How long it was.
    pub length: Span,
    /// Transmissions in it.
    pub sent: u64,
    /// Segments delivered in it.
    pub delivered: u64,
    /// Their payload.
    pub delivered_bytes: Bytes,
    /// Transmissions declared lost in it.
    pub lost: u64,
    /// Packets that the receiver counted with CE in it; zero where the world does not tell.
    pub marked: u64,
    /// Retransmission timeouts in it.
    pub timeouts: u32,
    /// Mean and least of its round trips; `None` if none was measured.
    pub rtt: Option<(Span, Span)>,
    /// The RTT gradient, in seconds per second: the slope of the least-squares line through the RTT
    /// samples of the interval over time. Zero with fewer than two samples.
    pub gradient: f64,
    /// The smoothed round trip at its end.
    pub srtt: Span,
    /// The least round trip of the connection so far.
    pub least_rtt: Span,
    /// Segments in flight at its end.
    pub in_flight: u32,
    /// True if the application had nothing to send at some time in it.
    pub app_limited: bool,
    /// The window in force, in segments.
    pub window: f64,
    /// The pacing rate in force, of packets with their headers; `None` without pacing.
    pub pacing: Option<Rate>,
    /// Payload of a full segment.
    pub mss: Bytes,
    /// A full packet with its headers.
    pub packet: Bytes,
}

/// The decision that holds until the next interval ends. If only a pacing rate is given, the window
/// is twice the pacing rate times the smoothed RTT, so that only pacing limits the flow. The factor
/// of two is this project's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Setting {
    /// The window in segments, at least 1.
    pub window: Option<f64>,
    /// The pacing rate, of packets with their headers; `None` for no pacing.
    pub pacing: Option<Rate>,
}

/// Decides at the end of each interval, and after acknowledgements where it wants to.
///
/// Policies that do not subscribe to single events pay nothing for them: by default these methods
/// are empty.
pub trait Policy: Send {
    /// Returns the decision that holds from now on. `None` keeps the previous decision.
    ///
    /// # Errors
    ///
    /// The policy cannot continue. The run ends with this fault.
    fn decide(&mut self, interval: &Interval) -> Result<Option<Setting>, Fault>;

    /// When the interval that begins now ends, at least [`SHORTEST_INTERVAL`] later; `srtt` is the
    /// smoothed round trip. `None` if it never does.
    fn next(&self, now: Time, srtt: Span) -> Option<Time> {
        Some(now + srtt)
    }

    /// The connection is open.
    fn on_open(&mut self, open: &Open) {
        let _ = open;
    }

    /// A segment leaves.
    fn on_sent(&mut self, sent: &Sent) {
        let _ = sent;
    }

    /// An acknowledgement was processed. `seen` is the interval so far, this acknowledgement
    /// included; its `now`, `length`, `rtt` and `gradient` are those of the interval before.
    ///
    /// # Errors
    ///
    /// As [`decide`](Policy::decide) has them.
    fn on_feedback(
        &mut self,
        feedback: &Feedback<'_>,
        seen: &Interval,
    ) -> Result<Option<Setting>, Fault> {
        let _ = (feedback, seen);
        Ok(None)
    }

    /// The retransmission timer expired.
    ///
    /// # Errors
    ///
    /// As [`decide`](Policy::decide) has them.
    fn on_timeout(&mut self, timeout: &Timeout, seen: &Interval) -> Result<Option<Setting>, Fault> {
        let _ = (timeout, seen);
        Ok(None)
    }

    /// The latest reduction was spurious.
    ///
    /// # Errors
    ///
    /// As [`decide`](Policy::decide) has them.
    fn on_undo(&mut self, now: Time, seen: &Interval) -> Result<Option<Setting>, Fault> {
        let _ = (now, seen);
        Ok(None)
    }

    /// The time of the next decision outside of the intervals. [`on_due`](Policy::on_due) is called
    /// at that time. `None` if the policy wants no such decision.
    fn due(&self) -> Option<Time> {
        None
    }

    /// Decides at the time that [`due`](Policy::due) returned. `None` keeps the previous decision.
    ///
    /// # Errors
    ///
    /// As [`decide`](Policy::decide) has them.
    fn on_due(&mut self) -> Result<Option<Setting>, Fault> {
        Ok(None)
    }

    /// How a lowered window takes effect.
    fn reduction(&self) -> Reduction {
        Reduction::Immediate
    }

    /// Names the inner state for traces and plots.
    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let _ = visit;
    }
}

/// The shortest interval. The value is this project's choice. With intervals of length zero the
/// timer would expire again and again at the same time.
pub const SHORTEST_INTERVAL: Span = Span::from_micros(100);

/// The round trips of an interval.
#[derive(Clone, Copy, Debug, Default)]
struct RoundTrips {
    /// Their sum in nanoseconds, their number, and the least.
    sum: u64,
    count: u64,
    least: Option<Span>,
    /// Sums over the samples for the least-squares slope: of t, of t * t, and of t * rtt. Here t is
    /// the time of the sample since the interval began. Both are in seconds.
    times: f64,
    squares: f64,
    products: f64,
}

impl RoundTrips {
    fn add(&mut self, since: Span, rtt: Span) {
        let time = since.as_secs_f64();
        let value = rtt.as_secs_f64();
        self.sum += rtt.as_nanos();
        self.count += 1;
        self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        self.times += time;
        self.squares += time * time;
        self.products += time * value;
    }

    fn mean_and_least(&self) -> Option<(Span, Span)> {
        self.least.map(|least| (Span::from_nanos(self.sum / self.count), least))
    }

    fn gradient(&self) -> f64 {
        let count = self.count as f64;
        let values = self.sum as f64 / 1e9;
        let spread = count * self.squares - self.times * self.times;
        if self.count < 2 || spread <= 0.0 {
            0.0
        } else {
            (count * self.products - self.times * values) / spread
        }
    }
}

/// A controller that asks a policy once per interval. The first interval begins with the first
/// round trip; until it ends the initial window holds.
pub struct ByInterval<P> {
    policy: P,
    seen: Interval,
    /// When the interval began; `None` before the first.
    began: Option<Time>,
    round_trips: RoundTrips,
    next: Option<Time>,
    fault: Option<Fault>,
}

impl<P: Policy> ByInterval<P> {
    /// One that has seen nothing yet.
    pub fn new(setup: &Setup, policy: P) -> ByInterval<P> {
        let packet = setup.mss + setup.headers;
        let seen = Interval {
            now: Time::ZERO,
            length: Span::ZERO,
            sent: 0,
            delivered: 0,
            delivered_bytes: Bytes::ZERO,
            lost: 0,
            marked: 0,
            timeouts: 0,
            rtt: None,
            gradient: 0.0,
            srtt: Span::ZERO,
            least_rtt: Span::MAX,
            in_flight: 0,
            app_limited: false,
            window: setup.initial_window.get(),
            pacing: None,
            mss: setup.mss,
            packet,
        };
        ByInterval {
            policy,
            seen,
            began: None,
            round_trips: RoundTrips::default(),
            next: None,
            fault: None,
        }
    }

    fn begin(&mut self, now: Time) {
        self.began = Some(now);
        self.next =
            self.policy.next(now, self.seen.srtt).map(|next| next.max(now + SHORTEST_INTERVAL));
        self.round_trips = RoundTrips::default();
        let seen = &mut self.seen;
        (seen.sent, seen.delivered, seen.lost, seen.marked, seen.timeouts) = (0, 0, 0, 0, 0);
        (seen.delivered_bytes, seen.app_limited) = (Bytes::ZERO, false);
    }

    fn follow(&mut self, setting: Setting) {
        let Setting { window, pacing } = setting;
        let carried = |rate: Rate| {
            2.0 * rate.bytes_per_sec() * self.seen.srtt.as_secs_f64()
                / self.seen.packet.get() as f64
        };
        let window = window.or(pacing.map(carried)).unwrap_or(self.seen.window);
        self.seen.window = if window.is_finite() { window.max(1.0) } else { self.seen.window };
        self.seen.pacing = pacing;
    }

    fn apply(&mut self, decided: Result<Option<Setting>, Fault>) {
        match decided {
            Ok(Some(setting)) => self.follow(setting),
            Ok(None) => {}
            Err(fault) => self.fault = Some(fault),
        }
    }
}

impl<P: Policy> Controller for ByInterval<P> {
    fn on_open(&mut self, open: &Open) {
        self.policy.on_open(open);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.seen.sent += 1;
        self.seen.app_limited |= sent.app_limited;
        self.policy.on_sent(sent);
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let seen = &mut self.seen;
        seen.delivered += feedback.acked.len() as u64;
        seen.delivered_bytes =
            feedback.acked.iter().fold(seen.delivered_bytes, |sum, acked| sum + acked.bytes);
        seen.lost += feedback.lost.len() as u64;
        seen.marked += u64::from(feedback.ecn.ce);
        (seen.srtt, seen.in_flight) = (feedback.srtt, feedback.in_flight);
        if let Some(rtt) = feedback.rtt {
            self.round_trips
                .add(self.began.map_or(Span::ZERO, |began| feedback.now.since(began)), rtt);
            seen.least_rtt = seen.least_rtt.min(rtt);
        }
        if self.fault.is_some() {
            return;
        }
        let decided = self.policy.on_feedback(feedback, &self.seen);
        self.apply(decided);
        if self.began.is_none() && !self.seen.srtt.is_zero() {
            self.begin(feedback.now);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.seen.lost += u64::from(timeout.lost);
        self.seen.timeouts += 1;
        if self.fault.is_none() {
            let decided = self.policy.on_timeout(timeout, &self.seen);
            self.apply(decided);
        }
    }

    fn on_undo(&mut self, now: Time) {
        if self.fault.is_none() {
            let decided = self.policy.on_undo(now, &self.seen);
            self.apply(decided);
        }
    }

    fn next_timer(&self) -> Option<Time> {
        match (self.next, self.policy.due()) {
            (Some(next), Some(due)) => Some(next.min(due)),
            (next, due) => next.or(due),
        }
    }

    fn on_timer(&mut self, now: Time) {
        if self.fault.is_none() && self.policy.due().is_some_and(|due| due <= now) {
            let decided = self.policy.on_due();
            self.apply(decided);
        }
        if self.fault.is_some() || self.next.is_none_or(|next| now < next) {
            return;
        }
        self.seen.now = now;
        self.seen.length = now.since(self.began.unwrap_or(now));
        self.seen.rtt = self.round_trips.mean_and_least();
        self.seen.gradient = self.round_trips.gradient();
        let decided = self.policy.decide(&self.seen);
        self.apply(decided);
        self.begin(now);
    }

    fn decision(&self) -> Decision {
        Decision {
            window: Segments::new(self.seen.window),
            pacing: self.seen.pacing,
            quantum: self.seen.packet,
            ecn: Ecn::NotEct,
            reduction: self.policy.reduction(),
        }
    }

    fn fault(&self) -> Option<Fault> {
        self.fault.clone()
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.policy.inspect(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Acked;

    /// Paces at the delivery rate of each interval, and keeps the intervals for the test. With one
    /// loss it sets a window below 1, with more it returns a fault.
    struct Doubles(Vec<Interval>);

    impl Policy for Doubles {
        fn decide(&mut self, interval: &Interval) -> Result<Option<Setting>, Fault> {
            self.0.push(*interval);
            match interval.lost {
                0 => Ok(Some(Setting {
                    window: None,
                    pacing: Some(Rate::of(interval.delivered_bytes, interval.length)),
                })),
                1 => Ok(Some(Setting { window: Some(0.2), pacing: None })),
                _ => Err(Fault::new("too many")),
            }
        }
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn acked(number: u64) -> Acked {
        Acked {
            number,
            bytes: Bytes::new(1448),
            sent_at: Time::ZERO,
            rtt: Span::from_millis(50),
            tag: Tag::default(),
            app_limited: false,
            window_limited: true,
        }
    }

    fn feedback(now: Time, acked: &[Acked], rtt: u64) -> Feedback<'_> {
        Feedback {
            acked,
            rtt: Some(Span::from_millis(rtt)),
            srtt: Span::from_millis(50),
            in_flight: 3,
            ..Feedback::at(now)
        }
    }

    #[test]
    fn an_interval_lasts_a_round_trip_and_tells_what_was_in_it() {
        let mut controller = ByInterval::new(&Setup::default(), Doubles(Vec::new()));
        assert_eq!(
            (controller.next_timer(), controller.decision().window, controller.decision().pacing),
            (None, Segments::new(10.0), None)
        );
        controller.on_feedback(&feedback(at(50), &[acked(0)], 50));
        assert_eq!(controller.next_timer(), Some(at(100)));
        controller.on_sent(&Sent::new(at(60), 11, Bytes::new(1448), 9));
        controller.on_feedback(&feedback(at(70), &[acked(1), acked(2)], 60));
        controller.on_feedback(&feedback(at(80), &[acked(3)], 40));
        controller.on_timer(at(100));
        let told = controller.policy.0[0];
        assert_eq!(
            (told.now, told.length, told.sent, told.delivered, told.lost),
            (at(100), Span::from_millis(50), 1, 3, 0)
        );
        assert_eq!((told.delivered_bytes, told.in_flight), (Bytes::new(3 * 1448), 3));
        assert_eq!(
            (told.rtt, told.least_rtt),
            (Some((Span::from_millis(50), Span::from_millis(40))), Span::from_millis(40))
        );
        // 60 ms after 20 ms and 40 ms after 30 ms.
        assert!((told.gradient + 2.0).abs() < 1e-9, "{}", told.gradient);
        // 3 · 1448 B in 50 ms; twice of it in a round trip are 2 · 3 · 1448/1500 packets.
        let decision = controller.decision();
        assert_eq!(decision.pacing, Some(Rate::of(Bytes::new(3 * 1448), Span::from_millis(50))));
        assert!(
            (decision.window.get() - 6.0 * 1448.0 / 1500.0).abs() < 1e-6,
            "{:?}",
            decision.window
        );
        // The next one has seen nothing.
        assert_eq!(controller.next_timer(), Some(at(150)));
        controller.on_timer(at(150));
        assert_eq!((controller.policy.0[1].delivered, controller.policy.0[1].rtt), (0, None));
        assert_eq!(controller.decision().window, Segments::new(1.0));
    }

    #[test]
    fn a_window_is_at_least_one_segment_and_a_fault_ends_it() {
        let mut controller = ByInterval::new(&Setup::default(), Doubles(Vec::new()));
        controller.on_feedback(&feedback(at(50), &[acked(0)], 50));
        controller.on_timeout(&Timeout::new(at(60), 3, 1, false));
        controller.on_timer(at(99));
        assert!(controller.policy.0.is_empty(), "it is not due");
        controller.on_timer(at(100));
        assert_eq!((controller.policy.0[0].timeouts, controller.policy.0[0].lost), (1, 1));
        assert_eq!(
            (controller.decision().window, controller.decision().pacing),
            (Segments::new(1.0), None)
        );
        controller.on_timeout(&Timeout::new(at(110), 3, 2, false));
        controller.on_timer(at(150));
        assert_eq!(controller.fault(), Some(Fault::new("too many")));
    }

    /// Adds a segment per acknowledgement, halves at a timeout, goes back at an undo, and never
    /// waits for an interval; after an acknowledgement of two it sets its window a millisecond
    /// later.
    #[derive(Default)]
    struct Hears {
        late: Option<Time>,
    }

    impl Policy for Hears {
        fn decide(&mut self, _: &Interval) -> Result<Option<Setting>, Fault> {
            Err(Fault::new("it has no intervals"))
        }

        fn next(&self, _: Time, _: Span) -> Option<Time> {
            None
        }

        fn on_feedback(
            &mut self,
            feedback: &Feedback<'_>,
            seen: &Interval,
        ) -> Result<Option<Setting>, Fault> {
            match feedback.acked.len() {
                1 => Ok(Some(Setting { window: Some(seen.window + 1.0), pacing: None })),
                2 => {
                    self.late = Some(feedback.now + Span::from_millis(1));
                    Ok(None)
                }
                _ => Err(Fault::new("too many at once")),
            }
        }

        fn on_timeout(&mut self, _: &Timeout, seen: &Interval) -> Result<Option<Setting>, Fault> {
            Ok(Some(Setting { window: Some(seen.window / 2.0), pacing: None }))
        }

        fn on_undo(&mut self, _: Time, seen: &Interval) -> Result<Option<Setting>, Fault> {
            Ok(Some(Setting { window: Some(seen.window * 2.0), pacing: None }))
        }

        fn due(&self) -> Option<Time> {
            self.late
        }

        fn on_due(&mut self) -> Result<Option<Setting>, Fault> {
            self.late = None;
            Ok(Some(Setting { window: Some(33.0), pacing: Some(Rate::from_mbps(8)) }))
        }

        fn reduction(&self) -> Reduction {
            Reduction::Transport
        }
    }

    #[test]
    fn a_policy_may_decide_at_events_and_without_intervals() {
        let mut controller = ByInterval::new(&Setup::default(), Hears::default());
        let window = |controller: &ByInterval<Hears>| controller.decision().window.get();
        controller.on_feedback(&feedback(at(50), &[acked(0)], 50));
        assert_eq!(
            (window(&controller), controller.next_timer(), controller.decision().reduction),
            (11.0, None, Reduction::Transport)
        );
        controller.on_timeout(&Timeout::new(at(60), 3, 1, false));
        assert_eq!(window(&controller), 5.5);
        controller.on_undo(at(61));
        assert_eq!(window(&controller), 11.0);
        controller.on_feedback(&feedback(at(70), &[acked(1), acked(2)], 50));
        assert_eq!((window(&controller), controller.next_timer()), (11.0, Some(at(71))));
        controller.on_timer(at(71));
        assert_eq!(
            (window(&controller), controller.decision().pacing, controller.next_timer()),
            (33.0, Some(Rate::from_mbps(8)), None)
        );
        controller.on_feedback(&feedback(at(80), &[acked(3), acked(4), acked(5)], 50));
        assert_eq!(controller.fault(), Some(Fault::new("too many at once")));
        controller.on_feedback(&feedback(at(90), &[acked(6)], 50));
        assert_eq!(window(&controller), 33.0, "it has ended");
    }
}
