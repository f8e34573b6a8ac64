//! The value that a relocation puts into an instruction: the offset, the size and so on of the
//! field to which a path leads.

use super::path::Path;
use crate::types::{TypeId, TypeKind, Types};

/// Asks for a field (`BPF_CORE_FIELD_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldQuestion {
    Offset,
    Size,
    Exists,
    Signed,
    /// By how much to shift to the left what was read in 64 bits, so that a bitfield comes to the
    /// top.
    LeftShift,
    /// And then to the right.
    RightShift,
}

/// The answer for one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub value: u64,
    /// Whether compilers leave just this value. Of bitfields they choose what to read as they like.
    pub certain: bool,
    /// For an offset that is no bitfield's: the type that is read there.
    pub read: Option<TypeId>,
}

/// The answer for a field.
///
/// # Errors
///
/// The reason for having no answer.
pub(super) fn answer(
    types: &Types,
    path: &Path,
    question: FieldQuestion,
) -> Result<Answer, String> {
    let unsized_type = || "it leads to a type without a size".to_owned();
    let last = path.steps.last().ok_or("its path is empty")?;
    let certain = |value: u64| Answer { value, certain: true, read: None };
    let Some(_) = last.name else {
        return match question {
            FieldQuestion::Offset => {
                let read = types.innermost(last.holder).ok_or_else(unsized_type)?;
                Ok(Answer { read: Some(read), ..certain(path.at / 8) })
            }
            FieldQuestion::Size => {
                Ok(certain(types.size(last.holder).ok_or_else(unsized_type)? as u64))
            }
            other => Err(format!("it asks an element of an array for {other:?}")),
        };
    };
    let member = match types.get(last.holder).map(|holder| &holder.kind) {
        Some(TypeKind::Composite { members, .. }) => members.get(last.index as usize),
        _ => None,
    };
    let member = member.ok_or("its path leads to no member")?;
    let (id, plain) = types.plain(member.kind).ok_or("its path leads to no type")?;
    let size = types.size(id).ok_or_else(unsized_type)? as u64;
    let bitfield = member.bits > 0;
    let (bytes, begin, bits) = if bitfield {
        let (bytes, begin) = unit(path.at, member.bits as u64, size)?;
        (bytes, begin, member.bits as u64)
    } else {
        (size, path.at / 8, 8 * size)
    };
    let value = match question {
        FieldQuestion::Offset => begin,
        FieldQuestion::Size => bytes,
        FieldQuestion::Exists => 1,
        FieldQuestion::Signed => matches!(
            plain.kind,
            TypeKind::Integer { signed: true, .. } | TypeKind::Enumeration { signed: true, .. }
        ) as u64,
        // A value wider than a register wraps, as in libbpf: it has no meaning.
        FieldQuestion::LeftShift => 64_u64.wrapping_sub(path.at + bits - 8 * begin),
        FieldQuestion::RightShift => 64_u64.wrapping_sub(bits),
    };
    let ambiguous =
        bitfield && !matches!(question, FieldQuestion::Signed | FieldQuestion::RightShift);
    let read = match question {
        FieldQuestion::Offset if !bitfield => Some(types.innermost(id).ok_or_else(unsized_type)?),
        _ => None,
    };
    Ok(Answer { value, certain: !ambiguous, read })
}

/// The smallest aligned unit that holds a bitfield, at least as large as its type: its bytes, and
/// where it begins.
fn unit(at: u64, bits: u64, size: u64) -> Result<(u64, u64), String> {
    let mut bytes = size;
    while matches!(bytes, 1 | 2 | 4 | 8) {
        let begin = at / 8 / bytes * bytes;
        if at + bits - 8 * begin <= 8 * bytes {
            return Ok((bytes, begin));
        }
        bytes *= 2;
    }
    Err("it asks for a bitfield that no load of 64 bits holds".to_owned())
}
