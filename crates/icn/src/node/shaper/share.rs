//! The rate at which Interests may leave so that their Data fits beside the traffic of the other
//! direction.

/// The relation between the rate of Interests and the rate of the other direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShaperForm {
    /// All that the other direction's present Interests and their Data leave of both constraints,
    /// and at least the rate while both are congested.
    #[default]
    Boundary,
    /// From the rate alone to the congested rate with the square of the other direction's shortfall
    /// from its share, as in `ShaperNetDeviceFace`: below the boundary everywhere between them.
    Published,
}

/// A link as a shaper sees it. Inward, the Data that this node's Interests fetch shares the link
/// with the neighbour's Interests; outward, this node's Interests share it with the Data that the
/// neighbour's fetch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    /// Outward capacity, bit/s.
    pub(crate) out: f64,
    /// Inward capacity, bit/s.
    pub(crate) inward: f64,
    /// Size of Data in, over that of Interests out.
    pub(crate) r1: f64,
    /// Size of Data out, over that of Interests in.
    pub(crate) r2: f64,
}

impl Link {
    /// The optimal rates of Interests out and in, in bit/s, while both directions are congested:
    /// they maximise log i1 + log i2 under i1 + r2 i2 <= c1 and i2 + r1 i1 <= c2.
    ///
    /// Where both constraints bind and r1 r2 <= 1, their intersection is no maximum: each direction
    /// then takes half of its rate alone.
    pub(crate) fn busy(&self) -> (f64, f64) {
        let Link { out: c1, inward: c2, r1, r2 } = *self;
        let product = r1 * r2;
        if c1 * (product + 1.0) < 2.0 * r2 * c2 {
            (c1 / 2.0, c1 / (2.0 * r2))
        } else if 2.0 * r1 * c1 > (product + 1.0) * c2 {
            (c2 / (2.0 * r1), c2 / 2.0)
        } else if product > 1.0 {
            ((r2 * c2 - c1) / (product - 1.0), (r1 * c1 - c2) / (product - 1.0))
        } else {
            (self.alone() / 2.0, c2.min(c1 / r2) / 2.0)
        }
    }

    /// The rate of Interests out, in bit/s, while the other direction is idle.
    pub(crate) fn alone(&self) -> f64 {
        self.out.min(self.inward / self.r1)
    }

    /// The rate of Interests out, in bit/s, while `observed` bit/s of Interests arrive. `headroom`
    /// is the share of the link to use.
    pub(crate) fn rate(&self, form: ShaperForm, observed: f64, headroom: f64) -> f64 {
        let link = Link { out: headroom * self.out, inward: headroom * self.inward, ..*self };
        let alone = link.alone();
        if observed == 0.0 || alone.is_infinite() {
            return alone;
        }
        let (busy, expected) = link.busy();
        match form {
            ShaperForm::Boundary => {
                let left = (link.out - link.r2 * observed).min((link.inward - observed) / link.r1);
                left.max(busy).min(alone)
            }
            ShaperForm::Published => {
                let shortfall = (1.0 - observed / expected).max(0.0);
                busy + (alone - busy) * shortfall * shortfall
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    use ShaperForm::{Boundary, Published};

    const H: f64 = 0.98;

    /// Rates in Mbit/s, Data ten times as large as Interests on both ways.
    fn link(out: f64, inward: f64) -> Link {
        Link { out, inward, r1: 10.0, r2: 10.0 }
    }

    fn close(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= 1e-12 * expected.abs().max(1e-3)
    }

    #[test]
    fn a_link_of_equal_ways_is_full_in_both() {
        // 20/101 < 10/10 < 101/20: both bind. i1 = i2 = (10 * 10 - 10) / 99 = 10/11, which with ten
        // times as much Data fills 10 each way.
        let link = link(10.0, 10.0);
        let (out, inward) = link.busy();
        assert!(close(out, 10.0 / 11.0) && close(inward, 10.0 / 11.0));
        // Alone: min(10, 10/10) = 1.
        assert!(close(link.rate(Published, 0.0, H), 0.98));
        assert!(close(link.rate(Published, H * 10.0 / 11.0, H), H * 10.0 / 11.0));
        assert!(close(link.rate(Published, 5.0, H), H * 10.0 / 11.0), "no less, whatever comes in");
        // At half of what is expected in: 10/11 + (1/11) / 4.
        assert!(close(link.rate(Published, H * 5.0 / 11.0, H), H * 10.25 / 11.0));
    }

    #[test]
    fn at_the_boundary_nothing_is_left_over() {
        // Half of what is expected in leaves 9.8 - 0.4455 of the way in for Data, ten times as
        // large: 0.9355 of Interests.
        let link = link(10.0, 10.0);
        assert!(close(link.rate(Boundary, 0.0, H), 0.98));
        assert!(close(link.rate(Boundary, H * 5.0 / 11.0, H), (9.8 - 4.9 / 11.0) / 10.0));
        assert!(close(link.rate(Boundary, H * 10.0 / 11.0, H), H * 10.0 / 11.0));
        assert!(close(link.rate(Boundary, 5.0, H), H * 10.0 / 11.0), "no less, whatever comes in");
        // Where Data out fills the narrow way, a quarter of it leaves three quarters.
        let narrow = Link { out: 1.0, ..link };
        assert!(close(narrow.rate(Boundary, H * 0.025, H), H * 0.75));
        assert!(close(narrow.rate(Boundary, H * 0.05, H), H * 0.5));
    }

    #[test]
    fn a_narrow_way_out_is_halved_between_interests_and_data() {
        // 1/10 < 20/101: i1 = 1/2, and 1/20 of Interests in brings 1/2 of Data.
        let link = link(1.0, 10.0);
        assert_eq!(link.busy(), (0.5, 0.05));
        assert!(close(link.rate(Published, 0.0, H), 0.98));
        assert!(close(link.rate(Published, H * 0.025, H), H * 0.625));
        assert!(close(link.rate(Published, H * 0.05, H), H * 0.5));
    }

    #[test]
    fn a_narrow_way_in_is_halved_between_data_and_interests() {
        // 10/1 > 101/20: i1 = 1/20, i2 = 1/2.
        let link = link(10.0, 1.0);
        assert_eq!(link.busy(), (0.05, 0.5));
        assert!(close(link.rate(Published, 0.0, H), H * 0.1));
        assert!(close(link.rate(Published, H * 0.25, H), H * 0.0625));
        assert!(close(link.rate(Published, H * 0.5, H), H * 0.05));
    }

    #[test]
    fn where_data_is_no_larger_than_interests_each_side_has_half() {
        let link = Link { r1: 1.0, r2: 1.0, ..link(10.0, 10.0) };
        assert_eq!(link.busy(), (5.0, 5.0));
        assert!(close(link.rate(Published, H * 5.0, H), H * 5.0));
        let link = Link { r1: 0.5, r2: 1.0, ..link };
        assert_eq!(link.busy(), (5.0, 5.0), "10 alone on the way out, 10 on the way in");
    }

    #[test]
    fn data_of_six_times_the_size_on_both_ways_gets_84_percent() {
        // The Abilene case: 300 B and 1800 B.
        let link = Link { r1: 6.0, r2: 6.0, ..link(10.0, 10.0) };
        assert!(close(6.0 * link.rate(Published, 10.0, H) / 10.0, 0.84));
    }

    #[test]
    fn unknown_capacities_do_not_bind() {
        let link = link(f64::INFINITY, 10.0);
        assert_eq!((link.busy(), link.alone()), ((0.5, 5.0), 1.0));
        let link = Link { out: 1.0, inward: f64::INFINITY, ..link };
        assert_eq!((link.busy(), link.alone()), ((0.5, 0.05), 1.0));
        assert!(close(link.rate(Boundary, 0.01, 1.0), 0.9));
        let link = Link { out: f64::INFINITY, ..link };
        assert_eq!([Boundary, Published].map(|form| link.rate(form, 3.0, H)), [f64::INFINITY; 2]);
    }

    #[test]
    fn nothing_leaves_for_a_link_that_is_down() {
        for form in [Boundary, Published] {
            assert_eq!(link(10.0, 0.0).rate(form, 0.0, H), 0.0);
            assert_eq!(link(0.0, 10.0).rate(form, 1.0, H), 0.0);
        }
    }

    proptest! {
        /// Between idle and busy the boundary is where one of the constraints binds, and the
        /// published curve lies within it.
        #[test]
        fn the_boundary_is_used_up_and_the_published_form_stays_within_it(
            out in 0.1f64..100.0, inward in 0.1f64..100.0, r1 in 1.01f64..30.0, r2 in 1.01f64..30.0, part in 0.001f64..1.0,
        ) {
            let link = Link { out, inward, r1, r2 };
            let (busy, expected) = link.busy();
            let observed = part * expected;
            let rate = link.rate(Boundary, observed, 1.0);
            let slack = (out - rate - r2 * observed).min(inward - observed - r1 * rate) / out.max(inward);
            prop_assert!(slack > -1e-9 && (slack < 1e-9 || close(rate, link.alone())), "{slack}");
            prop_assert!(rate >= busy * (1.0 - 1e-9) && link.rate(Published, observed, 1.0) <= rate * (1.0 + 1e-9));
        }

        #[test]
        fn the_shares_fit_and_no_others_that_fit_have_a_larger_product(
            out in 0.1f64..100.0, inward in 0.1f64..100.0, r1 in 1.01f64..30.0, r2 in 1.01f64..30.0, a in 0.0f64..1.0, b in 0.0f64..1.0,
        ) {
            let link = Link { out, inward, r1, r2 };
            let (i1, i2) = link.busy();
            let fits = |i1: f64, i2: f64| i1 + r2 * i2 <= out * (1.0 + 1e-9) && i2 + r1 * i1 <= inward * (1.0 + 1e-9);
            prop_assert!(fits(i1, i2));
            prop_assert!(i1 <= link.alone() * (1.0 + 1e-9));
            let other = (a * link.alone(), b * inward.min(out / r2));
            prop_assert!(!fits(other.0, other.1) || other.0 * other.1 <= i1 * i2 * (1.0 + 1e-6));
        }
    }
}
