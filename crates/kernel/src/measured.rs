//! Measurements of a router in the kernel.

use crate::shared::RouterCounts;
use narrows_cores::vcp_router::State;

/// The measurements of a router at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// State of the router's computation.
    pub state: State,
    /// Counts since the router was made.
    pub counts: RouterCounts,
}

impl Measured {
    /// Reads the value of the map (`struct router` in `bpf/router.bpf.c`): a lock of eight bytes,
    /// state, counts.
    #[cfg(feature = "bpf")]
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Measured> {
        const LOCK: usize = 8;
        let state = bytes.get(LOCK..LOCK + size_of::<State>())?;
        let counts = bytes.get(LOCK + size_of::<State>()..)?.get(..size_of::<RouterCounts>())?;
        Some(Measured {
            state: bytemuck::pod_read_unaligned(state),
            counts: bytemuck::pod_read_unaligned(counts),
        })
    }
}
