//! The fields of the socket that programs may write, and their places.

use super::layout::{MemberType, Structure};
use super::table::{ACK_SAMPLE, RATE_SAMPLE, TCP_CONGESTION_OPS, TCP_SOCK};

/// Bytes of the socket, a `struct tcp_sock`.
pub const SIZE: usize = TCP_SOCK.size() as usize;

/// Bytes of a `struct ack_sample`.
pub const ACK_SAMPLE_SIZE: usize = ACK_SAMPLE.size() as usize;

/// Bytes of a `struct rate_sample`.
pub const RATE_SAMPLE_SIZE: usize = RATE_SAMPLE.size() as usize;

/// How many bytes a store may have that begins at each byte.
const WRITABLE: [u8; SIZE] = {
    let mut most = [0; SIZE];
    allow(&TCP_SOCK, 0, &mut most);
    most
};

/// A field may be written from its first byte; an array, which the program divides as it likes,
/// from each.
const fn allow(structure: &Structure, at: u32, most: &mut [u8; SIZE]) {
    let mut index = 0;
    while index < structure.members.len() {
        let member = &structure.members[index];
        let begin = at + structure.extent(index).at / 8;
        match member.kind {
            MemberType::Structure(inner) => allow(inner, begin, most),
            MemberType::Array(element, count) if member.writable => {
                let size = element.size() * count;
                let mut byte = 0;
                while byte < size {
                    most[(begin + byte) as usize] = (size - byte) as u8;
                    byte += 1;
                }
            }
            kind if member.writable => most[begin as usize] = kind.size() as u8,
            _ => {}
        }
        index += 1;
    }
}

/// Whether a program may store so many bytes at an offset of the socket.
#[inline]
pub fn may_store(offset: usize, size: usize) -> bool {
    WRITABLE.get(offset).is_some_and(|most| size <= *most as usize)
}

/// Which bytes belong to members that are kept only for programs that look at them.
const DETAILS: [bool; SIZE] = {
    let mut all = [false; SIZE];
    mark(&TCP_SOCK, 0, false, &mut all);
    all
};

const fn mark(structure: &Structure, at: u32, within: bool, all: &mut [bool; SIZE]) {
    let mut index = 0;
    while index < structure.members.len() {
        let member = &structure.members[index];
        let begin = at + structure.extent(index).at / 8;
        let detail = within || member.detail;
        match member.kind {
            MemberType::Structure(inner) => mark(inner, begin, detail, all),
            kind => {
                let mut byte = begin;
                while detail && byte < begin + kind.size() {
                    all[byte as usize] = true;
                    byte += 1;
                }
            }
        }
        index += 1;
    }
}

/// Whether these bytes of the socket are in part of a member that is kept only for programs that
/// look at it.
pub fn has_detail(offset: usize, size: usize) -> bool {
    let end = offset.saturating_add(size).min(SIZE);
    DETAILS.get(offset..end).is_some_and(|bytes| bytes.contains(&true))
}

/// Whether what a program names of the socket, `tcp_sock.rack.mstamp`, is such a member, a part of
/// one, or a structure that has one.
pub fn is_detail(path: &str) -> bool {
    let mut names = path.split('.').map(|name| name.split('[').next().unwrap_or_default());
    let root = names.next().unwrap_or_default();
    let last = path.rsplit('.').next().unwrap_or_default();
    let whole = if root == last {
        TCP_SOCK.name == root || holds(&TCP_SOCK, |_, inner| inner.name == root)
    } else {
        holds(&TCP_SOCK, |name, _| name == last)
    };
    whole || names.any(|name| is_name(&TCP_SOCK, name))
}

/// Whether a member of this name is kept only for programs that look at it.
fn is_name(structure: &Structure, name: &str) -> bool {
    structure.members.iter().any(|member| match member.kind {
        _ if member.detail => member.name == name,
        MemberType::Structure(inner) => is_name(inner, name),
        _ => false,
    })
}

/// Whether one of the structures within this one is meant, by the member's name and its own, and
/// has such members.
fn holds(structure: &Structure, meant: impl Fn(&str, &Structure) -> bool + Copy) -> bool {
    structure.members.iter().any(|member| match member.kind {
        MemberType::Structure(inner) => {
            meant(member.name, inner) && has_any(inner) || holds(inner, meant)
        }
        _ => false,
    })
}

fn has_any(structure: &Structure) -> bool {
    structure.members.iter().any(|member| {
        member.detail || matches!(member.kind, MemberType::Structure(inner) if has_any(inner))
    })
}

/// Fields that programs may write, as they name them: `tcp_sock.snd_cwnd`. For messages.
pub fn writable() -> Vec<String> {
    let mut names = Vec::new();
    list(&TCP_SOCK, TCP_SOCK.name, &mut names);
    names
}

fn list(structure: &Structure, prefix: &str, names: &mut Vec<String>) {
    for (index, member) in structure.members.iter().enumerate() {
        let name = format!("{prefix}.{}", member.name);
        match member.kind {
            MemberType::Structure(inner) => list(inner, &prefix_of(inner, index, name), names),
            _ if member.writable => names.push(name),
            _ => {}
        }
    }
}

/// The members of `struct tcp_congestion_ops` that are functions, in the kernel's order.
pub fn callbacks() -> impl Iterator<Item = &'static str> {
    TCP_CONGESTION_OPS
        .members
        .iter()
        .filter(|member| matches!(member.kind, MemberType::Function(..)))
        .map(|member| member.name)
}

/// The names of an inner structure's members begin with the name of that which a socket begins
/// with, as programs cast it, and else go on.
fn prefix_of(inner: &Structure, index: usize, name: String) -> String {
    if index == 0 { inner.name.to_owned() } else { name }
}

/// The member that lies at an offset of the socket, as programs name it:
/// `inet_connection_sock.icsk_ca_priv`. `None` beyond the end, and for bytes that align what
/// follows.
pub fn socket_field(offset: usize) -> Option<String> {
    name_at(&TCP_SOCK, offset)
}

/// The field of a `struct ack_sample` at an offset.
pub fn ack_sample_field(offset: usize) -> Option<String> {
    name_at(&ACK_SAMPLE, offset)
}

/// The field of a `struct rate_sample` at an offset.
pub fn rate_sample_field(offset: usize) -> Option<String> {
    name_at(&RATE_SAMPLE, offset)
}

fn name_at(structure: &Structure, offset: usize) -> Option<String> {
    inside(structure, structure.name.to_owned(), u32::try_from(offset).ok()?)
}

fn inside(structure: &Structure, prefix: String, offset: u32) -> Option<String> {
    let bit = offset.checked_mul(8)?;
    let (index, member) =
        structure.members.iter().enumerate().filter(|(_, member)| !member.name.is_empty()).find(
            |(index, _)| {
                let extent = structure.extent(*index);
                // Of several bitfields in one byte the first.
                (extent.at / 8 * 8..extent.at + extent.bits).contains(&bit)
            },
        )?;
    let name = format!("{prefix}.{}", member.name);
    let rest = offset - structure.extent(index).at / 8;
    match member.kind {
        MemberType::Structure(inner) => inside(inner, prefix_of(inner, index, name), rest),
        MemberType::Array(MemberType::Structure(inner), _) => {
            inside(inner, format!("{name}[{}]", rest / inner.size()), rest % inner.size())
        }
        _ => Some(name),
    }
}
