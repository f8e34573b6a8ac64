//! Generated Data that clients may ask for again: segments of datasets, and events.

use crate::name::PacketName;
use narrows_icn::{Data, Interest, Name};
use narrows_units::{Span, Time};
use std::collections::VecDeque;

/// Data is kept so long, or until [`MOST`] newer packets have come.
const KEPT: Span = Span::from_secs(10);
const MOST: usize = 4096;

/// The oldest first.
#[derive(Debug, Default)]
pub(crate) struct Stored(VecDeque<(Time, Data<PacketName>)>);

impl Stored {
    pub(crate) fn insert(&mut self, now: Time, data: Data<PacketName>) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((now + KEPT, data));
    }

    /// The Data of exactly this name, or of one below it if the Interest allows that and does not want it fresh.
    pub(crate) fn find(&self, now: Time, interest: &Interest<PacketName>) -> Option<Data<PacketName>> {
        let below = interest.can_be_prefix && !interest.must_be_fresh;
        let answers = |name: &PacketName| *name == interest.name || below && name.has_prefix(&interest.name);
        self.0.iter().find(|(until, data)| *until > now && answers(&data.name)).map(|(_, data)| data.clone())
    }

    pub(crate) fn due(&self) -> Option<Time> {
        self.0.front().map(|(until, _)| *until)
    }

    pub(crate) fn expire(&mut self, now: Time) {
        while self.due().is_some_and(|due| due <= now) {
            self.0.pop_front();
        }
    }
}
