//! The preset of MVFST-RL (Sivakumar, Delalleau, Rocktäschel, Miller, Küttler, Nardelli, Rabbat,
//! Pineau and Riedel, "MVFST-RL: An Asynchronous RL Framework for Congestion Control with Delayed
//! Actions", 2019), whose agent changes the window every 100 ms.
//!
//! The numbers are those of the authors' code, the repository `facebookresearch/mvfst-rl` as it was
//! with 20 fields: `NetworkState`, `RLCongestionController.cpp` (commit ffe3a4b),
//! `CongestionControlEnv.cpp` (b815b96) and the defaults of `pantheon_env.py` (124c237).
//! Deviations:
//! * Bytes count packets with their headers, where mvfst counts the payload of UDP.
//! * RECEIVED is 0: a controller is not told how long acknowledgements are.
//! * TIMEOUT_BASED_RTX_COUNT counts what timeouts declare lost, and PERSISTENT_CONGESTION is 1 at
//!   the second timeout in a row and those that follow (ours; a timeout of QUIC declares no loss).
//! * The least round trips are exact; there they are estimated from three samples.
//! * Actions take no time; there the agent answers later.

use super::steering::Steering;
use super::summary::Summary;
use crate::{Feedback, Interval, Sent, Setting, Setup, Timeout};
use narrows_units::{Span, Time};
use std::collections::VecDeque;

/// The notes taken at each acknowledgement and loss (`NetworkState::Field`, in this order).
#[derive(Clone, Copy)]
enum Field {
    RttMin,
    RttStanding,
    LatestRtt,
    SmoothedRtt,
    RttVariation,
    Delay,
    Window,
    InFlight,
    Writable,
    Sent,
    Received,
    Retransmitted,
    Timeouts,
    TimeoutsSince,
    Retransmissions,
    LostByTimeout,
    Acked,
    Throughput,
    Lost,
    Persistent,
}

const FIELDS: usize = Field::Persistent as usize + 1;
/// Sum, mean, standard deviation, least and most of each (`stateSummary`).
const STATISTICS: usize = 5;
/// Fields whose sum says nothing and is given as 0 (`invalidSumFields`): the first nine.
const WITHOUT_SUM: usize = Field::Writable as usize + 1;
/// So many past actions are seen, each as one of five and with the window that followed
/// (`cc_env_history_size`).
const HISTORY: usize = 20;
/// The divisors of times in ms and amounts in bytes (`cc_env_norm_ms`, `cc_env_norm_bytes`).
const NORM: (f64, f64) = (100.0, 1000.0);
/// Weights of MB/s, of ms of the longest queueing delay and of MB lost
/// (`cc_env_reward_throughput_factor`, `_delay_factor`, `_packet_loss_factor`).
const REWARD: (f64, f64, f64) = (1.0, 0.2, 0.0);
/// How long a round trip counts as the path's (`kMinRTTWindowLength`).
const PATH: Span = Span::from_secs(10);
/// Packets that the window has at least and at most (mvfst `kMinCwndInMss`,
/// `kDefaultMaxCwndInMss`).
const WINDOW: (f64, f64) = (2.0, 2000.0);
/// Packets that actions take away or add (`cc_env_actions`: "0,/2,-10,+10,*2").
const STEP: f64 = 10.0;

/// A connection whose window is changed every 100 ms.
pub(super) struct MvfstRl {
    /// A packet with its headers, and the window, in bytes.
    packet: f64,
    window: f64,
    rtt: Option<RoundTrip>,
    path: Least,
    standing: Least,
    since: Since,
    /// Timeouts without an acknowledgement between them.
    in_a_row: u32,
    noted: [Summary; FIELDS],
    /// Actions and the windows that followed, the oldest first.
    history: VecDeque<(usize, f64)>,
    observation: [f32; MvfstRl::INPUTS],
    reward: f64,
}

/// The latest round trip, and smoothed ones in nanoseconds (RFC 9002 section 5.3).
struct RoundTrip {
    latest: Span,
    smoothed: f64,
    variation: f64,
}

impl RoundTrip {
    fn new(latest: Span) -> RoundTrip {
        let rtt = latest.as_nanos() as f64;
        RoundTrip { latest, smoothed: rtt, variation: rtt / 2.0 }
    }

    fn add(&mut self, latest: Span) {
        let rtt = latest.as_nanos() as f64;
        let error = if rtt < self.smoothed { self.smoothed - rtt } else { rtt - self.smoothed };
        self.variation += (error - self.variation) / 4.0;
        self.smoothed += (rtt - self.smoothed) / 8.0;
        self.latest = latest;
    }
}

/// Events since the last note.
#[derive(Default)]
struct Since {
    sent: u32,
    resent: u32,
    timeouts: u32,
    lost_by_timeout: u32,
}

/// The least value of a sliding window.
#[derive(Default)]
struct Least(VecDeque<(Time, Span)>);

impl Least {
    fn add(&mut self, now: Time, window: Span, value: Span) {
        while self.0.back().is_some_and(|(_, last)| *last >= value) {
            self.0.pop_back();
        }
        self.0.push_back((now, value));
        while self.0.front().is_some_and(|(at, _)| now.since(*at) > window) {
            self.0.pop_front();
        }
    }

    fn get(&self) -> Span {
        self.0.front().map_or(Span::ZERO, |(_, value)| *value)
    }
}

impl MvfstRl {
    /// How long an interval lasts (`cc_env_time_window_ms`).
    pub(super) const INTERVAL: Span = Span::from_millis(100);
    /// Nothing, the half, less, more, the double.
    pub(super) const ACTIONS: usize = 5;
    /// Numbers of an observation.
    pub(super) const INPUTS: usize = STATISTICS * FIELDS + HISTORY * (MvfstRl::ACTIONS + 1);

    pub(super) fn new(setup: &Setup) -> MvfstRl {
        let packet = (setup.mss + setup.headers).get() as f64;
        let window = packet * setup.initial_window.get();
        MvfstRl {
            packet,
            window,
            rtt: None,
            path: Least::default(),
            standing: Least::default(),
            since: Since::default(),
            in_a_row: 0,
            noted: [Summary::NOTHING; FIELDS],
            history: (0..HISTORY).map(|_| (0, window)).collect(),
            observation: [0.0; MvfstRl::INPUTS],
            reward: 0.0,
        }
    }

    /// Notes all fields, once there is a round trip (`setNetworkState`).
    fn note(&mut self, in_flight: u32, acked: usize, lost: u32) {
        let Some(rtt) = &self.rtt else { return };
        let bytes = |packets: u32| f64::from(packets) * self.packet / NORM.1;
        let ms = |nanos: f64| nanos / 1e6 / NORM.0;
        let time = |span: Span| ms(span.as_nanos() as f64);
        let path = self.path.get();
        let standing = self.standing.get();
        let window = self.window / NORM.1;
        let in_flight = bytes(in_flight);
        let mut values = [0.0; FIELDS];
        let mut set = |field: Field, value: f64| values[field as usize] = value;
        set(Field::RttMin, time(path));
        set(Field::RttStanding, time(standing));
        set(Field::LatestRtt, time(rtt.latest));
        set(Field::SmoothedRtt, ms(rtt.smoothed));
        set(Field::RttVariation, ms(rtt.variation));
        set(Field::Delay, time(rtt.latest.saturating_sub(path)));
        set(Field::Window, window);
        set(Field::InFlight, in_flight);
        set(Field::Writable, (window - in_flight).max(0.0));
        set(Field::Sent, bytes(self.since.sent));
        set(Field::Received, 0.0);
        set(Field::Retransmitted, bytes(self.since.resent));
        set(Field::Timeouts, f64::from(self.in_a_row));
        set(Field::TimeoutsSince, f64::from(self.since.timeouts));
        set(Field::Retransmissions, f64::from(self.since.resent));
        set(Field::LostByTimeout, f64::from(self.since.lost_by_timeout));
        if acked > 0 {
            set(Field::Acked, acked as f64 * self.packet / NORM.1);
            set(Field::Throughput, window / time(standing));
        }
        set(Field::Lost, bytes(lost));
        set(Field::Persistent, if self.in_a_row > 1 { 1.0 } else { 0.0 });
        self.noted.iter_mut().zip(values).for_each(|(summary, value)| summary.add(value));
        self.since = Since::default();
    }

    /// MB/s at which the window goes out, less the longest queueing delay (`computeReward`).
    fn reward_of_the_notes(&self) -> f64 {
        let of = |field: Field| &self.noted[field as usize];
        let throughput = of(Field::Throughput).mean() * NORM.1 / NORM.0 * 1e-6 * 1000.0;
        let delay = of(Field::Delay).most() * NORM.0;
        let lost = of(Field::Lost).sum() * NORM.1 * 1e-6;
        REWARD.0 * throughput - REWARD.1 * delay - REWARD.2 * lost
    }

    fn show(&mut self) {
        let (statistics, history) = self.observation.split_at_mut(STATISTICS * FIELDS);
        for (field, summary) in self.noted.iter().enumerate() {
            let sum = if field < WITHOUT_SUM { 0.0 } else { summary.sum() };
            let all = [sum, summary.mean(), summary.deviation(), summary.least(), summary.most()];
            all.into_iter()
                .enumerate()
                .for_each(|(row, value)| statistics[row * FIELDS + field] = value as f32);
        }
        for (shown, (action, window)) in
            history.chunks_exact_mut(MvfstRl::ACTIONS + 1).zip(&self.history)
        {
            shown.fill(0.0);
            shown[*action] = 1.0;
            shown[MvfstRl::ACTIONS] = (window / NORM.1) as f32;
        }
    }
}

impl Steering for MvfstRl {
    fn on_sent(&mut self, sent: &Sent) {
        self.since.sent += 1;
        self.since.resent += u32::from(sent.retransmission);
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>, _: &Interval) -> Option<Setting> {
        if let Some(latest) = feedback.rtt {
            match &mut self.rtt {
                Some(rtt) => rtt.add(latest),
                None => self.rtt = Some(RoundTrip::new(latest)),
            }
            self.path.add(feedback.now, PATH, latest);
            self.standing.add(feedback.now, feedback.srtt / 2, latest);
        }
        if !feedback.acked.is_empty() {
            self.in_a_row = 0;
        }
        if !feedback.acked.is_empty() || !feedback.lost.is_empty() {
            self.note(feedback.in_flight, feedback.acked.len(), feedback.lost.len() as u32);
        }
        None
    }

    fn on_timeout(&mut self, timeout: &Timeout, _: &Interval) -> Option<Setting> {
        self.in_a_row += 1;
        self.since.timeouts += 1;
        self.since.lost_by_timeout += timeout.lost;
        self.note(timeout.in_flight_after, 0, timeout.lost);
        None
    }

    fn observe(&mut self, _: &Interval) -> bool {
        if self.noted[0].is_empty() {
            return false;
        }
        self.reward = self.reward_of_the_notes();
        self.show();
        self.noted = [Summary::NOTHING; FIELDS];
        true
    }

    fn observation(&self) -> &[f32] {
        &self.observation
    }

    fn reward(&self) -> f64 {
        self.reward
    }

    fn act(&mut self, action: f32) -> Setting {
        let action = (action.max(0.0) as usize).min(MvfstRl::ACTIONS - 1);
        let step = STEP * self.packet;
        let window = match action {
            0 => self.window,
            1 => libm::round(self.window / 2.0),
            2 => self.window - step,
            3 => self.window + step,
            _ => libm::round(self.window * 2.0),
        };
        self.window = window.clamp(WINDOW.0 * self.packet, WINDOW.1 * self.packet);
        self.history.pop_front();
        self.history.push_back((action, self.window));
        Setting { window: Some(self.window / self.packet), pacing: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learned::testing::interval;
    use crate::testing::{acked, at};

    /// An acknowledgement of so many segments, with this round trip in ms.
    fn acknowledge(agent: &mut MvfstRl, now: u64, count: u64, rtt: u64, in_flight: u32) {
        let all = acked(0..count);
        let rtt = Some(Span::from_millis(rtt));
        let srtt = Span::from_millis(40);
        agent.on_feedback(
            &Feedback { acked: &all, rtt, srtt, in_flight, ..Feedback::at(at(now)) },
            &interval(None),
        );
    }

    fn shown(agent: &MvfstRl, row: usize, field: Field) -> f32 {
        agent.observation()[row * FIELDS + field as usize]
    }

    #[test]
    fn fields_are_summed_up_over_the_acknowledgements_of_an_interval() {
        let mut agent = MvfstRl::new(&Setup::default());
        assert!(!agent.observe(&interval(None)), "nothing was acknowledged");
        for number in 0..4 {
            agent.on_sent(&Sent {
                retransmission: number == 3,
                ..Sent::new(at(1), number, narrows_units::Bytes::new(1448), 0)
            });
        }
        acknowledge(&mut agent, 50, 2, 40, 6);
        acknowledge(&mut agent, 60, 1, 60, 9);
        assert!(agent.observe(&interval(None)));
        let rows = |field| [0, 1, 2, 3, 4].map(|row| shown(&agent, row, field));
        // Round trips of 40 and 60 ms over 100 ms; the least is 40 ms, and their sum says nothing.
        assert_eq!(rows(Field::LatestRtt), [0.0, 0.5, 0.02f64.sqrt() as f32, 0.4, 0.6]);
        assert_eq!(rows(Field::RttMin), [0.0, 0.4, 0.0, 0.4, 0.4]);
        assert_eq!(rows(Field::Delay), [0.0, 0.1, 0.02f64.sqrt() as f32, 0.0, 0.2]);
        // 40 + 20/8 = 42.5; 20 + (20 - 20) / 4.
        assert_eq!(
            (shown(&agent, 4, Field::SmoothedRtt), shown(&agent, 4, Field::RttVariation)),
            (0.425, 0.2)
        );
        // In packets of 1.5 kB: two and one; six and nine in flight of a window of ten; four left
        // before the first note.
        assert_eq!(rows(Field::Acked), [4.5, 2.25, 1.125f64.sqrt() as f32, 1.5, 3.0]);
        assert_eq!(
            (rows(Field::Window)[1], rows(Field::InFlight)[1], rows(Field::Writable)[1]),
            (15.0, 11.25, 3.75)
        );
        assert_eq!(
            (rows(Field::Sent)[0], rows(Field::Retransmitted)[0], rows(Field::Retransmissions)[0]),
            (6.0, 1.5, 1.0)
        );
        // 15 kB in 40 ms are 0.375 MB/s; the first round trip is the standing one for 20 ms. The
        // delay was 20 ms at most.
        assert_eq!(rows(Field::Throughput)[3], 37.5);
        assert!((agent.reward() - (0.375 - 0.2 * 20.0)).abs() < 1e-9, "{}", agent.reward());
        assert!(!agent.observe(&interval(None)), "all is forgotten");
    }

    #[test]
    fn the_standing_round_trip_is_the_least_of_half_a_round_trip() {
        let mut agent = MvfstRl::new(&Setup::default());
        acknowledge(&mut agent, 50, 1, 40, 1);
        acknowledge(&mut agent, 65, 1, 60, 1);
        acknowledge(&mut agent, 75, 1, 80, 1);
        agent.observe(&interval(None));
        // At 75 ms that of 50 ms is 25 ms old; the path's is still 40 ms.
        assert_eq!(
            [1, 3, 4].map(|row| shown(&agent, row, Field::RttStanding)),
            [(1.4 / 3.0) as f32, 0.4, 0.6]
        );
        assert_eq!(shown(&agent, 4, Field::RttMin), 0.4);
    }

    #[test]
    fn timeouts_are_losses() {
        let mut agent = MvfstRl::new(&Setup::default());
        acknowledge(&mut agent, 50, 1, 40, 5);
        for ms in [300, 700] {
            agent.on_timeout(&Timeout::new(at(ms), 5, 2, false), &interval(None));
        }
        agent.observe(&interval(None));
        assert_eq!([0, 4].map(|row| shown(&agent, row, Field::Lost)), [6.0, 3.0]);
        assert_eq!([0, 4].map(|row| shown(&agent, row, Field::Timeouts)), [3.0, 2.0]);
        assert_eq!([0, 4].map(|row| shown(&agent, row, Field::Persistent)), [1.0, 1.0]);
        assert_eq!([0, 4].map(|row| shown(&agent, row, Field::LostByTimeout)), [4.0, 2.0]);
    }

    #[test]
    fn actions_change_the_window_and_are_seen_in_the_history() {
        let mut agent = MvfstRl::new(&Setup::default());
        let mut window_after = |action: f32| agent.act(action).window.expect("a window");
        assert_eq!(
            [3.0, 0.0, 4.0, 1.0, 2.0].map(&mut window_after),
            [20.0, 20.0, 40.0, 20.0, 10.0]
        );
        assert_eq!([2.0, 2.0, 1.0].map(&mut window_after), [2.0, 2.0, 2.0]);
        for _ in 0..12 {
            window_after(4.0);
        }
        assert_eq!(window_after(4.0), 2000.0);
        window_after(1.0);
        acknowledge(&mut agent, 50, 1, 40, 1);
        agent.observe(&interval(None));
        let history = &agent.observation()[100..];
        assert_eq!(history[114..], [0.0, 1.0, 0.0, 0.0, 0.0, 1500.0]);
        assert_eq!(history[108..114], [0.0, 0.0, 0.0, 0.0, 1.0, 3000.0]);
        assert_eq!(agent.act(0.0), Setting { window: Some(1000.0), pacing: None });
    }
}
