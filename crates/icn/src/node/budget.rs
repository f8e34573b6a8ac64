//! A limit to the octets of a table.

/// The octets that a table may hold, and those that it holds.
///
/// Users of a table share it by a dynamic threshold (Choudhury and Hahne, "Dynamic queue length
/// thresholds for shared-memory packet switches", IEEE/ACM Transactions on Networking 6(2), 1998,
/// with alpha 1): a user may hold as much as is free. So one alone gets half of the table, and what
/// others take leaves room for those who hold little.
///
/// ```
/// let mut budget = narrows_icn::Budget::new(1000);
/// assert!(budget.admits(0, 500));
/// budget.charge(500);
/// assert!(!budget.admits(500, 1), "one user holds as much as is free");
/// assert!(budget.admits(0, 500), "another user does not");
/// assert_eq!((budget.used(), budget.refused()), (500, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    limit: u64,
    used: u64,
    refused: u64,
}

impl Budget {
    /// An empty table of at most `limit` octets.
    pub const fn new(limit: u64) -> Budget {
        Budget { limit, used: 0, refused: 0 }
    }

    /// True if a user who holds `own` octets may hold `more`. If not, that is counted.
    #[inline]
    pub fn admits(&mut self, own: u64, more: u64) -> bool {
        let admits = own.saturating_add(more) <= self.limit.saturating_sub(self.used);
        self.refused += u64::from(!admits);
        admits
    }

    /// The table holds so many octets more. It may hold more than its limit if nobody has asked.
    #[inline]
    pub fn charge(&mut self, octets: u64) {
        self.used += octets;
    }

    /// The table holds so many octets less.
    #[inline]
    pub fn release(&mut self, octets: u64) {
        debug_assert!(octets <= self.used, "more is released than was charged");
        self.used = self.used.saturating_sub(octets);
    }

    /// A user of the table holds `now` octets instead of `before`.
    #[inline]
    pub fn replace(&mut self, before: u64, now: u64) {
        self.release(before);
        self.charge(now);
    }

    /// Octets that it holds.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// The most octets.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// How often there was no room.
    pub fn refused(&self) -> u64 {
        self.refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The table never holds more than its limit, whoever asks first, and a user without
        /// anything gets room while half of it is free.
        #[test]
        fn what_is_admitted_fits(steps in prop::collection::vec((0usize..4, 1u64..300, any::<bool>()), 1..200)) {
            let mut budget = Budget::new(1000);
            let mut held = [0u64; 5];
            for (user, octets, takes) in steps {
                if takes && budget.admits(held[user], octets) {
                    budget.charge(octets);
                    held[user] += octets;
                } else if !takes {
                    budget.release(held[user].min(octets));
                    held[user] -= held[user].min(octets);
                }
                prop_assert!(budget.used() <= budget.limit());
                prop_assert_eq!(budget.used(), held.iter().sum::<u64>());
                let free = budget.limit() - budget.used();
                prop_assert!(budget.admits(0, free), "one who holds nothing gets what is free");
            }
        }
    }
}
