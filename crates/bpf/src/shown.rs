//! The part of a connection's private area that traces show: the integers of one of the program's
//! structures.

use crate::around::Shown;
use crate::socket;
use crate::types::Types;
use narrows_params::word;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of the private area (`ICSK_CA_PRIV_SIZE`, include/net/inet_connection_sock.h).
const AREA: u32 = 13 * 8;

/// Structures of a program that fit the area, are not the kernel's and have integers,
/// with these.
pub fn structures(types: &Types) -> BTreeMap<&'static str, Arc<[Shown]>> {
    let own = types
        .structures()
        .filter(|(name, size)| *size <= AREA && socket::types().members(name).is_none());
    own.filter_map(|(name, _)| Some((word(name), integers(types, name)?))).collect()
}

fn integers(types: &Types, structure: &str) -> Option<Arc<[Shown]>> {
    let members = types.members(structure)?;
    let fitting = members.into_iter().filter(|member| {
        (1..=64).contains(&member.bits) && member.at + member.bits as u64 <= 8 * AREA as u64
    });
    let shown: Arc<[Shown]> = fitting
        .map(|member| Shown {
            name: word(&member.name),
            bit: member.at as usize,
            bits: member.bits,
            signed: member.signed,
        })
        .collect();
    (!shown.is_empty()).then_some(shown)
}
