//! Rate laws: what the links of an information-centric network tell consumers to ask for.

use narrows_params::Spec;
use narrows_units::{Bytes, Rate, Span};
use narrows_wire::Rates;

/// Counts of a link since its last tick. All counts are bits of Data: Interests offered to the
/// shaper, inflated by the ratio of the mean sizes of Data and Interests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// Time since the last tick.
    pub dt: Span,
    /// Bits, not bits per second, that arrived over `dt`: primary and secondary. Interests that are
    /// sent, wait or are refused count alike.
    pub arrivals: [f64; 2],
    /// Bits that wait now, of both classes.
    pub queue: f64,
    /// Mean of the round trips that arrivals carried; `None` if nobody told.
    pub rtt: Option<Span>,
    /// Mean size of a Data packet: what floors are counted in.
    pub packet: Bytes,
}

/// A law that gives a link its rates. It knows nothing of packets: whoever owns the link counts,
/// and calls [`tick`](RateLaw::tick) when [`interval`](RateLaw::interval) has passed since the last
/// time.
pub trait RateLaw {
    /// Takes what was seen since the last tick and returns the rates that hold until the next one.
    /// A sample with a count that is not a finite number, or over no time, changes nothing.
    fn tick(&mut self, observed: &Observed) -> Rates;

    /// The rates that hold now.
    fn rates(&self) -> Rates;

    /// Time to the next tick. The owner of the link puts the first one at a random part of it, so
    /// that links do not tick in step.
    fn interval(&self) -> Span;

    /// From now on the link carries so much Data, zero for a link that is down. Rates follow at the
    /// next tick.
    fn set_capacity(&mut self, capacity: Rate);

    /// Names inner state for traces; rates in Mbit/s, times in seconds.
    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64));

    /// Samples that were not numbers, and changed nothing.
    fn discarded(&self) -> u64;
}

/// The registry line of a rate law.
pub struct LawEntry {
    /// Its name in scenarios.
    pub name: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// The document it follows.
    pub source: &'static str,
    /// How many classes it gives rates to: 1 or 2.
    pub classes: u8,
    /// True if Data that wait on the link count as its queue where no shaper holds Interests.
    pub data_queue: bool,
    /// Its parameters.
    pub params: &'static [Spec],
}

/// A rate law chosen by name, with its parameters checked: `mircc`, `rcp?a=0.1&b=1`.
pub type LawChoice = narrows_params::Choice<LawEntry>;

/// The setup of a link that a rate law must know.
#[derive(Clone, Copy, Debug)]
pub struct LawSetup {
    /// The link's capacity in the direction of Data.
    pub capacity: Rate,
}
