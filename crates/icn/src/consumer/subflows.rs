//! The paths that a consumer knows, and how Interests are spread over them.

use crate::consumer::ByClass;
use crate::{Class, Hint};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Rates;
use std::collections::BTreeMap;

/// The part of a flow that takes one path (MIRCC, section 4).
#[derive(Clone, Debug)]
pub struct Subflow {
    /// The path's hash.
    pub id: u64,
    /// What steers Interests over it.
    pub hint: Hint,
    /// What its links allow, by the latest Data, or by a refusal if that said less.
    pub rates: Rates,
    /// When Data last came by it.
    pub last_data: Time,
    /// Size of the segments that came by it, by the class of their Interests.
    pub received: ByClass<Bytes>,
    /// When the first Interest after its latest Data was steered over it.
    asked: Option<Time>,
    /// Interests that it is ahead (or behind) of its share.
    due: ByClass<f64>,
}

impl Subflow {
    fn rate(&self, class: Class) -> u64 {
        match class {
            Class::Primary => self.rates.primary.as_bps(),
            Class::Secondary => self.rates.secondary.as_bps(),
        }
    }
}

/// Most paths that are remembered; another one takes the place of that whose Data came longest ago.
const MOST: usize = 64;

/// The subflows of a flow, in the order in which they were found.
#[derive(Clone, Debug)]
pub(crate) struct Subflows {
    all: Vec<Subflow>,
    /// What had come by paths that are forgotten: where one is found again, its counts go on.
    forgotten: BTreeMap<u64, ByClass<Bytes>>,
    total: bool,
}

impl Subflows {
    /// None yet. `total`: the primary rate is the sum over them, not the best.
    pub(crate) fn new(total: bool) -> Subflows {
        Subflows { all: Vec::new(), forgotten: BTreeMap::new(), total }
    }

    pub(crate) fn all(&self) -> &[Subflow] {
        &self.all
    }

    /// The rate of one class: of primary Interests that of the best subflow (MIRCC, section 4.1), or with `total` as of secondary ones the sum.
    pub(crate) fn rate(&self, class: Class) -> Rate {
        let rates = self.all.iter().map(|subflow| subflow.rate(class));
        Rate::from_bps(match class {
            Class::Primary if !self.total => rates.max().unwrap_or(0),
            _ => rates.fold(0, u64::saturating_add),
        })
    }

    /// Data came by path `id` with these rates, which hold at once (section 3.2). Returns its subflow.
    pub(crate) fn on_data(&mut self, now: Time, id: u64, hint: Hint, rates: Rates) -> &mut Subflow {
        let index = self.find(id).unwrap_or_else(|| {
            if self.all.len() == MOST {
                let oldest = (0..MOST).min_by_key(|index| self.all[*index].last_data).unwrap_or(0);
                self.remove(self.all[oldest].id);
            }
            let (received, due) = (self.forgotten.remove(&id).unwrap_or_default(), ByClass::default());
            self.all.push(Subflow { id, hint, rates, last_data: now, received, asked: None, due });
            self.all.len() - 1
        });
        let subflow = &mut self.all[index];
        (subflow.hint, subflow.rates, subflow.last_data, subflow.asked) = (hint, rates, now, None);
        subflow
    }

    /// An Interest was refused that was steered over `path`, or over none: lower rates hold, higher ones do not. Which path refused an Interest that took any is
    /// known only where there is one.
    pub(crate) fn on_refusal(&mut self, path: Option<u64>, rates: Rates) {
        let subflow = match (path, self.all.as_mut_slice()) {
            (Some(id), all) => all.iter_mut().find(|subflow| subflow.id == id),
            (None, [only]) => Some(only),
            _ => None,
        };
        if let Some(subflow) = subflow {
            subflow.rates = subflow.rates.min(rates);
        }
    }

    pub(crate) fn remove(&mut self, id: u64) {
        self.keep(|subflow| subflow.id != id);
    }

    /// Forgets paths that have been silent for longer than `limit`: those that were not asked are not silent.
    pub(crate) fn expire(&mut self, now: Time, limit: Span) {
        self.keep(|subflow| subflow.asked.is_none_or(|asked| asked + limit > now));
    }

    fn keep(&mut self, kept: impl Fn(&Subflow) -> bool) {
        let gone = self.all.iter().filter(|subflow| !kept(subflow)).map(|subflow| (subflow.id, subflow.received));
        self.forgotten.extend(gone);
        self.all.retain(kept);
    }

    /// When [`expire`](Subflows::expire) is wanted next.
    pub(crate) fn due(&self, limit: Span) -> Time {
        self.all.iter().filter_map(|subflow| subflow.asked).min().map_or(Time::NEVER, |asked| asked + limit)
    }

    /// The path of the next Interest of `class`: each gets its share in proportion to its rate, spread as evenly as can be (smooth weighted round robin). `None` if
    /// no path allows any.
    pub(crate) fn choose(&mut self, now: Time, class: Class) -> Option<(u64, Hint)> {
        let rate = |subflow: &Subflow| subflow.rate(class) as f64;
        let sum: f64 = self.all.iter().map(rate).sum();
        if sum <= 0.0 {
            return None;
        }
        let pace = self.rate(class).as_bps() as f64;
        let mut chosen = 0;
        for index in 0..self.all.len() {
            let share = rate(&self.all[index]) / sum;
            debug_assert!(pace * share <= rate(&self.all[index]) * (1.0 + 1e-9), "a path is asked for more than its rate (section 4.1)");
            *self.all[index].due.of_mut(class) += share;
            if *self.all[index].due.of(class) > *self.all[chosen].due.of(class) {
                chosen = index;
            }
        }
        let subflow = &mut self.all[chosen];
        *subflow.due.of_mut(class) -= 1.0;
        subflow.asked.get_or_insert(now);
        Some((subflow.id, subflow.hint))
    }

    fn find(&self, id: u64) -> Option<usize> {
        self.all.iter().position(|subflow| subflow.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_path_go_on_where_it_is_found_again() {
        let (mut subflows, rates) = (Subflows::new(false), Rates { primary: Rate::from_mbps(1), secondary: Rate::ZERO });
        let come = |subflows: &mut Subflows, id: u64| {
            let subflow = subflows.on_data(Time::ZERO, id, Hint::default(), rates);
            *subflow.received.of_mut(Class::Primary) += Bytes::new(1000);
            subflow.received.primary
        };
        assert_eq!(come(&mut subflows, 7), Bytes::new(1000));
        subflows.remove(7);
        assert!(subflows.all().is_empty());
        assert_eq!(come(&mut subflows, 7), Bytes::new(2000));
        // The one whose Data came longest ago makes room, and loses no count either.
        for id in 0..=MOST as u64 {
            come(&mut subflows, 100 + id);
        }
        assert!(subflows.all().len() == MOST && subflows.find(7).is_none());
        assert_eq!(come(&mut subflows, 7), Bytes::new(3000));
    }
}
