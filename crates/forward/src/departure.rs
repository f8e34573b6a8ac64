//! Departure of a packet by a face: with a congestion mark if the queue has stayed long, and at the
//! pace of the link.

use crate::face::Face;
use crate::link::Scratch;
use crate::name::PacketName;
use narrows_icn::{Budget, Packet};
use narrows_units::Time;

/// Passes the link packets that carry `packet` to `send`. `incoming` is the number of the face on
/// which the packet arrived, for neighbours that want it. `queued` is the number of octets that the
/// socket has not yet accepted. `budget` limits the datagrams held back by pacing.
#[allow(clippy::too_many_arguments, reason = "each belongs to another part of the forwarder")]
pub(crate) fn send(
    face: &mut Face,
    now: Time,
    packet: &mut Packet<PacketName>,
    incoming: u64,
    scratch: &mut Scratch,
    queued: usize,
    budget: &mut Budget,
    mut send: impl FnMut(&[u8]),
) {
    let Face { link, traffic, egress, marker, .. } = face;
    let paced = egress.paces(matches!(packet, Packet::Data(_)));
    let before = egress.held();
    // Most packets leave at once if nothing waits before them.
    if paced && (!egress.admits() || before > 0 && !budget.admits(before, size(packet))) {
        traffic.dropped += 1;
        return;
    }
    if let (Packet::Data(data), Some(marker)) = (&mut *packet, marker) {
        data.marked |= marker.marks(now, (egress.octets() + queued) as u64);
    }
    let sent = link.send(now, packet, Some(incoming), scratch, |octets| {
        traffic.octets_out += octets.len() as u64;
        if !paced || egress.push(now, octets) {
            send(octets);
        }
    });
    traffic.dropped += u64::from(!sent);
    budget.replace(before, egress.held());
}

/// Octets of a packet as it was received.
pub(crate) fn size(packet: &Packet<PacketName>) -> u64 {
    match packet {
        Packet::Interest(interest) => interest.size,
        Packet::Data(data) => data.size,
        Packet::Nack(nack) => nack.interest.size,
    }
    .get()
}
