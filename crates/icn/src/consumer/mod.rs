//! Consumers: what asks for the segments of a content, and how fast.

mod counters;
mod pacer;
mod rated;
mod registry;
mod segments;
mod subflows;
mod window;

pub use counters::{ByClass, ConsumerCounters, ConsumerSetup, Nacks};
pub use registry::{CONSUMERS, ConsumerChoice, ConsumerEntry};
pub use subflows::Subflow;
pub use window::OFFERS;

use crate::{Content, Interest, Packet};
use narrows_control::Choice;
use narrows_params::Need;
use narrows_params::ParamError;
use narrows_units::{Rate, Span, Time};
use rated::Rated;
use thiserror::Error;
use window::Window;

/// How a consumer finds out how fast to ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// By the rates that links write into Data.
    Rates(ConsumerChoice),
    /// By a window and a pacing rate, which any congestion controller sets whose [needs](Choice::needs) are among [`OFFERS`]. Its segments are Data packets.
    Window(Choice),
}

impl Method {
    /// As it was written: a consumer or a controller with its parameters.
    pub fn text(&self) -> &str {
        match self {
            Method::Rates(consumer) => consumer.text(),
            Method::Window(controller) => controller.text(),
        }
    }
}

/// A consumer that cannot be made.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ConsumerError {
    /// Its controller refuses its parameters.
    #[error(transparent)]
    Params(#[from] ParamError),
    /// Its controller needs a signal that a consumer does not have.
    #[error("{controller} needs {need}, which a consumer cannot give it; it can give {}", offers())]
    Needs {
        /// The controller.
        controller: &'static str,
        /// What it needs.
        need: Need,
    },
}

fn offers() -> String {
    OFFERS.iter().map(Need::to_string).collect::<Vec<_>>().join(", ")
}

/// A consumer of any method.
///
/// It never acts by itself: a world hands it the Data and refusals that answer its Interests, calls [`poll`](AnyConsumer::poll) at
/// [`due`](AnyConsumer::due), and after either takes [`interest`](AnyConsumer::interest) until there is none. All calls come in time order.
pub struct AnyConsumer<C: Content>(Any<C>);

enum Any<C: Content> {
    Rated(Box<Rated<C>>),
    Window(Box<Window<C>>),
}

macro_rules! any {
    ($consumer:expr, $inner:ident => $call:expr) => {
        match $consumer {
            Any::Rated($inner) => $call,
            Any::Window($inner) => $call,
        }
    };
}

impl<C: Content> AnyConsumer<C> {
    /// A consumer that asks for the first `segments` segments of `content`, or for one after another without end, from `start` on. Fails if its controller cannot be
    /// made, or needs what a consumer cannot give.
    pub fn new(
        method: &Method,
        setup: &ConsumerSetup,
        content: C,
        segments: Option<u64>,
        start: Time,
    ) -> Result<AnyConsumer<C>, ConsumerError> {
        Ok(AnyConsumer(match method {
            Method::Rates(choice) => Any::Rated(Box::new(Rated::new(choice, setup, content, segments, start))),
            Method::Window(choice) => Any::Window(Box::new(Window::new(choice, setup, content, segments, start)?)),
        }))
    }

    /// Data or a refusal arrives for one of its Interests.
    pub fn handle(&mut self, now: Time, packet: Packet<C::Name>) {
        any!(&mut self.0, consumer => consumer.handle(now, packet))
    }

    /// Time has passed: gives up what was not answered, forgets paths that are silent.
    pub fn poll(&mut self, now: Time) {
        any!(&mut self.0, consumer => consumer.poll(now))
    }

    /// When [`poll`](AnyConsumer::poll) is wanted next, if nothing arrives before; `None` if never.
    pub fn due(&self) -> Option<Time> {
        any!(&self.0, consumer => consumer.due())
    }

    /// The next Interest that leaves at the time of the latest [`handle`](AnyConsumer::handle) or [`poll`](AnyConsumer::poll); `None` if no more may.
    pub fn interest(&mut self) -> Option<Interest<C::Name>> {
        any!(&mut self.0, consumer => consumer.interest())
    }

    /// Asks for nothing more.
    pub fn stop(&mut self) {
        any!(&mut self.0, consumer => consumer.stop())
    }

    /// True once all segments have come.
    pub fn finished(&self) -> bool {
        any!(&self.0, consumer => consumer.finished())
    }

    /// What it has counted.
    pub fn counters(&self) -> ConsumerCounters {
        any!(&self.0, consumer => consumer.counters())
    }

    /// The rates at which it asks now, in bits of Data per second: of primary Interests and of secondary ones. Zero while no path is known.
    pub fn rates(&self) -> (Rate, Rate) {
        any!(&self.0, consumer => consumer.rates())
    }

    /// Smoothed round trip; zero before the first is known.
    pub fn srtt(&self) -> Span {
        any!(&self.0, consumer => consumer.srtt())
    }

    /// Segments asked for and neither come nor given up.
    pub fn in_flight(&self) -> usize {
        any!(&self.0, consumer => consumer.in_flight())
    }

    /// The latest round trip of a segment that was asked for once.
    pub fn latest_rtt(&self) -> Option<Span> {
        any!(&self.0, consumer => consumer.latest_rtt())
    }

    /// The paths in use, in the order in which they were found.
    pub fn subflows(&self) -> impl Iterator<Item = &Subflow> {
        any!(&self.0, consumer => consumer.subflows()).iter()
    }

    /// The round trip that the packet handled last has shown, once.
    pub fn take_rtt(&mut self) -> Option<Span> {
        any!(&mut self.0, consumer => consumer.take_rtt())
    }
}
