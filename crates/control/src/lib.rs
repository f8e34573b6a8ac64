//! Congestion controllers, and a registry of them all. The [contract](narrows_contract) of
//! controllers is here under the same names.

pub mod arithmetic;
mod choice;
mod controllers;
pub mod cores;
mod files;
pub mod learned;
#[cfg(feature = "mutants")]
pub mod mutants;
mod parts;
mod registry;
mod session;
#[cfg(test)]
mod testing;

pub use choice::{Choice, Controllers, kept_files, kept_object, kept_objects, passing_identities};
pub use files::{FileForm, KeptFile, Source, meant_file, names_file};
pub use narrows_contract::{
    Acked, Awaited, Basis, Build, Built, CaState, Congestion, Controller, Datagram, Decision,
    EcnDelta, End, Entry, EntryRef, Fault, Feedback, GUEST_DATAGRAM, GUEST_HEADERS, Guest,
    GuestCounts, GuestEnd, GuestMaker, GuestSample, LogSink, Lost, Maker, Open, Outstanding,
    OwnedEntry, RateSample, Reduction, Role, Saved, Sent, Setup, Tag, Timeout, Totals,
};
pub use parts::intervals::{ByInterval, Interval, Policy, SHORTEST_INTERVAL, Setting};
pub use registry::{BASELINES, DEFAULTS, ENTRIES, Refused, TWINS};
pub use session::{Entered, Loader, Session, entry_of_file};
