//! HopLimit.

/// HopLimit of an Interest: the forwarders that it may still cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopLimit {
    /// The limit; an Interest that arrives with 0 is dropped.
    pub value: u8,
    /// Where the limit's octet is, counted from the start of the Interest's TLV.
    pub position: usize,
}

impl HopLimit {
    /// Writes one hop fewer into the Interest that `wire` holds, which is the one that the limit
    /// was read from, and returns what it wrote; `None`, and nothing is written, if no hop is left.
    pub fn lower(self, wire: &mut [u8]) -> Option<u8> {
        let lower = self.value.checked_sub(1)?;
        wire[self.position] = lower;
        Some(lower)
    }
}
