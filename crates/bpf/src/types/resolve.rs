//! The resolution of a type: without names and qualifiers, and its size.

use super::{Type, TypeId, TypeKind, Types};

/// The longest chain of typedefs and qualifiers, and of arrays of arrays: as in libbpf
/// (`MAX_RESOLVE_DEPTH`).
const DEEPEST: usize = 32;

/// Bytes of a pointer of a BPF program.
const POINTER: u64 = 8;

impl Types {
    /// The type under typedefs and qualifiers, with its number. `None` if there is no end of them.
    pub(crate) fn plain(&self, mut id: TypeId) -> Option<(TypeId, &Type)> {
        for _ in 0..DEEPEST {
            match self.get(id)? {
                Type { kind: TypeKind::Typedef(under) | TypeKind::Modifier(under), .. } => {
                    id = *under
                }
                plain => return Some((id, plain)),
            }
        }
        None
    }

    /// Bytes of a type. `None` if it has no size, or one beyond 4 GiB.
    pub(crate) fn size(&self, mut id: TypeId) -> Option<u32> {
        let mut elements = 1_u64;
        for _ in 0..DEEPEST {
            let size = match &self.plain(id)?.1.kind {
                TypeKind::Integer { size, .. }
                | TypeKind::Composite { size, .. }
                | TypeKind::Enumeration { size, .. }
                | TypeKind::Float { size } => *size as u64,
                TypeKind::Pointer(_) => POINTER,
                TypeKind::Variable { kind, .. } => {
                    id = *kind;
                    continue;
                }
                TypeKind::Array { element, count } => {
                    elements = elements
                        .checked_mul(*count as u64)
                        .filter(|elements| *elements <= u32::MAX as u64)?;
                    id = *element;
                    continue;
                }
                _ => return None,
            };
            return u32::try_from(elements * size).ok();
        }
        None
    }

    /// The type of the elements of an array, of an array of arrays and so on; of any other type
    /// itself.
    pub(crate) fn innermost(&self, mut id: TypeId) -> Option<TypeId> {
        for _ in 0..DEEPEST {
            match self.plain(id)? {
                (_, Type { kind: TypeKind::Array { element, .. }, .. }) => id = *element,
                (plain, _) => return Some(plain),
            }
        }
        None
    }
}
