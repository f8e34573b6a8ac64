//! The data sections of a BPF object as regions of memory, and their global integer variables,
//! which are parameters.

use super::elf::Elf;
use super::externs::{Externs, LARGEST};
use crate::problem::Problem;
use crate::program::{Region, Variable};
use crate::types::{StructMember as Member, TypeKind, Types, Value};
use std::collections::BTreeMap;

/// Names of data sections. A section with one of these names, or with one of them, a dot and a
/// suffix (`.data.mine`), is part of a program's memory, as in libbpf.
const DATA: [&str; 3] = [".data", ".rodata", ".bss"];

/// The global structure whose integer members are parameters: the constants of a controller that
/// is one C function (`narrows-cores`).
const CONSTANTS: &str = "constants";

#[derive(Debug, Default)]
pub(super) struct Regions {
    pub regions: Vec<Region>,
    /// The region of each section.
    of_sections: BTreeMap<usize, usize>,
    pub notes: Vec<String>,
}

fn is_section(name: &str, base: &str) -> bool {
    name.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl Regions {
    pub fn read(elf: &Elf, externs: &Externs) -> Result<Regions, Problem> {
        let mut all = Regions::default();
        let mut sum = externs.bytes.len();
        for (index, section) in elf.sections.iter().enumerate() {
            if !DATA.iter().any(|base| is_section(section.name, base)) || section.size == 0 {
                continue;
            }
            let size = usize::try_from(section.size).ok().filter(|size| *size <= LARGEST - sum.min(LARGEST)).ok_or_else(|| {
                let reason = "with it the program has more than 4 MiB of data, and each connection needs its own copy";
                Problem::new(format!("section {}", section.name), reason, "make its arrays smaller")
            })?;
            sum += size;
            let mut bytes = section.data.to_vec();
            bytes.resize(size, 0);
            if elf.relocations_within(index, 0, u64::MAX).next().is_some() {
                all.notes.push(format!(
                    "section {} has pointers to other variables; they stay null, as with libbpf",
                    section.name
                ));
            }
            all.of_sections.insert(index, all.regions.len());
            all.regions.push(Region {
                name: section.name.to_owned(),
                bytes,
                writable: !is_section(section.name, ".rodata"),
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

    /// The number of the region of `.kconfig`, which is the last. Call it only if there is one.
    pub fn configuration(&self) -> usize {
        self.regions.len().saturating_sub(1)
    }

    /// The named integer variables and the integer members of [`CONSTANTS`], sorted by name. If
    /// several have one name, the first is used and a note is added.
    pub fn variables(&mut self, elf: &Elf, types: &Types) -> Vec<Variable> {
        let mut all: BTreeMap<String, Variable> = BTreeMap::new();
        // Backwards: of several sections with one name, the first stays in the map.
        let by_name: BTreeMap<&str, usize> = self
            .of_sections
            .keys()
            .rev()
            .map(|index| (elf.sections[*index].name, *index))
            .collect();
        for (_, one) in types.all() {
            let TypeKind::Section(placed) = &one.kind else { continue };
            let Some(section) = by_name.get(types.name(one)) else { continue };
            for placed in placed {
                let Some(variable) = types.get(placed.variable) else { continue };
                let TypeKind::Variable { kind, .. } = variable.kind else { continue };
                let Some((_, plain)) = types.plain(kind) else { continue };
                let whole = types.name(variable);
                // Some compilers do not say whether an enumeration has a sign. It has one if one of
                // its constants is negative.
                let negative =
                    |values: &[Value]| values.iter().any(|value| (value.value as i64) < 0);
                let integers = match &plain.kind {
                    TypeKind::Integer { .. } => types.integers(kind),
                    TypeKind::Enumeration { values, .. } if negative(values) => types
                        .integers(kind)
                        .into_iter()
                        .map(|one| Member { signed: true, ..one })
                        .collect(),
                    TypeKind::Enumeration { .. } => types.integers(kind),
                    TypeKind::Composite { union: false, .. } if whole == CONSTANTS => {
                        types.integers(kind)
                    }
                    _ => continue,
                };
                let boolean =
                    matches!(plain.kind, TypeKind::Integer { .. }) && types.name(plain) == "_Bool";
                let region = self.of_sections[section];
                let Some(offset) = elf
                    .offset(*section, types, placed)
                    .and_then(|offset| usize::try_from(offset).ok())
                else {
                    continue;
                };
                for Member { name, at, bits, signed } in integers {
                    let name = if name.is_empty() { whole.to_owned() } else { name };
                    // Parameters are written as whole bytes, which a bit-field is not.
                    if at % 8 != 0 || bits % 8 != 0 {
                        continue;
                    }
                    let size = bits as usize / 8;
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
