//! Readers: they read the sockets of a thread.

use crate::face::{FaceSetup, udp_mtu};
use crate::face_uri::FaceUri;
use crate::forwarder::Forwarder;
use crate::io::{Channel, Io};
use crate::sockets::stream::{self, End, StreamReader};
use crate::sockets::udp::UdpRoom;
use crate::sockets::udp_writer::UdpWriter;
use narrows_icn::FaceId;
use narrows_units::Time;
use narrows_wire::Ecn;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// Reads of one socket before the other sockets have their turn.
const READS: usize = 4;

/// Receive buffers, and the streams to be read.
pub(crate) struct Readers {
    room: UdpRoom,
    stream_room: Vec<u8>,
    pub(crate) streams: BTreeMap<u32, StreamReader>,
    /// Number of listening UDP sockets, which accept packets of unknown peers. They are the first
    /// ones.
    pub(crate) listening: usize,
    /// MTU of the faces that unknown peers create. `None` for the default.
    pub(crate) mtu: Option<usize>,
}

impl Readers {
    pub(crate) fn new() -> Readers {
        Readers {
            room: UdpRoom::new(),
            stream_room: stream::room(),
            streams: BTreeMap::new(),
            listening: 0,
            mtu: None,
        }
    }

    /// Passes the packets that have arrived at a UDP socket to the forwarder.
    pub(crate) fn read_udp(
        &mut self,
        now: Time,
        number: usize,
        forwarder: &mut Forwarder,
        io: &mut Io,
    ) {
        let Some(channel) = io.udp.get(number).cloned().flatten() else { return };
        for _ in 0..READS {
            let (listening, mtu) = (self.listening, self.mtu);
            let read = self.room.receive(&channel, |peer, ecn, datagram| {
                let face = io.peers.get(&(number, peer)).copied().or_else(|| {
                    // Only a whole packet creates a face, and only on a listening socket.
                    let whole = narrows_ndn::tlv::Element::only(datagram).is_ok();
                    (number < listening && whole)
                        .then(|| on_demand(forwarder, io, now, number, peer, mtu))
                        .flatten()
                });
                if let Some(face) = face {
                    forwarder.receive(now, face, ecn, datagram, io);
                }
            });
            // An error here belongs to a packet sent earlier: its peer does not listen.
            if !matches!(read, Ok(true)) {
                return;
            }
        }
    }

    /// Passes the packets that have arrived on a stream to the forwarder.
    pub(crate) fn read_stream(
        &mut self,
        now: Time,
        face: FaceId,
        forwarder: &mut Forwarder,
        io: &mut Io,
    ) {
        let Some(reader) = self.streams.get_mut(&face.0) else { return };
        for _ in 0..READS {
            match reader.receive(&mut self.stream_room, |packet| {
                forwarder.receive(now, face, Ecn::NotEct, packet, io)
            }) {
                Ok(true) => {}
                Ok(false) => return,
                Err(End::Closed | End::Malformed) => return io.ended.push(face),
            }
        }
    }
}

/// Makes a face for a peer that has sent its first packet, with this MTU or the default.
fn on_demand(
    forwarder: &mut Forwarder,
    io: &mut Io,
    now: Time,
    socket: usize,
    peer: SocketAddr,
    mtu: Option<usize>,
) -> Option<FaceId> {
    let local = io.udp.get(socket)?.as_ref()?.local_for(peer);
    if !forwarder.has_room_for(&peer) {
        return None;
    }
    let (ordinary, largest) = udp_mtu(peer);
    let mut setup = FaceSetup::on_demand(
        FaceUri::Udp(peer),
        FaceUri::Udp(local),
        peer.ip().is_loopback(),
        mtu.unwrap_or(ordinary),
    );
    setup.follows_path = mtu.is_none();
    let face = forwarder.add_face(now, setup, io).ok()?;
    io.attach(face, Channel::Udp { socket, peer, writer: UdpWriter::new(largest) });
    Some(face)
}
