//! Configures interfaces, addresses and routes of the calling thread's namespace.

use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_REPLACE, NLM_F_REQUEST, NetlinkDeserializable, NetlinkMessage,
    NetlinkPayload,
};
use netlink_packet_route::address::{AddressAttribute, AddressHeaderFlags, AddressMessage};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage, Stats64};
use netlink_packet_route::route::{
    RouteAttribute, RouteHeader, RouteMessage, RouteMetric, RouteProtocol, RouteScope, RouteType,
};
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};
use std::io;
use std::net::IpAddr;

/// A connection to the kernel's network configuration.
pub struct Netlink {
    socket: Socket,
    sequence: u32,
}

impl Netlink {
    /// Opens a connection for the namespace of the calling thread.
    pub fn open() -> io::Result<Netlink> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Netlink { socket, sequence: 0 })
    }

    /// Returns the index of the interface with this name.
    pub fn index(&mut self, name: &str) -> io::Result<u32> {
        self.link(name).map(|link| link.header.index)
    }

    /// Returns the counters of the interface with this name.
    pub fn stats(&mut self, name: &str) -> io::Result<Stats64> {
        let link = self.link(name)?;
        let stats = link.attributes.into_iter().find_map(|attribute| match attribute {
            LinkAttribute::Stats64(stats) => Some(stats),
            _ => None,
        });
        stats.ok_or_else(|| io::Error::other(format!("no statistics of {name}")))
    }

    fn link(&mut self, name: &str) -> io::Result<LinkMessage> {
        let mut message = LinkMessage::default();
        message.attributes.push(LinkAttribute::IfName(name.to_owned()));
        match self.ask(RouteNetlinkMessage::GetLink(message), NLM_F_REQUEST)? {
            Some(RouteNetlinkMessage::NewLink(link)) => Ok(link),
            _ => Err(io::Error::other(format!("no answer about {name}"))),
        }
    }

    /// Brings an interface up, and sets its MTU and queue length if given.
    pub fn up(&mut self, index: u32, mtu: Option<u32>, queue: Option<u32>) -> io::Result<()> {
        let mut message = LinkMessage::default();
        message.header.index = index;
        message.header.flags = LinkFlags::Up;
        message.header.change_mask = LinkFlags::Up;
        message.attributes.extend(mtu.map(LinkAttribute::Mtu));
        message.attributes.extend(queue.map(LinkAttribute::TxQueueLen));
        self.ask(RouteNetlinkMessage::SetLink(message), NLM_F_REQUEST | NLM_F_ACK).map(drop)
    }

    /// Adds an address to an interface, without a network.
    pub fn add_address(&mut self, index: u32, address: IpAddr) -> io::Result<()> {
        let mut message = AddressMessage::default();
        message.header.family = family(address);
        message.header.prefix_len = if address.is_ipv4() { 32 } else { 128 };
        message.header.index = index;
        // No other host could have this address.
        message.header.flags = AddressHeaderFlags::Nodad;
        message.attributes =
            vec![AddressAttribute::Local(address), AddressAttribute::Address(address)];
        self.ask(
            RouteNetlinkMessage::NewAddress(message),
            NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE,
        )
        .map(drop)
    }

    /// Routes a network to an interface, with the source address `source`.
    pub fn route(
        &mut self,
        index: u32,
        (network, length): (IpAddr, u8),
        source: IpAddr,
        metrics: Vec<RouteMetric>,
    ) -> io::Result<()> {
        let mut message = RouteMessage::default();
        message.header.address_family = family(network);
        message.header.table = RouteHeader::RT_TABLE_MAIN;
        message.header.protocol = RouteProtocol::Static;
        message.header.scope =
            if network.is_ipv4() { RouteScope::Link } else { RouteScope::Universe };
        message.header.kind = RouteType::Unicast;
        message.header.destination_prefix_length = length;
        message.attributes = vec![
            RouteAttribute::Oif(index),
            RouteAttribute::Destination(network.into()),
            RouteAttribute::PrefSource(source.into()),
        ];
        if !metrics.is_empty() {
            message.attributes.push(RouteAttribute::Metrics(metrics));
        }
        self.ask(
            RouteNetlinkMessage::NewRoute(message),
            NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE,
        )
        .map(drop)
    }

    /// Sets the queue discipline of an interface.
    pub fn set_qdisc(&mut self, index: u32, kind: &str) -> io::Result<()> {
        let mut message = TcMessage::with_index(index as i32);
        message.header.parent = TcHandle::ROOT;
        message.attributes.push(TcAttribute::Kind(kind.to_owned()));
        self.ask(
            RouteNetlinkMessage::NewQueueDiscipline(message),
            NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE,
        )
        .map(drop)
    }

    /// Sends a request and reads its answer.
    fn ask(
        &mut self,
        message: RouteNetlinkMessage,
        flags: u16,
    ) -> io::Result<Option<RouteNetlinkMessage>> {
        self.sequence += 1;
        let mut request = NetlinkMessage::from(message);
        request.header.flags = flags;
        request.header.sequence_number = self.sequence;
        request.finalize();
        let mut bytes = vec![0; request.buffer_len()];
        request.serialize(&mut bytes);
        self.socket.send(&bytes, 0)?;
        let (answer, _) = self.socket.recv_from_full()?;
        let answer: NetlinkMessage<RouteNetlinkMessage> = decode(&answer)?;
        match answer.payload {
            NetlinkPayload::Error(error) if error.code.is_some() => Err(error.to_io()),
            NetlinkPayload::InnerMessage(message) => Ok(Some(message)),
            _ => Ok(None),
        }
    }
}

fn decode<M: NetlinkDeserializable>(bytes: &[u8]) -> io::Result<NetlinkMessage<M>> {
    NetlinkMessage::deserialize(bytes).map_err(|error| {
        io::Error::other(format!("an answer of the kernel that cannot be read: {error}"))
    })
}

fn family(address: IpAddr) -> AddressFamily {
    if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 }
}
