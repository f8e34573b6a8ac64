//! The event loop: what is due first is served first, in virtual time.

use crate::SimError;
use crate::follow::tell;
use crate::pulse::Pulse;
use narrows_measure::{FlowSample, Follower};
use narrows_network::{Agenda, Network, Routed, Visitor};
use narrows_units::{Time, TimeOrder};

/// An element of the agenda of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// One that is there from the beginning, by its number.
    Fixed(usize),
    /// One that watches or changes the network.
    Probe(Probe),
    /// One that may come and go, counted from 0.
    Passing(usize),
}

/// The elements that watch or change the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    /// Flows and links are sampled.
    Sample,
    /// The warm-up ends.
    WarmUp,
    /// The network changes as the scenario says.
    Change,
    /// The rates of the network are looked at, by which hosts take their time to send.
    Rates,
}

/// The numbers of the elements in the agenda. At equal times the lower number is served first, and
/// the network before them all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements {
    fixed: usize,
}

impl Elements {
    const PROBES: [Probe; 4] = [Probe::Sample, Probe::WarmUp, Probe::Change, Probe::Rates];

    /// Those of a world with `fixed` elements that are there from the beginning.
    pub(crate) fn new(fixed: usize) -> Elements {
        Elements { fixed }
    }

    /// The number of a probe.
    pub(crate) fn probe(self, probe: Probe) -> usize {
        self.fixed + probe as usize
    }

    /// The number of an element that comes and goes.
    #[inline(always)]
    pub(crate) fn passing(self, place: usize) -> usize {
        self.fixed + Elements::PROBES.len() + place
    }

    /// The element with a number.
    #[inline(always)]
    fn at(self, number: usize) -> Element {
        if number < self.fixed {
            return Element::Fixed(number);
        }
        let beyond = number - self.fixed;
        match Elements::PROBES.get(beyond) {
            Some(probe) => Element::Probe(*probe),
            None => Element::Passing(beyond - Elements::PROBES.len()),
        }
    }
}

/// The hosts or nodes on a network: what the loop drives.
pub(crate) trait Inhabitants<'a, P: Routed>: Visitor<P> {
    /// When each element is due. Elements set their next times themselves.
    fn agenda(&mut self) -> &mut Agenda;

    /// The numbers of the elements.
    fn elements(&self) -> Elements;

    /// Says whether the run goes on.
    fn pulse(&mut self) -> &mut Pulse<'a>;

    /// A fixed element is due.
    fn on_fixed(&mut self, network: &mut Network<P>, now: Time, number: usize);

    /// An element that comes and goes is due.
    fn on_passing(&mut self, network: &mut Network<P>, now: Time, place: usize);

    /// Takes a sample of each flow. Returns when the next is due.
    fn sample(&mut self, now: Time) -> Time;

    /// The latest samples of the flows.
    fn latest(&self) -> impl Iterator<Item = (usize, FlowSample)>;

    /// The warm-up is over: counts from here on are the steady ones.
    fn end_warmup(&mut self, now: Time);

    /// The rates of the network may have changed. Returns when they are to be looked at next.
    fn look_at_rates(&mut self, network: &Network<P>, now: Time) -> Time;
}

/// Runs until `end`. Returns the number of events of elements; probes do not count.
///
/// A function by itself: within its caller it took 1 % more instructions per packet.
#[inline(never)]
pub(crate) fn run<'a, P: Routed, I: Inhabitants<'a, P>>(
    network: &mut Network<P>,
    inhabitants: &mut I,
    follower: &mut dyn Follower,
    end: Time,
) -> Result<u64, SimError> {
    let elements = inhabitants.elements();
    let mut events = 0;
    let mut order = TimeOrder::default();
    loop {
        let arrival = network.arrival_due();
        let (due, number) = inhabitants.agenda().first();
        let now = arrival.min(due);
        order.call(now);
        // Asked before the end is looked at: a run that this stops is not whole.
        if !inhabitants.pulse().goes_on(now.min(end)) {
            return Err(inhabitants.pulse().reason());
        }
        if now > end {
            return Ok(events);
        }
        if arrival <= due {
            network.arrive(inhabitants);
            continue;
        }
        match elements.at(number) {
            Element::Fixed(number) => {
                events += 1;
                inhabitants.on_fixed(network, now, number);
            }
            Element::Passing(place) => {
                events += 1;
                inhabitants.on_passing(network, now, place);
            }
            Element::Probe(probe) => {
                let next = on_probe(network, inhabitants, follower, now, probe);
                inhabitants.agenda().set(number, next);
            }
        }
    }
}

/// A probe is due. Returns when it is due again.
#[inline(never)]
fn on_probe<'a, P: Routed, I: Inhabitants<'a, P>>(
    network: &mut Network<P>,
    inhabitants: &mut I,
    follower: &mut dyn Follower,
    now: Time,
    probe: Probe,
) -> Time {
    match probe {
        Probe::Sample => {
            let next = inhabitants.sample(now);
            network.sample(now);
            tell(follower, inhabitants.latest(), network);
            next
        }
        Probe::WarmUp => {
            inhabitants.end_warmup(now);
            network.end_warmup(now);
            Time::NEVER
        }
        Probe::Change => {
            network.change(now, inhabitants);
            inhabitants.look_at_rates(network, now);
            network.change_due()
        }
        Probe::Rates => inhabitants.look_at_rates(network, now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_numbered_in_the_order_in_which_they_are_served() {
        let elements = Elements::new(2);
        let all: Vec<_> = (0..8).map(|number| elements.at(number)).collect();
        assert_eq!(
            all,
            [
                Element::Fixed(0),
                Element::Fixed(1),
                Element::Probe(Probe::Sample),
                Element::Probe(Probe::WarmUp),
                Element::Probe(Probe::Change),
                Element::Probe(Probe::Rates),
                Element::Passing(0),
                Element::Passing(1),
            ]
        );
        assert_eq!((elements.probe(Probe::Change), elements.passing(1)), (4, 7));
    }
}
