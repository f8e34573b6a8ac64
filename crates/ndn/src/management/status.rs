//! Datasets of the whole forwarder (pages "ForwarderStatus", "CsMgmt").

use super::record::{Record, record};
use crate::tlv::{Buffer, DecodeError, Element};

record! {
    /// GeneralStatus: the content of status/general, which has no outer element. The counters are
    /// packets since the forwarder started.
    #[derive(Copy)]
    GeneralStatus<'a> {
        /// NfdVersion: program and version of the forwarder.
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
        /// Packets that forwarding threads dropped on the way to another thread because too many
        /// waited. `None` with one thread. A field of Narrows, with an even number that other
        /// programs skip.
        lost_between_threads: 0xF920 => Option<u64>,
        /// Faces that were not made because there were too many or no descriptor was left. A field
        /// of Narrows.
        faces_refused: 0xF922 => Option<u64>,
        /// Idle faces that were evicted for new ones. A field of Narrows.
        faces_evicted: 0xF924 => Option<u64>,
        /// Packets that faces could not send, including removed faces. A field of Narrows.
        dropped: 0xF926 => Option<u64>,
    }
}

record! {
    /// An entry of tables/list, a dataset of Narrows: the octets of a table.
    #[derive(Copy)]
    TableStatus<'a> {
        /// Name of the table.
        name: 129 => &'a str,
        /// Octets in the table.
        used: 130 => u64,
        /// Limit of the octets.
        limit: 131 => u64,
        /// Number of entries that were refused, or dropped for newer ones, because the table was
        /// full.
        refused: 132 => u64,
    }
}

record! {
    /// CsInfo: the only entry of cs/info.
    #[derive(Copy)]
    CsInfo {
        /// Capacity in packets.
        capacity: 131 => u64,
        /// Flags: bit 0 if Data is admitted, bit 1 if Data is served.
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
    /// Decodes `content`, which must be exactly one status.
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
