//! A face to be made.

use crate::config::MirccSupport;
use crate::link_rates::LinkRates;
use narrows_ndn::management::FacePersistency;

/// Properties of a face to be made.
pub(super) struct FaceRequest {
    pub(super) persistency: FacePersistency,
    pub(super) rates: Option<LinkRates>,
    pub(super) headers: Option<u16>,
    pub(super) understands: MirccSupport,
    pub(super) nacks: bool,
    pub(super) police: bool,
    pub(super) mtu: Option<usize>,
}
