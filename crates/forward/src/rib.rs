//! The routing information base (RIB): the routes that applications, operators and routing
//! protocols have registered, and the next hops that follow from them.
//!
//! Source: NFD Developer's Guide, section 3.7 and "RIB Management": child-inherit and capture.

use narrows_icn::Name;
use narrows_units::Time;
use std::collections::{BTreeMap, BTreeSet};

/// A route of a prefix. A prefix has one per face and origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Number of the face.
    pub face: u64,
    /// Origin of the route: 0 an application, 65 a client, 128 NLSR, 255 an operator, and others.
    pub origin: u64,
    /// Cost. Lower costs are preferred.
    pub cost: u64,
    /// Child-inherit: longer prefixes use the route too.
    pub child_inherit: bool,
    /// Capture: this prefix and longer ones use no routes of shorter prefixes.
    pub capture: bool,
    /// Time at which the route expires. `None` for never.
    pub expires: Option<Time>,
}

/// A next hop that follows from routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Number of the face.
    pub face: u64,
    /// Cost.
    pub cost: u64,
}

/// A prefix and its next hops after a change, the cheapest first. `None` if the prefix has no route
/// of its own any more.
pub type Change<N> = (N, Option<Vec<Hop>>);

/// The routes of all prefixes.
#[derive(Clone, Debug)]
pub struct Rib<N: Name> {
    routes: BTreeMap<N, Vec<Route>>,
    /// Prefixes whose next hops may have changed.
    changed: BTreeSet<N>,
    count: usize,
    /// Octets of prefixes, and the overhead of each route.
    octets: u64,
    /// Number of routes by expiration time, and number of routes by face.
    ends: BTreeMap<Time, usize>,
    of_face: BTreeMap<u64, usize>,
    /// Counter of changes.
    generation: u64,
}

/// Octets that a route counts for in addition to its prefix: here, and in the tables of next hops.
/// Our choice.
const ROUTE: u64 = 512;

/// Octets that a route of `prefix` counts for.
pub(crate) fn octets(prefix: &impl Name) -> u64 {
    ROUTE + prefix.octets() as u64
}

impl<N: Name> Default for Rib<N> {
    fn default() -> Rib<N> {
        Rib {
            routes: BTreeMap::new(),
            changed: BTreeSet::new(),
            count: 0,
            octets: 0,
            ends: BTreeMap::new(),
            of_face: BTreeMap::new(),
            generation: 0,
        }
    }
}

impl<N: Name> Rib<N> {
    /// Number of routes.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Octets that the routes count for.
    pub(crate) fn octets(&self) -> u64 {
        self.octets
    }

    /// A number that changes with the routes.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Number of prefixes with routes.
    pub(crate) fn prefixes(&self) -> usize {
        self.routes.len()
    }

    /// True if `prefix` has this route.
    pub(crate) fn has(&self, prefix: &N, face: u64, origin: u64) -> bool {
        self.routes.get(prefix).is_some_and(|routes| {
            routes.iter().any(|route| (route.face, route.origin) == (face, origin))
        })
    }

    /// True if there is no route.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The routes by prefix, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&N, &[Route])> {
        self.routes.iter().map(|(prefix, routes)| (prefix, &routes[..]))
    }

    /// Adds a route of `prefix`. Replaces an earlier route with the same face and origin.
    pub fn register(&mut self, prefix: N, route: Route) {
        self.mark(&prefix);
        let octets = octets(&prefix);
        let routes = self.routes.entry(prefix).or_default();
        let before = match routes
            .iter_mut()
            .find(|known| (known.face, known.origin) == (route.face, route.origin))
        {
            Some(known) => Some(std::mem::replace(known, route)),
            None => {
                routes.push(route);
                None
            }
        };
        if let Some(before) = before {
            self.uncount(&before, octets);
        }
        self.count += 1;
        self.octets += octets;
        *self.of_face.entry(route.face).or_default() += 1;
        if let Some(end) = route.expires {
            *self.ends.entry(end).or_default() += 1;
        }
    }

    /// Subtracts a removed route that counted for `octets`.
    fn uncount(&mut self, route: &Route, octets: u64) {
        self.count -= 1;
        self.octets -= octets;
        uncount(&mut self.of_face, &route.face);
        if let Some(end) = route.expires {
            uncount(&mut self.ends, &end);
        }
    }

    /// Removes a route. False if there is no such route.
    pub fn unregister(&mut self, prefix: &N, face: u64, origin: u64) -> bool {
        self.remove_from(prefix, |route| (route.face, route.origin) == (face, origin))
    }

    /// Removes all routes over a face.
    pub fn remove_face(&mut self, face: u64) {
        if self.of_face.contains_key(&face) {
            self.remove_where(|route| route.face == face);
        }
    }

    /// Removes the routes that have expired by `now`.
    pub fn expire(&mut self, now: Time) {
        self.remove_where(|route| route.expires.is_some_and(|at| at <= now));
    }

    /// Time at which the next route expires.
    pub fn due(&self) -> Option<Time> {
        self.ends.keys().next().copied()
    }

    /// Takes the prefixes whose next hops may have changed since the last call, with their present
    /// next hops.
    pub fn changes(&mut self) -> Vec<Change<N>> {
        let changed = std::mem::take(&mut self.changed);
        changed
            .into_iter()
            .map(|prefix| {
                self.routes
                    .contains_key(&prefix)
                    .then(|| self.next_hops(&prefix))
                    .map_or((prefix.clone(), None), |hops| (prefix, Some(hops)))
            })
            .collect()
    }

    /// Next hops of a prefix. The cost of a face is its lowest cost over the origins of the
    /// prefix's own routes. Unless one of them captures, inherited routes of shorter prefixes add
    /// faces, the longest prefix first.
    pub(crate) fn next_hops(&self, prefix: &N) -> Vec<Hop> {
        let own = self.routes.get(prefix).map_or(&[][..], Vec::as_slice);
        let mut hops: Vec<Hop> = Vec::new();
        for route in own {
            join(&mut hops, route);
        }
        hops.sort_by_key(|hop| (hop.cost, hop.face));
        if own.iter().any(|route| route.capture) {
            return hops;
        }
        for length in (0..prefix.components()).rev() {
            let Some(routes) = self.routes.get(&prefix.first(length)) else { continue };
            let mut inherited: Vec<Hop> = Vec::new();
            for route in routes.iter().filter(|route| {
                route.child_inherit && !hops.iter().any(|hop| hop.face == route.face)
            }) {
                join(&mut inherited, route);
            }
            inherited.sort_by_key(|hop| (hop.cost, hop.face));
            hops.extend(inherited);
            if routes.iter().any(|route| route.capture) {
                break;
            }
        }
        hops.sort_by_key(|hop| hop.cost);
        hops
    }

    fn remove_where(&mut self, gone: impl Fn(&Route) -> bool) {
        let prefixes: Vec<N> = self
            .routes
            .iter()
            .filter(|(_, routes)| routes.iter().any(&gone))
            .map(|(prefix, _)| prefix.clone())
            .collect();
        for prefix in prefixes {
            self.remove_from(&prefix, &gone);
        }
    }

    fn remove_from(&mut self, prefix: &N, gone: impl Fn(&Route) -> bool) -> bool {
        let Some(routes) = self.routes.get_mut(prefix) else { return false };
        let removed: Vec<Route> = routes.extract_if(.., |route| gone(route)).collect();
        let empty = routes.is_empty();
        if removed.is_empty() {
            return false;
        }
        removed.iter().for_each(|route| self.uncount(route, octets(prefix)));
        self.mark(prefix);
        if empty {
            self.routes.remove(prefix);
        }
        true
    }

    /// Marks a prefix and all longer prefixes as changed.
    fn mark(&mut self, prefix: &N) {
        self.generation += 1;
        self.changed.insert(prefix.clone());
        let below = self.routes.range(prefix..).take_while(|(name, _)| name.has_prefix(prefix));
        self.changed.extend(below.map(|(name, _)| name.clone()));
    }
}

/// Decrements the count of `key`.
fn uncount<K: Ord>(counts: &mut BTreeMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

/// Adds the face of a route to the next hops, or lowers its cost.
fn join(hops: &mut Vec<Hop>, route: &Route) {
    match hops.iter_mut().find(|hop| hop.face == route.face) {
        Some(hop) => hop.cost = hop.cost.min(route.cost),
        None => hops.push(Hop { face: route.face, cost: route.cost }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_icn::Interned;
    use narrows_units::Span;
    use proptest::prelude::*;

    fn route(face: u64, cost: u64, child_inherit: bool, capture: bool) -> Route {
        Route { face, origin: 255, cost, child_inherit, capture, expires: None }
    }

    fn root() -> Interned {
        Interned::prefix(0).first(0)
    }

    fn hops(rib: &Rib<Interned>, prefix: Interned) -> Vec<(u64, u64)> {
        rib.next_hops(&prefix).iter().map(|hop| (hop.face, hop.cost)).collect()
    }

    /// Routes of `/`, `/a`, `/a/b`, `/a/b/c`, `/d` and `/d/e` with NFD's flags.
    fn example() -> Rib<Interned> {
        let mut rib = Rib::default();
        rib.register(root(), route(1, 10, true, false));
        rib.register(Interned::prefix(1), route(2, 5, true, false));
        rib.register(Interned::content(1, 2), route(3, 1, false, false));
        rib.register(Interned::segment(1, 2, 3), route(1, 7, false, false));
        rib.register(Interned::prefix(4), route(4, 2, true, true));
        rib.register(Interned::content(4, 5), route(5, 1, false, false));
        rib
    }

    #[test]
    fn routes_are_inherited_until_one_captures() {
        let rib = example();
        assert_eq!(hops(&rib, Interned::prefix(1)), [(2, 5), (1, 10)]);
        assert_eq!(hops(&rib, Interned::content(1, 2)), [(3, 1), (2, 5), (1, 10)]);
        assert_eq!(
            hops(&rib, Interned::segment(1, 2, 3)),
            [(2, 5), (1, 7)],
            "its own cost of face 1, not the inherited one"
        );
        assert_eq!(hops(&rib, Interned::prefix(4)), [(4, 2)]);
        assert_eq!(hops(&rib, Interned::content(4, 5)), [(5, 1), (4, 2)]);
    }

    #[test]
    fn an_own_route_keeps_its_cost_where_a_shorter_prefix_has_a_cheaper_one() {
        let mut rib = Rib::default();
        rib.register(Interned::prefix(1), route(4, 0, true, false));
        rib.register(Interned::content(1, 1), route(4, 10, true, false));
        assert_eq!(hops(&rib, Interned::content(1, 1)), [(4, 10)]);
    }

    #[test]
    fn the_lowest_cost_over_origins_counts_and_a_repeated_registration_replaces() {
        let mut rib = Rib::default();
        let prefix = Interned::prefix(1);
        rib.register(prefix, Route { origin: 0, ..route(4, 10, true, false) });
        rib.register(prefix, Route { origin: 65, ..route(4, 3, true, false) });
        assert_eq!((hops(&rib, prefix), rib.len()), (vec![(4, 3)], 2));
        rib.register(prefix, Route { origin: 65, ..route(4, 20, true, false) });
        assert_eq!((hops(&rib, prefix), rib.len()), (vec![(4, 10)], 2));
        assert!(rib.unregister(&prefix, 4, 0) && !rib.unregister(&prefix, 4, 0));
        assert_eq!(hops(&rib, prefix), [(4, 20)]);
    }

    #[test]
    fn a_change_concerns_a_prefix_and_all_below_it() {
        let mut rib = example();
        assert_eq!(rib.changes().len(), 6);
        rib.register(Interned::prefix(1), route(9, 1, true, false));
        let changed: Vec<Interned> = rib.changes().into_iter().map(|(prefix, _)| prefix).collect();
        assert_eq!(
            changed,
            [Interned::prefix(1), Interned::content(1, 2), Interned::segment(1, 2, 3)]
        );
        rib.remove_face(1);
        let changes = rib.changes();
        assert_eq!(changes.len(), 6, "everything is below the root");
        assert_eq!(changes[0], (root(), None));
        assert_eq!(changes[3], (Interned::segment(1, 2, 3), None));
        assert!(rib.changes().is_empty());
    }

    #[test]
    fn routes_end() {
        let at = |s| Time::ZERO + Span::from_secs(s);
        let mut rib = Rib::default();
        rib.register(
            Interned::prefix(1),
            Route { expires: Some(at(60)), ..route(1, 1, true, false) },
        );
        rib.register(Interned::prefix(1), route(2, 2, true, false));
        rib.changes();
        assert_eq!(rib.due(), Some(at(60)));
        rib.expire(at(59));
        assert!(rib.changes().is_empty());
        rib.expire(at(60));
        assert_eq!(rib.changes(), [(Interned::prefix(1), Some(vec![Hop { face: 2, cost: 2 }]))]);
        assert_eq!((rib.due(), rib.len(), rib.is_empty()), (None, 1, false));
    }

    fn any_prefix() -> impl Strategy<Value = Interned> {
        (0u32..2, 0u32..2, 0u32..2, 0usize..=3)
            .prop_map(|(a, b, c, length)| Interned::segment(a, b, c).first(length))
    }

    proptest! {
        /// Applying the changes one by one gives the next hops that are computed from all routes.
        #[test]
        fn changes_say_everything(steps in prop::collection::vec((any_prefix(), 0u64..3, 0u64..4, any::<[bool; 3]>()), 1..40)) {
            let mut rib = Rib::default();
            let mut fib: BTreeMap<Interned, Vec<Hop>> = BTreeMap::new();
            for (prefix, face, cost, [add, inherit, capture]) in steps {
                if add {
                    rib.register(prefix, route(face, cost, inherit, capture));
                } else {
                    rib.unregister(&prefix, face, 255);
                }
                for (prefix, hops) in rib.changes() {
                    match hops {
                        Some(hops) => fib.insert(prefix, hops),
                        None => fib.remove(&prefix),
                    };
                }
                let whole: BTreeMap<Interned, Vec<Hop>> = rib.iter().map(|(prefix, _)| (*prefix, rib.next_hops(prefix))).collect();
                prop_assert_eq!(&fib, &whole);
                prop_assert_eq!(rib.len(), rib.iter().map(|(_, routes)| routes.len()).sum::<usize>());
                prop_assert_eq!((rib.octets(), rib.of_face.values().sum::<usize>()), (ROUTE * rib.len() as u64, rib.len()));
            }
        }
    }
}
