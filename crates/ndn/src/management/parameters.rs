//! ControlParameters.

use super::codes::FacePersistency;
use super::field::StrategyName;
use super::record::{Record, record};
use crate::name::NameRef;
use crate::tlv::{Buffer, DecodeError, Element, put_nested};

record! {
    /// ControlParameters: what a command says, and what its answer repeats.
    #[derive(Copy, Default)]
    ControlParameters<'a> {
        /// Name: a prefix.
        name: 7 => Option<NameRef<'a>>,
        /// FaceId; 0, or none, is the face that the command came on.
        face_id: 105 => Option<u64>,
        /// Uri of the face's other end.
        uri: 114 => Option<&'a str>,
        /// LocalUri of its own end.
        local_uri: 129 => Option<&'a str>,
        /// Origin of a route: 0 an application, 65 a client, 128 NLSR, 255 static, and others.
        origin: 111 => Option<u64>,
        /// Cost of a route.
        cost: 106 => Option<u64>,
        /// Capacity of the content store, in packets.
        capacity: 131 => Option<u64>,
        /// Count, of packets.
        count: 132 => Option<u64>,
        /// Flags of a face, a route or the content store.
        flags: 108 => Option<u64>,
        /// Mask: the bits of Flags that are meant.
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
        /// CapacityIn of a face's link in bit/s: a number of this program, which others skip.
        capacity_in_bps: 0xF900 => Option<u64>,
        /// CapacityOut of a face's link in bit/s: a number of this program, which others skip.
        capacity_out_bps: 0xF902 => Option<u64>,
    }
}

impl<'a> ControlParameters<'a> {
    /// TYPE.
    pub const NUMBER: u32 = 104;

    /// The ControlParameters that `wire` consists of, as a component of a command's name does.
    ///
    /// # Errors
    /// The octets are no ControlParameters, or a field that is known is malformed.
    pub fn decode(wire: &'a [u8]) -> Result<ControlParameters<'a>, DecodeError> {
        ControlParameters::from_element(&Element::only(wire)?)
    }

    /// The ControlParameters that `element` is.
    ///
    /// # Errors
    /// If the element is no ControlParameters, or a known field is malformed.
    pub fn from_element(element: &Element<'a>) -> Result<ControlParameters<'a>, DecodeError> {
        Record::read(&element.expect(Self::NUMBER)?)
    }

    /// Appends the ControlParameters.
    pub fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, Self::NUMBER, |out| self.write_fields(out));
    }
}
