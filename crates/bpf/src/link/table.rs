//! The tables of callbacks, `struct tcp_congestion_ops`, in the sections `.struct_ops` and
//! `.struct_ops.link`.

use super::code::Place;
use super::elf::{Elf, Meaning, OF_DATA, OF_LOAD};
use crate::problem::Problem;
use crate::socket;
use crate::types::{Member, TypeId, TypeKind, Types};
use std::collections::BTreeMap;

const STRUCTURE: &str = "tcp_congestion_ops";

/// The sections that tables stand in.
const SECTIONS: [&str; 4] =
    [".struct_ops", ".struct_ops.link", "?.struct_ops", "?.struct_ops.link"];

/// A table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// The variable.
    pub variable: String,
    /// Of the controller.
    pub name: String,
    /// Where the name begins in the table.
    pub name_at: usize,
    pub flags: u32,
    /// The function of each member.
    pub callbacks: BTreeMap<String, Place>,
    /// The functions of members that are unknown here; a newer kernel may have them.
    pub unknown: Vec<Place>,
    /// Members of the table that it sets and Linux does not have.
    pub problems: Vec<Problem>,
}

impl Table {
    /// Whether it has all that the kernel demands (`tcp_validate_congestion_control` of
    /// net/ipv4/tcp_cong.c).
    pub fn missing(&self) -> Option<&'static str> {
        let has = |name: &str| self.callbacks.contains_key(name);
        [
            ("ssthresh", has("ssthresh")),
            ("undo_cwnd", has("undo_cwnd")),
            ("cong_avoid or cong_control", has("cong_avoid") || has("cong_control")),
        ]
        .into_iter()
        .find_map(|(name, there)| (!there).then_some(name))
    }
}

/// All tables of an object, in its order.
///
/// # Errors
///
/// If the object has no table, or one is damaged.
pub(super) fn tables(elf: &Elf, types: &Types) -> Result<Vec<Table>, Problem> {
    let mut all = Vec::new();
    let mut others = Vec::new();
    for (_, one) in types.all() {
        let TypeKind::Section(placed) = &one.kind else { continue };
        let Some((index, _)) = SECTIONS
            .iter()
            .find(|name| **name == types.name(one))
            .and_then(|name| elf.section(name))
        else {
            continue;
        };
        for placed in placed {
            let Some(variable) = types.get(placed.variable) else { continue };
            let TypeKind::Variable { kind, .. } = variable.kind else { continue };
            let Some((structure, plain)) = types.plain(kind) else { continue };
            let name = types.name(plain);
            if name != STRUCTURE && !name.starts_with("tcp_congestion_ops___") {
                others.push(name.to_owned());
            } else if let Some(offset) = elf.offset(index, types, placed) {
                let place =
                    format!("section {}, table {}", elf.sections[index].name, types.name(variable));
                all.push(read(
                    elf,
                    types,
                    structure,
                    (index, offset),
                    types.name(variable),
                    &place,
                )?);
            }
        }
    }
    if all.is_empty() {
        let also = if others.is_empty() {
            String::new()
        } else {
            format!(" (there is struct {})", others.join(", struct "))
        };
        let reason = format!("it has no struct {STRUCTURE}{also}");
        return Err(Problem::new(
            "section .struct_ops",
            reason,
            "write SEC(\".struct_ops.link\") struct tcp_congestion_ops ..., and compile with -g; or write a controller of one function, NAME_decide, with #include \"core.h\"",
        ));
    }
    Ok(all)
}

fn read(
    elf: &Elf,
    types: &Types,
    structure: TypeId,
    at: Place,
    variable: &str,
    place: &str,
) -> Result<Table, Problem> {
    let damaged = |reason: String| Problem::damaged(place, reason);
    let Some(TypeKind::Composite { members, size, .. }) = types.get(structure).map(|one| &one.kind)
    else {
        return Err(damaged("it is no structure".to_owned()));
    };
    let (section, begin) = at;
    let end = begin.checked_add(*size as u64);
    let bytes = end.and_then(|end| {
        elf.sections[section].data.get(usize::try_from(begin).ok()?..usize::try_from(end).ok()?)
    });
    let (Some(bytes), Some(end)) = (bytes, end) else {
        return Err(damaged(format!("its {size} bytes at {begin} are not in the section")));
    };
    let mut table = Table {
        variable: variable.to_owned(),
        name: String::new(),
        name_at: 0,
        flags: 0,
        callbacks: BTreeMap::new(),
        unknown: Vec::new(),
        problems: Vec::new(),
    };
    let mut functions = BTreeMap::new();
    for (offset, relocation) in elf.relocations_within(section, begin, end) {
        let symbol = relocation.symbol;
        let Some(target) = symbol.section.filter(|target| {
            [OF_DATA, OF_LOAD].contains(&relocation.kind) && elf.sections[*target].executable
        }) else {
            return Err(damaged(format!(
                "at {offset} it names {}, which is no function",
                symbol.name
            )));
        };
        // If others do not see a function, the symbol may be the symbol of the section, and the
        // table has the rest.
        let within = (offset - begin) as usize;
        let addend =
            bytes.get(within..).and_then(|bytes| Some(u64::from_le_bytes(*bytes.first_chunk()?)));
        let addend = addend
            .ok_or_else(|| damaged(format!("the relocation at {offset} is not within it")))?;
        let addend = if symbol.meaning == Meaning::Section { addend } else { 0 };
        functions.insert(within, (target, symbol.value.wrapping_add(addend)));
    }
    for member in members {
        member_of(types, member, bytes, &mut functions, &mut table, place)?;
    }
    match functions.first_key_value() {
        Some((within, _)) => {
            Err(damaged(format!("the function at its byte {within} belongs to no member")))
        }
        None => Ok(table),
    }
}

/// Takes what a member has into the table.
fn member_of(
    types: &Types,
    member: &Member,
    bytes: &[u8],
    functions: &mut BTreeMap<usize, Place>,
    table: &mut Table,
    place: &str,
) -> Result<(), Problem> {
    let name = types.member_name(member);
    let own = || -> Option<&[u8]> {
        bytes.get(member.at as usize / 8..)?.get(..types.size(member.kind)? as usize)
    };
    let own = own()
        .ok_or_else(|| Problem::damaged(place, format!("its member {name} is not within it")))?;
    if name == "name" {
        let end = own.iter().position(|byte| *byte == 0).unwrap_or(own.len());
        table.name = String::from_utf8_lossy(&own[..end]).into_owned();
        table.name_at = member.at as usize / 8;
    } else if name == "flags" {
        table.flags = own.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)).unwrap_or_default();
    } else if let Some(function) = functions.remove(&(member.at as usize / 8)) {
        if !socket::callbacks().any(|known| known == name) {
            let reason = format!("it sets {name}, which struct {STRUCTURE} of Linux does not have");
            table.unknown.push(function);
            let known: Vec<&str> = socket::callbacks().collect();
            table.problems.push(Problem::new(
                place,
                reason,
                format!("callbacks are {}", known.join(", ")),
            ));
            return Ok(());
        }
        table.callbacks.insert(name.to_owned(), function);
    } else if own.iter().any(|byte| *byte != 0) {
        let reason = format!("its member {name} is set, and not to a function");
        table.problems.push(Problem::new(place, reason, "set name, flags and callbacks only"));
    }
    Ok(())
}
