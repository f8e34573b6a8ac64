//! Two worlds that could not be more different, of one flow each on a link of 1 byte per
//! microsecond and 10 ms.

pub mod segments;
pub mod sockets;

use narrows_measure::Transfers;
use narrows_scenario::Scenario;
use narrows_traffic::Action;
use narrows_units::{Span, Time};

pub const DELAY: Span = Span::from_millis(10);
/// Payload of a segment.
pub const MSS: u64 = 1448;
pub const HEADERS: u64 = 52;

/// The observations of a world.
pub struct Seen {
    pub actions: Vec<Action>,
    /// Payload delivered over connections.
    pub delivered: u64,
    /// Payload that was sent or may be yet.
    pub written: u64,
    pub finished_at: Option<Time>,
    pub completed: bool,
    pub transfers: Option<Transfers>,
}

/// A scenario of ten seconds with this flow, over TCP or UDP. Connections of these worlds are open
/// at once.
pub fn scenario(tcp: bool, flow: &str) -> Scenario {
    let controller = if tcp { "controller = \"cubic\"" } else { "" };
    let text = format!(
        "duration = \"10 s\"\nwarmup = \"1 s\"\nseed = 3\n\
         [transport]\nhandshake = false\n\
         [[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"8 Mbit/s\"\ndelay = \"10 ms\"\n\
         [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n{controller}\n{flow}\n"
    );
    narrows_scenario::parse(&text, "test.toml", &|path| std::fs::read_to_string(path))
        .unwrap_or_else(|error| panic!("{}", error.short()))
}

/// Datagrams of both worlds with these numbers are dropped.
pub fn dropped(number: u64) -> bool {
    number % 23 == 7
}
