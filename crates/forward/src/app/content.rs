//! The segments of an object, as the content of a consumer of the `icn` crate.

use crate::name::PacketName;
use narrows_icn::{Content, Name as _};
use narrows_ndn::{Name, number};

/// Segments of a versioned name, from number `first` on.
#[derive(Clone, Debug)]
pub struct Segments {
    base: Name,
    prefix: PacketName,
    first: u64,
}

impl Segments {
    /// The segments of `base` from `first` on. The consumer counts them from zero.
    pub fn new(base: Name, first: u64) -> Segments {
        let prefix = PacketName::new(base.as_ref());
        Segments { base, prefix, first }
    }
}

impl Content for Segments {
    type Name = PacketName;

    fn name(&self, segment: u64) -> PacketName {
        PacketName::new(self.base.clone().segment(self.first + segment).as_ref())
    }

    fn segment(&self, name: &PacketName) -> Option<u64> {
        let below =
            name.components() == self.prefix.components() + 1 && name.has_prefix(&self.prefix);
        let last = name.view().last().filter(|_| below)?;
        last.nni_of(number::SEGMENT)?.checked_sub(self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_found_by_its_name() {
        let segments = Segments::new("/a/v=7".parse().unwrap(), 1);
        for segment in [0, 1, 254, 255, 70_000] {
            let name = segments.name(segment);
            assert_eq!(segments.segment(&name), Some(segment));
            assert!(name.view().to_string().ends_with(&format!("seg={}", segment + 1)));
        }
        let other = |uri: &str| PacketName::new(uri.parse::<Name>().unwrap().as_ref());
        for uri in ["/a/v=7/seg=0", "/a/v=8/seg=3", "/a/v=7", "/a/v=7/3", "/a/v=7/seg=3/x"] {
            assert_eq!(segments.segment(&other(uri)), None, "{uri}");
        }
    }
}
