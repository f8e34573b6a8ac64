//! Path labels (RFC 9531): a stack of next hops, 12 bits each.

use std::fmt;

/// A stack of next-hop labels of 12 bits, in slots from the producer to the consumer: the last is
/// on top.
///
/// The bitmap is that of RFC 9531, section 3.1: slot k is bits 12k to 12k + 11, most significant
/// first. A label is 1 to 4095; a slot of 0 is a hop without a label, as are hops that the bitmap
/// has no room for. Bits behind the last hop are 0, so that stacks of the same hops are equal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Labels {
    hops: u8,
    bitmap: [u8; Labels::OCTETS],
}

impl Labels {
    /// The number of labels that fit into the bitmap.
    pub const MOST: usize = 42;
    const OCTETS: usize = 64;

    /// The number of hops.
    pub fn hops(&self) -> u8 {
        self.hops
    }

    /// True if no hop is in it.
    pub fn is_empty(&self) -> bool {
        self.hops == 0
    }

    /// The label of the top hop; `None` if there is no hop, or if it has none.
    #[inline]
    pub fn top(&self) -> Option<u16> {
        self.slot(usize::from(self.hops).checked_sub(1)?)
    }

    /// Removes the top hop, and returns its label; `None` if there is no hop, or if it had none.
    #[inline]
    pub fn pop(&mut self) -> Option<u16> {
        let top = self.top();
        self.hops = self.hops.saturating_sub(1);
        if usize::from(self.hops) < Labels::MOST {
            self.set(usize::from(self.hops), 0);
        }
        top
    }

    /// Pushes the low 12 bits of `label`. False, without a change, if no more fits.
    #[inline]
    #[must_use]
    pub fn push(&mut self, label: u16) -> bool {
        let slot = usize::from(self.hops);
        let fits = slot < Labels::MOST;
        if fits {
            self.set(slot, label & 0xfff);
            self.hops += 1;
        }
        fits
    }

    /// The label in `slot`, of which 0 is the producer's last hop; `None` if there is no such hop,
    /// or if it has none.
    #[inline]
    pub fn slot(&self, slot: usize) -> Option<u16> {
        if slot >= usize::from(self.hops).min(Labels::MOST) {
            return None;
        }
        let at = 3 * (slot / 2) + slot % 2;
        let octets = u16::from_be_bytes([self.bitmap[at], self.bitmap[at + 1]]);
        let label = if slot.is_multiple_of(2) { octets >> 4 } else { octets & 0xfff };
        (label > 0).then_some(label)
    }

    /// The labels, from the producer's last hop to the top; `None` for hops that have none.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<u16>> + '_ {
        (0..usize::from(self.hops)).map(|slot| self.slot(slot))
    }

    /// The octets of the bitmap that hold labels.
    pub fn bitmap(&self) -> &[u8] {
        &self.bitmap[..(usize::from(self.hops).min(Labels::MOST) * 12).div_ceil(8)]
    }

    /// The first `hops` labels of `bitmap`. A shorter bitmap has no labels for the rest. `None` if
    /// it has more than 64 octets.
    pub fn from_bitmap(hops: u8, bitmap: &[u8]) -> Option<Labels> {
        let mut labels = Labels { hops, ..Labels::default() };
        labels.bitmap.get_mut(..bitmap.len())?.copy_from_slice(bitmap);
        labels.clear_unused();
        Some(labels)
    }

    #[inline]
    fn set(&mut self, slot: usize, label: u16) {
        let at = 3 * (slot / 2) + slot % 2;
        let [high, low] = label.to_be_bytes();
        if slot.is_multiple_of(2) {
            // Nothing stands behind the last hop.
            (self.bitmap[at], self.bitmap[at + 1]) = (high << 4 | low >> 4, low << 4);
        } else {
            (self.bitmap[at], self.bitmap[at + 1]) = (self.bitmap[at] & 0xf0 | high, low);
        }
    }

    fn clear_unused(&mut self) {
        let used = self.bitmap().len();
        self.bitmap[used..].fill(0);
        if !self.hops.is_multiple_of(2) && usize::from(self.hops) < Labels::MOST {
            self.bitmap[used - 1] &= 0xf0;
        }
    }
}

impl Default for Labels {
    fn default() -> Labels {
        Labels { hops: 0, bitmap: [0; Labels::OCTETS] }
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|label| label.unwrap_or(0))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_stand_in_the_bitmap_as_rfc_9531_has_them() {
        let mut labels = Labels::default();
        assert!(labels.push(0xabc) && labels.push(0x123));
        assert_eq!(labels.bitmap(), [0xab, 0xc1, 0x23]);
        assert_eq!((labels.pop(), labels.bitmap()), (Some(0x123), &[0xab, 0xc0][..]));
        assert_eq!((labels.pop(), labels.pop()), (Some(0xabc), None));
    }

    #[test]
    fn a_full_stack_takes_no_more() {
        let mut labels = Labels::default();
        assert!((1..=42).all(|label| labels.push(label)));
        let full = labels;
        assert!(!labels.push(43));
        assert_eq!(
            (labels, labels.hops(), labels.top(), labels.bitmap().len()),
            (full, 42, Some(42), 63)
        );
    }

    #[test]
    fn a_hop_without_a_label_is_none() {
        let mut labels = Labels::from_bitmap(3, &[0xab, 0xc0]).expect("it fits");
        assert_eq!(labels.iter().collect::<Vec<_>>(), [Some(0xabc), None, None]);
        assert_eq!((labels.pop(), labels.pop(), labels.pop()), (None, None, Some(0xabc)));
        let many = Labels::from_bitmap(255, &[0xff; 64]).expect("it fits");
        assert_eq!(
            (many.hops(), many.top(), many.slot(41), many.slot(42)),
            (255, None, Some(0xfff), None)
        );
        assert_eq!(Labels::from_bitmap(1, &[0; 65]), None);
    }

    #[test]
    fn what_stands_behind_the_last_hop_does_not_count() {
        for (hops, bitmap) in
            [(0, &[][..]), (1, &[0xff, 0xf0]), (2, &[0xff, 0xff, 0xff]), (42, &[0xff; 63])]
        {
            let labels = Labels::from_bitmap(hops, &[0xff; 64]).expect("it fits");
            assert_eq!(labels.bitmap(), bitmap);
            assert_eq!(Labels::from_bitmap(hops, bitmap), Some(labels));
        }
    }

    proptest! {
        #[test]
        fn what_is_pushed_is_popped(pushed in prop::collection::vec(1u16..4096, 0..=42)) {
            let mut labels = Labels::default();
            for label in &pushed {
                prop_assert!(labels.push(*label));
            }
            let mut read = Labels::from_bitmap(labels.hops(), labels.bitmap()).expect("it fits");
            prop_assert_eq!(read, labels);
            let popped: Vec<u16> = std::iter::from_fn(|| read.pop()).collect();
            prop_assert!(popped.iter().rev().eq(&pushed));
            prop_assert_eq!(read, Labels::default());
        }
    }
}
