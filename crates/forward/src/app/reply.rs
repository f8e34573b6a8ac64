//! How applications answer Interests.

use crate::client::{Client, ClientError};
use narrows_ndn::lp::{Header, LpPacket, Mircc};
use narrows_ndn::management::{ControlParameters, Scope};
use narrows_ndn::{Interest, Name};

/// Tells the forwarder that Interests below `prefix` are for this connection.
pub(super) fn register(client: &mut Client, prefix: &Name) -> Result<(), ClientError> {
    let parameters =
        ControlParameters { name: Some(prefix.as_ref()), ..ControlParameters::default() };
    client.command(Scope::Localhost, "rib", "register", &parameters).map(drop)
}

/// Appends the packet of the link that answers one: the Data that `data` makes of its Interest, with its token and with fields of MIRCC. False if
/// the packet has no Interest, or there is no Data for it.
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
