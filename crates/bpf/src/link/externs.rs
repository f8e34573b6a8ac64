//! Variables that the kernel's configuration sets (`__kconfig`).

use super::elf::Symbol;
use crate::problem::Problem;
use crate::types::{TypeKind, Types};
use std::collections::BTreeMap;

/// The most bytes of data of a program. Ours: each connection has its own.
pub(super) const LARGEST: usize = 4 << 20;

/// The version that `LINUX_KERNEL_VERSION` names, 6.18: whose order of callbacks and whose fields a
/// simulated connection has.
const VERSION: u64 = 6 << 16 | 18 << 8;

/// The variables of `.kconfig`, laid out behind one another.
#[derive(Debug, Default)]
pub(super) struct Externs {
    /// Where each is, and whether it has a value.
    places: BTreeMap<String, (u32, bool)>,
    pub bytes: Vec<u8>,
}

impl Externs {
    /// Those that the types name. `hz` is the kernel's `CONFIG_HZ`.
    pub fn read(types: &Types, hz: u32) -> Result<Externs, Problem> {
        let mut externs = Externs::default();
        let sections = types.all().filter(|(_, one)| types.name(one) == ".kconfig");
        let placed = sections.filter_map(|(_, one)| {
            if let TypeKind::Section(placed) = &one.kind { Some(placed) } else { None }
        });
        for placed in placed.flatten() {
            let Some(variable) = types.get(placed.variable) else { continue };
            let name = types.name(variable);
            let damaged =
                |reason: &str| Problem::damaged(format!(".kconfig, variable {name}"), reason);
            let size =
                types.size(placed.variable).ok_or_else(|| damaged("it has no size"))? as usize;
            let begin = externs.bytes.len().next_multiple_of(8);
            if size > LARGEST - begin.min(LARGEST) {
                return Err(damaged("the variables are larger than 4 MiB"));
            }
            externs.bytes.resize(begin + size, 0);
            let value = match name {
                "CONFIG_HZ" => Some(hz as u64),
                "LINUX_KERNEL_VERSION" => Some(VERSION),
                _ => None,
            };
            if let Some(value) = value {
                let width = size.min(8);
                externs.bytes[begin..begin + width].copy_from_slice(&value.to_le_bytes()[..width]);
            }
            externs.places.insert(name.to_owned(), (begin as u32, value.is_some()));
        }
        Ok(externs)
    }

    /// Where a variable is in the region. `None` if the configuration is not asked.
    pub fn find(&self, symbol: &Symbol, function: &str) -> Result<Option<u32>, Problem> {
        match self.places.get(symbol.name) {
            Some((_, false)) if !symbol.weak => {
                let reason = format!(
                    "it reads {} of the kernel's configuration, which the simulator does not set",
                    symbol.name
                );
                Err(Problem::new(
                    format!("function {function}"),
                    reason,
                    "declare it __weak: it is 0 then",
                ))
            }
            found => Ok(found.map(|(offset, _)| *offset)),
        }
    }
}
