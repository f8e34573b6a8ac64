//! Commands on the content store.

use super::command::Command;
use super::response::Outcome;
use crate::name::PacketName;
use crate::shard::TableChange;
use crate::state::State;
use narrows_icn::CacheLimits;
use narrows_ndn::management::ControlParameters;

/// Flags of the content store: it admits Data, and it serves Data.
pub(super) const ADMIT: u64 = 1;
pub(super) const SERVE: u64 = 2;

/// Flags of a content store.
pub(super) fn flags(limits: &CacheLimits) -> u64 {
    u64::from(limits.admit) * ADMIT + u64::from(limits.serve) * SERVE
}

/// Sets the capacity and the flags of the content store.
pub(super) fn configure_store(state: &mut State, command: &Command<'_>) -> Outcome {
    let ControlParameters { capacity, flags: wanted, mask, .. } = command.parameters;
    let mut limits = state.cache_limits();
    match (wanted, mask) {
        (None, None) => {}
        (Some(wanted), Some(mask)) => {
            let present = flags(&limits) & !mask | wanted & mask;
            (limits.admit, limits.serve) = (present & ADMIT != 0, present & SERVE != 0);
        }
        _ => return Outcome::refuse(409, "cs/config needs Flags and Mask together"),
    }
    if let Some(capacity) = capacity {
        limits.packets = usize::try_from(capacity).unwrap_or(usize::MAX);
    }
    state.change_all(&TableChange::Store(limits));
    Outcome::done(&ControlParameters {
        capacity: Some(limits.packets as u64),
        flags: Some(flags(&limits)),
        ..ControlParameters::default()
    })
}

/// Most packets that one command erases, so that it does not take long.
const MOST_ERASED: u64 = 4096;

/// Erases Data below a prefix.
pub(super) fn erase(state: &mut State, command: &Command<'_>) -> Outcome {
    let Some(prefix) = command.parameters.name else {
        return Outcome::refuse(400, "cs/erase needs a Name");
    };
    let wanted = command.parameters.count.unwrap_or(u64::MAX);
    let most = wanted.min(MOST_ERASED);
    let erased = state.erase_cached(&PacketName::new(prefix), most as usize) as u64;
    let limit = (erased == MOST_ERASED && wanted > MOST_ERASED).then_some(MOST_ERASED);
    Outcome::done(&ControlParameters {
        name: Some(prefix),
        count: Some(erased),
        capacity: limit,
        ..ControlParameters::default()
    })
}
