//! Paths that Data has taken, and hints that steer Interests.

use crate::face_id::FaceId;
use narrows_wire::Labels;

/// The form of steering hints (MIRCC, section 4.3.2, and RFC 9531). All nodes of a network use the
/// same form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HintForm {
    /// A stack of next-hop labels (RFC 9531).
    #[default]
    Labels,
    /// The hash of the path, looked up in a table at every node. It never misses, but the tables
    /// grow with the paths in use.
    Hashes,
    /// A random value that selects a next hop at each split.
    Random,
    /// A Bloom filter of the links taken at splits (after LIPSIN).
    Bloom,
}

/// The path that Data or a Nack has taken so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Route {
    /// The hash of its hops in order; 0 at its origin.
    pub id: u64,
    /// The hint that steers an Interest over it.
    pub hint: Hint,
    /// The link whose primary rate is the lowest so far; 0 if nobody tells. Paths that share this
    /// link have equal values.
    pub limit: u64,
}

/// A hint that steers an Interest over a path, in one of the forms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Hint {
    /// No hint.
    #[default]
    None,
    /// Labels, with the consumer's first hop on top.
    Labels(Labels),
    /// The hash of the path.
    Hash(u64),
    /// A random value.
    Random(u64),
    /// A Bloom filter of links.
    Bloom(Bloom),
    /// A face of the next node, whatever its routes are (NDNLPv2, "NextHopFaceId").
    Face(FaceId),
}

/// The path that an Interest should take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Steer {
    /// The hint; [`Hint::None`] lets the forwarders choose.
    pub hint: Hint,
    /// Where the hint names no next hop, a forwarder returns the Interest with a Nack, instead of
    /// choosing another.
    pub strict: bool,
}

/// A Bloom filter of links: 256 bits, of which each link sets five.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bloom([u64; 4]);

impl Bloom {
    const HASHES: u32 = 5;

    /// Adds the link with this key, a 64-bit hash.
    pub fn insert(&mut self, key: u64) {
        for bit in Bloom::bits(key) {
            self.0[bit / 64] |= 1 << (bit % 64);
        }
    }

    /// True for every link added. False positives have a probability of 7e-6 after 5 links, and of
    /// 1.8e-4 after 10.
    pub fn contains(&self, key: u64) -> bool {
        Bloom::bits(key).all(|bit| self.0[bit / 64] >> (bit % 64) & 1 == 1)
    }

    /// True if no link was added.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The bits of a link, one per octet of the key.
    fn bits(key: u64) -> impl Iterator<Item = usize> {
        (0..Bloom::HASHES).map(move |hash| (key >> (8 * hash) & 0xff) as usize)
    }
}

/// The hash of path `id` extended by a hop (MIRCC, section 4.3.1): FNV-1a over the hash so far, the
/// node and the label of the face, big-endian.
pub fn extend(id: u64, node: u64, label: u16) -> u64 {
    let octets = id.to_be_bytes().into_iter().chain(node.to_be_bytes()).chain(label.to_be_bytes());
    octets.fold(0xcbf2_9ce4_8422_2325, |hash, octet| {
        (hash ^ u64::from(octet)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_filter_has_what_was_inserted(keys in prop::collection::vec(any::<u64>(), 1..20)) {
            let mut bloom = Bloom::default();
            keys.iter().for_each(|key| bloom.insert(*key));
            prop_assert!(keys.iter().all(|key| bloom.contains(*key)));
        }
    }

    #[test]
    fn the_filter_errs_as_rarely_as_computed() {
        // After k links of 5 bits, a bit of 256 is set with probability 1 - (255/256)^5k; a false
        // positive has the fifth power of that.
        for (links, expected) in [(5u64, 7e-6), (10, 1.8e-4), (20, 3.6e-3)] {
            let key = |number: u64| extend(number, links, 1);
            let filters = 300u64;
            let mut wrong = 0;
            for filter in 0..filters {
                let mut bloom = Bloom::default();
                (0..links).for_each(|link| bloom.insert(key(filter << 32 | link)));
                wrong +=
                    (1000..4000).filter(|other| bloom.contains(key(filter << 32 | other))).count();
            }
            let share = wrong as f64 / (filters * 3000) as f64;
            assert!(share < 2.5 * expected && share > 0.2 * expected, "{links} links: {share}");
        }
    }

    #[test]
    fn the_order_of_hops_matters() {
        assert_ne!(extend(extend(0, 1, 2), 3, 4), extend(extend(0, 3, 4), 1, 2));
        // FNV-1a of 18 zero octets: the offset basis times the prime to the 18th.
        let zeros = (0..18)
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, _| hash.wrapping_mul(0x0000_0100_0000_01b3));
        assert_eq!(extend(0, 0, 0), zeros);
    }
}
