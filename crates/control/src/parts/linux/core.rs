//! A core of a controller of the window, in C, as the kernel calls it.

use super::HZ;
use super::callbacks::Callbacks;
use super::order::Linux;
use super::socket::Socket;
use crate::cores::recovery;
use crate::parts::departed::Departed;
use crate::parts::micros::micros;
use crate::{CaState, Feedback, Sent, Setup, Tag};
use narrows_cores::{Core, CoreConstants, Event, Input, Output};
use narrows_params::Params;

/// A kernel controller that this core is.
#[derive(Clone, Debug)]
pub struct OfCore<C: CoreConstants> {
    core: Core<C>,
    input: Input,
    measures: bool,
    inspect: Inspect<C::State>,
}

/// Shows what a connection remembers.
type Inspect<S> = fn(&S, &mut dyn FnMut(&'static str, f64));

impl<C: CoreConstants> OfCore<C> {
    /// The core with these constants.
    pub fn new(constants: C) -> OfCore<C> {
        OfCore {
            core: Core::new(constants),
            input: Input::default(),
            measures: false,
            inspect: |_, _| {},
        }
    }

    /// The same where the core is told of round trips (`pkts_acked`), and `inspect` shows what a
    /// connection remembers.
    pub fn measuring(self, inspect: Inspect<C::State>) -> OfCore<C> {
        OfCore { measures: true, inspect, ..self }
    }

    /// A connection at its start.
    pub fn connection(mut self, setup: &Setup, params: &Params) -> Linux<OfCore<C>> {
        self.input = Input {
            cwnd_clamp: u32::MAX,
            mss: setup.mss.get().clamp(1, u32::MAX as u64) as u32,
            ..Input::default()
        };
        let mut socket = Socket::new(setup, HZ);
        self.happened(&mut socket, CaState::Open, Event::Init);
        Linux::new(self, socket, setup, params)
    }

    /// Something happened to the connection, whose recovery state is `state`. Returns what the core
    /// decided.
    fn tell(&mut self, socket: &Socket, state: CaState, event: Event) -> Output {
        self.core.decide(&Input {
            event: event as u32,
            now: micros(socket.now),
            cwnd: socket.cwnd,
            ssthresh: socket.threshold,
            prior_cwnd: socket.prior_cwnd,
            cwnd_limited: socket.is_limited() as u32,
            recovery: recovery(state),
            ..self.input
        });
        self.core.output
    }

    /// Tells an event; the decision is in force at once.
    fn happened(&mut self, socket: &mut Socket, state: CaState, event: Event) {
        let Output { cwnd, ssthresh, .. } = self.tell(socket, state, event);
        (socket.cwnd, socket.threshold) = (cwnd.max(1), ssthresh);
    }
}

impl<C: CoreConstants> Callbacks for OfCore<C> {
    fn ssthresh(&mut self, socket: &Socket) -> u32 {
        self.tell(socket, socket.state, Event::Reduce).ssthresh
    }

    fn cong_avoid(&mut self, socket: &mut Socket, acked: u32) {
        self.input.acked = acked;
        self.happened(socket, socket.state, Event::Ack);
        self.input.acked = 0;
    }

    fn undo_cwnd(&mut self, socket: &Socket) -> u32 {
        self.tell(socket, socket.state, Event::Undo).cwnd
    }

    fn set_state(&mut self, socket: &mut Socket, state: CaState) {
        self.happened(socket, state, Event::State);
    }

    fn pkts_acked(&mut self, socket: &mut Socket, feedback: &Feedback<'_>, moved: u32) {
        // As wide as the socket's counts.
        self.input.sent = feedback.totals.sent as u32;
        self.input.delivered = feedback.totals.delivered as u32;
        self.input.in_flight = feedback.in_flight;
        if !self.measures {
            return;
        }
        let newest = feedback
            .acked
            .iter()
            .max_by_key(|acked| acked.sent_at)
            .map(|newest| Departed::from_tag(newest.tag))
            .filter(|newest| !newest.retransmission);
        if let (Some(rtt), Some(newest)) = (feedback.rtt, newest) {
            self.input.rtt = u32::try_from(rtt.as_micros()).unwrap_or(u32::MAX).max(1);
            self.input.flight_when_sent = newest.in_flight;
        }
        self.input.acked = moved;
        self.happened(socket, socket.state, Event::Rtt);
        (self.input.rtt, self.input.flight_when_sent, self.input.acked) = (0, 0, 0);
    }

    fn tag(&self, sent: &Sent) -> Tag {
        if self.measures { Departed::of(sent).tag() } else { Tag::default() }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        (self.inspect)(&self.core.state, visit);
    }
}
