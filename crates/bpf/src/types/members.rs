//! The integers in a structure, by name.

use super::{TypeId, TypeKind, Types};

/// The most parts that are looked at. Ours: of a structure that a person looks at.
const MOST: usize = 4096;

/// The deepest nesting.
const DEEPEST: usize = 16;

/// An integer in a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// From the structure on: `snd_cwnd`, `rtt_min.s[1].v`.
    pub name: String,
    /// In bits from the beginning.
    pub at: u64,
    /// Width.
    pub bits: u32,
    /// Whether it can be negative.
    pub signed: bool,
}

impl Types {
    /// The names of all structures that have one, each with its bytes.
    pub fn structures(&self) -> impl Iterator<Item = (&str, u32)> {
        let named = self.all().filter(|(_, one)| {
            matches!(one.kind, TypeKind::Composite { union: false, .. })
                && !self.name(one).is_empty()
        });
        named.filter_map(|(id, one)| Some((self.name(one), self.size(id)?)))
    }

    /// The integers in a structure, those in structures and arrays inside it as well, in their
    /// order; the first 4096 parts. `None` if there is no structure of the name.
    pub fn members(&self, structure: &str) -> Option<Vec<Member>> {
        let is = |(_, one): &(TypeId, &super::Type)| {
            matches!(one.kind, TypeKind::Composite { .. }) && self.name(one) == structure
        };
        let (id, _) = self.all().find(is)?;
        Some(self.integers(id))
    }

    /// The same of a type by its number; of an integer itself, without a name.
    pub(crate) fn integers(&self, id: TypeId) -> Vec<Member> {
        let mut listing = Listing { types: self, left: MOST, all: Vec::new() };
        listing.add(id, "", 0, 0);
        listing.all
    }
}

struct Listing<'a> {
    types: &'a Types,
    /// Parts that may still be looked at.
    left: usize,
    all: Vec<Member>,
}

impl Listing<'_> {
    fn add(&mut self, id: TypeId, name: &str, at: u64, depth: usize) {
        let Some((_, plain)) = self.types.plain(id).filter(|_| depth < DEEPEST && self.left > 0)
        else {
            return;
        };
        self.left -= 1;
        match &plain.kind {
            TypeKind::Integer { size, signed, .. } | TypeKind::Enumeration { size, signed, .. } => {
                self.all.push(Member {
                    name: name.to_owned(),
                    at,
                    bits: size.saturating_mul(8),
                    signed: *signed,
                });
            }
            TypeKind::Array { element, count } => {
                let bits = 8 * self.types.size(*element).unwrap_or_default() as u64;
                for index in 0..*count {
                    if self.left == 0 {
                        return;
                    }
                    self.add(
                        *element,
                        &format!("{name}[{index}]"),
                        at.saturating_add(index as u64 * bits),
                        depth + 1,
                    );
                }
            }
            TypeKind::Composite { members, .. } => {
                for member in members {
                    if self.left == 0 {
                        return;
                    }
                    let inner = self.types.member_name(member);
                    let separator = if name.is_empty() || inner.is_empty() { "" } else { "." };
                    let before = self.all.len();
                    self.add(
                        member.kind,
                        &format!("{name}{separator}{inner}"),
                        at.saturating_add(member.at as u64),
                        depth + 1,
                    );
                    if let ([one], true) = (&mut self.all[before..], member.bits > 0) {
                        one.bits = member.bits;
                    }
                }
            }
            _ => {}
        }
    }
}
