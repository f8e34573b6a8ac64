//! TLV-TYPE numbers of the NDN Packet Format 0.3 ("Type and Length", "TLV-TYPE number
//! assignments"), of NDNLPv2 (NFD's wiki, page "NDNLPv2"), of NFD's management protocol (NFD's
//! wiki, pages "ControlCommand", "FaceMgmt", "RibMgmt" and others), and of MIRCC fields.

/// An Interest.
pub const INTEREST: u32 = 5;
/// A Data.
pub const DATA: u32 = 6;
/// A Name.
pub const NAME: u32 = 7;

/// Implicit digest: the component with SHA-256 of a whole Data; 32 octets.
pub const IMPLICIT_DIGEST: u32 = 1;
/// The component with SHA-256 of an Interest's parameters; 32 octets.
pub const PARAMETERS_DIGEST: u32 = 2;
/// Generic component.
pub const GENERIC: u32 = 8;
/// A keyword, such as `metadata`.
pub const KEYWORD: u32 = 32;
/// Segment number.
pub const SEGMENT: u32 = 50;
/// The offset of a segment, in octets.
pub const BYTE_OFFSET: u32 = 52;
/// A version.
pub const VERSION: u32 = 54;
/// Timestamp, in microseconds since 1970.
pub const TIMESTAMP: u32 = 56;
/// A sequence number.
pub const SEQUENCE_NUM: u32 = 58;

/// Nonce of an Interest; 4 octets.
pub const NONCE: u32 = 10;
/// InterestLifetime, in milliseconds.
pub const INTEREST_LIFETIME: u32 = 12;
/// MustBeFresh, empty.
pub const MUST_BE_FRESH: u32 = 18;
/// ForwardingHint: one or more Names.
pub const FORWARDING_HINT: u32 = 30;
/// CanBePrefix, empty.
pub const CAN_BE_PREFIX: u32 = 33;
/// HopLimit; 1 octet.
pub const HOP_LIMIT: u32 = 34;
/// ApplicationParameters.
pub const APPLICATION_PARAMETERS: u32 = 36;
/// InterestSignatureInfo.
pub const INTEREST_SIGNATURE_INFO: u32 = 44;
/// InterestSignatureValue.
pub const INTEREST_SIGNATURE_VALUE: u32 = 46;

/// MetaInfo of a Data.
pub const META_INFO: u32 = 20;
/// Content of a Data.
pub const CONTENT: u32 = 21;
/// SignatureInfo of a Data.
pub const SIGNATURE_INFO: u32 = 22;
/// SignatureValue of a Data.
pub const SIGNATURE_VALUE: u32 = 23;
/// ContentType.
pub const CONTENT_TYPE: u32 = 24;
/// FreshnessPeriod, in milliseconds.
pub const FRESHNESS_PERIOD: u32 = 25;
/// FinalBlockId: one component.
pub const FINAL_BLOCK_ID: u32 = 26;

/// SignatureType.
pub const SIGNATURE_TYPE: u32 = 27;
/// KeyLocator: a Name or a KeyDigest.
pub const KEY_LOCATOR: u32 = 28;
/// KeyDigest.
pub const KEY_DIGEST: u32 = 29;
/// SignatureNonce.
pub const SIGNATURE_NONCE: u32 = 38;
/// SignatureTime, in milliseconds since 1970.
pub const SIGNATURE_TIME: u32 = 40;
/// SignatureSeqNum.
pub const SIGNATURE_SEQ_NUM: u32 = 42;
/// ValidityPeriod of a certificate.
pub const VALIDITY_PERIOD: u32 = 253;
/// NotBefore, `YYYYMMDDThhmmss`.
pub const NOT_BEFORE: u32 = 254;
/// NotAfter, `YYYYMMDDThhmmss`.
pub const NOT_AFTER: u32 = 255;

/// Numbers of NDNLPv2.
pub mod lp {
    /// Fragment: a network packet or a part of one.
    pub const FRAGMENT: u32 = 80;
    /// Sequence; 8 octets.
    pub const SEQUENCE: u32 = 81;
    /// FragIndex.
    pub const FRAG_INDEX: u32 = 82;
    /// FragCount.
    pub const FRAG_COUNT: u32 = 83;
    /// PitToken; 1 to 32 octets.
    pub const PIT_TOKEN: u32 = 98;
    /// LpPacket.
    pub const LP_PACKET: u32 = 100;
    /// Nack.
    pub const NACK: u32 = 800;
    /// NackReason.
    pub const NACK_REASON: u32 = 801;
    /// IncomingFaceId.
    pub const INCOMING_FACE_ID: u32 = 812;
    /// NextHopFaceId.
    pub const NEXT_HOP_FACE_ID: u32 = 816;
    /// CachePolicy.
    pub const CACHE_POLICY: u32 = 820;
    /// CachePolicyType.
    pub const CACHE_POLICY_TYPE: u32 = 821;
    /// CongestionMark.
    pub const CONGESTION_MARK: u32 = 832;
    /// Ack; 8 octets.
    pub const ACK: u32 = 836;
    /// TxSequence; 8 octets.
    pub const TX_SEQUENCE: u32 = 840;
    /// NonDiscovery, empty.
    pub const NON_DISCOVERY: u32 = 844;
    /// PrefixAnnouncement: a Data.
    pub const PREFIX_ANNOUNCEMENT: u32 = 848;
}

/// Numbers of MIRCC fields in NDNLPv2 headers. All are in the range that receivers skip if they do
/// not know the field (800 to 959, divisible by 4).
///
/// No registry assigns them. They are our choice, above the highest number that NDNLPv2 assigns.
pub mod mircc {
    /// Lowest R_p on the path so far, in bit/s.
    pub const PRIMARY_RATE: u32 = 900;
    /// Lowest R_s on the path so far, in bit/s.
    pub const SECONDARY_RATE: u32 = 904;
    /// Class of an Interest: 0 primary, 1 secondary.
    pub const CLASS: u32 = 908;
    /// The consumer's smoothed round trip, in microseconds.
    pub const ROUND_TRIP: u32 = 912;
    /// Hash of the path that Data took; 8 octets.
    pub const PATH_ID: u32 = 916;
    /// PathLabel (RFC 9531).
    pub const PATH_LABEL: u32 = 920;
    /// Hash of the link with the lowest R_p so far; 8 octets.
    pub const LIMIT: u32 = 924;
    /// PathLabelFlags in a PathLabel.
    pub const LABEL_FLAGS: u32 = 0x0B;
    /// PathLabelBitmap in a PathLabel.
    pub const LABEL_BITMAP: u32 = 0x0D;
    /// PathLabelHopCount in a PathLabel.
    pub const LABEL_HOP_COUNT: u32 = 0x0F;
}
