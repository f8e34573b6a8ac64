//! Datasets and notifications of faces (page "FaceMgmt").

use super::codes::{FaceEventKind, FacePersistency, FaceScope, LinkType};
use super::record::{Record, record};
use crate::tlv::{Buffer, DecodeError, Element, put_nested};

record! {
    /// FaceStatus: an entry of faces/list and faces/query. The counts are of packets and octets
    /// since the face was made.
    #[derive(Copy)]
    FaceStatus<'a> {
        /// FaceId.
        face_id: 105 => u64,
        /// Uri of the other end.
        uri: 114 => &'a str,
        /// LocalUri of this end.
        local_uri: 129 => &'a str,
        /// ExpirationPeriod: the milliseconds that are left of an idle face.
        expiration_ms: 109 => Option<u64>,
        /// FaceScope.
        scope: 132 => FaceScope,
        /// FacePersistency.
        persistency: 133 => FacePersistency,
        /// LinkType.
        link_type: 134 => LinkType,
        /// BaseCongestionMarkingInterval in nanoseconds.
        marking_interval_ns: 135 => Option<u64>,
        /// DefaultCongestionThreshold in octets.
        marking_threshold: 136 => Option<u64>,
        /// Mtu in octets.
        mtu: 137 => Option<u64>,
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
        /// NInBytes.
        in_bytes: 148 => u64,
        /// NOutBytes.
        out_bytes: 149 => u64,
        /// Flags; see [`super::face_flags`].
        flags: 108 => u64,
        /// Packets received that were malformed or broke a rule of the link. A field of Narrows,
        /// with an even number that others skip.
        in_malformed: 0xF904 => Option<u64>,
        /// Packets that did not leave: too large, or not taken by the socket. A field of Narrows,
        /// with an even number that others skip.
        out_dropped: 0xF906 => Option<u64>,
        /// Rate available to packets that come in, in bit/s. This and the following are fields of
        /// Narrows, as above.
        in_capacity_bps: 0xF908 => Option<u64>,
        /// The capacity for packets that leave.
        out_capacity_bps: 0xF90A => Option<u64>,
        /// The primary rate that its law grants, in bit/s.
        primary_bps: 0xF90C => Option<u64>,
        /// The secondary one.
        secondary_bps: 0xF90E => Option<u64>,
        /// Interests that wait in its shaper.
        shaped: 0xF910 => Option<u64>,
        /// Seconds in which the path behind it seemed slower than its rate.
        suspect_s: 0xF912 => Option<u64>,
        /// Primary Interests that came in and were refused, because they asked for more than the
        /// rate that the neighbour was told.
        in_policed: 0xF914 => Option<u64>,
        /// Those of the malformed packets whose names have too many components. A field of Narrows.
        in_long_names: 0xF916 => Option<u64>,
    }
}

record! {
    /// ChannelStatus: an entry of faces/channels.
    #[derive(Copy)]
    ChannelStatus<'a> {
        /// LocalUri at which faces come in.
        local_uri: 129 => &'a str,
    }
}

record! {
    /// FaceQueryFilter: which faces faces/query asks for. Those that fit all that is said.
    #[derive(Copy, Default)]
    FaceQueryFilter<'a> {
        /// FaceId.
        face_id: 105 => Option<u64>,
        /// UriScheme of either end.
        uri_scheme: 131 => Option<&'a str>,
        /// Uri of the other end.
        uri: 114 => Option<&'a str>,
        /// LocalUri of this end.
        local_uri: 129 => Option<&'a str>,
        /// FaceScope.
        scope: 132 => Option<FaceScope>,
        /// FacePersistency.
        persistency: 133 => Option<FacePersistency>,
        /// LinkType.
        link_type: 134 => Option<LinkType>,
    }
}

record! {
    /// FaceEventNotification: the content of a Data of the stream faces/events.
    #[derive(Copy)]
    FaceEvent<'a> {
        /// FaceEventKind.
        kind: 193 => FaceEventKind,
        /// FaceId.
        face_id: 105 => u64,
        /// Uri of the other end.
        uri: 114 => &'a str,
        /// LocalUri of this end.
        local_uri: 129 => &'a str,
        /// FaceScope.
        scope: 132 => FaceScope,
        /// FacePersistency.
        persistency: 133 => FacePersistency,
        /// LinkType.
        link_type: 134 => LinkType,
        /// Flags; see [`super::face_flags`].
        flags: 108 => u64,
    }
}

impl<'a> FaceQueryFilter<'a> {
    /// TYPE.
    pub const NUMBER: u32 = 150;

    /// The filter that `wire` consists of, as a component of a query's name does.
    ///
    /// # Errors
    /// The octets are no filter, or a field that is known is malformed.
    pub fn decode(wire: &'a [u8]) -> Result<FaceQueryFilter<'a>, DecodeError> {
        Record::read(&Element::only(wire)?.expect(Self::NUMBER)?)
    }

    /// Appends the filter.
    pub fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, Self::NUMBER, |out| self.write_fields(out));
    }
}

impl<'a> FaceEvent<'a> {
    /// TYPE.
    pub const NUMBER: u32 = 192;

    /// The notification that `content` consists of.
    ///
    /// # Errors
    /// The octets are no notification, a field is missing, or one that is known is malformed.
    pub fn decode(content: &'a [u8]) -> Result<FaceEvent<'a>, DecodeError> {
        Record::read(&Element::only(content)?.expect(Self::NUMBER)?)
    }

    /// Appends the notification.
    pub fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, Self::NUMBER, |out| self.write_fields(out));
    }
}
