//! A range set does what a set of numbers does.

use narrows_transport::RangeSet;
use proptest::prelude::*;
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
enum Step {
    Insert(u64, u64),
    Remove(u64),
    RemoveBelow(u64),
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0u64..60, 1u64..8).prop_map(|(start, length)| Step::Insert(start, start + length)),
        4 => (0u64..64).prop_map(Step::Remove),
        1 => (0u64..64).prop_map(Step::RemoveBelow),
        1 => Just(Step::Clear),
    ]
}

/// The maximal runs of a set.
fn runs(set: &BTreeSet<u64>) -> Vec<std::ops::Range<u64>> {
    let mut runs: Vec<std::ops::Range<u64>> = Vec::new();
    for &n in set {
        match runs.last_mut() {
            Some(run) if run.end == n => run.end += 1,
            _ => runs.push(n..n + 1),
        }
    }
    runs
}

proptest! {
    #[test]
    fn ranges_are_the_maximal_runs_of_a_set(steps in prop::collection::vec(step(), 1..60)) {
        let mut ranges = RangeSet::default();
        let mut set = BTreeSet::new();
        for step in steps {
            match step {
                Step::Insert(start, end) => {
                    let mut added = Vec::new();
                    ranges.insert(start..end, |part| added.push(part));
                    let new: BTreeSet<u64> = (start..end).filter(|n| !set.contains(n)).collect();
                    prop_assert_eq!(added, runs(&new));
                    set.extend(start..end);
                }
                Step::Remove(n) => prop_assert_eq!(ranges.remove(n), set.remove(&n)),
                Step::RemoveBelow(n) => {
                    ranges.remove_below(n);
                    set = set.split_off(&n);
                }
                Step::Clear => {
                    ranges.clear();
                    set.clear();
                }
            }
            let expected = runs(&set);
            prop_assert_eq!(ranges.iter().collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!((ranges.is_empty(), ranges.first()), (set.is_empty(), set.first().copied()));
            for n in 0..70 {
                prop_assert_eq!(ranges.end_of(n), expected.iter().find(|run| run.contains(&n)).map(|run| run.end));
                prop_assert_eq!(ranges.contains(n), set.contains(&n));
            }
        }
    }
}
