//! HopLimit.

/// HopLimit of an Interest: the number of forwarders that it may still cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopLimit {
    /// The limit. An Interest that arrives with 0 is dropped.
    pub value: u8,
    /// Position of the limit's octet, from the start of the Interest's TLV.
    pub position: usize,
}

impl HopLimit {
    /// Writes a limit lower by one into `wire`, which must be the Interest that the limit was read
    /// from. Returns the new limit. `None` if no hop is left; nothing is written then.
    pub fn lower(self, wire: &mut [u8]) -> Option<u8> {
        let lower = self.value.checked_sub(1)?;
        wire[self.position] = lower;
        Some(lower)
    }
}
