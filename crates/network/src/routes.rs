//! Routes, and the links on them to which packets are offered before they arrive there.

use crate::{Change, LinkId, What};

/// The routes of all flows, out and back, in one list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routes {
    /// Links one after another, each route ended by [`END`].
    links: Vec<u32>,
    /// Indices in `links` of the first link of each flow's routes, out and back.
    places: Vec<[u32; 2]>,
    /// Whether packets are offered to a link before they arrive there, by link.
    early: Vec<bool>,
}

/// Stands behind the last link of a route.
const END: u32 = u32::MAX;
/// A flag of a link in a route: the packet is offered to this link as soon as it is offered to the
/// previous one.
const EARLY: u32 = 1 << 31;

/// The next place of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The receiver.
    Host,
    /// A link. The packet is offered to it when it arrives there.
    Link(usize),
    /// A link. The packet is offered to it early, together with the previous link.
    Early(usize),
}

/// Where the packets of a link come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feeder {
    /// No route crosses the link.
    Nobody,
    /// Always from this link.
    Link(usize),
    /// From a host, or from more than one link.
    Others,
}

impl Routes {
    /// Adds a flow with its routes out and back, numbered from 0.
    pub(crate) fn add_flow(&mut self, route: &[LinkId], back: &[LinkId]) {
        let places = [self.add(route), self.add(back)];
        self.places.push(places);
    }

    /// Replaces the routes of a flow. The old routes stay in the list for packets already on them.
    pub(crate) fn change(&mut self, flow: usize, route: &[LinkId], back: &[LinkId]) {
        self.places[flow] = [self.add(route), self.add(back)];
    }

    fn add(&mut self, links: &[LinkId]) -> u32 {
        let first = self.links.len() as u32;
        let early = |link: usize| if self.early.get(link) == Some(&true) { EARLY } else { 0 };
        self.links.extend(links.iter().map(|id| id.0 as u32 | early(id.0)));
        self.links.push(END);
        first
    }

    /// The place (index in `links`) where the current route of a flow begins: its data route, or
    /// its return route if `back`.
    #[inline]
    pub(crate) fn place(&self, flow: usize, back: bool) -> u32 {
        self.places[flow][usize::from(back)]
    }

    /// The kind of a place.
    #[inline]
    pub(crate) fn at(&self, place: u32) -> Next {
        match self.links[place as usize] {
            END => Next::Host,
            link if link & EARLY == 0 => Next::Link(link as usize),
            link => Next::Early((link & !EARLY) as usize),
        }
    }

    /// The links from a place on.
    pub(crate) fn links(&self, place: u32) -> impl Iterator<Item = usize> {
        (place..).map_while(|place| match self.at(place) {
            Next::Host => None,
            Next::Link(link) | Next::Early(link) => Some(link),
        })
    }

    /// Marks the links to which packets are offered early from now on. Such a link gets all its
    /// packets from one other link, on the present routes and on all routes in `changes`. Neither
    /// of the two links is in `changes`, and both can compute arrivals ahead of time. `looks_ahead`
    /// says for each link whether it can (`Link::looks_ahead`).
    pub(crate) fn look_ahead(&mut self, changes: &[Change], mut looks_ahead: Vec<bool>) {
        let mut feeders = vec![Feeder::Nobody; looks_ahead.len()];
        let mut follow = |route: &mut dyn Iterator<Item = usize>| {
            let mut before = Feeder::Others;
            for link in route {
                let feeder = &mut feeders[link];
                *feeder = if *feeder == Feeder::Nobody || *feeder == before {
                    before
                } else {
                    Feeder::Others
                };
                before = Feeder::Link(link);
            }
        };
        for route in self.links.split(|link| *link == END) {
            follow(&mut route.iter().map(|link| *link as usize));
        }
        for change in changes {
            match &change.what {
                What::Link(link, _) => looks_ahead[link.0] = false,
                What::Route { route, back, .. } => {
                    for links in [route, back] {
                        follow(&mut links.iter().map(|id| id.0));
                    }
                }
            }
        }
        let early = feeders.iter().enumerate().map(|(link, feeder)| match feeder {
            Feeder::Link(before) => looks_ahead[*before] && looks_ahead[link],
            Feeder::Nobody | Feeder::Others => false,
        });
        self.early = early.collect();
        for link in self.links.iter_mut().filter(|link| **link != END) {
            if self.early[*link as usize] {
                *link |= EARLY;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FlowId;
    use narrows_path::{Limit, LinkChange};
    use narrows_units::Time;

    fn ids(links: &[usize]) -> Vec<LinkId> {
        links.iter().map(|link| LinkId(*link)).collect()
    }

    /// The links of a route, with those to which packets are offered early negative.
    fn route(routes: &Routes, flow: usize) -> Vec<i32> {
        let first = routes.place(flow, false);
        let link = |place| match routes.at(place) {
            Next::Host => None,
            Next::Link(link) => Some(link as i32),
            Next::Early(link) => Some(-(link as i32)),
        };
        (first..).map_while(link).collect()
    }

    /// Two flows over access links of their own (1, 2), a bottleneck (3) and access links on the
    /// other side (4, 5).
    fn dumbbell() -> Routes {
        let mut routes = Routes::default();
        routes.add_flow(&ids(&[1, 3, 4]), &[]);
        routes.add_flow(&ids(&[2, 3, 5]), &[]);
        routes
    }

    fn change(what: What) -> Change {
        Change { at: Time::ZERO, what }
    }

    #[test]
    fn links_that_one_link_feeds_are_told_early() {
        let mut routes = dumbbell();
        routes.look_ahead(&[], vec![true; 6]);
        assert_eq!((route(&routes, 0), route(&routes, 1)), (vec![1, 3, -4], vec![2, 3, -5]));
        assert_eq!(routes.at(routes.place(0, true)), Next::Host);
    }

    #[test]
    fn not_so_if_a_host_a_later_route_or_a_second_link_feeds_them_or_if_they_change() {
        let mut routes = dumbbell();
        routes.add_flow(&ids(&[4]), &[]);
        let later = change(What::Route { flow: FlowId(1), route: ids(&[2, 5]), back: vec![] });
        routes.look_ahead(&[later], vec![true; 6]);
        assert_eq!((route(&routes, 0), route(&routes, 1)), (vec![1, 3, 4], vec![2, 3, 5]));
        let mut routes = dumbbell();
        routes.look_ahead(
            &[change(What::Link(LinkId(3), LinkChange::Limit(Limit::None)))],
            vec![true; 6],
        );
        assert_eq!(route(&routes, 0), [1, 3, 4]);
        let mut routes = dumbbell();
        routes.look_ahead(&[], vec![true, true, true, true, true, false]);
        assert_eq!((route(&routes, 0), route(&routes, 1)), (vec![1, 3, -4], vec![2, 3, 5]));
    }

    #[test]
    fn routes_that_come_later_are_crossed_in_the_same_way() {
        let mut routes = dumbbell();
        let out = ids(&[1, 3, 5]);
        let back = ids(&[]);
        routes.look_ahead(
            &[change(What::Route { flow: FlowId(0), route: out.clone(), back: back.clone() })],
            vec![true; 6],
        );
        routes.change(0, &out, &back);
        assert_eq!(route(&routes, 0), [1, 3, -5]);
    }
}
