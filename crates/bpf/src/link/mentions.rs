//! The use that an instruction makes of the field that it names.

use crate::program::{Instruction, Mention, Use};
use crate::relocate::{Resolution, Resolved};

/// `BPF_ATOMIC`, a mode of stores.
const ATOMIC: u8 = 0xc0;
const MODE: u8 = 0xe0;

/// The question of a relocation, before it is applied. `None` if it is not about a field, and
/// asks nothing.
pub(super) fn mention(
    at: usize,
    instruction: &Instruction,
    resolved: &Resolved,
) -> Option<Mention> {
    let how = match instruction.code & 7 {
        _ if resolved.asks => Use::Asks,
        _ if !resolved.locates => return None,
        1 => Use::Reads,
        3 if instruction.code & MODE == ATOMIC => Use::Updates,
        2 | 3 => Use::Writes,
        _ => Use::Locates,
    };
    let there = match resolved.resolution {
        Resolution::Missing => false,
        Resolution::Value(change) => !resolved.asks || change.new != 0,
    };
    let moved = matches!(resolved.resolution, Resolution::Value(change) if resolved.locates && change.old != change.new);
    Some(Mention { instruction: at, what: resolved.what.clone(), how, there, moved })
}
