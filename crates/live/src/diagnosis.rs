//! TCP connections of programs, as the kernel tells of them (sock_diag(7)).

use crate::tcp_info::TcpInfo;
use netlink_packet_core::{NLM_F_DUMP, NLM_F_REQUEST, NetlinkMessage, NetlinkPayload};
use netlink_packet_sock_diag::SockDiagMessage;
use netlink_packet_sock_diag::constants::{AF_INET, AF_INET6, IPPROTO_TCP};
use netlink_packet_sock_diag::inet::nlas::Nla;
use netlink_packet_sock_diag::inet::{ExtensionFlags, InetRequest, SocketId, StateFlags};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_SOCK_DIAG};
use std::io;
use std::net::IpAddr;

/// A connection.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Its own end.
    pub from: (IpAddr, u16),
    /// The other end.
    pub to: (IpAddr, u16),
    /// What the kernel tells of it.
    pub info: TcpInfo,
    /// The kernel's name of its controller.
    pub controller: String,
}

/// A way to ask about the connections of one namespace.
pub struct Diagnosis(Socket);

impl Diagnosis {
    /// One for the namespace of the calling thread.
    pub fn open() -> io::Result<Diagnosis> {
        let mut socket = Socket::new(NETLINK_SOCK_DIAG)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Diagnosis(socket))
    }

    /// All that have been established and are not closed on both sides.
    pub fn connections(&self) -> io::Result<Vec<Connection>> {
        let states = StateFlags::ESTABLISHED | StateFlags::FIN_WAIT1 | StateFlags::CLOSE_WAIT | StateFlags::LAST_ACK;
        self.sockets(states.bits())
    }

    /// The ports where somebody listens.
    pub fn listening(&self) -> io::Result<Vec<u16>> {
        Ok(self.sockets(StateFlags::LISTEN.bits())?.into_iter().map(|socket| socket.from.1).collect())
    }

    fn sockets(&self, states: u32) -> io::Result<Vec<Connection>> {
        let mut found = Vec::new();
        for (family, socket_id) in [(AF_INET, SocketId::new_v4()), (AF_INET6, SocketId::new_v6())] {
            let extensions = ExtensionFlags::INFO | ExtensionFlags::CONG;
            let states = StateFlags::from_bits_truncate(states);
            let request = InetRequest { family, protocol: IPPROTO_TCP, extensions, states, socket_id };
            let mut message = NetlinkMessage::from(SockDiagMessage::InetRequest(request));
            message.header.flags = NLM_F_REQUEST | NLM_F_DUMP;
            message.finalize();
            let mut bytes = vec![0; message.buffer_len()];
            message.serialize(&mut bytes);
            self.0.send(&bytes, 0)?;
            while self.read(&mut found)? {}
        }
        Ok(found)
    }

    /// Reads one part of the answer; false if it was the last.
    fn read(&self, found: &mut Vec<Connection>) -> io::Result<bool> {
        let (answer, _) = self.0.recv_from_full()?;
        let mut rest = &answer[..];
        while rest.len() > 4 {
            let message = NetlinkMessage::<SockDiagMessage>::deserialize(rest)
                .map_err(|error| io::Error::other(format!("an answer of the kernel that cannot be read: {error}")))?;
            let length = (message.header.length as usize).next_multiple_of(4).clamp(4, rest.len());
            rest = &rest[length..];
            match message.payload {
                NetlinkPayload::Done(_) => return Ok(false),
                NetlinkPayload::Error(error) => return Err(error.to_io()),
                NetlinkPayload::InnerMessage(SockDiagMessage::InetResponse(response)) => {
                    let id = &response.header.socket_id;
                    let mut one = Connection {
                        from: (id.source_address, id.source_port),
                        to: (id.destination_address, id.destination_port),
                        info: TcpInfo::default(),
                        controller: String::new(),
                    };
                    for attribute in response.nlas {
                        match attribute {
                            Nla::TcpInfo(bytes) => one.info = TcpInfo::from_bytes(&bytes),
                            Nla::Congestion(name) => one.controller = name,
                            _ => {}
                        }
                    }
                    found.push(one);
                }
                _ => {}
            }
        }
        Ok(true)
    }
}
