//! What a router in the kernel has measured and done.

use crate::shared::RouterCounts;
use narrows_cores::vcp_router::State;

/// At one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The state of its arithmetic.
    pub state: State,
    /// Counts since it began.
    pub counts: RouterCounts,
}

impl Measured {
    /// From the value of its map (`struct router` in `bpf/router.bpf.c`): a lock of eight bytes, state, counts.
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
