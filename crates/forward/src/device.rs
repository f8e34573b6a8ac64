//! Rate of the device that leads to a neighbour: the rate of a tbf or htb at its root, or else its
//! hardware speed.

use narrows_units::Rate;
use netlink_packet_core::{
    NLM_F_DUMP, NLM_F_REQUEST, NetlinkMessage, NetlinkPayload, Nla, NlasIterator,
};
use netlink_packet_route::link::{LinkAttribute, LinkMessage};
use netlink_packet_route::route::{RouteAttribute, RouteMessage};
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage, TcOption};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage as Message};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};
use std::io;
use std::net::IpAddr;
use std::path::Path;

/// `TCA_TBF_PARMS` and `TCA_HTB_PARMS` (linux/pkt_sched.h). Both begin with a `tc_ratespec`, which
/// has the rate in bytes per second in the octets of `RATE`.
const PARMS: u16 = 1;
const RATE: std::ops::Range<usize> = 8..12;
/// `TCA_TBF_RATE64` and `TCA_HTB_RATE64`, for rates beyond 32 bits.
const TBF_RATE64: u16 = 4;
const HTB_RATE64: u16 = 6;

/// Rate of the device through which packets to `neighbour` leave. `None` if this host does not know
/// it, as for a bridge, a veth or a tunnel.
pub(crate) fn rate_towards(neighbour: IpAddr) -> Option<Rate> {
    let mut kernel = Kernel::open().ok()?;
    let device = kernel.device_towards(neighbour)?;
    kernel.shaped(device).or_else(|| kernel.speed(device))
}

struct Kernel(Socket);

impl Kernel {
    fn open() -> io::Result<Kernel> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Kernel(socket))
    }

    fn device_towards(&mut self, neighbour: IpAddr) -> Option<u32> {
        let mut message = RouteMessage::default();
        message.header.address_family =
            if neighbour.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
        message.header.destination_prefix_length = if neighbour.is_ipv4() { 32 } else { 128 };
        message.attributes.push(RouteAttribute::Destination(neighbour.into()));
        self.ask(Message::GetRoute(message), 0).into_iter().find_map(|answer| match answer {
            Message::NewRoute(route) => {
                route.attributes.into_iter().find_map(|attribute| match attribute {
                    RouteAttribute::Oif(index) => Some(index),
                    _ => None,
                })
            }
            _ => None,
        })
    }

    /// Rate of a tbf at the root of a device, or of the first class of an htb there.
    fn shaped(&mut self, device: u32) -> Option<Rate> {
        let of_device = || TcMessage::with_index(device as i32);
        let at_root = |message: &TcMessage| {
            message.header.index == device as i32 && message.header.parent == TcHandle::ROOT
        };
        let queues = self.ask(Message::GetQueueDiscipline(of_device()), NLM_F_DUMP);
        let queue = queues.into_iter().find_map(|answer| match answer {
            Message::NewQueueDiscipline(queue) if at_root(&queue) => Some(queue),
            _ => None,
        })?;
        match kind(&queue)? {
            "tbf" => rate(&queue, TBF_RATE64),
            "htb" => {
                let classes = self.ask(Message::GetTrafficClass(of_device()), NLM_F_DUMP);
                classes.iter().find_map(|answer| match answer {
                    Message::NewTrafficClass(class) if at_root(class) => rate(class, HTB_RATE64),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    /// Hardware speed that the driver reports in `/sys/class/net`; -1 without a cable.
    fn speed(&mut self, device: u32) -> Option<Rate> {
        let mut message = LinkMessage::default();
        message.header.index = device;
        let name =
            self.ask(Message::GetLink(message), 0).into_iter().find_map(|answer| match answer {
                Message::NewLink(link) => {
                    link.attributes.into_iter().find_map(|attribute| match attribute {
                        LinkAttribute::IfName(name) => Some(name),
                        _ => None,
                    })
                }
                _ => None,
            })?;
        let directory = Path::new("/sys/class/net").join(name);
        if !directory.join("device").exists() {
            // A veth reports 10 Gbit/s.
            return None;
        }
        let speed = std::fs::read_to_string(directory.join("speed")).ok()?;
        speed.trim().parse().ok().filter(|mbps| *mbps > 0).map(Rate::from_mbps)
    }

    /// All answers to a request, up to the first error.
    fn ask(&mut self, message: Message, flags: u16) -> Vec<Message> {
        let mut request = NetlinkMessage::from(message);
        request.header.flags = NLM_F_REQUEST | flags;
        request.finalize();
        let mut octets = vec![0; request.buffer_len()];
        request.serialize(&mut octets);
        let mut answers = Vec::new();
        if self.0.send(&octets, 0).is_err() {
            return answers;
        }
        while let Ok((datagram, _)) = self.0.recv_from_full() {
            let mut rest = &datagram[..];
            while let Ok(answer) = NetlinkMessage::<Message>::deserialize(rest) {
                match answer.payload {
                    NetlinkPayload::InnerMessage(message) => answers.push(message),
                    _ => return answers,
                }
                // Messages begin at multiples of four octets.
                let length = (answer.header.length as usize).next_multiple_of(4);
                rest = rest.get(length.max(4)..).unwrap_or_default();
            }
            if flags & NLM_F_DUMP == 0 {
                break;
            }
        }
        answers
    }
}

fn kind(message: &TcMessage) -> Option<&str> {
    message.attributes.iter().find_map(|attribute| match attribute {
        TcAttribute::Kind(kind) => Some(kind.as_str()),
        _ => None,
    })
}

/// Rate among the options of a queue or a class, which the library does not decode.
fn rate(message: &TcMessage, rate64: u16) -> Option<Rate> {
    let options = message.attributes.iter().find_map(|attribute| match attribute {
        TcAttribute::Options(options) => options.iter().find_map(|option| match option {
            TcOption::Other(options) => Some(options),
            _ => None,
        }),
        _ => None,
    })?;
    let mut octets = vec![0; options.value_len()];
    options.emit_value(&mut octets);
    let value = |kind: u16| {
        NlasIterator::new(&octets[..])
            .flatten()
            .find(|option| option.kind() == kind)
            .map(|option| option.value().to_vec())
    };
    let long = value(rate64)
        .and_then(|octets| Some(u64::from_ne_bytes(octets.get(..8)?.try_into().ok()?)));
    let short = || {
        value(PARMS).and_then(|octets| {
            Some(u64::from(u32::from_ne_bytes(octets.get(RATE)?.try_into().ok()?)))
        })
    };
    let octets_per_second = long.or_else(short)?;
    Some(Rate::from_bps(octets_per_second.saturating_mul(8))).filter(|rate| *rate > Rate::ZERO)
}
