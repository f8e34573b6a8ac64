//! Headers that packets carry between senders and routers, beside TCP. Most networks have nothing
//! of the kind, and their packets no room for it.

use narrows_wire::{Header, Signal};
use std::fmt::Debug;

/// Room in a packet for what routers read and write.
pub(crate) trait Carried: Copy + Debug {
    /// False if there is no room at all.
    const ROOM: bool;
    /// Nothing carried.
    const NOTHING: Self;
    /// On its way to the receiver.
    fn forth(header: Option<Header>) -> Self;
    /// On its way back to the sender.
    fn back(signal: Option<Signal>) -> Self;
    /// The header that routers may write into.
    fn header(&mut self) -> Option<&mut Header>;
    /// The signal that comes back.
    fn signal(&self) -> Option<Signal>;
}

/// No room.
impl Carried for () {
    const ROOM: bool = false;
    const NOTHING: () = ();
    fn forth(_: Option<Header>) {}
    fn back(_: Option<Signal>) {}
    fn header(&mut self) -> Option<&mut Header> {
        None
    }
    fn signal(&self) -> Option<Signal> {
        None
    }
}

/// Room for one header.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Room {
    Nothing,
    Forth(Header),
    Back(Signal),
}

impl Carried for Room {
    const ROOM: bool = true;
    const NOTHING: Room = Room::Nothing;
    fn forth(header: Option<Header>) -> Room {
        header.map_or(Room::Nothing, Room::Forth)
    }
    fn back(signal: Option<Signal>) -> Room {
        signal.map_or(Room::Nothing, Room::Back)
    }
    fn header(&mut self) -> Option<&mut Header> {
        if let Room::Forth(header) = self { Some(header) } else { None }
    }
    fn signal(&self) -> Option<Signal> {
        if let Room::Back(signal) = self { Some(*signal) } else { None }
    }
}
