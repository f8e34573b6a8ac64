//! The integers of the socket and of the samples one by one: what is recorded of a kernel's socket,
//! and shown to a program again.

use super::Field;
use super::layout::{MemberType, Structure};
use super::table::{ACK_SAMPLE, RATE_SAMPLE, TCP_CONGESTION_OPS, TCP_SOCK};

/// An integer.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// From the structure on: `inet_conn.icsk_rto`, `rtt_min.s[0].v`.
    pub path: String,
    /// Whether it is a bitfield: where it stands then (`inet_conn`, or nothing), and its name.
    pub bits: Option<(String, &'static str)>,
    /// Whether programs may write it.
    pub writable: bool,
    /// Where it lies with us.
    pub field: Field,
}

/// The private area of a controller, which is no single integer.
pub(crate) const AREA: &str = "inet_conn.icsk_ca_priv";
/// Words of 64 bits that it has.
pub(crate) const AREA_WORDS: usize = 13;

/// The integers of the socket, the private area left out.
pub(crate) fn of_socket() -> Vec<Place> {
    let mut all = Vec::new();
    list(&TCP_SOCK, TCP_SOCK.name, "", &mut all);
    all
}

/// Those of a `struct ack_sample`.
pub(crate) fn of_ack_sample() -> Vec<Place> {
    let mut all = Vec::new();
    list(&ACK_SAMPLE, ACK_SAMPLE.name, "", &mut all);
    all
}

/// Those of a `struct rate_sample`.
pub(crate) fn of_rate_sample() -> Vec<Place> {
    let mut all = Vec::new();
    list(&RATE_SAMPLE, RATE_SAMPLE.name, "", &mut all);
    all
}

fn list(structure: &Structure, root: &str, prefix: &str, all: &mut Vec<Place>) {
    for member in
        structure.members.iter().filter(|member| !member.name.is_empty() || member.bits == 0)
    {
        let path = if prefix.is_empty() {
            member.name.to_owned()
        } else {
            format!("{prefix}.{}", member.name)
        };
        let mut integer = |path: String, bits: Option<(String, &'static str)>| {
            let field = Field::of(&format!("{root}.{path}"));
            all.push(Place { path, bits, writable: member.writable, field });
        };
        match member.kind {
            MemberType::Integer(_) => {
                integer(path, (member.bits > 0).then(|| (prefix.to_owned(), member.name)))
            }
            MemberType::Array(MemberType::Integer(_), count) if path != AREA => {
                (0..count).for_each(|index| integer(format!("{path}[{index}]"), None))
            }
            MemberType::Array(MemberType::Structure(inner), count) => {
                (0..count).for_each(|index| list(inner, root, &format!("{path}[{index}]"), all))
            }
            MemberType::Structure(inner) => list(inner, root, &path, all),
            MemberType::Array(..) | MemberType::Function(..) => {}
        }
    }
}

/// The parameters of a callback as the kernel declares them, and whether it has a result.
pub(crate) fn signature(callback: &str) -> Option<(Vec<&'static str>, bool)> {
    let member = TCP_CONGESTION_OPS.members.iter().find(|member| member.name == callback)?;
    let MemberType::Function(result, parameters) = member.kind else { return None };
    Some((parameters.split(", ").collect(), result != "void"))
}
