//! A guest, and what the world measures of it.

use super::caught::caught;
use narrows_control::{Datagram, End, Guest, GuestCounts, GuestEnd, GuestSample, LogSink};
use narrows_measure::FlowCounters;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;

/// A guest at work.
///
/// The world measures round trips itself, since stacks tell only the smoothed one: the one-way
/// delay of a datagram that arrives at the sender, plus the delay of the latest datagram
/// that had arrived at the receiver. A receiver's delay of acknowledgements is not in it.
pub(crate) struct Hosted {
    guest: Box<dyn Guest>,
    /// One-way delay of the latest datagram that arrived at the receiver.
    forth: Option<Span>,
    rtt: Option<Span>,
    /// Datagrams that each end sent.
    pub(super) sent: [u64; 2],
    ecn: [u64; 3],
    stopped: bool,
}

impl Hosted {
    pub(crate) fn new(guest: Box<dyn Guest>) -> Hosted {
        Hosted { guest, forth: None, rtt: None, sent: [0; 2], ecn: [0; 3], stopped: false }
    }

    /// Writes the guest's own log to `out`.
    pub(crate) fn log(&mut self, out: LogSink) -> Result<(), String> {
        self.guest.log(out)
    }

    /// A datagram that left at `stamp` arrives at an end. Returns the round trip that it completes.
    pub(super) fn receive(
        &mut self,
        now: Time,
        end: End,
        datagram: Datagram,
        stamp: Time,
    ) -> Result<Option<Span>, String> {
        let one_way = now.since(stamp);
        let mut rtt = None;
        match end {
            End::Receiver => {
                self.forth = Some(one_way);
                let [ect0, ect1, ce] = &mut self.ecn;
                match datagram.ecn {
                    Ecn::NotEct => {}
                    Ecn::Ect0 => *ect0 += 1,
                    Ecn::Ect1 => *ect1 += 1,
                    Ecn::Ce => *ce += 1,
                }
            }
            End::Sender => {
                rtt = self.forth.map(|forth| forth + one_way);
                self.rtt = rtt.or(self.rtt);
            }
        }
        caught(|| self.guest.receive(now, end, datagram)).map(|()| rtt)
    }

    /// An end acts. Datagrams that leave are added to `sent`. Returns false once the connection has
    /// timed out, although there is something to send.
    pub(super) fn act(
        &mut self,
        now: Time,
        end: End,
        sent: &mut Vec<Datagram>,
    ) -> Result<bool, String> {
        caught(|| self.guest.act(now, end, &mut |datagram| sent.push(datagram)))?;
        match self.guest.ended().filter(|_| !self.stopped && !self.guest.finished()) {
            Some(GuestEnd::Failed(why)) => Err(why.to_owned()),
            Some(GuestEnd::Idle) => Ok(false),
            None => Ok(true),
        }
    }

    /// When an end wants to act. An end that has acted at `now` never does so again at that moment.
    pub(crate) fn due(&self, end: End) -> Time {
        self.guest.due(end)
    }

    pub(crate) fn write(&mut self, bytes: u64) {
        self.guest.write(bytes);
    }

    /// Writes a message. Returns its number.
    pub(crate) fn message(&mut self, bytes: u64, last: bool) -> u64 {
        self.guest.message(bytes, last)
    }

    /// The number of a message that has arrived whole, each once.
    pub(super) fn completed(&mut self) -> Option<u64> {
        self.guest.completed()
    }

    /// The receiver sends a request.
    pub(crate) fn ask(&mut self, bytes: u64) {
        self.guest.ask(bytes);
    }

    /// True if a request has arrived whole, each once.
    pub(super) fn asked(&mut self) -> bool {
        self.guest.asked()
    }

    pub(crate) fn stop(&mut self) {
        self.stopped = true;
        self.guest.stop();
    }

    /// True once all messages up to the last are acknowledged.
    pub(super) fn finished(&self) -> bool {
        self.guest.finished()
    }

    /// True once nothing more will come of the connection.
    pub(crate) fn is_done(&self) -> bool {
        self.guest.finished() || self.guest.ended().is_some()
    }

    pub(crate) fn sample(&self) -> GuestSample {
        self.guest.sample()
    }

    pub(crate) fn rtt(&self) -> Option<Span> {
        self.rtt
    }

    /// Adds what the guest and the world counted until `now`.
    pub(crate) fn add_to(&self, now: Time, counters: &mut FlowCounters) {
        let GuestCounts {
            lost,
            congestion_events,
            spurious,
            persistent,
            probe_timeouts,
            blocked_window,
            blocked_pacer,
            blocked_flow_control,
            blocked_application,
        } = self.guest.counts(now);
        counters.probe_timeouts += probe_timeouts;
        counters.blocked_window += blocked_window;
        counters.blocked_pacer += blocked_pacer;
        counters.blocked_flow_control += blocked_flow_control;
        counters.blocked_application += blocked_application;
        counters.sent += self.sent[End::Sender as usize];
        counters.declared_lost += lost;
        counters.recoveries += congestion_events;
        counters.undone += spurious;
        counters.timeouts += persistent;
        counters.goodput += Bytes::new(self.guest.delivered());
        let [ect0, ect1, ce] = self.ecn;
        counters.ect0 += ect0;
        counters.ect1 += ect1;
        counters.ce += ce;
    }
}
