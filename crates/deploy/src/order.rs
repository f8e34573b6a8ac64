//! The order of the periods of an experiment.

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
}
