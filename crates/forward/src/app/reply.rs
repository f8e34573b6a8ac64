//! Registration and replies, shared by the applications.

use crate::client::{Client, ClientError};
use narrows_ndn::lp::{Header, LpPacket, Mircc};
use narrows_ndn::management::{ControlParameters, Scope};
use narrows_ndn::{Interest, Name};

/// Registers `prefix`: the forwarder sends Interests below it to this connection.
pub(super) fn register(client: &mut Client, prefix: &Name) -> Result<(), ClientError> {
    let parameters =
        ControlParameters { name: Some(prefix.as_ref()), ..ControlParameters::default() };
    client.command(Scope::Localhost, "rib", "register", &parameters).map(drop)
}

/// Appends the link packet that answers `packet`: the Data that `data` makes for the Interest, the
/// PIT token of the Interest and MIRCC fields. Returns false if the packet has no Interest, or if
/// `data` returns `None`.
pub(super) fn reply(
    packet: &[u8],
    mircc: Mircc,
    out: &mut Vec<u8>,
    data: impl FnOnce(&Interest<'_>) -> Option<Vec<u8>>,
) -> bool {
    let Ok(link) = LpPacket::decode(packet) else { return false };
    let fragment = link.fragment.filter(|_| link.header.nack.is_none());
    let Some(data) = fragment
        .and_then(|octets| Interest::decode(octets).ok())
        .and_then(|interest| data(&interest))
    else {
        return false;
    };
    Header { pit_token: link.header.pit_token, mircc, ..Header::default() }
        .write_packet(Some(&data), out);
    true
}
