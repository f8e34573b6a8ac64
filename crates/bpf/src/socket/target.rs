//! The table as types: what programs are relocated against.

use super::layout::{Integer, MemberType, Structure};
use super::table::{ENUMERATIONS, STRUCTURES};
use crate::types::{self, TypeId, Types, Writer};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The types of the socket, of the samples, and of what they consist of.
pub fn types() -> &'static Types {
    static TYPES: OnceLock<Types> = OnceLock::new();
    TYPES.get_or_init(|| {
        let mut making = Making { writer: Writer::new(), known: BTreeMap::new() };
        for structure in STRUCTURES {
            making.structure(structure);
        }
        for (name, constants) in ENUMERATIONS.iter().filter(|(name, _)| !name.is_empty()) {
            let values = constants
                .iter()
                .map(|(name, value)| making.writer.value(name, *value as u64))
                .collect();
            making
                .writer
                .add(name, types::TypeKind::Enumeration { size: 4, signed: false, values });
        }
        making.writer.done()
    })
}

/// Types with names are made once.
struct Making {
    writer: Writer,
    known: BTreeMap<&'static str, TypeId>,
}

impl Making {
    fn structure(&mut self, structure: &Structure) -> TypeId {
        if let Some(known) = self.known.get(structure.name) {
            return *known;
        }
        let members = structure.members.iter().enumerate().map(|(index, member)| {
            let kind = self.kind(&member.kind);
            self.writer.member(member.name, kind, structure.extent(index).at, member.bits)
        });
        let members = members.collect();
        let made = self.writer.add(
            structure.name,
            types::TypeKind::Composite { union: false, size: structure.size(), members },
        );
        if !structure.name.is_empty() {
            self.known.insert(structure.name, made);
        }
        made
    }

    fn kind(&mut self, kind: &MemberType) -> TypeId {
        match kind {
            MemberType::Integer(integer) => self.integer(integer),
            MemberType::Structure(structure) => self.structure(structure),
            MemberType::Array(element, count) => {
                let element = self.kind(element);
                self.writer.add("", types::TypeKind::Array { element, count: *count })
            }
            // To what it points is of no consequence: pointers are compatible.
            MemberType::Function(..) => self.writer.add("", types::TypeKind::Pointer(0)),
        }
    }

    fn integer(&mut self, integer: &Integer) -> TypeId {
        let Integer { name, size, signed, .. } = *integer;
        *self.known.entry(name).or_insert_with(|| {
            self.writer.add(name, types::TypeKind::Integer { size, signed, at: 0 })
        })
    }
}
