//! The one interface between a controller and whatever drives it.

use crate::{Fault, Feedback, Open, Saved, Sent, Tag};
use narrows_units::{Bytes, Rate, Segments, Time};
use narrows_wire::{Ecn, Header};

/// Decides how much to send. All calls carry the time; calls come in time order.
///
/// A world calls [`on_sent`](Controller::on_sent) for each transmission,
/// [`on_feedback`](Controller::on_feedback) once per acknowledgement after its own loss detection,
/// and reads [`decision`](Controller::decision) after each call that may have changed it.
pub trait Controller: Send {
    /// The connection is open. A world without handshakes does not call it.
    fn on_open(&mut self, open: &Open) {
        let _ = open;
    }

    /// All that will ever be written is acknowledged: nothing more is sent. A connection that is
    /// still at work when a run ends is not closed.
    fn on_close(&mut self, now: Time) {
        let _ = now;
    }

    /// A segment leaves. The tag returned comes back with that transmission in
    /// [`Acked`](crate::Acked) or [`Lost`](crate::Lost).
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        let _ = sent;
        Tag::default()
    }

    /// An acknowledgement was processed.
    fn on_feedback(&mut self, feedback: &Feedback<'_>);

    /// The retransmission timer expired: everything outstanding is presumed lost.
    fn on_timeout(&mut self, timeout: &Timeout);

    /// The latest reduction was found to be spurious: nothing had been lost.
    fn on_undo(&mut self, now: Time);

    /// When [`on_timer`](Controller::on_timer) is wanted next, if at all.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The time asked for by [`next_timer`](Controller::next_timer) has come.
    fn on_timer(&mut self, now: Time) {
        let _ = now;
    }

    /// False if [`on_sent`](Controller::on_sent) of a segment that leaves while others are in
    /// flight never changes the decision, the timer or a fault: a world that knows asks for none
    /// after it. It may ask for this once, at the beginning.
    fn decides_in_flight(&self) -> bool {
        true
    }

    /// The amount and the rate that may be sent now. The world obeys all of it.
    fn decision(&self) -> Decision;

    /// Why the controller cannot go on, if it cannot. A world asks after each call that may have
    /// changed the decision, and ends the run with an error that has the fault's text. It obeys no
    /// decision of a controller that has a fault; calls that were under way may still come and
    /// change nothing.
    fn fault(&self) -> Option<Fault> {
        None
    }

    /// Brings the controller's latest decision up to date, and says what the controller waits for.
    /// A world asks so for every packet: it is one call, what cannot have changed is not written,
    /// and a controller without faults is not asked for them.
    fn decide(&self, decision: &mut Decision) -> Awaited {
        if self.fault().is_some() {
            return Awaited::Fault;
        }
        *decision = self.decision();
        self.next_timer().map_or(Awaited::Event, Awaited::Timer)
    }

    /// The header of the next data packet for routers, for a controller whose routers answer in a
    /// header.
    fn header(&self) -> Option<Header> {
        None
    }

    /// The rate at which an encoder of real-time media is to produce payload from now on, for a
    /// controller that says so. Of any other the world takes the window per smoothed round trip.
    fn media_rate(&self) -> Option<Rate> {
        None
    }

    /// State of the path for a later connection, once this one is over (RFC 9959). The caller adds
    /// the time that passes afterwards to its age. `None` for a controller that does not resume,
    /// and for a connection that found nothing.
    fn saved(&self) -> Option<Saved> {
        None
    }

    /// Names the inner state for traces and plots. Never steers.
    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64));
}

/// The event that a controller waits for beside those of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// Nothing.
    Event,
    /// Its own timer, due at this time.
    Timer(Time),
    /// Nothing any more: it has a [`fault`](Controller::fault).
    Fault,
}

/// The retransmission timer expired.
#[derive(Clone, Copy, Debug)]
pub struct Timeout {
    /// When.
    pub now: Time,
    /// Segments that were in flight.
    pub in_flight: u32,
    /// Segments that are in flight still, of those presumed lost none. 0 with numbered
    /// transmissions: after persistent congestion the window falls to its least whatever is in
    /// flight (RFC 9002 section 7.6.2).
    pub in_flight_after: u32,
    /// Segments newly presumed lost by this timeout.
    pub lost: u32,
    /// True if a reduction was already made for these same segments, by recovery or by an earlier
    /// timeout: the window collapses again, but the slow start threshold stays (RFC 5681 section
    /// 3.1, RFC 6582 section 4).
    pub repeated: bool,
}

impl Timeout {
    /// A timeout at `now` of `in_flight` segments, all presumed lost now, of which `lost` were not
    /// known lost before.
    pub fn new(now: Time, in_flight: u32, lost: u32, repeated: bool) -> Timeout {
        Timeout { now, in_flight, in_flight_after: 0, lost, repeated }
    }
}

/// The amount and the rate that may be sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Segments that may be in flight.
    pub window: Segments,
    /// The rate of new transmissions, counted in packets with all their headers down to IP; `None`
    /// for no pacing.
    pub pacing: Option<Rate>,
    /// How much may leave back to back when pacing allows; at least one segment always may.
    pub quantum: Bytes,
    /// The code point that data packets carry.
    pub ecn: Ecn,
    /// How a lowered window takes effect during recovery.
    pub reduction: Reduction,
}

impl Decision {
    /// A decision of a controller that acknowledgements clock: `window` segments without pacing,
    /// packets of `packet` with their headers, and reductions spread by the transport.
    pub fn clocked(window: f64, packet: Bytes, ecn: Ecn) -> Decision {
        Decision {
            window: Segments::new(window),
            pacing: None,
            quantum: packet,
            ecn,
            reduction: Reduction::Transport,
        }
    }
}

/// How the world carries out a window lowered by loss or marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// `window` is the window at every moment.
    Immediate,
    /// During recovery `window` is where to arrive; the transport's own algorithm (PRR, rate
    /// halving) spreads the reduction over the acknowledgements.
    Transport,
}
