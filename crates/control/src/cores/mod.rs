//! Controllers whose arithmetic is a core of `narrows-cores`.
//!
//! A [`Twin`] says what the kernel and the simulator call such a controller, and with which
//! constants it starts.

mod twin;

use crate::CaState;
use narrows_cores::Recovery;
pub(crate) use twin::replay;
pub use twin::{Replay, Twin};

/// The number that the cores have for a recovery state.
pub fn recovery(state: CaState) -> u32 {
    let state = match state {
        CaState::Open => Recovery::Open,
        CaState::Disorder => Recovery::Disorder,
        CaState::Cwr => Recovery::Cwr,
        CaState::Recovery => Recovery::Recovery,
        CaState::Loss => Recovery::Loss,
    };
    state as u32
}
