//! Maps, as `.maps` describes them in types (`__uint`, `__type` of libbpf's bpf_helpers.h).

use super::elf::Elf;
use crate::problem::Problem;
use crate::program::MapSpec;
use crate::types::{Member, TypeId, TypeKind, Types};
use std::collections::BTreeMap;

const SECTION: &str = ".maps";

/// The maps of an object. A defect of a map matters only if the program names the map.
#[derive(Debug, Default)]
pub(super) struct Maps {
    maps: Vec<Result<MapSpec, Problem>>,
    section: Option<usize>,
    /// The map that begins at an offset of the section.
    at: BTreeMap<u64, usize>,
}

impl Maps {
    pub fn read(elf: &Elf, types: &Types) -> Maps {
        let mut all =
            Maps { section: elf.section(SECTION).map(|(index, _)| index), ..Maps::default() };
        let Some(section) = all.section else { return all };
        let sections = types.all().filter(|(_, one)| types.name(one) == SECTION);
        let placed = sections.filter_map(|(_, one)| {
            if let TypeKind::Section(placed) = &one.kind { Some(placed) } else { None }
        });
        for placed in placed.flatten() {
            if let Some(offset) = elf.offset(section, types, placed) {
                all.at.insert(offset, all.maps.len());
                all.maps.push(read(types, placed.variable));
            }
        }
        all
    }

    /// The map that begins at an offset of a section.
    pub fn at(&self, section: usize, offset: u64) -> Option<usize> {
        self.section.filter(|maps| *maps == section)?;
        self.at.get(&offset).copied()
    }

    /// # Errors
    ///
    /// If its description cannot be understood.
    pub fn spec(&self, index: usize) -> Result<MapSpec, Problem> {
        self.maps[index].clone()
    }
}

fn read(types: &Types, variable: TypeId) -> Result<MapSpec, Problem> {
    let one = types.get(variable);
    let name = one.map_or("", |one| types.name(one));
    let wrong = |reason: String| {
        Problem::new(
            format!("{SECTION}, map {name}"),
            reason,
            "describe it as libbpf's bpf_helpers.h says",
        )
    };
    let Some(TypeKind::Variable { kind, .. }) = one.map(|one| &one.kind) else {
        return Err(wrong("it is no variable".to_owned()));
    };
    let Some(TypeKind::Composite { union: false, members, .. }) =
        types.plain(*kind).map(|(_, plain)| &plain.kind)
    else {
        return Err(wrong("it is no structure".to_owned()));
    };
    let mut map = MapSpec { name: name.to_owned(), ..MapSpec::default() };
    for member in members {
        let attribute = types.member_name(member);
        let number = || {
            number(types, member)
                .ok_or_else(|| wrong(format!("its {attribute} is not given by __uint")))
        };
        let size = || {
            pointed(types, member)
                .and_then(|pointed| types.size(pointed))
                .ok_or_else(|| wrong(format!("its {attribute} has no size")))
        };
        match attribute {
            "type" => map.kind = number()?,
            "max_entries" => map.max_entries = number()?,
            "map_flags" => map.flags = number()?,
            "key_size" => map.key_size = number()?,
            "value_size" => map.value_size = number()?,
            "key" => map.key_size = size()?,
            "value" => map.value_size = size()?,
            // Where its memory lies, under which path it is kept, and bits of a Bloom filter: of no
            // consequence here.
            "numa_node" | "pinning" | "map_extra" => {}
            "values" => {
                let reason = "it holds maps or programs, which the simulator does not have";
                let remedy = "keep the values in one map, under keys of a structure that has both keys as members";
                return Err(Problem::new(format!("{SECTION}, map {name}"), reason, remedy));
            }
            other => {
                return Err(wrong(format!("it has an attribute \"{other}\", which is unknown")));
            }
        }
    }
    if map.kind == 0 { Err(wrong("it has no type".to_owned())) } else { Ok(map) }
}

/// To what a member points.
fn pointed(types: &Types, member: &Member) -> Option<TypeId> {
    match types.plain(member.kind)?.1.kind {
        TypeKind::Pointer(pointed) => Some(pointed),
        _ => None,
    }
}

/// `__uint(name, value)` declares a pointer to an array of so many.
fn number(types: &Types, member: &Member) -> Option<u32> {
    match types.plain(pointed(types, member)?)?.1.kind {
        TypeKind::Array { count, .. } => Some(count),
        _ => None,
    }
}
