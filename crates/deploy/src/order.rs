//! The order of the periods of an experiment.

use crate::experiment::{Design, DesignKind};
use narrows_units::Random;

/// The arms of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arm {
    /// The controller of today.
    Control,
    /// The controller that is tried.
    Treatment,
}

/// Returns the arms of the periods of an experiment: `observed` pairs of two control periods, then
/// `pairs` pairs of both arms, whose order a coin decides in each pair.
pub fn switchback(seed: u64, observed: usize, pairs: usize) -> Vec<Arm> {
    let mut coin = Random::stream(seed, "order of periods");
    let observed = std::iter::repeat_n(Arm::Control, 2 * observed);
    let drawn = (0..pairs).flat_map(|_| {
        let order = [Arm::Control, Arm::Treatment];
        if coin.chance(0.5) { [order[1], order[0]] } else { order }
    });
    observed.chain(drawn).collect()
}

/// A period of an experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// Share of the connections that are drawn as treated.
    pub share: f64,
    /// True if connections that are drawn as treated have the control, too: an observation of two
    /// equal arms beside each other.
    pub is_beside: bool,
}

/// Returns the periods of an experiment, those of the observation first. A share has slices of one
/// endless period. Steps have blocks with each of their shares, in a drawn order.
pub fn slots(design: &Design) -> Vec<Slot> {
    let observed = 2 * design.observe as usize;
    let slot = |share: f64| Slot { share, is_beside: false };
    match &design.kind {
        DesignKind::Switchback { pairs, high } => {
            let share = |arm: Arm| if arm == Arm::Treatment { *high } else { 0.0 };
            let order = switchback(design.seed, observed / 2, *pairs as usize);
            order.into_iter().map(|arm| slot(share(arm))).collect()
        }
        DesignKind::Share { share, slices } => {
            let before = std::iter::repeat_n(Slot { share: *share, is_beside: true }, observed);
            before.chain(std::iter::repeat_n(slot(*share), *slices as usize)).collect()
        }
        DesignKind::Steps { blocks, shares } => {
            let mut random = Random::stream(design.seed, "order of periods");
            let mut all = vec![slot(0.0); observed];
            for _ in 0..*blocks {
                let mut block = shares.clone();
                // The shuffle of Fisher and Yates: each order is equally likely.
                for last in (1..block.len()).rev() {
                    block.swap(last, random.below(last as u64 + 1) as usize);
                }
                all.extend(block.into_iter().map(slot));
            }
            all
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_both_arms_in_a_drawn_order() {
        let order = switchback(1, 2, 16);
        assert!(order[..4].iter().all(|arm| *arm == Arm::Control));
        let first: String = order[4..]
            .chunks(2)
            .map(|pair| {
                assert_ne!(pair[0], pair[1]);
                if pair[0] == Arm::Treatment { 'T' } else { 'C' }
            })
            .collect();
        insta::assert_snapshot!(first);
        assert_ne!(switchback(2, 0, 16), order[4..]);
    }

    fn design(keys: &str) -> Design {
        let text = format!("name = \"t\"\ntreatment = \"bbr\"\n[design]\n{keys}\n");
        crate::Experiment::read(&text, "t.toml", &|_| Ok(())).expect("it is whole").design
    }

    #[test]
    fn periods_of_each_design() {
        let shares =
            |keys: &str| -> Vec<f64> { slots(&design(keys)).iter().map(|own| own.share).collect() };
        let pairs = shares("observe = 1\npairs = 3\nhigh = \"50 %\"");
        assert_eq!(pairs[..2], [0.0, 0.0]);
        assert!(pairs[2..].chunks(2).all(|own| own[0] + own[1] == 0.5), "{pairs:?}");
        let own = slots(&design("kind = \"share\"\nshare = \"2 %\"\nobserve = 1\npairs = 3"));
        assert!(own.iter().all(|own| own.share == 0.02));
        assert_eq!(own.iter().filter(|own| own.is_beside).count(), 2);
        assert_eq!(own.len(), 5);
    }

    #[test]
    fn blocks_have_each_share_once_and_each_order_is_as_likely() {
        let keys =
            "kind = \"steps\"\nsteps = [\"0 %\", \"10 %\", \"100 %\"]\nobserve = 0\npairs = 300";
        let mut orders = std::collections::BTreeMap::new();
        for block in slots(&design(keys)).chunks(3) {
            let shares: Vec<u32> = block.iter().map(|own| (100.0 * own.share) as u32).collect();
            assert_eq!(shares.iter().sum::<u32>(), 110);
            *orders.entry(shares).or_insert(0) += 1;
        }
        // Six orders of 300 blocks: 50 each, with a deviation of 6.5.
        assert_eq!(orders.len(), 6);
        assert!(orders.values().all(|count| (30..=70).contains(count)), "{orders:?}");
    }
}
