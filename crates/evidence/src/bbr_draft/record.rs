//! The record of a run: the controller's state at each acknowledgement, at each timer, and at each
//! transmission into an empty network.

use narrows_transport::{Content, Observer, Point, Seen, Sender};
use narrows_units::{Rate, Span, Time};

macro_rules! fields {
    ($($field:ident $name:literal,)+) => {
        /// Values that a controller reports, by the names of `bbr3`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Field { $($field,)+ }

        /// Names of the fields, in the order of [`Field`].
        const NAMES: &[&str] = &[$($name,)+];
    };
}

fields! {
    State "state",
    Rounds "rounds",
    RoundStart "round_start",
    PacingGain "pacing_gain",
    CwndGain "cwnd_gain",
    Cwnd "cwnd",
    DeliveryRate "delivery_rate_packets_s",
    AppLimited "app_limited",
    Bandwidth "bandwidth_packets_s",
    MaxBandwidth "max_bandwidth_packets_s",
    BandwidthShortTerm "bandwidth_shortterm_packets_s",
    InflightShortTerm "inflight_shortterm",
    InflightLongTerm "inflight_longterm",
    BandwidthLatest "bandwidth_latest_packets_s",
    InflightLatest "inflight_latest",
    MinRtt "min_rtt_s",
    ProbeRttMinDelay "probe_rtt_min_delay_s",
    ExtraAcked "extra_acked",
    FullBwCount "full_bw_count",
    FullBwNow "full_bw_now",
    FullBwReached "full_bw_reached",
    DrainStartRound "drain_start_round",
    BwProbeWait "bw_probe_wait_s",
    PrevProbeTooHigh "prev_probe_too_high",
    UndoBandwidthShortTerm "undo_bandwidth_shortterm_packets_s",
    UndoInflightShortTerm "undo_inflight_shortterm",
    UndoInflightLongTerm "undo_inflight_longterm",
    IdleRestart "idle_restart",
}

/// Number of fields.
const FIELDS: usize = NAMES.len();

/// The states of BBR, as numbered by `bbr3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

const STATES: [State; 7] = [
    State::Startup,
    State::Drain,
    State::Down,
    State::Cruise,
    State::Refill,
    State::Up,
    State::ProbeRtt,
];

/// The event that a row records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The sender processed an acknowledgement.
    Ack,
    /// The sender acted on a timer.
    Timer,
    /// The sender sent into an empty network.
    Sent,
}

/// The state after one event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub at: Time,
    pub cause: Cause,
    /// Packets in flight before and after the event.
    pub in_flight_before: u32,
    pub in_flight: u32,
    /// Packets newly acknowledged and newly lost.
    pub acked: u32,
    pub lost: u32,
    /// Packets in a burst (`send_quantum`).
    pub burst: u32,
    pub pacing: Option<Rate>,
    pub rtt: Option<Span>,
    /// Counts since the connection began.
    pub timeouts: u64,
    pub undone: u64,
    pub retransmitted: u64,
    values: [f64; FIELDS],
}

impl Row {
    /// Returns the reported value, or NaN if the controller does not report it.
    pub fn get(&self, field: Field) -> f64 {
        self.values[field as usize]
    }

    /// True if the reported value is 1.
    pub fn is(&self, field: Field) -> bool {
        self.get(field) == 1.0
    }

    pub fn state(&self) -> Option<State> {
        STATES.get(self.get(Field::State) as usize).copied()
    }

    pub fn rounds(&self) -> u64 {
        self.get(Field::Rounds) as u64
    }

    /// Returns a bound; infinite if it is not set.
    pub fn bound(&self, field: Field) -> f64 {
        let value = self.get(field);
        if value.is_nan() { f64::INFINITY } else { value }
    }

    /// True if the rows are equal, bit by bit.
    fn same(&self, other: &Row) -> bool {
        let bits = |row: &Row| row.values.map(f64::to_bits);
        (
            self.at,
            self.cause,
            self.in_flight_before,
            self.in_flight,
            self.acked,
            self.lost,
            self.burst,
            self.pacing,
            self.rtt,
        ) == (
            other.at,
            other.cause,
            other.in_flight_before,
            other.in_flight,
            other.acked,
            other.lost,
            other.burst,
            other.pacing,
            other.rtt,
        ) && (self.timeouts, self.undone, self.retransmitted)
            == (other.timeouts, other.undone, other.retransmitted)
            && bits(self) == bits(other)
    }
}

/// A data packet that was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departed {
    pub at: Time,
    pub number: u64,
    /// Packets in flight, including this one.
    pub flight: u32,
}

/// A transmission that was declared lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct LostPacket {
    /// Row of the declaration.
    pub row: usize,
    pub number: u64,
    pub sent_at: Time,
}

/// The record of a whole run.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub rows: Vec<Row>,
    pub departed: Vec<Departed>,
    pub lost: Vec<LostPacket>,
    /// Times at which data packets arrived at the receiver, and at which links dropped data
    /// packets.
    pub arrivals: Vec<Time>,
    pub drops: Vec<Time>,
    latest_flight: u32,
    ack_arrived: bool,
    /// Field for each value, in the order in which the controller reports the values.
    order: Vec<(&'static str, Option<usize>)>,
}

impl Record {
    /// Returns a value that the cases need and the controller does not report.
    pub fn missing(&self) -> Option<&'static str> {
        NAMES.iter().copied().find(|name| self.order.iter().all(|(shown, _)| shown != name))
    }

    /// Returns the first row at or after `from` that enters `state`.
    pub fn enters(&self, state: State, from: Time) -> Result<usize, String> {
        let rows = &self.rows;
        let entered = |index: &usize| {
            rows[*index].state() == Some(state) && rows[index - 1].state() != Some(state)
        };
        (1..rows.len())
            .filter(|index| rows[*index].at >= from)
            .find(entered)
            .ok_or_else(|| format!("it does not enter {state:?} after {:.3} s", from.as_secs_f64()))
    }

    /// Returns the first row after `from` that leaves Startup for a state other than ProbeRTT.
    /// Drain begins on this row, and may be over on it.
    pub fn ends_startup(&self, from: Time) -> Result<usize, String> {
        let rows = &self.rows;
        let ended = |index: &usize| {
            let after = rows[*index].state();
            rows[*index - 1].state() == Some(State::Startup)
                && !matches!(after, Some(State::Startup | State::ProbeRtt))
        };
        let found = (1..rows.len())
            .filter(|index| rows[*index].at > from)
            .find(ended)
            .ok_or("Startup does not end")?;
        let row = &rows[found];
        if row.get(Field::DrainStartRound) as u64 == row.rounds() {
            Ok(found)
        } else {
            Err("Startup is not followed by Drain".to_owned())
        }
    }

    /// Returns the first row after `index` with another state.
    pub fn leaves(&self, index: usize) -> Result<usize, String> {
        let state = self.rows[index].state();
        let left = self.rows[index..].iter().position(|row| row.state() != state);
        left.map(|after| index + after).ok_or_else(|| {
            format!(
                "it stays in the state of {:.3} s to the end",
                self.rows[index].at.as_secs_f64()
            )
        })
    }

    /// Returns the rows up to and including `until`.
    pub fn up_to(&self, until: Time) -> &[Row] {
        &self.rows[..self.rows.partition_point(|row| row.at <= until)]
    }

    /// True if both records have the same rows up to and including `until`.
    pub fn begins_as(&self, other: &Record, until: Time) -> bool {
        let (ours, theirs) = (self.up_to(until), other.up_to(until));
        ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(one, two)| one.same(two))
    }

    /// Counts the packets that arrived from `from` until before `to`.
    pub fn arrived(&self, from: Time, to: Time) -> usize {
        self.arrivals.partition_point(|at| *at < to)
            - self.arrivals.partition_point(|at| *at < from)
    }

    fn take(&mut self, at: Time, cause: Cause, sender: &Sender) {
        let mut values = [f64::NAN; FIELDS];
        let mut place = 0;
        let order = &mut self.order;
        sender.controller().inspect(&mut |name, value| {
            if order.get(place).is_none_or(|(shown, _)| !std::ptr::eq(*shown, name)) {
                order.truncate(place);
                order.push((name, NAMES.iter().position(|known| *known == name)));
            }
            if let Some(field) = order[place].1 {
                values[field] = value;
            }
            place += 1;
        });
        let answers = cause == Cause::Ack;
        let counters = sender.counters();
        let packet = sender.controller().decision().quantum.get() / PACKET;
        self.rows.push(Row {
            at,
            cause,
            in_flight_before: self.latest_flight,
            in_flight: sender.in_flight(),
            acked: if answers { sender.newly_acked().len() as u32 } else { 0 },
            lost: if cause == Cause::Sent { 0 } else { sender.newly_lost().len() as u32 },
            burst: packet as u32,
            pacing: sender.pacing(),
            rtt: sender.latest_rtt(),
            timeouts: counters.timeouts,
            undone: counters.undone,
            retransmitted: counters.retransmitted,
            values,
        });
    }
}

/// Bytes of a full packet with its headers.
pub(super) const PACKET: u64 = 1500;

impl Observer for Record {
    fn on_packet(&mut self, seen: &Seen) {
        match (seen.point, seen.content) {
            (Point::Sender, Content::Data(data)) => {
                self.departed.push(Departed {
                    at: seen.at,
                    number: data.number,
                    flight: self.latest_flight,
                });
            }
            (Point::Sender, Content::Ack(_)) => self.ack_arrived = true,
            (Point::Receiver, Content::Data(_)) => self.arrivals.push(seen.at),
            (Point::Dropped(_), Content::Data(_)) => self.drops.push(seen.at),
            _ => {}
        }
    }

    fn on_sender(&mut self, at: Time, _: usize, sender: &Sender) {
        let cause = if std::mem::take(&mut self.ack_arrived) { Cause::Ack } else { Cause::Timer };
        let row = self.rows.len();
        self.lost.extend(sender.newly_lost().iter().map(|lost| LostPacket {
            row,
            number: lost.number,
            sent_at: lost.sent_at,
        }));
        self.take(at, cause, sender);
        self.latest_flight = sender.in_flight();
    }

    fn on_sent(&mut self, at: Time, _: usize, sender: &Sender) {
        if self.latest_flight == 0 {
            self.take(at, Cause::Sent, sender);
        }
        self.latest_flight = sender.in_flight();
    }
}
