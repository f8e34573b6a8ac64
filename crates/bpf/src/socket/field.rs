//! A member of the socket or of a sample, found by its name while we are compiled, read and written
//! by its place.

use super::access::has_detail;
use super::layout::{MemberType, Structure};
use super::table::{ACK_SAMPLE, RATE_SAMPLE, TCP_SOCK};

/// A member that is an integer, in the bytes of the structure it was looked up in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Of its first byte.
    offset: u32,
    /// Bytes.
    size: u32,
    /// For a bitfield, the bit that it begins with in its only byte.
    shift: u32,
    /// Width.
    bits: u32,
    signed: bool,
}

impl Field {
    /// That of a path: `tcp_sock.snd_cwnd`, `tcp_sock.inet_conn.icsk_ca_state`,
    /// `tcp_sock.rtt_min.s[0].v`, `ack_sample.rtt_us`. Meant for constants.
    ///
    /// # Panics
    ///
    /// If the table has no such integer; of a constant, that is an error of compilation.
    pub const fn of(path: &str) -> Field {
        let path = path.as_bytes();
        let mut at = word(path, 0);
        let root = if same(path, 0, at, TCP_SOCK.name) {
            &TCP_SOCK
        } else if same(path, 0, at, ACK_SAMPLE.name) {
            &ACK_SAMPLE
        } else if same(path, 0, at, RATE_SAMPLE.name) {
            &RATE_SAMPLE
        } else {
            panic!("a path begins with tcp_sock, ack_sample or rate_sample")
        };
        let mut kind = MemberType::Structure(root);
        let mut begin = 0;
        let mut bits = 0;
        while at < path.len() {
            match kind {
                MemberType::Structure(structure) => {
                    assert!(path[at] == b'.', "a member follows a point");
                    let end = word(path, at + 1);
                    let index = member(structure, path, at + 1, end);
                    begin += structure.extent(index).at;
                    bits = structure.members[index].bits;
                    kind = structure.members[index].kind;
                    at = end;
                }
                MemberType::Array(element, count) => {
                    assert!(
                        path[at] == b'[' && path[at + 2] == b']',
                        "the index of an element stands in brackets, and is one digit"
                    );
                    let index = (path[at + 1] - b'0') as u32;
                    assert!(index < count, "the array is shorter");
                    begin += 8 * index * element.size();
                    kind = *element;
                    at += 3;
                }
                _ => panic!("an integer has no members"),
            }
        }
        let MemberType::Integer(integer) = kind else { panic!("no integer") };
        let bits = if bits > 0 { bits } else { 8 * integer.size };
        Field {
            offset: begin / 8,
            size: integer.size,
            shift: begin % 8,
            bits,
            signed: integer.signed,
        }
    }

    /// The first of its bits in its first byte: 0 unless it is a bitfield.
    #[cfg(test)]
    pub(crate) fn bit(self) -> u32 {
        self.shift
    }

    /// Whether it is, of the socket, kept only for programs that look at it.
    pub(crate) fn is_detail(self) -> bool {
        has_detail(self.offset as usize, self.size as usize)
    }

    /// Its value. That of a signed one is its sign-extended bits.
    ///
    /// # Panics
    ///
    /// If `bytes` is shorter than the structure.
    #[inline(always)]
    pub fn get(self, bytes: &[u8]) -> u64 {
        let at = self.offset as usize;
        let value = match self.size {
            1 => (bytes[at] as u64 >> self.shift) & ((1 << self.bits) - 1),
            2 => u16::from_le_bytes([bytes[at], bytes[at + 1]]) as u64,
            4 => u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as u64,
            _ => u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")),
        };
        let unused = 64 - self.bits;
        if self.signed { ((value << unused) as i64 >> unused) as u64 } else { value }
    }

    /// Gives it the lowest bits of a value.
    ///
    /// # Panics
    ///
    /// If `bytes` is shorter than the structure.
    #[inline(always)]
    pub fn set(self, bytes: &mut [u8], value: u64) {
        let at = self.offset as usize;
        match self.size {
            1 => {
                let mask = ((1_u16 << self.bits) - 1) as u8;
                bytes[at] = bytes[at] & !(mask << self.shift) | (value as u8 & mask) << self.shift;
            }
            2 => bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
            4 => bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes()),
            _ => bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()),
        }
    }

    /// Of its first byte.
    pub const fn offset(self) -> usize {
        self.offset as usize
    }
}

/// Where the word that begins at `from` ends.
const fn word(path: &[u8], from: usize) -> usize {
    let mut end = from;
    while end < path.len() && (path[end].is_ascii_alphanumeric() || path[end] == b'_') {
        end += 1;
    }
    end
}

const fn same(path: &[u8], from: usize, to: usize, name: &str) -> bool {
    let name = name.as_bytes();
    if to - from != name.len() {
        return false;
    }
    let mut index = 0;
    while index < name.len() {
        if path[from + index] != name[index] {
            return false;
        }
        index += 1;
    }
    true
}

const fn member(structure: &Structure, path: &[u8], from: usize, to: usize) -> usize {
    let mut index = 0;
    while index < structure.members.len() {
        if same(path, from, to, structure.members[index].name) {
            return index;
        }
        index += 1;
    }
    panic!("no such member")
}
