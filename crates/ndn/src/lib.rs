//! The NDN wire format: the packets of NDN hosts and forwarders, octet by octet.
//!
//! - [`tlv`]: TYPE, LENGTH, VALUE, and the buffers that packets are written to
//! - [`NameRef`], [`Name`]: names, borrowed and owned, and their URIs
//! - [`Interest`], [`Data`]: packets as borrowed views of their octets; [`InterestDraft`],
//!   [`DataDraft`]: packets to be written
//! - [`signature`]: keys, signing and checking
//! - [`lp`]: NDNLPv2, the hop-by-hop header, with MIRCC's fields; fragmentation and reassembly
//! - [`management`]: commands, answers and datasets of NFD's management protocol
//!
//! Decoding copies nothing, allocates nothing and never panics, whatever the octets. The crate uses
//! no clock, no socket and no thread. The source is the [NDN Packet Format Specification
//! 0.3](https://docs.named-data.net/NDN-packet-spec/0.3/). Each module names its section or page.

mod data;
mod interest;
pub mod lp;
pub mod management;
mod name;
pub mod number;
pub mod signature;
pub mod tlv;

pub use data::{Certificate, CertificateError, ContentType, Data, DataDraft, MetaInfo};
pub use interest::{
    DEFAULT_LIFETIME, HopLimit, Interest, InterestDraft, InterestSignature, Names, ParametersError,
    ParametersStatus, SignatureForm, SigningFields,
};
pub use name::{Component, Components, Name, NameRef, Prefix, Prefixes, UriError};
