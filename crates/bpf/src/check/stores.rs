//! Stores into fields of the socket that no controller may change, as far as the program names
//! them.

use super::place::place;
use super::walk::Reach;
use crate::program::{Program, Use};
use crate::socket::{may_store, writable};

/// The structures that begin where the socket does.
const SOCKETS: [&str; 5] =
    ["tcp_sock.", "inet_connection_sock.", "inet_sock.", "sock.", "sock_common."];

/// Each such store that can be reached.
pub(super) fn refused(program: &Program, reached: &[Reach]) -> Vec<String> {
    let stores = program
        .mentions
        .iter()
        .filter(|mention| matches!(mention.how, Use::Writes | Use::Updates) && mention.there);
    let sockets = stores
        .filter(|mention| SOCKETS.iter().any(|structure| mention.what.starts_with(structure)));
    let refused = sockets.filter(|mention| {
        let offset = usize::try_from(program.code[mention.instruction].off);
        reached[mention.instruction] != Reach::Never
            && !offset.is_ok_and(|offset| may_store(offset, 1))
    });
    refused
        .map(|mention| {
            let place = place(program, mention.instruction);
            let field = &mention.what;
            let allowed = writable().join(", ");
            format!("{place}: it changes {field}, which the kernel lets no controller change, and the run ends with an error there: it may change {allowed}")
        })
        .collect()
}
