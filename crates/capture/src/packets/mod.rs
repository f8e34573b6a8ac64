//! Packet captures of a simulation, as Wireshark reads them.

mod connection;
mod file;
mod frame;

use connection::{Connection, Key};
use file::File;
use frame::{MAX_PAYLOAD, Socket};
use narrows_params::Need;
use narrows_scenario::{Flow, Link, LinkId, NodeId, Scenario};
use narrows_transport::{AckFormat, Content, Observer, Point, Seen, Sender};
use narrows_units::Time;
use narrows_wire::Ecn;
use std::collections::BTreeMap;
use std::fs;
use std::io;

/// Point at which packets are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapturePoint {
    /// At the hosts of the senders.
    Sender,
    /// At the hosts of the receivers.
    Receiver,
    /// At the far end of a link, in both directions: packets that have crossed the link, and
    /// packets about to enter the queue of its other direction.
    Link(LinkId),
    /// At all links, for the packets that they drop.
    Dropped,
}

/// Writes a capture in pcapng format of the packets that it observes: IPv4 with TCP for flows that
/// have a controller, with UDP for other flows. Times are in nanoseconds since the run began.
///
/// Parts that the simulation's packets do not carry are filled in: a handshake before the first
/// segment and FINs after the last (both marked by a comment), timestamps in milliseconds, a window
/// scale, payloads of zeros. A datagram begins with its number in its flow, in eight bytes. The
/// lowest 16 bits of the number are also its IP identification, so that captures at two points can
/// be matched.
pub struct Capture {
    file: File,
    place: Place,
    flows: BTreeMap<usize, Watched>,
}

/// The capture point and its interfaces.
struct Place {
    point: CapturePoint,
    /// The other direction of the link, at a [`CapturePoint::Link`].
    reverse: Option<usize>,
    /// Number of each interface, by node at hosts and by link elsewhere.
    interfaces: BTreeMap<usize, u32>,
}

/// A flow that is captured.
struct Watched {
    /// Socket of the sender, socket of the receiver.
    sockets: [Socket; 2],
    /// The node at which it is captured.
    node: usize,
    /// The connection; `None` for datagrams.
    connection: Option<Connection>,
    opened: bool,
    closed: bool,
    ecn: bool,
}

impl Capture {
    /// Begins a capture to `out` of `flows`, by their numbers in the scenario. It keeps `snaplen`
    /// bytes of each packet. Fails if `out` cannot be written, or with
    /// [`io::ErrorKind::InvalidInput`] if a flow's segments are too long for IPv4 or a flow is not
    /// a single TCP connection.
    pub fn new(
        out: fs::File,
        scenario: &Scenario,
        flows: &[usize],
        point: CapturePoint,
        snaplen: u32,
    ) -> io::Result<Capture> {
        let chosen = || flows.iter().map(|index| (*index, &scenario.flows[*index]));
        if let Some((_, flow)) =
            chosen().find(|(_, flow)| flow.transport.mss.get() as usize > MAX_PAYLOAD)
        {
            let problem = format!(
                "segments of flow \"{}\" are too long for IPv4; choose an mss of at most {MAX_PAYLOAD} B",
                flow.name
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        if let Some(problem) = chosen().find_map(|(_, flow)| unlike_tcp(flow)) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        let flows: BTreeMap<usize, Watched> =
            chosen().map(|(index, flow)| (index, watch(index, flow, point))).collect();
        let mut file = File::new(out, snaplen)?;
        let mut place = Place { point, reverse: None, interfaces: BTreeMap::new() };
        if let CapturePoint::Link(id) = point {
            place.reverse = reverse(scenario, id);
        }
        for (key, name, description) in interfaces(scenario, point, &flows) {
            file.interface(&name, description)?;
            place.interfaces.insert(key, place.interfaces.len() as u32);
        }
        Ok(Capture { file, place, flows })
    }

    /// Ends the capture. Fails if something could not be written.
    pub fn finish(self) -> io::Result<()> {
        self.file.finish()
    }
}

impl Observer for Capture {
    fn on_packet(&mut self, seen: &Seen) {
        let Some(flow) = self.flows.get_mut(&seen.flow) else { return };
        let key = flow.begin(seen);
        if let Some(interface) = self.place.interface(flow, seen.point) {
            flow.write(&mut self.file, interface, seen, self.place.point != CapturePoint::Dropped);
        }
        flow.end(seen, key);
    }

    fn on_sender(&mut self, at: Time, flow: usize, sender: &Sender) {
        let Some(flow) = self.flows.get_mut(&flow).filter(|flow| flow.opened && !flow.closed)
        else {
            return;
        };
        if sender.is_done()
            && let (Some(connection), Some(interface)) = (&flow.connection, self.place.own(flow))
        {
            flow.closed = true;
            self.file.exchange(
                interface,
                flow.sockets,
                &connection.farewell(at),
                "not simulated: the end of the connection",
            );
        }
    }
}

impl Place {
    /// Returns the interface that sees a packet of `flow` at `point`, if there is one.
    fn interface(&self, flow: &Watched, point: Point) -> Option<u32> {
        match (self.point, point) {
            (CapturePoint::Sender, Point::Sender) | (CapturePoint::Receiver, Point::Receiver) => {
                self.own(flow)
            }
            (CapturePoint::Link(id), Point::Leaving(link)) if id.0 == link => self.own(flow),
            (CapturePoint::Link(_), Point::Entering(link)) if self.reverse == Some(link) => {
                self.own(flow)
            }
            (CapturePoint::Dropped, Point::Dropped(link)) => self.interfaces.get(&link).copied(),
            _ => None,
        }
    }

    /// Returns the interface that sees all packets of a flow, if there is one.
    fn own(&self, flow: &Watched) -> Option<u32> {
        let key = if let CapturePoint::Link(id) = self.point { id.0 } else { flow.node };
        self.interfaces.get(&key).copied()
    }
}

impl Watched {
    /// Notes a packet if it is sent here. Call it before the packet is written.
    fn begin(&mut self, seen: &Seen) -> Option<Key> {
        let connection = self.connection.as_mut()?;
        match seen.content {
            Content::Data(data) => {
                if seen.point == Point::Sender {
                    self.ecn |= seen.ecn != Ecn::NotEct;
                    connection.on_sent(&data);
                }
                Some(Key::Data(data.number, data.stamp))
            }
            Content::Ack(ack) => {
                if seen.point == Point::Receiver {
                    connection.on_acknowledged(seen.at, &ack);
                }
                Some(Key::Ack(ack))
            }
            Content::Datagram(_) => None,
        }
    }

    fn write(&mut self, file: &mut File, interface: u32, seen: &Seen, handshake: bool) {
        let [sender, receiver] = self.sockets;
        let Some(connection) = &self.connection else {
            let payload = (seen.size.get() as usize).saturating_sub(frame::UDP_HEADERS);
            let Content::Datagram(number) = seen.content else { return };
            return file.packet(
                interface,
                seen.at,
                &frame::udp(sender, receiver, seen.ecn, payload, number),
                None,
            );
        };
        if handshake && !self.opened {
            self.opened = true;
            let comment = "shortened: the handshake before the first segment";
            file.exchange(
                interface,
                self.sockets,
                &connection.handshake(seen.at, self.ecn),
                comment,
            );
        }
        let bytes = match seen.content {
            Content::Data(data) => frame::tcp(sender, receiver, seen.ecn, &connection.data(&data)),
            Content::Ack(ack) => frame::tcp(receiver, sender, seen.ecn, &connection.ack(&ack)),
            Content::Datagram(_) => return,
        };
        file.packet(interface, seen.at, &bytes, None);
    }

    /// Forgets a packet if it arrives or is dropped here. Call it after the packet is written.
    fn end(&mut self, seen: &Seen, key: Option<Key>) {
        let last =
            if matches!(seen.content, Content::Data(_)) { Point::Receiver } else { Point::Sender };
        if let (Some(connection), Some(key)) = (&mut self.connection, key)
            && (seen.point == last || matches!(seen.point, Point::Dropped(_)))
        {
            connection.on_gone(key, seen.point == Point::Sender);
        }
    }
}

fn watch(index: usize, flow: &Flow, point: CapturePoint) -> Watched {
    let connection = flow.controller.as_ref().map(|choice| {
        let window = flow.transport.receive_window.map(|bytes| bytes.get());
        Connection::new(flow.transport.mss.get(), window, choice.needs().contains(&Need::EcnCounts))
    });
    // Each 20,000 flows share one port at the receiver. None of the ports belongs to a protocol
    // that Wireshark knows.
    let own = 20_000 + (index % 20_000) as u16;
    let peer = 40_000 + (index / 20_000) as u16;
    Watched {
        sockets: [
            Socket { address: address(flow.from), port: own },
            Socket { address: address(flow.to), port: peer },
        ],
        node: if point == CapturePoint::Receiver { flow.to.0 } else { flow.from.0 },
        connection,
        opened: false,
        closed: false,
        ecn: false,
    }
}

/// Returns the reason why a flow with a controller is not a single TCP connection; `None` if it is.
fn unlike_tcp(flow: &Flow) -> Option<String> {
    flow.controller.as_ref()?;
    let name = &flow.name;
    if flow.transport.acks == AckFormat::Numbered {
        return Some(format!(
            "flow \"{name}\" acknowledges numbered transmissions, which TCP headers cannot express; capture another flow"
        ));
    }
    let many = flow.workload.opens_connections();
    many.then(|| format!("flow \"{name}\" opens a connection for each transfer, which a capture cannot distinguish; capture another flow"))
}

/// Returns the key in [`Place::interfaces`], the name and the description of each interface.
fn interfaces(
    scenario: &Scenario,
    point: CapturePoint,
    flows: &BTreeMap<usize, Watched>,
) -> Vec<(usize, String, String)> {
    let hosts = |what: &str| {
        let nodes = scenario
            .nodes
            .iter()
            .enumerate()
            .filter(|(node, _)| flows.values().any(|flow| flow.node == *node));
        nodes
            .map(|(index, node)| (index, node.name.clone(), format!("{what} at {}", node.name)))
            .collect()
    };
    let named = |(index, link): (usize, &Link), what: String| (index, link.name.clone(), what);
    match point {
        CapturePoint::Sender => hosts("senders"),
        CapturePoint::Receiver => hosts("receivers"),
        CapturePoint::Link(id) => {
            let link = &scenario.links[id.0];
            vec![named(
                (id.0, link),
                format!("end of {} at {}", link.name, scenario.nodes[link.to.0].name),
            )]
        }
        CapturePoint::Dropped => scenario
            .links
            .iter()
            .enumerate()
            .map(|(index, link)| named((index, link), format!("dropped by {}", link.name)))
            .collect(),
    }
}

/// Returns the address of a node: 10.0.0.1 for the first, and so on.
fn address(node: NodeId) -> [u8; 4] {
    (0x0a00_0001 + node.0 as u32).to_be_bytes()
}

/// Returns the other direction of a link: `x.back` for `x`, and `x` for `x.back`.
fn reverse(scenario: &Scenario, id: LinkId) -> Option<usize> {
    let link = &scenario.links[id.0];
    let name = link
        .name
        .strip_suffix(".back")
        .map_or_else(|| format!("{}.back", link.name), str::to_owned);
    let other = |other: &Link| other.name == name && other.from == link.to && other.to == link.from;
    scenario.links.iter().position(other)
}
