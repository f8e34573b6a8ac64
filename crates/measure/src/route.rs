//! Which links a flow's data crosses, and when.

use crate::FlowRecord;
use narrows_units::Time;

impl FlowRecord {
    /// The links that its data crosses at `time`, as indices into
    /// [`Record::links`](crate::Record::links).
    pub fn route_at(&self, time: Time) -> &[usize] {
        let later = self.later_routes.iter().rev().find(|(from, _)| *from <= time);
        later.map_or(&self.route, |(_, route)| route)
    }

    /// The links that its data crosses at any time, some perhaps several times.
    pub fn links(&self) -> impl Iterator<Item = usize> + '_ {
        self.route.iter().chain(self.later_routes.iter().flat_map(|(_, route)| route)).copied()
    }

    /// The flow in a record whose links stand in other places.
    pub fn with_links_at(self, place: impl Fn(usize) -> usize) -> FlowRecord {
        let moved = |route: Vec<usize>| route.into_iter().map(&place).collect();
        let later_routes =
            self.later_routes.into_iter().map(|(from, route)| (from, moved(route))).collect();
        FlowRecord { route: moved(self.route), later_routes, ..self }
    }
}

#[cfg(test)]
mod tests {
    use crate::metrics::fixture::flow;
    use narrows_units::{Span, Time};

    #[test]
    fn a_route_holds_from_its_time_on() {
        let at = |s| Time::ZERO + Span::from_secs(s);
        let mut moved = flow("a");
        (moved.route, moved.later_routes) = (vec![0], vec![(at(5), vec![1, 2]), (at(9), vec![0])]);
        assert_eq!(
            [0, 4, 5, 8, 9].map(|s| moved.route_at(at(s)).to_vec()),
            [vec![0], vec![0], vec![1, 2], vec![1, 2], vec![0]]
        );
        assert_eq!(moved.links().collect::<Vec<_>>(), [0, 1, 2, 0]);
        assert_eq!(
            moved.with_links_at(|link| link + 10).links().collect::<Vec<_>>(),
            [10, 11, 12, 10]
        );
    }
}
