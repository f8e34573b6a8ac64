//! Sections of data, and the integers in them.

use super::elf::Elf;
use super::externs::{Externs, LARGEST};
use crate::problem::Problem;
use crate::program::{Region, Variable};
use crate::types::{Kind, StructMember as Member, Types, Value};
use std::collections::BTreeMap;

/// Sections of data under these names, and those that begin with one of them and a point, are a
/// program's memory, as in libbpf.
const DATA: [&str; 3] = [".data", ".rodata", ".bss"];

/// The structure whose members are variables: the constants of a core.
const CONSTANTS: &str = "constants";

#[derive(Debug, Default)]
pub(super) struct Regions {
    pub regions: Vec<Region>,
    /// The region of each section.
    of_sections: BTreeMap<usize, usize>,
    pub notes: Vec<String>,
}

fn is(name: &str, of: &str) -> bool {
    name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl Regions {
    pub fn read(elf: &Elf, externs: &Externs) -> Result<Regions, Problem> {
        let mut all = Regions::default();
        let mut sum = externs.bytes.len();
        for (index, section) in elf.sections.iter().enumerate() {
            if !DATA.iter().any(|of| is(section.name, of)) || section.size == 0 {
                continue;
            }
            let size = usize::try_from(section.size).ok().filter(|size| *size <= LARGEST - sum.min(LARGEST)).ok_or_else(|| {
                let reason = "with it the program has more than 4 MiB of data, of which each connection would have its own";
                Problem::new(format!("section {}", section.name), reason, "make its arrays smaller")
            })?;
            sum += size;
            let mut bytes = section.data.to_vec();
            bytes.resize(size, 0);
            if elf.relocations_within(index, 0, u64::MAX).next().is_some() {
                all.notes.push(format!("section {} has addresses of other variables, which are null, as libbpf leaves them", section.name));
            }
            all.of_sections.insert(index, all.regions.len());
            all.regions.push(Region {
                name: section.name.to_owned(),
                bytes,
                writable: !is(section.name, ".rodata"),
            });
        }
        if !externs.bytes.is_empty() {
            all.regions.push(Region {
                name: ".kconfig".to_owned(),
                bytes: externs.bytes.clone(),
                writable: false,
            });
        }
        Ok(all)
    }

    /// The region of a section.
    pub fn of_section(&self, section: usize) -> Option<usize> {
        self.of_sections.get(&section).copied()
    }

    /// That of `.kconfig`, if there is one: the last.
    pub fn configuration(&self) -> usize {
        self.regions.len().saturating_sub(1)
    }

    /// Integers with names, and those in the structure [`CONSTANTS`], sorted by these. Of several
    /// with one name the first counts.
    pub fn variables(&mut self, elf: &Elf, types: &Types) -> Vec<Variable> {
        let mut all: BTreeMap<String, Variable> = BTreeMap::new();
        let by_name: BTreeMap<&str, usize> = self
            .of_sections
            .keys()
            .rev()
            .map(|index| (elf.sections[*index].name, *index))
            .collect();
        for (_, one) in types.all() {
            let Kind::Section(placed) = &one.kind else { continue };
            let Some(section) = by_name.get(types.name(one)) else { continue };
            for placed in placed {
                let Some(variable) = types.get(placed.variable) else { continue };
                let Kind::Variable { kind, .. } = variable.kind else { continue };
                let Some((_, plain)) = types.plain(kind) else { continue };
                let whole = types.name(variable);
                // The sign of an enumeration is the sign of its constants, which compilers do not
                // always tell.
                let negative =
                    |values: &[Value]| values.iter().any(|value| (value.value as i64) < 0);
                let integers = match &plain.kind {
                    Kind::Integer { .. } => types.integers(kind),
                    Kind::Enumeration { values, .. } if negative(values) => types
                        .integers(kind)
                        .into_iter()
                        .map(|one| Member { signed: true, ..one })
                        .collect(),
                    Kind::Enumeration { .. } => types.integers(kind),
                    Kind::Composite { union: false, .. } if whole == CONSTANTS => {
                        types.integers(kind)
                    }
                    _ => continue,
                };
                let boolean =
                    matches!(plain.kind, Kind::Integer { .. }) && types.name(plain) == "_Bool";
                let region = self.of_sections[section];
                let Some(offset) = elf
                    .offset(*section, types, placed)
                    .and_then(|offset| usize::try_from(offset).ok())
                else {
                    continue;
                };
                for Member { name, at, bits, signed } in integers {
                    let name = if name.is_empty() { whole.to_owned() } else { name };
                    // A bitfield cannot be set by bytes.
                    let (true, size) = (at % 8 == 0 && bits % 8 == 0, bits as usize / 8) else {
                        continue;
                    };
                    let offset = offset.saturating_add((at / 8) as usize);
                    let Some(bytes) = self.regions[region]
                        .bytes
                        .get(offset..)
                        .and_then(|bytes| bytes.get(..size))
                    else {
                        continue;
                    };
                    let Some(initial) = integer(bytes, signed) else { continue };
                    if all.contains_key(&name) {
                        self.notes.push(format!("several variables have the name {name}: of these, only the first is a parameter"));
                    } else {
                        all.insert(
                            name.clone(),
                            Variable { name, region, offset, size, signed, boolean, initial },
                        );
                    }
                }
            }
        }
        all.into_values().collect()
    }
}

fn integer(bytes: &[u8], signed: bool) -> Option<i64> {
    if !matches!(bytes.len(), 1 | 2 | 4 | 8) {
        return None;
    }
    let mut whole = [0; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    let unused = 64 - 8 * bytes.len();
    let value = i64::from_le_bytes(whole);
    Some(if signed { value << unused >> unused } else { value })
}
