//! Datasets of the forwarder as a whole (pages "ForwarderStatus", "CsMgmt").

use super::record::{Record, record};
use crate::tlv::{Buffer, DecodeError, Element};

record! {
    /// GeneralStatus: the content of status/general, which has no element around it. The counts are
    /// of packets since the forwarder started.
    #[derive(Copy)]
    GeneralStatus<'a> {
        /// NfdVersion: the forwarder's program and version.
        version: 128 => &'a str,
        /// StartTimestamp in milliseconds since 1970.
        start_ms: 129 => u64,
        /// CurrentTimestamp in milliseconds since 1970.
        current_ms: 130 => u64,
        /// NNameTreeEntries.
        name_tree_entries: 131 => u64,
        /// NFibEntries.
        fib_entries: 132 => u64,
        /// NPitEntries.
        pit_entries: 133 => u64,
        /// NMeasurementsEntries.
        measurements_entries: 134 => u64,
        /// NCsEntries.
        cs_entries: 135 => u64,
        /// NInInterests.
        in_interests: 144 => u64,
        /// NInData.
        in_data: 145 => u64,
        /// NInNacks.
        in_nacks: 151 => u64,
        /// NOutInterests.
        out_interests: 146 => u64,
        /// NOutData.
        out_data: 147 => u64,
        /// NOutNacks.
        out_nacks: 152 => u64,
        /// NSatisfiedInterests.
        satisfied_interests: 153 => u64,
        /// NUnsatisfiedInterests.
        unsatisfied_interests: 154 => u64,
        /// Packets that one forwarding thread had for another and dropped, because too many waited.
        /// `None` with one thread. A field of Narrows, with an even number that others skip.
        lost_between_threads: 0xF920 => Option<u64>,
        /// Faces that were not made, because there were too many or no descriptor was left. A field
        /// of Narrows.
        faces_refused: 0xF922 => Option<u64>,
        /// Faces that were idle and gave way to others. A field of Narrows.
        faces_evicted: 0xF924 => Option<u64>,
        /// Packets that did not leave by their faces, also by those that are gone. A field of
        /// Narrows.
        dropped: 0xF926 => Option<u64>,
    }
}

record! {
    /// An entry of tables/list, a dataset of Narrows: the octets of a table.
    #[derive(Copy)]
    TableStatus<'a> {
        /// The table.
        name: 129 => &'a str,
        /// Octets that it holds.
        used: 130 => u64,
        /// Octets that it may hold.
        limit: 131 => u64,
        /// The number of times that something was not taken, or was dropped for something newer,
        /// because room is missing.
        refused: 132 => u64,
    }
}

record! {
    /// CsInfo: the one entry of cs/info.
    #[derive(Copy)]
    CsInfo {
        /// Capacity in packets.
        capacity: 131 => u64,
        /// Flags: bit 0, Data is admitted; bit 1, Data is served.
        flags: 108 => u64,
        /// NCsEntries.
        entries: 135 => u64,
        /// NHits.
        hits: 129 => u64,
        /// NMisses.
        misses: 130 => u64,
    }
}

impl<'a> GeneralStatus<'a> {
    /// The status that `content` consists of.
    ///
    /// # Errors
    /// A field is missing or malformed.
    pub fn decode(content: &'a [u8]) -> Result<GeneralStatus<'a>, DecodeError> {
        Record::read(&Element { number: 0, value: content, whole: content, offset: 0 })
    }

    /// Appends the status.
    pub fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        self.write_fields(out);
    }
}
