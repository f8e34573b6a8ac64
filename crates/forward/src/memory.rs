//! State of the management between Interests.

use crate::name::PacketName;
use crate::stored::DatasetStore;
use narrows_icn::Data;
use narrows_ndn::NameRef;
use narrows_units::Time;
use std::collections::BTreeMap;

#[derive(Debug)]
pub(crate) struct ManagementState {
    started: Time,
    wall_ms: u64,
    /// Generated Data that clients may request again.
    pub(crate) stored: DatasetStore,
    /// Number of the next face event.
    pub(crate) next_event: u64,
    /// Strategies by prefix. The root always has one.
    pub(crate) strategies: BTreeMap<PacketName, &'static str>,
    /// Octets that count for strategies. The root does not count.
    pub(crate) strategy_octets: u64,
    /// Commands whose faces are being opened, by ticket.
    pub(crate) opening: BTreeMap<u64, PendingCreation>,
    pub(crate) next_ticket: u64,
    /// Latest version of a dataset, in microseconds since 1970.
    latest_version: u64,
    /// Local addresses that the management reports as channels.
    pub(crate) channels: Vec<String>,
}

/// A command whose face is being opened.
#[derive(Clone, Debug)]
pub(crate) struct PendingCreation {
    /// Whole name of the command.
    pub(crate) name: PacketName,
    pub(crate) settings: Settings,
}

/// Settings of a face that a command changes. `None` leaves a setting as it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) permanent: Option<bool>,
    pub(crate) local_fields: Option<bool>,
    pub(crate) marking: Option<bool>,
    pub(crate) marking_interval: Option<narrows_units::Span>,
    pub(crate) marking_threshold: Option<u64>,
    pub(crate) mtu: Option<usize>,
    pub(crate) rates: Option<crate::link_rates::LinkRates>,
}

impl ManagementState {
    pub(crate) fn new(
        now: Time,
        wall_ms: u64,
        strategy: &'static str,
        datasets: u64,
    ) -> ManagementState {
        ManagementState {
            started: now,
            wall_ms,
            stored: DatasetStore::new(datasets),
            next_event: 0,
            strategies: BTreeMap::from([(PacketName::new(NameRef::ROOT), strategy)]),
            strategy_octets: 0,
            opening: BTreeMap::new(),
            next_ticket: 0,
            latest_version: 0,
            channels: Vec::new(),
        }
    }

    /// Start of the daemon, in milliseconds since 1970.
    pub(crate) fn started_ms(&self) -> u64 {
        self.wall_ms
    }

    /// Wall-clock time in milliseconds since 1970.
    pub(crate) fn wall_ms(&self, now: Time) -> u64 {
        self.wall_ms + now.since(self.started).as_nanos() / 1_000_000
    }

    /// A version that no dataset has had.
    pub(crate) fn next_version(&mut self, now: Time) -> u64 {
        let present = self.wall_ms * 1000 + now.since(self.started).as_micros();
        self.latest_version = present.max(self.latest_version + 1);
        self.latest_version
    }

    /// Stores Data for clients that request it again.
    pub(crate) fn keep(&mut self, now: Time, data: &Data<PacketName>) {
        self.stored.insert(now, data.clone());
    }
}
