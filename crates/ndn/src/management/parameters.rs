//! ControlParameters.

use super::codes::FacePersistency;
use super::field::StrategyName;
use super::record::{Record, record};
use crate::name::NameRef;
use crate::tlv::{Buffer, DecodeError, Element, put_nested};

record! {
    /// ControlParameters: the parameters of a command, which its answer repeats.
    #[derive(Copy, Default)]
    ControlParameters<'a> {
        /// Name: a prefix.
        name: 7 => Option<NameRef<'a>>,
        /// FaceId. 0 or absent means the face on which the command arrived.
        face_id: 105 => Option<u64>,
        /// Uri of the face's remote end.
        uri: 114 => Option<&'a str>,
        /// LocalUri of the face's local end.
        local_uri: 129 => Option<&'a str>,
        /// Origin of a route: 0 an application, 65 a client, 128 NLSR, 255 static, and others.
        origin: 111 => Option<u64>,
        /// Cost of a route.
        cost: 106 => Option<u64>,
        /// Capacity of the content store, in packets.
        capacity: 131 => Option<u64>,
        /// Count of packets.
        count: 132 => Option<u64>,
        /// Flags of a face, a route or the content store.
        flags: 108 => Option<u64>,
        /// Mask: the bits of Flags that are to change.
        mask: 112 => Option<u64>,
        /// Strategy.
        strategy: 107 => Option<StrategyName<'a>>,
        /// ExpirationPeriod in milliseconds.
        expiration_ms: 109 => Option<u64>,
        /// FacePersistency.
        persistency: 133 => Option<FacePersistency>,
        /// BaseCongestionMarkingInterval in nanoseconds.
        marking_interval_ns: 135 => Option<u64>,
        /// DefaultCongestionThreshold in octets.
        marking_threshold: 136 => Option<u64>,
        /// Mtu in octets.
        mtu: 137 => Option<u64>,
        /// CapacityIn of a face's link in bit/s. A field of Narrows, with an even number that other
        /// programs skip.
        capacity_in_bps: 0xF900 => Option<u64>,
        /// CapacityOut of a face's link in bit/s. A field of Narrows, with an even number that
        /// other programs skip.
        capacity_out_bps: 0xF902 => Option<u64>,
    }
}

impl<'a> ControlParameters<'a> {
    /// TYPE of ControlParameters.
    pub const NUMBER: u32 = 104;

    /// Decodes `wire`, which must be exactly one ControlParameters, as in a component of a
    /// command's name.
    ///
    /// # Errors
    /// The octets are not ControlParameters, or a known field is malformed.
    pub fn decode(wire: &'a [u8]) -> Result<ControlParameters<'a>, DecodeError> {
        ControlParameters::from_element(&Element::only(wire)?)
    }

    /// Decodes an element.
    ///
    /// # Errors
    /// The element is not ControlParameters, or a known field is malformed.
    pub fn from_element(element: &Element<'a>) -> Result<ControlParameters<'a>, DecodeError> {
        Record::read(&element.expect(Self::NUMBER)?)
    }

    /// Appends the ControlParameters.
    pub fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, Self::NUMBER, |out| self.write_fields(out));
    }
}
