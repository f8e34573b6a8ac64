//! Consumers request the segments of a content, at a rate set by the network or by a congestion
//! controller.

mod counters;
mod error;
mod measured;
mod rate;
mod registry;
mod segments;
mod subflows;
mod window;

pub use counters::{ByClass, ConsumerCounters, ConsumerSetup, Nacks};
pub use error::{ConsumerError, OFFERS};
pub use registry::{CONSUMERS, ConsumerChoice, ConsumerEntry};
pub use subflows::Subflow;

use crate::name::Content;
use crate::packet::{Interest, Packet};
use narrows_control::{Choice, Fault};
use narrows_units::{Rate, Span, Time};
use rate::RateConsumer;
use window::WindowConsumer;

/// How a consumer sets the rate of its Interests.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// By the rates that links stamp into Data.
    Rates(ConsumerChoice),
    /// By the window and the pacing rate of a congestion controller, whose [needs](Choice::needs)
    /// must be among [`OFFERS`]. Its segments are Data packets.
    Window(Choice),
}

impl Method {
    /// The text it was parsed from: a consumer or a controller with its parameters.
    pub fn text(&self) -> &str {
        match self {
            Method::Rates(consumer) => consumer.text(),
            Method::Window(controller) => controller.text(),
        }
    }
}

/// A consumer of any method.
///
/// It is sans-IO: the caller passes the Data and Nacks that answer its Interests to
/// [`handle`](AnyConsumer::handle), calls [`poll`](AnyConsumer::poll) at [`due`](AnyConsumer::due),
/// and after either takes [`interest`](AnyConsumer::interest) until it returns `None`. Calls must
/// be in time order.
pub struct AnyConsumer<C: Content>(Any<C>);

enum Any<C: Content> {
    Rate(Box<RateConsumer<C>>),
    Window(Box<WindowConsumer<C>>),
}

macro_rules! any {
    ($consumer:expr, $inner:ident => $call:expr) => {
        match $consumer {
            Any::Rate($inner) => $call,
            Any::Window($inner) => $call,
        }
    };
}

impl<C: Content> AnyConsumer<C> {
    /// A consumer that requests the first `segments` segments of `content`, or segments without
    /// end, from `start` on. Fails if its controller rejects its parameters or needs a signal that
    /// a consumer does not offer.
    pub fn new(
        method: &Method,
        setup: &ConsumerSetup,
        content: C,
        segments: Option<u64>,
        start: Time,
    ) -> Result<AnyConsumer<C>, ConsumerError> {
        Ok(AnyConsumer(match method {
            Method::Rates(choice) => {
                Any::Rate(Box::new(RateConsumer::new(choice, setup, content, segments, start)))
            }
            Method::Window(choice) => {
                Any::Window(Box::new(WindowConsumer::new(choice, setup, content, segments, start)?))
            }
        }))
    }

    /// Data or a Nack arrives for one of its Interests.
    pub fn handle(&mut self, now: Time, packet: &Packet<C::Name>) {
        any!(&mut self.0, consumer => consumer.handle(now, packet))
    }

    /// Handles every timer due at `now`: retransmission timeouts, and paths that are silent.
    pub fn poll(&mut self, now: Time) {
        any!(&mut self.0, consumer => consumer.poll(now))
    }

    /// When to call [`poll`](AnyConsumer::poll) next if nothing arrives before; `None` for never.
    pub fn due(&self) -> Option<Time> {
        any!(&self.0, consumer => consumer.due())
    }

    /// The next Interest to send at the time of the latest [`handle`](AnyConsumer::handle) or
    /// [`poll`](AnyConsumer::poll); `None` if no more may leave.
    pub fn interest(&mut self) -> Option<Interest<C::Name>> {
        any!(&mut self.0, consumer => consumer.interest())
    }

    /// Why its controller cannot go on, if it cannot, and since when: no Interest leaves any more,
    /// and the caller ends the run. [`due`](AnyConsumer::due) is that time from then on.
    pub fn fault(&self) -> Option<(Time, &Fault)> {
        match &self.0 {
            Any::Rate(_) => None,
            Any::Window(consumer) => consumer.fault(),
        }
    }

    /// Sends no more Interests.
    pub fn stop(&mut self) {
        any!(&mut self.0, consumer => consumer.stop())
    }

    /// True once all segments have arrived.
    pub fn finished(&self) -> bool {
        any!(&self.0, consumer => consumer.finished())
    }

    /// Its counters.
    pub fn counters(&self) -> ConsumerCounters {
        any!(&self.0, consumer => consumer.counters())
    }

    /// The rates at which it requests Data, in bit/s: primary and secondary. Zero while no path is
    /// known.
    pub fn rates(&self) -> (Rate, Rate) {
        any!(&self.0, consumer => consumer.rates())
    }

    /// Smoothed round trip; zero before the first sample.
    pub fn srtt(&self) -> Span {
        any!(&self.0, consumer => consumer.srtt())
    }

    /// Segments in flight: requested, and neither arrived nor timed out.
    pub fn in_flight(&self) -> usize {
        any!(&self.0, consumer => consumer.in_flight())
    }

    /// The latest round trip of a segment that was not retransmitted.
    pub fn latest_rtt(&self) -> Option<Span> {
        any!(&self.0, consumer => consumer.latest_rtt())
    }

    /// The paths in use, in the order of their discovery.
    pub fn subflows(&self) -> impl Iterator<Item = &Subflow> {
        any!(&self.0, consumer => consumer.subflows()).iter()
    }

    /// Takes the round trip measured by the latest packet, if it has measured one.
    pub fn take_rtt(&mut self) -> Option<Span> {
        any!(&mut self.0, consumer => consumer.take_rtt())
    }
}
