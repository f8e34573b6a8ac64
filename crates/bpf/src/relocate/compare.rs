//! Whether a type of an object and one of the target are the same to a relocation. The rules are
//! those of libbpf (src/relo_core.c).

use crate::types::{Type, TypeId, TypeKind, Types, Value};

/// The deepest nesting that is followed.
const DEEPEST: usize = 32;

/// A name without its flavour: what stands before the last `___`, if something stands on both sides
/// of it.
pub(super) fn essential(name: &str) -> &str {
    let bytes = name.as_bytes();
    let is_separator = |at: &usize| {
        let at = *at;
        bytes[at] != b'_' && bytes[at + 1..at + 4] == *b"___" && bytes[at + 4] != b'_'
    };
    match (0..name.len().saturating_sub(4)).rev().find(is_separator) {
        // A separator begins after an ASCII underscore's neighbour, whose last byte this is.
        Some(before) => &name[..before + 1],
        None => name,
    }
}

/// Whether two kinds can stand for each other.
pub(super) fn same_kind(local: &TypeKind, target: &TypeKind) -> bool {
    let forward = |kind: &TypeKind| matches!(kind, TypeKind::Forward { .. });
    match (local, target) {
        (TypeKind::Composite { union: a, .. }, TypeKind::Composite { union: b, .. }) => a == b,
        (a, b) => {
            forward(a) == forward(b) && std::mem::discriminant(a) == std::mem::discriminant(b)
        }
    }
}

/// A type of an object and one of the target.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub local: &'a Types,
    pub target: &'a Types,
}

/// Of a type of each.
type Both = (TypeId, TypeId);

impl<'a> Pair<'a> {
    fn plain(self, both: Both) -> Option<(&'a Type, &'a Type)> {
        Some((self.local.plain(both.0)?.1, self.target.plain(both.1)?.1))
    }

    fn names(self, local: &Type, target: &Type) -> (&'a str, &'a str) {
        // The lifetimes are those of the types, not of the borrow.
        let (types, others): (&'a Types, &'a Types) = (self.local, self.target);
        (essential(types.name(local)), essential(others.name(target)))
    }

    /// Whether a field of one type can be read as one of the other: integers of whatever size and
    /// sign, structures and unions of whatever name.
    pub fn fields_compatible(self, mut both: Both) -> bool {
        for _ in 0..DEEPEST {
            let Some((local, target)) = self.plain(both) else { return false };
            return match (&local.kind, &target.kind) {
                (TypeKind::Composite { .. }, TypeKind::Composite { .. })
                | (TypeKind::Pointer(_), TypeKind::Pointer(_))
                | (TypeKind::Float { .. }, TypeKind::Float { .. }) => true,
                (TypeKind::Forward { .. }, TypeKind::Forward { .. })
                | (TypeKind::Enumeration { .. }, TypeKind::Enumeration { .. }) => {
                    let (a, b) = self.names(local, target);
                    a.is_empty() || b.is_empty() || a == b
                }
                (TypeKind::Integer { at: a, .. }, TypeKind::Integer { at: b, .. }) => {
                    *a == 0 && *b == 0
                }
                (TypeKind::Array { element: a, .. }, TypeKind::Array { element: b, .. }) => {
                    both = (*a, *b);
                    continue;
                }
                _ => false,
            };
        }
        false
    }

    /// Whether a type stands for the other, as `bpf_core_type_exists` asks. The caller has compared
    /// the names.
    pub fn types_compatible(self, both: Both) -> bool {
        self.compatible(both, DEEPEST)
    }

    fn compatible(self, mut both: Both, deepest: usize) -> bool {
        for _ in 0..DEEPEST {
            let Some((local, target)) = self.plain(both) else { return false };
            if !same_kind(&local.kind, &target.kind) {
                return false;
            }
            both = match (&local.kind, &target.kind) {
                (
                    TypeKind::Void
                    | TypeKind::Composite { .. }
                    | TypeKind::Enumeration { .. }
                    | TypeKind::Forward { .. },
                    _,
                ) => return true,
                (TypeKind::Integer { at: a, .. }, TypeKind::Integer { at: b, .. }) => {
                    return *a == 0 && *b == 0;
                }
                (TypeKind::Pointer(a), TypeKind::Pointer(b)) => (*a, *b),
                (TypeKind::Array { element: a, .. }, TypeKind::Array { element: b, .. }) => {
                    (*a, *b)
                }
                (
                    TypeKind::Prototype { result: a, parameters: of_a },
                    TypeKind::Prototype { result: b, parameters: of_b },
                ) => {
                    let parameters = || of_a.iter().copied().zip(of_b.iter().copied());
                    if of_a.len() != of_b.len()
                        || deepest == 0
                        || !parameters().all(|both| self.compatible(both, deepest - 1))
                    {
                        return false;
                    }
                    (*a, *b)
                }
                _ => return false,
            };
        }
        false
    }

    /// Whether every part of a type stands in the other with the same type, as
    /// `bpf_core_type_matches` asks.
    pub fn types_match(self, both: Both) -> bool {
        self.matches(both, false, DEEPEST)
    }

    /// `behind`: a pointer led here; of structures the names are enough then.
    fn matches(self, mut both: Both, mut behind: bool, deepest: usize) -> bool {
        if deepest == 0 {
            return false;
        }
        for _ in 0..DEEPEST {
            let Some((local, target)) = self.plain(both) else { return false };
            let (a, b) = self.names(local, target);
            if a != b {
                return false;
            }
            both = match (&local.kind, &target.kind) {
                (TypeKind::Void, TypeKind::Void) => return true,
                (TypeKind::Forward { union: a }, TypeKind::Forward { union: b }) => return a == b,
                (TypeKind::Forward { union: a }, TypeKind::Composite { union: b, .. })
                | (TypeKind::Composite { union: a, .. }, TypeKind::Forward { union: b }) => {
                    return behind && a == b;
                }
                (
                    TypeKind::Enumeration { size: a, values: of_a, .. },
                    TypeKind::Enumeration { size: b, values: of_b, .. },
                ) => {
                    return a == b && self.values_match(of_a, of_b);
                }
                (
                    TypeKind::Composite { union: a, members: of_a, .. },
                    TypeKind::Composite { union: b, members: of_b, .. },
                ) => {
                    let in_target = |member: &crate::types::Member| {
                        let name = essential(self.local.member_name(member));
                        of_b.iter().any(|other| {
                            essential(self.target.member_name(other)) == name
                                && self.matches((member.kind, other.kind), behind, deepest - 1)
                        })
                    };
                    return a == b
                        && (behind || of_a.len() <= of_b.len() && of_a.iter().all(in_target));
                }
                (
                    TypeKind::Integer { size: a, signed: of_a, .. },
                    TypeKind::Integer { size: b, signed: of_b, .. },
                ) => {
                    return a == b && of_a == of_b;
                }
                (TypeKind::Pointer(a), TypeKind::Pointer(b)) => {
                    behind = true;
                    (*a, *b)
                }
                (
                    TypeKind::Array { element: a, count: of_a },
                    TypeKind::Array { element: b, count: of_b },
                ) => {
                    if of_a != of_b {
                        return false;
                    }
                    (*a, *b)
                }
                (
                    TypeKind::Prototype { result: a, parameters: of_a },
                    TypeKind::Prototype { result: b, parameters: of_b },
                ) => {
                    let mut parameters = of_a.iter().copied().zip(of_b.iter().copied());
                    if of_a.len() != of_b.len()
                        || !parameters.all(|both| self.matches(both, behind, deepest - 1))
                    {
                        return false;
                    }
                    (*a, *b)
                }
                _ => return false,
            };
        }
        false
    }

    fn values_match(self, local: &[Value], target: &[Value]) -> bool {
        let in_target = |value: &Value| {
            let name = essential(self.local.value_name(value));
            target.iter().any(|other| essential(self.target.value_name(other)) == name)
        };
        local.len() <= target.len() && local.iter().all(in_target)
    }
}

#[cfg(test)]
mod tests {
    use super::{Pair, essential};
    use crate::types::{TypeId, TypeKind, Types, Writer};

    /// `struct holder { u32 first; one_of chosen; struct inner *behind; }` with a width, the
    /// constants of an enumeration, and a member in `inner` or not.
    fn holder(width: u32, constants: &[&str], inner: &[&str]) -> (Types, TypeId) {
        let mut writer = Writer::new();
        let integer = writer.add("u32", TypeKind::Integer { size: width, signed: false, at: 0 });
        let values = constants.iter().map(|name| writer.value(name, 1)).collect();
        let chosen = writer.add("one_of", TypeKind::Enumeration { size: 4, signed: false, values });
        let members = inner.iter().map(|name| writer.member(name, integer, 0, 0)).collect();
        let inner = writer.add("inner", TypeKind::Composite { union: false, size: 4, members });
        let pointer = writer.add("", TypeKind::Pointer(inner));
        let members = [("first", integer, 0), ("chosen", chosen, 32), ("behind", pointer, 64)];
        let members = members.map(|(name, kind, at)| writer.member(name, kind, at, 0));
        let holder = writer.add(
            "holder",
            TypeKind::Composite { union: false, size: 16, members: Box::new(members) },
        );
        (writer.done(), holder)
    }

    /// A type matches if each of its parts does; behind pointers names are enough, and values of
    /// constants are free.
    #[test]
    fn a_type_matches_one_that_has_all_its_parts() {
        let (target, there) = holder(4, &["A", "B"], &["x"]);
        for (width, constants, inner, expected) in [
            (4, &["A", "B"][..], &["x"][..], true),
            (4, &["B___new"], &["x"], true),
            (4, &["A"], &["y", "z"], true),
            (4, &["C"], &["x"], false),
            (4, &["A", "B", "C"], &["x"], false),
            (8, &["A"], &["x"], false),
        ] {
            let (local, here) = holder(width, constants, inner);
            let pair = Pair { local: &local, target: &target };
            assert_eq!(
                pair.types_match((here, there)),
                expected,
                "{width} {constants:?} {inner:?}"
            );
            assert!(pair.types_compatible((here, there)), "of structures only the names count");
        }
    }

    #[test]
    fn a_flavour_ends_a_name_only_behind_three_underscores() {
        for (name, expected) in [
            ("tcp_sock", "tcp_sock"),
            ("tcp_sock___old", "tcp_sock"),
            ("tcp_sock___old___older", "tcp_sock___old"),
            ("___x", "___x"),
            ("x___", "x___"),
            ("x____y", "x____y"),
            ("é___y", "é"),
            ("", ""),
        ] {
            assert_eq!(essential(name), expected, "{name}");
        }
    }
}
