//! Connections: their two ends and their place in the network.

use crate::SimError;
use crate::guest::Hosted;
use crate::packet::PacketKind;
use narrows_control::{End, Saved, Setup};
use narrows_measure::FlowCounters;
use narrows_params::ParamError;
use narrows_scenario::Flow;
use narrows_traffic::Ledger;
use narrows_transport::{Handshake, Receiver, Sender, SenderCounters, Signals};
use narrows_units::{Random, Segments, Span, Time};
use prefetch_index::prefetch_index;

/// A connection, or a flow of datagrams, at work.
#[repr(C)]
pub(crate) struct Endpoint {
    pub(crate) ends: Ends,
    /// The flow it belongs to.
    pub(crate) flow: u32,
    /// Bytes of the headers of its packets.
    pub(crate) headers: u32,
    /// Packets of it that are on the way.
    pub(crate) in_network: u32,
    /// When the transport is ready to send; [`Time::NEVER`] if it is not.
    ready: Time,
    /// When the host sends: `ready` plus a random host delay.
    pub(crate) send_at: Time,
    /// A lower bound for when the application of its flow is due. [`Time::NEVER`] for the further
    /// connections of a flow.
    pub(crate) source_due: Time,
    /// The longest host delay.
    overhead: Span,
    random: Random,
    /// The connection is not open yet; until it is, `send_at` is when the next SYN leaves.
    pub(crate) opening: Option<Box<Handshake>>,
    /// Its transfers. Each ends at the number of a segment or a datagram.
    pub(crate) ledger: Ledger,
}

/// The two ends of a flow.
pub(crate) enum Ends {
    /// A connection.
    Transport(Box<(Sender, Receiver)>),
    /// Datagrams without a congestion controller and without acknowledgements: the number sent.
    Datagrams(u64),
    /// A connection of another implementation.
    Guest(Box<Hosted>),
    /// No connection now.
    None,
}

impl Ends {
    /// Both ends of a new connection of `flow`, which may resume from `saved`, or a flow of
    /// datagrams.
    pub(crate) fn new(flow: &Flow, seed: u64, saved: Option<Saved>) -> Result<Ends, SimError> {
        let Some(choice) = &flow.controller else { return Ok(Ends::Datagrams(0)) };
        let setup = Setup {
            mss: flow.transport.mss,
            headers: flow.transport.headers,
            initial_window: Segments::new(flow.transport.initial_window as f64),
            seed,
            saved,
        };
        let refused = |error: ParamError| SimError::Controller {
            flow: flow.name.clone(),
            problem: error.to_string(),
        };
        if let Some(guest) = choice.entry().guest(&setup, &choice.params()) {
            return guest.map(Hosted::new).map(Box::new).map(Ends::Guest).map_err(refused);
        }
        let controller = choice.build(&setup).map_err(refused)?;
        let sender = Sender::new(flow.transport.clone(), controller, Signals::of(&choice.needs()));
        Ok(Ends::Transport(Box::new((sender, Receiver::new(&flow.transport)))))
    }

    pub(crate) fn sender(&mut self) -> Option<&mut Sender> {
        match self {
            Ends::Transport(ends) => Some(&mut ends.0),
            Ends::Datagrams(_) | Ends::Guest(_) | Ends::None => None,
        }
    }

    /// State of the path for a later connection.
    pub(crate) fn saved(&self) -> Option<Saved> {
        match self {
            Ends::Transport(ends) => ends.0.controller().saved(),
            Ends::Datagrams(_) | Ends::Guest(_) | Ends::None => None,
        }
    }

    /// Adds what the two ends of a connection counted until `now`.
    pub(crate) fn add_to(&self, now: Time, counters: &mut FlowCounters) {
        if let Ends::Guest(hosted) = self {
            return hosted.add_to(now, counters);
        }
        let Ends::Transport(ends) = self else { return };
        let (sender, receiver) = &**ends;
        let SenderCounters { sent, retransmitted, declared_lost, timeouts, recoveries, undone } =
            *sender.counters();
        counters.sent += sent;
        counters.retransmitted += retransmitted;
        counters.declared_lost += declared_lost;
        counters.timeouts += timeouts;
        counters.recoveries += recoveries;
        counters.undone += undone;
        counters.duplicates += receiver.duplicates();
        counters.goodput += receiver.goodput();
        let (ect0, ect1, ce) = receiver.ecn_counts();
        counters.ect0 += ect0 as u64;
        counters.ect1 += ect1 as u64;
        counters.ce += ce as u64;
    }
}

impl Endpoint {
    /// `overhead`: longest time between being able to send and sending, drawn from `random`.
    pub(crate) fn new(
        flow: usize,
        plan: &Flow,
        ends: Ends,
        overhead: Span,
        random: Random,
    ) -> Endpoint {
        Endpoint {
            ends,
            flow: flow as u32,
            headers: plan.transport.headers.get() as u32,
            in_network: 0,
            ready: Time::NEVER,
            send_at: Time::NEVER,
            opening: None,
            overhead,
            random,
            source_due: Time::NEVER,
            ledger: Ledger::new(),
        }
    }

    /// The connection opens at `at`, by a handshake if it has one.
    pub(crate) fn open(&mut self, handshake: Option<Handshake>, at: Time) {
        self.opening = handshake.map(Box::new);
        if self.opening.is_some() {
            self.await_answer(at);
        }
    }

    /// Schedules the next SYN at `at`. `ready` is set to zero, so that
    /// [`note_ready`](Endpoint::note_ready) ignores the transport until the connection is open.
    pub(crate) fn await_answer(&mut self, at: Time) {
        self.ready = Time::ZERO;
        self.send_at = at;
    }

    /// Notes when the transport can send: the host will do it after a draw of its overhead.
    #[inline]
    pub(crate) fn note_ready(&mut self, ready: Option<Time>) {
        let Some(ready) = ready else { return };
        if ready < self.ready {
            self.ready = ready;
            let most = self.most_overhead();
            self.send_at =
                if most.is_zero() { ready } else { ready + self.random.span_below(most) };
        }
    }

    /// The longest host delay that applies now. It is at most what the pacer makes up for, so that
    /// it does not lower the sending rate.
    #[inline]
    fn most_overhead(&mut self) -> Span {
        let overhead = self.overhead;
        if overhead.is_zero() {
            return overhead;
        }
        self.ends
            .sender()
            .and_then(|sender| sender.makes_up_for())
            .map_or(overhead, |most| most.min(overhead))
    }

    /// Sets the longest host delay from `now` on. It also limits a transmission that is already
    /// scheduled.
    pub(crate) fn set_overhead(&mut self, now: Time, overhead: Span) {
        self.overhead = overhead;
        if self.opening.is_none() && self.send_at < Time::NEVER {
            self.send_at = self.send_at.min((self.ready + overhead).max(now));
        }
    }

    /// Clears the scheduled transmission.
    #[inline]
    pub(crate) fn clear_ready(&mut self) {
        self.ready = Time::NEVER;
        self.send_at = Time::NEVER;
    }

    #[cold]
    #[inline(never)]
    fn guest_due(&self, hosted: &Hosted) -> Time {
        self.send_at.min(hosted.due(End::Receiver))
    }

    /// Fetches itself into the processor's caches, without waiting for it.
    pub(crate) fn fetch(&self) {
        for line in 0..3 {
            prefetch_index(std::slice::from_ref(&self.source_due), line * 8);
        }
    }

    /// Fetches what a packet of this kind touches of the ends of its connection.
    pub(crate) fn fetch_ends(&self, kind: PacketKind) {
        if let Ends::Transport(ends) = &self.ends {
            match kind {
                PacketKind::Data => ends.1.fetch(),
                PacketKind::Ack => ends.0.fetch(),
                _ => {}
            }
        }
    }

    /// Fetches what a packet of this kind touches beyond these.
    pub(crate) fn fetch_further(&self, kind: PacketKind) {
        if let Ends::Transport(ends) = &self.ends
            && kind == PacketKind::Ack
        {
            ends.0.fetch_further();
        }
    }

    /// When one of the ends wants to be looked at.
    #[inline]
    pub(crate) fn due(&self) -> Time {
        match &self.ends {
            Ends::Transport(ends) => {
                let sender = ends.0.next_timer();
                let receiver = ends.1.next_timer();
                self.send_at.min(sender.unwrap_or(Time::NEVER)).min(receiver.unwrap_or(Time::NEVER))
            }
            Ends::Guest(hosted) => self.guest_due(hosted),
            Ends::Datagrams(_) | Ends::None => Time::NEVER,
        }
    }
}

/// True if the sender opens the connection of a flow when the flow starts. A connection for
/// requests is open from the beginning, since its client would have opened it; the client of a
/// guest opens it with the first request. Other workloads may open a connection for each transfer.
pub(crate) fn opens(flow: &Flow) -> bool {
    flow.controller.is_some()
        && !flow.workload.receiver_opens()
        && !flow.workload.opens_connections()
}
