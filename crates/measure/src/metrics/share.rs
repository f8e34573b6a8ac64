//! Max-min fair shares.

/// The max-min fair rate of each flow, by filling: all flows grow alike until a link is full, its
/// flows keep what they have, the others grow on. A route lists indices into `capacity`; `None`
/// there is a link without limit, and a flow that meets no limit has no share.
pub(super) fn max_min(routes: &[&[usize]], capacity: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut shares = vec![None; routes.len()];
    let mut left = capacity.to_vec();
    let mut growing = vec![0u32; capacity.len()];
    for link in routes.iter().copied().flatten() {
        growing[*link] += 1;
    }
    loop {
        let level = |link: usize| {
            left[link].filter(|_| growing[link] > 0).map(|left| left / growing[link] as f64)
        };
        let tightest = (0..left.len())
            .filter_map(|link| Some((link, level(link)?)))
            .reduce(|a, b| if b.1 < a.1 { b } else { a });
        let Some((full, share)) = tightest else { return shares };
        for (route, slot) in routes.iter().zip(&mut shares) {
            if slot.is_none() && route.contains(&full) {
                *slot = Some(share);
                for link in *route {
                    growing[*link] -= 1;
                    left[*link] = left[*link].map(|left| (left - share).max(0.0));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_link_is_split_evenly() {
        assert_eq!(max_min(&[&[0], &[0]], &[Some(10.0)]), [Some(5.0); 2]);
    }

    #[test]
    fn a_flow_held_elsewhere_leaves_its_part_to_the_others() {
        // Link 0 carries all three, link 1 holds the last at 1.
        let shares = max_min(&[&[0], &[0], &[0, 1]], &[Some(10.0), Some(1.0)]);
        assert_eq!(shares, [Some(4.5), Some(4.5), Some(1.0)]);
    }

    #[test]
    fn the_parking_lot() {
        let shares = max_min(&[&[0, 1], &[0], &[1]], &[Some(10.0), Some(20.0)]);
        assert_eq!(shares, [Some(5.0), Some(5.0), Some(15.0)]);
    }

    #[test]
    fn no_limit_no_share() {
        assert_eq!(max_min(&[&[0], &[]], &[None]), [None, None]);
    }
}
