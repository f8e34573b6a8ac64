//! The fields of an LpPacket other than Fragment.

use super::label::PathLabel;
use super::nack::NackReason;
use crate::number;
use crate::tlv::{
    Buffer, DecodeError, Element, Fault, Reader, put_element, put_nested, put_nni, put_wide,
};
use narrows_units::{Rate, Span};
use narrows_wire::Rates;

/// PitToken: 1 to 32 octets that the answer to an Interest must return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PitToken<'a>(&'a [u8]);

impl<'a> PitToken<'a> {
    /// Makes a token of these octets. `None` unless there are 1 to 32.
    #[inline]
    pub fn new(octets: &'a [u8]) -> Option<PitToken<'a>> {
        matches!(octets.len(), 1..=32).then_some(PitToken(octets))
    }

    /// Octets of the token.
    #[inline]
    pub fn as_slice(&self) -> &'a [u8] {
        self.0
    }
}

/// CachePolicyType with which a producer asks that Data is not cached.
pub const NO_CACHE: u64 = 1;

/// MIRCC fields. No signature covers them, so a neighbour may write any values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mircc {
    /// Lowest R_p on the path so far, in bit/s. Absent if there is no limit yet.
    pub primary_bps: Option<u64>,
    /// Lowest R_s on the path so far, in bit/s. Absent if there is no limit yet.
    pub secondary_bps: Option<u64>,
    /// Class of an Interest: 0 primary (the default), 1 secondary.
    pub class: Option<u8>,
    /// The consumer's smoothed round trip in microseconds. Absent if the consumer has not measured
    /// one.
    pub round_trip_us: Option<u64>,
    /// Hash of the path that Data took. Absent means 0.
    pub path_id: Option<u64>,
    /// PathLabel.
    pub path_label: Option<PathLabel>,
    /// Hash of the link with the lowest R_p so far. Absent if no link has written one.
    pub limit: Option<u64>,
}

impl Mircc {
    /// True if any field is present, which shows that the neighbour understands MIRCC.
    pub fn any(&self) -> bool {
        let Mircc { primary_bps, secondary_bps, class, round_trip_us, path_id, path_label, limit } =
            self;
        [primary_bps, secondary_bps, round_trip_us, path_id, limit]
            .iter()
            .any(|field| field.is_some())
            || class.is_some()
            || path_label.is_some()
    }

    /// The rates, at most 2^62 bit/s each. An absent rate is unlimited.
    pub fn rates(&self) -> Rates {
        const HIGHEST: u64 = 1 << 62;
        let rate = |bps: Option<u64>| {
            bps.map_or(Rates::UNLIMITED.primary, |bps| Rate::from_bps(bps.min(HIGHEST)))
        };
        Rates { primary: rate(self.primary_bps), secondary: rate(self.secondary_bps) }
    }

    /// The consumer's smoothed round trip, at most a minute. Zero if it is absent.
    pub fn round_trip(&self) -> Span {
        const LONGEST_US: u64 = 60_000_000;
        Span::from_micros(self.round_trip_us.unwrap_or(0).min(LONGEST_US))
    }
}

/// The fields of an LpPacket other than Fragment. They are encoded in ascending order of their
/// TYPEs. MIRCC fields take the same octets whatever their values, except the path label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header<'a> {
    /// Sequence.
    pub sequence: Option<u64>,
    /// FragIndex. Absent means 0.
    pub frag_index: Option<u64>,
    /// FragCount. Absent means 1.
    pub frag_count: Option<u64>,
    /// PitToken.
    pub pit_token: Option<PitToken<'a>>,
    /// Nack: the Fragment is an Interest that was refused.
    pub nack: Option<NackReason>,
    /// IncomingFaceId.
    pub incoming_face: Option<u64>,
    /// NextHopFaceId.
    pub next_hop_face: Option<u64>,
    /// CachePolicyType in CachePolicy; see [`NO_CACHE`].
    pub cache_policy: Option<u64>,
    /// CongestionMark. Not 0 if a queue on the path is congested.
    pub congestion_mark: Option<u64>,
    /// NonDiscovery.
    pub non_discovery: bool,
    /// PrefixAnnouncement: the TLV of a Data.
    pub prefix_announcement: Option<&'a [u8]>,
    /// MIRCC fields.
    pub mircc: Mircc,
}

impl<'a> Header<'a> {
    /// True if the packet has a congestion mark.
    pub fn is_marked(&self) -> bool {
        self.congestion_mark.is_some_and(|mark| mark != 0)
    }

    /// Reads one field. A field that is present twice is an error.
    #[inline]
    pub(super) fn read(&mut self, element: &Element<'a>) -> Result<(), DecodeError> {
        match element.number {
            number::lp::SEQUENCE => {
                once(&mut self.sequence, element, u64::from_be_bytes(element.octets()?))
            }
            number::lp::FRAG_INDEX => once(&mut self.frag_index, element, element.nni()?),
            number::lp::FRAG_COUNT => once(&mut self.frag_count, element, element.nni()?),
            number::lp::PIT_TOKEN => {
                let token =
                    PitToken::new(element.value).ok_or_else(|| element.fail(Fault::WrongLength))?;
                once(&mut self.pit_token, element, token)
            }
            number::lp::NACK => once(&mut self.nack, element, NackReason::decode(element)?),
            number::lp::INCOMING_FACE_ID => once(&mut self.incoming_face, element, element.nni()?),
            number::lp::NEXT_HOP_FACE_ID => once(&mut self.next_hop_face, element, element.nni()?),
            number::lp::CACHE_POLICY => {
                once(&mut self.cache_policy, element, cache_policy(element)?)
            }
            number::lp::CONGESTION_MARK => once(&mut self.congestion_mark, element, element.nni()?),
            number::lp::NON_DISCOVERY => {
                self.non_discovery = true;
                element.empty()
            }
            number::lp::PREFIX_ANNOUNCEMENT => {
                once(&mut self.prefix_announcement, element, element.value)
            }
            number::mircc::PRIMARY_RATE => {
                once(&mut self.mircc.primary_bps, element, element.nni()?)
            }
            number::mircc::SECONDARY_RATE => {
                once(&mut self.mircc.secondary_bps, element, element.nni()?)
            }
            number::mircc::CLASS => {
                let class =
                    u8::try_from(element.nni()?).map_err(|_| element.fail(Fault::WrongValue))?;
                once(&mut self.mircc.class, element, class)
            }
            number::mircc::ROUND_TRIP => {
                once(&mut self.mircc.round_trip_us, element, element.nni()?)
            }
            number::mircc::PATH_ID => {
                once(&mut self.mircc.path_id, element, u64::from_be_bytes(element.octets()?))
            }
            number::mircc::PATH_LABEL => {
                once(&mut self.mircc.path_label, element, PathLabel::decode(element)?)
            }
            number::mircc::LIMIT => {
                once(&mut self.mircc.limit, element, u64::from_be_bytes(element.octets()?))
            }
            unknown if may_be_ignored(unknown) => Ok(()),
            _ => Err(element.fail(Fault::Unknown)),
        }
    }

    /// Number of octets that [`Self::write`] appends.
    pub(super) fn size(&self) -> usize {
        let mut count = Count(0);
        self.write(&mut count);
        count.0
    }

    /// Number of octets that [`Self::write_after_fragmentation`] appends.
    pub(super) fn size_behind_fragmentation(&self) -> usize {
        let mut count = Count(0);
        self.write_after_fragmentation(&mut count);
        count.0
    }

    /// Appends the fields.
    #[inline]
    pub(super) fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        if let Some(sequence) = self.sequence {
            put_wide(out, number::lp::SEQUENCE, sequence);
        }
        let put = |out: &mut _, number, value: Option<u64>| {
            value.into_iter().for_each(|value| put_nni(out, number, value))
        };
        put(out, number::lp::FRAG_INDEX, self.frag_index);
        put(out, number::lp::FRAG_COUNT, self.frag_count);
        self.write_after_fragmentation(out);
    }

    /// Appends the fields except the fragmentation fields, which precede them.
    #[inline]
    pub(super) fn write_after_fragmentation<B: Buffer + ?Sized>(&self, out: &mut B) {
        if let Some(token) = self.pit_token {
            put_element(out, number::lp::PIT_TOKEN, token.0);
        }
        if let Some(reason) = self.nack {
            reason.write(out);
        }
        let put = |out: &mut B, number, value: Option<u64>| {
            value.into_iter().for_each(|value| put_nni(out, number, value))
        };
        let wide = |out: &mut B, number, value: Option<u64>| {
            value.into_iter().for_each(|value| put_wide(out, number, value))
        };
        put(out, number::lp::INCOMING_FACE_ID, self.incoming_face);
        put(out, number::lp::NEXT_HOP_FACE_ID, self.next_hop_face);
        if let Some(policy) = self.cache_policy {
            put_nested(out, number::lp::CACHE_POLICY, |out| {
                put_nni(out, number::lp::CACHE_POLICY_TYPE, policy)
            });
        }
        put(out, number::lp::CONGESTION_MARK, self.congestion_mark);
        if self.non_discovery {
            put_element(out, number::lp::NON_DISCOVERY, &[]);
        }
        if let Some(announcement) = self.prefix_announcement {
            put_element(out, number::lp::PREFIX_ANNOUNCEMENT, announcement);
        }
        wide(out, number::mircc::PRIMARY_RATE, self.mircc.primary_bps);
        wide(out, number::mircc::SECONDARY_RATE, self.mircc.secondary_bps);
        put(out, number::mircc::CLASS, self.mircc.class.map(u64::from));
        wide(out, number::mircc::ROUND_TRIP, self.mircc.round_trip_us);
        wide(out, number::mircc::PATH_ID, self.mircc.path_id);
        if let Some(label) = self.mircc.path_label {
            label.write(out);
        }
        wide(out, number::mircc::LIMIT, self.mircc.limit);
    }
}

/// A buffer that counts octets and keeps none.
struct Count(usize);

impl Buffer for Count {
    fn written(&self) -> &[u8] {
        &[]
    }

    fn position(&self) -> usize {
        self.0
    }

    #[inline]
    fn put(&mut self, octets: &[u8]) {
        self.0 += octets.len();
    }

    fn replace(&mut self, _: usize, _: &[u8]) {}

    fn insert(&mut self, _: usize, octets: &[u8]) {
        self.0 += octets.len();
    }
}

#[inline]
fn once<T>(field: &mut Option<T>, element: &Element, value: T) -> Result<(), DecodeError> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(element.fail(Fault::OutOfOrder)),
    }
}

/// True for TYPEs that a receiver skips if it does not know them.
fn may_be_ignored(number: u32) -> bool {
    matches!(number, 800..=959) && number.is_multiple_of(4)
}

fn cache_policy(outer: &Element) -> Result<u64, DecodeError> {
    for element in Reader::within(outer) {
        let element = element?;
        if element.number == number::lp::CACHE_POLICY_TYPE {
            return element.nni();
        }
    }
    Err(DecodeError {
        offset: outer.value_offset(),
        number: number::lp::CACHE_POLICY_TYPE,
        fault: Fault::Missing,
    })
}
