//! The paths that a consumer knows, and the distribution of its Interests over them.

use super::counters::ByClass;
use crate::packet::Class;
use crate::route::Hint;
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Rates;
use std::collections::BTreeMap;

/// The part of a flow that takes one path (MIRCC, section 4.3.1).
#[derive(Clone, Debug)]
pub struct Subflow {
    /// The hash of the path.
    pub id: u64,
    /// The hint that steers Interests over it.
    pub hint: Hint,
    /// The rates of the latest Data, or of a later Nack where that is lower.
    pub rates: Rates,
    /// The link whose primary rate this is; 0 if unknown.
    pub limit: u64,
    /// When Data last arrived by it.
    pub last_data: Time,
    /// Size of the segments received by it, by the class of their Interests.
    pub received: ByClass<Bytes>,
    /// When the first Interest since its latest Data was steered over it.
    unanswered_since: Option<Time>,
    /// Its credit in the weighted round robin, in Interests.
    credit: ByClass<f64>,
}

impl Subflow {
    fn rate(&self, class: Class) -> u64 {
        match class {
            Class::Primary => self.rates.primary.as_bps(),
            Class::Secondary => self.rates.secondary.as_bps(),
        }
    }
}

/// Most paths remembered; a further one replaces the path whose Data arrived longest ago.
const MOST: usize = 64;

/// The subflows of a flow, in the order of their discovery.
#[derive(Clone, Debug)]
pub(crate) struct Subflows {
    all: Vec<Subflow>,
    /// Counts of removed paths, which continue if the path is found again.
    forgotten: BTreeMap<u64, ByClass<Bytes>>,
    /// The earliest time since when one of them has not answered an Interest; [`Time::NEVER`] if
    /// all have.
    unanswered_since: Time,
    total: bool,
    best_path: bool,
    /// The part of the Interests of a class that each path gets; computed for each Interest.
    shares: Vec<f64>,
    /// The paths whose link carries its rate, while shares are computed.
    full: Vec<bool>,
}

impl Subflows {
    /// No subflows. With `total`, the primary rate is their sum instead of the best one; with
    /// `best_path`, all primary Interests take the path of the best rate.
    pub(crate) fn new(total: bool, best_path: bool) -> Subflows {
        Subflows {
            all: Vec::new(),
            forgotten: BTreeMap::new(),
            unanswered_since: Time::NEVER,
            total,
            best_path,
            shares: Vec::new(),
            full: Vec::new(),
        }
    }

    pub(crate) fn all(&self) -> &[Subflow] {
        &self.all
    }

    /// The rate of each class (MIRCC, section 4.2): the best subflow's for primary Interests, the
    /// sum for secondary ones and, with `total`, for both.
    pub(crate) fn rates(&self) -> ByClass<Rate> {
        let sum = |sum: u64, rate: Rate| sum.saturating_add(rate.as_bps());
        let primary = self.all.iter().map(|subflow| subflow.rates.primary);
        ByClass {
            primary: if self.total {
                Rate::from_bps(primary.fold(0, sum))
            } else {
                primary.max().unwrap_or(Rate::ZERO)
            },
            secondary: Rate::from_bps(
                self.all.iter().map(|subflow| subflow.rates.secondary).fold(0, sum),
            ),
        }
    }

    /// Data arrived by path `id` with these rates, which apply at once (MIRCC, section 3.1).
    /// `limit` is the link that told the primary rate. Returns its subflow.
    pub(crate) fn on_data(
        &mut self,
        now: Time,
        id: u64,
        hint: Hint,
        rates: Rates,
        limit: u64,
    ) -> &mut Subflow {
        let index = self.find(id).unwrap_or_else(|| {
            if self.all.len() == MOST {
                let oldest = (0..MOST).min_by_key(|index| self.all[*index].last_data).unwrap_or(0);
                self.remove(self.all[oldest].id);
            }
            let received = self.forgotten.remove(&id).unwrap_or_default();
            let credit = ByClass::default();
            self.all.push(Subflow {
                id,
                hint,
                rates,
                limit,
                last_data: now,
                received,
                unanswered_since: None,
                credit,
            });
            self.all.len() - 1
        });
        let subflow = &mut self.all[index];
        let answered = subflow.unanswered_since.is_some();
        (subflow.hint, subflow.rates, subflow.limit) = (hint, rates, limit);
        (subflow.last_data, subflow.unanswered_since) = (now, None);
        if answered {
            self.update_unanswered();
        }
        &mut self.all[index]
    }

    /// A Nack returned an Interest steered over `path`, or over none: its rates apply only if they
    /// are lower (MIRCC, section 3.1). Without `path`, the path is known only if there is a single
    /// one. A path that only refuses Interests for `congestion` is there all the same.
    pub(crate) fn on_nack(
        &mut self,
        path: Option<u64>,
        rates: Rates,
        limit: u64,
        congestion: bool,
    ) {
        let subflow = match (path, self.all.as_mut_slice()) {
            (Some(id), all) => all.iter_mut().find(|subflow| subflow.id == id),
            (None, [only]) => Some(only),
            _ => None,
        };
        if let Some(subflow) = subflow {
            if rates.primary < subflow.rates.primary {
                subflow.limit = limit;
            }
            subflow.rates = subflow.rates.min(rates);
            if congestion && subflow.unanswered_since.take().is_some() {
                self.update_unanswered();
            }
        }
    }

    pub(crate) fn remove(&mut self, id: u64) {
        self.keep(|subflow| subflow.id != id);
    }

    /// Removes paths that have not answered Interests for longer than `limit`. False if there is
    /// none.
    pub(crate) fn expire(&mut self, now: Time, limit: Span) -> bool {
        let expired = self.due(limit) <= now;
        if expired {
            self.keep(|subflow| subflow.unanswered_since.is_none_or(|since| since + limit > now));
        }
        expired
    }

    fn keep(&mut self, kept: impl Fn(&Subflow) -> bool) {
        let gone = self
            .all
            .iter()
            .filter(|subflow| !kept(subflow))
            .map(|subflow| (subflow.id, subflow.received));
        self.forgotten.extend(gone);
        self.all.retain(kept);
        self.update_unanswered();
    }

    fn update_unanswered(&mut self) {
        self.unanswered_since = self
            .all
            .iter()
            .filter_map(|subflow| subflow.unanswered_since)
            .min()
            .unwrap_or(Time::NEVER);
    }

    /// When to call [`expire`](Subflows::expire) next.
    pub(crate) fn due(&self, limit: Span) -> Time {
        self.unanswered_since + limit
    }

    /// Chooses the path of the next Interest of `class` by smooth weighted round robin: each path
    /// gets a share in proportion to its rate, with primary Interests "subject to the constraint
    /// that no path and no link carry more than their stamping rate" (MIRCC, section 4.3). `None`
    /// if all rates are zero.
    pub(crate) fn choose(&mut self, now: Time, class: Class) -> Option<(u64, Hint)> {
        let chosen = if self.best_path && class == Class::Primary {
            self.best()
        } else {
            self.next_by_credit(class)
        }?;
        let subflow = &mut self.all[chosen];
        let since = *subflow.unanswered_since.get_or_insert(now);
        self.unanswered_since = self.unanswered_since.min(since);
        Some((subflow.id, subflow.hint))
    }

    /// The first of the paths with the highest primary rate.
    fn best(&self) -> Option<usize> {
        let rates =
            self.all.iter().enumerate().map(|(index, subflow)| (index, subflow.rates.primary));
        rates
            .filter(|(_, rate)| !rate.is_zero())
            .reduce(|best, other| if other.1 > best.1 { other } else { best })
            .map(|(index, _)| index)
    }

    /// The path whose turn it is in `class`.
    fn next_by_credit(&mut self, class: Class) -> Option<usize> {
        let sum: f64 = self.all.iter().map(|subflow| subflow.rate(class) as f64).sum();
        if sum <= 0.0 {
            return None;
        }
        self.share_out(class, sum);
        let mut chosen = 0;
        for index in 0..self.all.len() {
            let share = self.shares[index];
            debug_assert!(
                self.rates().of(class).as_bps() as f64 * share
                    <= self.all[index].rate(class) as f64 * (1.0 + 1e-9),
                "a path gets Interests above its rate (MIRCC, section 4.3)"
            );
            *self.all[index].credit.of_mut(class) += share;
            if *self.all[index].credit.of(class) > *self.all[chosen].credit.of(class) {
                chosen = index;
            }
        }
        *self.all[chosen].credit.of_mut(class) -= 1.0;
        Some(chosen)
    }

    /// Computes the part of the Interests of `class` for each path: in proportion to the rates,
    /// whose sum is `sum`.
    fn share_out(&mut self, class: Class, sum: f64) {
        let Subflows { all, shares, .. } = self;
        shares.clear();
        shares.extend(all.iter().map(|subflow| subflow.rate(class) as f64 / sum));
        // The constraint is of the primary rate of the best subflow: each secondary rate is for its
        // subflow alone.
        let joint = |index: usize| {
            all[index].limit != 0
                && all[..index].iter().any(|other| other.limit == all[index].limit)
        };
        if class == Class::Primary && !self.total && (1..all.len()).any(joint) {
            self.keep_links_below_their_rates();
        }
    }

    /// Lowers the shares of paths that one link limits together to that link's rate, and gives what
    /// they lose to the others in proportion to their rates. That suffices: the best path has a
    /// link that carries the whole rate.
    fn keep_links_below_their_rates(&mut self) {
        let Subflows { all, shares, full, .. } = self;
        let rate = |index: usize| all[index].rates.primary.as_bps() as f64;
        let whole = (0..all.len()).map(rate).fold(0.0, f64::max);
        // A path without a known limit is a group of its own; a group is known by its first path.
        let is_of = |group: usize, index: usize| {
            index == group || (all[group].limit != 0 && all[index].limit == all[group].limit)
        };
        let is_first = |index: usize| !(0..index).any(|other| is_of(other, index));
        full.clear();
        full.resize(all.len(), false);
        let mut rest = whole;
        let mut weights = (0..all.len()).map(rate).sum::<f64>();
        loop {
            let mut lowered = false;
            for group in (0..all.len()).filter(|index| is_first(*index)) {
                let members = || (group..all.len()).filter(|index| is_of(group, *index));
                let weight: f64 = members().map(rate).sum();
                // Rates of one link that came at different times differ: the highest is enough for
                // the whole rate.
                let most = members().map(rate).fold(0.0, f64::max);
                if full[group] || weight <= 0.0 || rest * weight <= most * weights * (1.0 + 1e-12) {
                    continue;
                }
                members().for_each(|index| shares[index] = most * rate(index) / weight / whole);
                (rest, weights, lowered) = ((rest - most).max(0.0), weights - weight, true);
                members().for_each(|index| full[index] = true);
            }
            if !lowered {
                break;
            }
        }
        for index in (0..all.len()).filter(|index| !full[*index] && weights > 0.0) {
            shares[index] = rest * rate(index) / weights / whole;
        }
    }

    fn find(&self, id: u64) -> Option<usize> {
        self.all.iter().position(|subflow| subflow.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_path_continue_if_it_is_found_again() {
        let mut subflows = Subflows::new(false, false);
        let rates = Rates { primary: Rate::from_mbps(1), secondary: Rate::ZERO };
        let receive = |subflows: &mut Subflows, id: u64| {
            let subflow = subflows.on_data(Time::ZERO, id, Hint::default(), rates, 0);
            *subflow.received.of_mut(Class::Primary) += Bytes::new(1000);
            subflow.received.primary
        };
        assert_eq!(receive(&mut subflows, 7), Bytes::new(1000));
        subflows.remove(7);
        assert!(subflows.all().is_empty());
        assert_eq!(receive(&mut subflows, 7), Bytes::new(2000));
        // The path whose Data arrived longest ago is replaced, and keeps its counts too.
        for id in 0..=MOST as u64 {
            receive(&mut subflows, 100 + id);
        }
        assert!(subflows.all().len() == MOST && subflows.find(7).is_none());
        assert_eq!(receive(&mut subflows, 7), Bytes::new(3000));
    }

    /// Parts of 1000 Interests of a class that paths with these rates, in Mbit/s, and limits get.
    fn parts(paths: &[(u64, u64)], class: Class) -> Vec<usize> {
        let mut subflows = Subflows::new(false, false);
        for (id, (rate, limit)) in paths.iter().enumerate() {
            let rates =
                Rates { primary: Rate::from_mbps(*rate), secondary: Rate::from_mbps(*rate) };
            subflows.on_data(Time::ZERO, id as u64, Hint::default(), rates, *limit);
        }
        let chosen: Vec<u64> = (0..1000)
            .filter_map(|_| subflows.choose(Time::ZERO, class))
            .map(|(id, _)| id)
            .collect();
        (0..paths.len() as u64)
            .map(|id| chosen.iter().filter(|other| **other == id).count())
            .collect()
    }

    #[test]
    fn a_link_that_limits_several_paths_carries_its_rate() {
        let primary = |paths: &[(u64, u64)]| parts(paths, Class::Primary);
        // The best rate is 100. By rates alone the first link would carry 9.1 of 5 Mbit/s.
        assert_eq!(primary(&[(5, 7), (5, 7), (100, 8)]), [25, 25, 950]);
        assert_eq!(primary(&[(5, 7), (100, 8), (5, 7)]), [25, 950, 25]);
        // 4.3 of 5, 52 of 30 and 43 of 100 Mbit/s by rates alone: what the second link may not have
        // fills the first.
        assert_eq!(
            primary(&[(5, 1), (5, 1), (30, 2), (30, 2), (30, 2), (30, 2), (100, 3)]),
            [25, 25, 75, 75, 75, 75, 650]
        );
        assert_eq!(primary(&[(10, 1), (10, 1), (10, 1), (20, 2)]), [167, 166, 167, 500]);
        // One link for all, and links that nobody tells: by rates alone.
        assert_eq!(primary(&[(5, 7), (5, 7)]), [500, 500]);
        assert_eq!(primary(&[(5, 0), (5, 0), (100, 0)]), [46, 45, 909]);
        // A secondary rate is for each subflow.
        assert_eq!(parts(&[(5, 7), (5, 7), (100, 8)], Class::Secondary), [46, 45, 909]);
    }

    #[test]
    fn all_primary_interests_take_the_best_path_or_each_path_its_share() {
        for (best_path, expected) in [(true, [0, 8]), (false, [2, 6])] {
            let mut subflows = Subflows::new(false, best_path);
            for id in [1, 3] {
                let rates = Rates { primary: Rate::from_mbps(id), secondary: Rate::from_mbps(id) };
                subflows.on_data(Time::ZERO, id, Hint::default(), rates, 0);
            }
            let mut taken = |class| {
                let chosen: Vec<u64> = (0..8)
                    .filter_map(|_| subflows.choose(Time::ZERO, class))
                    .map(|(id, _)| id)
                    .collect();
                [1, 3].map(|id| chosen.iter().filter(|other| **other == id).count())
            };
            assert_eq!(taken(Class::Primary), expected);
            assert_eq!(taken(Class::Secondary), [2, 6]);
        }
    }
}
