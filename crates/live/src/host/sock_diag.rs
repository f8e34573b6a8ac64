//! TCP connections of programs, from the kernel (sock_diag(7)).

use super::tcp_info::TcpInfo;
use netlink_packet_core::{NLM_F_DUMP, NLM_F_REQUEST, NetlinkMessage, NetlinkPayload};
use netlink_packet_sock_diag::SockDiagMessage;
use netlink_packet_sock_diag::constants::{AF_INET, AF_INET6, IPPROTO_TCP};
use netlink_packet_sock_diag::inet::nlas::Nla;
use netlink_packet_sock_diag::inet::{
    ExtensionFlags, InetRequest, InetResponse, SocketId, StateFlags,
};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_SOCK_DIAG};
use std::io;
use std::net::IpAddr;

/// A TCP connection.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Local address and port.
    pub from: (IpAddr, u16),
    /// Remote address and port.
    pub to: (IpAddr, u16),
    /// `TCP_INFO` of the connection.
    pub info: TcpInfo,
    /// Name of its controller in the kernel.
    pub controller: String,
}

/// From include/uapi/linux/sock_diag.h.
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const SOCK_DESTROY: u16 = 21;

/// A query socket for the connections of one namespace.
pub struct SockDiag(Socket);

impl SockDiag {
    /// Opens a query socket for the namespace of the calling thread.
    pub fn open() -> io::Result<SockDiag> {
        let mut socket = Socket::new(NETLINK_SOCK_DIAG)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(SockDiag(socket))
    }

    /// Returns all connections that have been established and are not closed on both sides.
    pub fn connections(&self) -> io::Result<Vec<Connection>> {
        let states = StateFlags::ESTABLISHED
            | StateFlags::FIN_WAIT1
            | StateFlags::CLOSE_WAIT
            | StateFlags::LAST_ACK;
        self.sockets(states.bits())
    }

    /// Returns the listening ports.
    pub fn listening(&self) -> io::Result<Vec<u16>> {
        Ok(self
            .sockets(StateFlags::LISTEN.bits())?
            .into_iter()
            .map(|socket| socket.from.1)
            .collect())
    }

    /// Ends all sockets at once, including orphaned ones.
    pub fn destroy(&self) -> io::Result<()> {
        let mut found = Vec::new();
        self.ask(StateFlags::all().bits(), |response| {
            found.push((response.header.family, response.header.socket_id))
        })?;
        for (family, socket_id) in found {
            self.send(SOCK_DESTROY, NLM_F_REQUEST, family, StateFlags::all().bits(), socket_id)?;
        }
        Ok(())
    }

    /// Returns the number of sockets in any state.
    #[cfg(test)]
    pub fn count(&self) -> io::Result<usize> {
        let mut count = 0;
        self.ask(StateFlags::all().bits(), |_| count += 1)?;
        Ok(count)
    }

    fn sockets(&self, states: u32) -> io::Result<Vec<Connection>> {
        let mut found = Vec::new();
        self.ask(states, |response| found.push(connection(response)))?;
        Ok(found)
    }

    /// Calls `each` for every socket in these states.
    fn ask(&self, states: u32, mut each: impl FnMut(InetResponse)) -> io::Result<()> {
        for (family, socket_id) in [(AF_INET, SocketId::new_v4()), (AF_INET6, SocketId::new_v6())] {
            self.send(SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP, family, states, socket_id)?;
            while self.read(&mut each)? {}
        }
        Ok(())
    }

    fn send(
        &self,
        kind: u16,
        flags: u16,
        family: u8,
        states: u32,
        socket_id: SocketId,
    ) -> io::Result<()> {
        let extensions = ExtensionFlags::INFO | ExtensionFlags::CONG;
        let states = StateFlags::from_bits_truncate(states);
        let request = InetRequest { family, protocol: IPPROTO_TCP, extensions, states, socket_id };
        let mut message = NetlinkMessage::from(SockDiagMessage::InetRequest(request));
        message.header.flags = flags;
        message.finalize();
        message.header.message_type = kind;
        let mut bytes = vec![0; message.buffer_len()];
        message.serialize(&mut bytes);
        self.0.send(&bytes, 0).map(drop)
    }

    /// Reads a part of the answer; false after the last part.
    fn read(&self, each: &mut impl FnMut(InetResponse)) -> io::Result<bool> {
        let (answer, _) = self.0.recv_from_full()?;
        let mut rest = &answer[..];
        while rest.len() > 4 {
            let message =
                NetlinkMessage::<SockDiagMessage>::deserialize(rest).map_err(|error| {
                    io::Error::other(format!(
                        "an answer of the kernel that cannot be read: {error}"
                    ))
                })?;
            let length = (message.header.length as usize).next_multiple_of(4).clamp(4, rest.len());
            rest = &rest[length..];
            match message.payload {
                NetlinkPayload::Done(_) => return Ok(false),
                NetlinkPayload::Error(error) => return Err(error.to_io()),
                NetlinkPayload::InnerMessage(SockDiagMessage::InetResponse(response)) => {
                    each(*response)
                }
                _ => {}
            }
        }
        Ok(true)
    }
}

fn connection(response: InetResponse) -> Connection {
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
    one
}
