//! Datasets and notifications of faces (page "FaceMgmt").

use super::codes::{FaceEventKind, FacePersistency, FaceScope, LinkType};
use super::record::{Record, record};
use crate::tlv::{Buffer, DecodeError, Element, put_nested};

record! {
    /// FaceStatus: an entry of faces/list and faces/query. The counters are packets and octets
    /// since the face was created.
    #[derive(Copy)]
    FaceStatus<'a> {
        /// FaceId.
        face_id: 105 => u64,
        /// Uri of the remote end.
        uri: 114 => &'a str,
        /// LocalUri of the local end.
        local_uri: 129 => &'a str,
        /// ExpirationPeriod: milliseconds until an idle face ends.
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
        /// with an even number that other programs skip.
        in_malformed: 0xF904 => Option<u64>,
        /// Packets that were not sent: too large, or refused by the socket. A field of Narrows,
        /// with an even number that other programs skip.
        out_dropped: 0xF906 => Option<u64>,
        /// Rate available to incoming packets, in bit/s. A field of Narrows, with an even number
        /// that other programs skip.
        in_capacity_bps: 0xF908 => Option<u64>,
        /// Rate available to outgoing packets, in bit/s. A field of Narrows.
        out_capacity_bps: 0xF90A => Option<u64>,
        /// Primary rate that the face's law grants, in bit/s. A field of Narrows.
        primary_bps: 0xF90C => Option<u64>,
        /// Secondary rate that the face's law grants, in bit/s. A field of Narrows.
        secondary_bps: 0xF90E => Option<u64>,
        /// Interests that wait in the face's shaper. A field of Narrows.
        shaped: 0xF910 => Option<u64>,
        /// Seconds in which the path behind the face seemed slower than its rate. A field of
        /// Narrows.
        suspect_s: 0xF912 => Option<u64>,
        /// Primary Interests received and refused because they requested more than the rate that
        /// the neighbour was sent. A field of Narrows.
        in_policed: 0xF914 => Option<u64>,
        /// Packets among the malformed ones whose names have too many components. A field of
        /// Narrows.
        in_long_names: 0xF916 => Option<u64>,
    }
}

record! {
    /// ChannelStatus: an entry of faces/channels.
    #[derive(Copy)]
    ChannelStatus<'a> {
        /// LocalUri of a listening socket.
        local_uri: 129 => &'a str,
    }
}

record! {
    /// FaceQueryFilter: the filter of faces/query. A face must match all fields that are present.
    #[derive(Copy, Default)]
    FaceQueryFilter<'a> {
        /// FaceId.
        face_id: 105 => Option<u64>,
        /// UriScheme of either end.
        uri_scheme: 131 => Option<&'a str>,
        /// Uri of the remote end.
        uri: 114 => Option<&'a str>,
        /// LocalUri of the local end.
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
    /// FaceEventNotification: the content of a Data in the stream faces/events.
    #[derive(Copy)]
    FaceEvent<'a> {
        /// FaceEventKind.
        kind: 193 => FaceEventKind,
        /// FaceId.
        face_id: 105 => u64,
        /// Uri of the remote end.
        uri: 114 => &'a str,
        /// LocalUri of the local end.
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
    /// TYPE of the filter.
    pub const NUMBER: u32 = 150;

    /// Decodes `wire`, which must be exactly one filter, as in a component of a query's name.
    ///
    /// # Errors
    /// The octets are not a filter, or a known field is malformed.
    pub fn decode(wire: &'a [u8]) -> Result<FaceQueryFilter<'a>, DecodeError> {
        Record::read(&Element::only(wire)?.expect(Self::NUMBER)?)
    }

    /// Appends the filter.
    pub fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, Self::NUMBER, |out| self.write_fields(out));
    }
}

impl<'a> FaceEvent<'a> {
    /// TYPE of the notification.
    pub const NUMBER: u32 = 192;

    /// Decodes `content`, which must be exactly one notification.
    ///
    /// # Errors
    /// The octets are not a notification, a field is missing, or a known field is malformed.
    pub fn decode(content: &'a [u8]) -> Result<FaceEvent<'a>, DecodeError> {
        Record::read(&Element::only(content)?.expect(Self::NUMBER)?)
    }

    /// Appends the notification.
    pub fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, Self::NUMBER, |out| self.write_fields(out));
    }
}
