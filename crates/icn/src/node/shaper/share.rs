//! How fast Interests may leave so that the Data they bring fits, whatever goes the other way.

/// Half of the packets on a link are somebody else's: the Data that our Interests bring shares the way in with the other side's Interests, and our Interests share the way out
/// with the Data that those bring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    /// Capacity of the way out, bit/s.
    pub(crate) out: f64,
    /// Capacity of the way in, bit/s.
    pub(crate) inward: f64,
    /// Size of Data in over that of Interests out.
    pub(crate) r1: f64,
    /// Size of Data out over that of Interests in.
    pub(crate) r2: f64,
}

impl Link {
    /// The rates of Interests out and in, in bit/s, that share the link best while both directions have more to ask than fits: the logarithms of both have the largest sum
    /// under i1 + r2 i2 <= c1 and i2 + r1 i1 <= c2.
    ///
    /// Where both constraints bind and r1 r2 <= 1, they do not meet in a maximum: then each side takes half of what it could have alone.
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

    /// The rate of Interests out, in bit/s, while nobody asks in the other direction.
    pub(crate) fn alone(&self) -> f64 {
        self.out.min(self.inward / self.r1)
    }

    /// The rate of Interests out, in bit/s, while `observed` bit/s of Interests come in: from that of an idle other direction it falls with the square of what that lacks to its
    /// share. `headroom` is the part of the link that is given away at all.
    pub(crate) fn rate(&self, observed: f64, headroom: f64) -> f64 {
        let alone = self.alone();
        if observed == 0.0 || alone.is_infinite() {
            return headroom * alone;
        }
        let (busy, expected) = self.busy();
        let lacks = (1.0 - observed / (headroom * expected)).max(0.0);
        headroom * (busy + (alone - busy) * lacks * lacks)
    }
}
