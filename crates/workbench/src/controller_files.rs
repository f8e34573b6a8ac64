//! The controllers of a program: those of the registry, its own, QUIC stacks, and files with BPF
//! programs and learned policies.

use crate::policies;
use narrows_control::{Entry, EntryRef, Refused, Session};

/// Makes the session of a program: with its own controllers `entries`, the controllers of its QUIC
/// stacks, and a loader of controllers that are chosen by file name.
///
/// # Errors
///
/// A name in `entries` that cannot be written, or that another controller has.
pub fn session(entries: &[&'static Entry]) -> Result<Session, Refused> {
    let session = Session::loading(entry);
    #[cfg(feature = "quic")]
    add_stacks(&session);
    for entry in entries {
        session.register(*entry)?;
        #[cfg(feature = "quic")]
        stacks_carry(&session, entry);
    }
    Ok(session)
}

#[cfg(feature = "quic")]
fn add_stacks(session: &Session) {
    for entry in narrows_guests::entries() {
        session.register(entry).expect("no other controller has the name of a stack");
    }
    narrows_control::ENTRIES.iter().for_each(|entry| stacks_carry(session, entry));
}

/// Registers a controller within each QUIC stack.
#[cfg(feature = "quic")]
fn stacks_carry(session: &Session, entry: &'static Entry) {
    for entry in narrows_guests::adapted(entry) {
        session.register_unlisted(entry).expect("the controller itself is registered once");
    }
}

fn entry(session: &Session, path: &str) -> Result<EntryRef, String> {
    let load = if policies::is_policy(path) { policies::entry } else { narrows_bpf::files::entry };
    load(session, path)
}
