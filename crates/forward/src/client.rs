//! An application's connection to a forwarder. Each call waits for its answer.

use crate::face_uri::Transport;
use crate::io::{Found, find};
use crate::place::Place;
use crate::wall::{wall_millis, wall_seed};
use narrows_ndn::lp::{Header, LpPacket, Mircc, NackReason};
use narrows_ndn::management::{
    ControlParameters, ControlResponse, ManagementName, Scope, face_flags,
};
use narrows_ndn::signature::Signer;
use narrows_ndn::tlv::{MAX_PACKET, frame_length};
use narrows_ndn::{Data, Interest, InterestDraft, Name, SigningFields, number};
use narrows_units::{Random, Span};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Reason why an application gets no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// No forwarder answers at its place.
    #[error(
        "no forwarder answers at {place}: {source}; start one with `narrows ndn forward`, or name its place in NDN_CLIENT_TRANSPORT"
    )]
    Absent {
        /// Place of the forwarder.
        place: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The connection broke.
    #[error(
        "the forwarder has closed the connection: {0}; see whether `narrows ndn forward` still runs there, and repeat this"
    )]
    Closed(io::Error),
    /// No answer arrived in time.
    #[error(
        "no answer to {0} within {1}; see whether it is served, and whether a route leads to it (`narrows ndn forward routes`)"
    )]
    Silent(String, Span),
    /// The network refused the Interest.
    #[error("{0} was refused: {1}")]
    Refused(String, &'static str),
    /// The answer cannot be used.
    #[error("the answer to {0} cannot be used: {1}")]
    Unusable(String, String),
    /// The controller of the consumer cannot continue.
    #[error("the controller cannot go on after {0}: {1}")]
    Fault(Span, String),
    /// The forwarder refuses a command.
    #[error("the forwarder refuses {what}: {text} ({code})")]
    CommandRefused {
        /// Name of the command.
        what: String,
        /// Status code of the answer.
        code: u64,
        /// Text of the answer.
        text: String,
    },
}

enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
    Udp(UdpSocket),
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Socket::Unix(stream) => stream.as_fd(),
            Socket::Tcp(stream) => stream.as_fd(),
            Socket::Udp(socket) => socket.as_fd(),
        }
    }
}

/// A connection to a forwarder.
pub struct Client {
    place: Place,
    socket: Socket,
    inbox: Vec<u8>,
    packets: VecDeque<Vec<u8>>,
    nonces: Random,
}

impl Client {
    /// Connects to a forwarder.
    ///
    /// # Errors
    /// No forwarder answers at `place`.
    pub fn connect(place: &Place) -> Result<Client, ClientError> {
        let socket = Client::open(place)?;
        let nonces = Random::stream(wall_seed() ^ u64::from(std::process::id()) << 32, "nonces");
        Ok(Client {
            place: place.clone(),
            socket,
            inbox: Vec::new(),
            packets: VecDeque::new(),
            nonces,
        })
    }

    /// Connects to the same place again. Packets from the old connection are dropped.
    ///
    /// # Errors
    /// No forwarder answers there.
    pub(crate) fn reconnect(&mut self) -> Result<(), ClientError> {
        self.socket = Client::open(&self.place)?;
        self.inbox.clear();
        self.packets.clear();
        Ok(())
    }

    fn open(place: &Place) -> Result<Socket, ClientError> {
        let absent = |source| ClientError::Absent { place: place.to_string(), source };
        Ok(match place {
            Place::Unix(path) => Socket::Unix(UnixStream::connect(path).map_err(absent)?),
            Place::Remote(remote) => match (
                find(remote).map_err(|text| absent(io::Error::other(text)))?,
                remote.transport,
            ) {
                (Found::Tcp(stream, _), Transport::Tcp) => {
                    stream.set_nodelay(true).map_err(absent)?;
                    Socket::Tcp(stream)
                }
                (Found::Tcp(_, address) | Found::Udp(address), _) => {
                    let any = if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
                    let socket = UdpSocket::bind(any).map_err(absent)?;
                    socket.connect(address).map_err(absent)?;
                    Socket::Udp(socket)
                }
            },
        })
    }

    /// A nonce that most likely no other Interest has had.
    pub fn nonce(&mut self) -> u32 {
        self.nonces.bits() as u32
    }

    /// Sends a link packet.
    ///
    /// # Errors
    /// The connection broke.
    pub fn send(&mut self, packet: &[u8]) -> Result<(), ClientError> {
        let sent = match &mut self.socket {
            Socket::Unix(stream) => stream.write_all(packet),
            Socket::Tcp(stream) => stream.write_all(packet),
            Socket::Udp(socket) => socket.send(packet).map(drop),
        };
        sent.map_err(ClientError::Closed)
    }

    /// The next link packet, or `None` if none arrives within `span`.
    ///
    /// # Errors
    /// The connection broke.
    pub fn receive(&mut self, span: Span) -> Result<Option<Vec<u8>>, ClientError> {
        self.wait(span)?;
        Ok(self.waiting())
    }

    /// Waits until a link packet arrives, for at most `span`. Reads the socket at least once.
    pub(crate) fn wait(&mut self, span: Span) -> Result<(), ClientError> {
        let until = Instant::now() + Duration::from_nanos(span.as_nanos());
        while self.packets.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            self.read(left)?;
            if left.is_zero() {
                break;
            }
        }
        Ok(())
    }

    /// Waits until one of `clients` has something to read. Returns for each one, in order, whether
    /// it has. Uses `poll`, because the kernel rounds timeouts of sockets up to its ticks, which
    /// would spoil the pacing.
    pub(crate) fn ready<'c>(
        clients: impl Iterator<Item = &'c Client>,
        wait: Span,
    ) -> Result<Vec<bool>, ClientError> {
        let mut sockets: Vec<PollFd<'_>> = clients
            .map(|client| PollFd::from_borrowed_fd(client.socket.as_fd(), PollFlags::IN))
            .collect();
        let wait = Duration::from_nanos(wait.as_nanos());
        let timeout =
            Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) };
        match poll(&mut sockets, Some(&timeout)) {
            Ok(_) => Ok(sockets.iter().map(|socket| !socket.revents().is_empty()).collect()),
            Err(Errno::INTR) => Ok(vec![false; sockets.len()]),
            Err(error) => Err(ClientError::Closed(error.into())),
        }
    }

    fn read(&mut self, wait: Duration) -> Result<(), ClientError> {
        if !Client::ready(std::iter::once(&*self), Span::from_nanos(wait.as_nanos() as u64))?
            .contains(&true)
        {
            return Ok(());
        }
        let mut room = [0; 65_536];
        let (read, datagram) = match &mut self.socket {
            Socket::Unix(stream) => (stream.read(&mut room), false),
            Socket::Tcp(stream) => (stream.read(&mut room), false),
            Socket::Udp(socket) => (socket.recv(&mut room), true),
        };
        let length = match read {
            Ok(0) if !datagram => {
                return Err(ClientError::Closed(io::ErrorKind::UnexpectedEof.into()));
            }
            Ok(length) => length,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock
                        | io::ErrorKind::TimedOut
                        | io::ErrorKind::Interrupted
                ) =>
            {
                return Ok(());
            }
            Err(error) => return Err(ClientError::Closed(error)),
        };
        if datagram {
            self.packets.push_back(room[..length].to_vec());
            return Ok(());
        }
        self.inbox.extend_from_slice(&room[..length]);
        let malformed =
            |_| ClientError::Closed(io::Error::other("it sent octets that are not an NDN packet"));
        while let Some(length) = frame_length(&self.inbox, MAX_PACKET).map_err(malformed)?
            && length <= self.inbox.len()
        {
            self.packets.push_back(self.inbox.drain(..length).collect());
        }
        Ok(())
    }

    /// The next link packet that has already arrived.
    pub(crate) fn waiting(&mut self) -> Option<Vec<u8>> {
        self.packets.pop_front()
    }

    /// Sends link packets, with one write on a stream.
    pub(crate) fn send_all(&mut self, packets: &[Vec<u8>]) -> Result<(), ClientError> {
        match &self.socket {
            Socket::Udp(_) => {
                for packet in packets {
                    self.send(packet)?;
                }
                Ok(())
            }
            _ if packets.is_empty() => Ok(()),
            _ => self.send(&packets.concat()),
        }
    }

    /// Sends the Interest in `octets` and returns the Data that answers it. Other packets that
    /// arrive meanwhile are dropped.
    ///
    /// # Errors
    /// The octets are not an Interest, nothing arrives within `span`, or a Nack arrives.
    pub fn ask(&mut self, octets: &[u8], span: Span) -> Result<Vec<u8>, ClientError> {
        // A neighbour that gets the class of an Interest answers with rates and refusals.
        match self.ask_with(octets, Mircc { class: Some(0), ..Mircc::default() }, span)? {
            Reply::Data(data, _) => Ok(data),
            Reply::Nack(reason, _) => {
                let name = Interest::decode(octets)
                    .map_or(String::new(), |interest| interest.name.to_string());
                Err(ClientError::Refused(name, reason_of(reason)))
            }
        }
    }

    /// Sends the Interest in `octets` with MIRCC fields and returns the answer with its MIRCC
    /// fields. Other packets that arrive meanwhile are dropped.
    ///
    /// # Errors
    /// The octets are not an Interest, or nothing arrives within `span`.
    pub(crate) fn ask_with(
        &mut self,
        octets: &[u8],
        mircc: Mircc,
        span: Span,
    ) -> Result<Reply, ClientError> {
        let interest = Interest::decode(octets)
            .map_err(|error| ClientError::Unusable("an Interest".to_owned(), error.to_string()))?;
        let name = interest.name.to_string();
        let mut packet = Vec::new();
        Header { mircc, ..Header::default() }.write_packet(Some(octets), &mut packet);
        self.send(&packet)?;
        let until = Instant::now() + Duration::from_nanos(span.as_nanos());
        loop {
            let left =
                Span::from_nanos(until.saturating_duration_since(Instant::now()).as_nanos() as u64);
            let Some(packet) = self.receive(left)? else {
                return Err(ClientError::Silent(name, span));
            };
            let Ok(link) = LpPacket::decode(&packet) else { continue };
            let Some(fragment) = link.fragment else { continue };
            if let Some(reason) = link.header.nack {
                let refused = Interest::decode(fragment).is_ok_and(|refused| {
                    refused.nonce == interest.nonce && refused.name == interest.name
                });
                if refused {
                    return Ok(Reply::Nack(reason, link.header.mircc));
                }
            } else if Data::decode(fragment).is_ok_and(|data| answers(&data, &interest)) {
                return Ok(Reply::Data(fragment.to_vec(), link.header.mircc));
            }
        }
    }

    /// Content of a dataset of the forwarder, for example `/localhost/nfd/faces/list`.
    ///
    /// # Errors
    /// An answer is missing or malformed.
    pub fn dataset(&mut self, uri: &str) -> Result<Vec<u8>, ClientError> {
        const PATIENCE: Span = Span::from_secs(4);
        let unusable = |problem: &str| ClientError::Unusable(uri.to_owned(), problem.to_owned());
        let name: Name = uri.parse().map_err(|_| unusable("the name is malformed"))?;
        let mut asked = Vec::new();
        let nonce = Some(self.nonce());
        InterestDraft {
            nonce,
            can_be_prefix: true,
            must_be_fresh: true,
            ..InterestDraft::new(name.as_ref())
        }
        .write(&mut asked);
        let first = self.ask(&asked, PATIENCE)?;
        let data = Data::decode(&first).map_err(|_| unusable("it is not Data"))?;
        data.check_digest().map_err(|error| unusable(&error.to_string()))?;
        let last = data.meta.final_block.and_then(|last| last.nni_of(number::SEGMENT)).unwrap_or(0);
        let base = Name::new().join(&data.name.without_last(1));
        let mut content = data.content.unwrap_or_default().to_vec();
        for segment in 1..=last {
            let name = base.clone().segment(segment);
            asked.clear();
            InterestDraft { nonce: Some(self.nonce()), ..InterestDraft::new(name.as_ref()) }
                .write(&mut asked);
            let next = self.ask(&asked, PATIENCE)?;
            content.extend(
                Data::decode(&next)
                    .map_err(|_| unusable("a segment is not Data"))?
                    .content
                    .unwrap_or_default(),
            );
        }
        Ok(content)
    }

    /// Sends a command and returns the content of its answer, a ControlResponse.
    ///
    /// # Errors
    /// The forwarder does not answer, or the status code is not 200.
    pub fn command(
        &mut self,
        scope: Scope,
        module: &str,
        verb: &str,
        parameters: &ControlParameters<'_>,
    ) -> Result<Vec<u8>, ClientError> {
        const PATIENCE: Span = Span::from_secs(8);
        let what = format!("{module}/{verb}");
        let asked = self.command_packet(scope, module, verb, parameters);
        let answer = self.ask(&asked, PATIENCE)?;
        let content =
            Data::decode(&answer).ok().and_then(|data| data.content).unwrap_or_default().to_vec();
        let unusable = |error: narrows_ndn::tlv::DecodeError| {
            ClientError::Unusable(what.clone(), error.to_string())
        };
        let response = ControlResponse::decode(&content).map_err(unusable)?;
        if response.code != 200 {
            return Err(ClientError::CommandRefused {
                what,
                code: response.code,
                text: response.text.to_owned(),
            });
        }
        Ok(content)
    }
}

impl Client {
    /// The Interest of a command.
    fn command_packet(
        &mut self,
        scope: Scope,
        module: &str,
        verb: &str,
        parameters: &ControlParameters<'_>,
    ) -> Vec<u8> {
        let name = ManagementName::command(scope, module, verb, parameters);
        let random = self.nonces.bits().to_be_bytes();
        let fields =
            SigningFields { nonce: Some(&random), time_ms: Some(wall_millis()), sequence: None };
        let mut asked = Vec::new();
        let nonce = Some(self.nonce());
        InterestDraft { nonce, ..InterestDraft::new(name.as_ref()) }.write_signed(
            &Signer::DIGEST,
            &fields,
            &mut asked,
        );
        asked
    }

    /// Asks the forwarder to put congestion marks on Data for this connection while more than
    /// `threshold` octets have waited for longer than `interval`. Does not wait for the answer: a
    /// forwarder that cannot mark drops Data when its queue is full.
    pub(crate) fn ask_for_marks(
        &mut self,
        threshold: u64,
        interval: Span,
    ) -> Result<(), ClientError> {
        let parameters = ControlParameters {
            flags: Some(face_flags::CONGESTION_MARKING),
            mask: Some(face_flags::CONGESTION_MARKING),
            marking_threshold: Some(threshold),
            marking_interval_ns: Some(interval.as_nanos()),
            ..ControlParameters::default()
        };
        let asked = self.command_packet(Scope::Localhost, "faces", "update", &parameters);
        self.send(&asked)
    }
}

/// True if Data has the name that an Interest requests. The forwarder has already compared an
/// implicit digest.
fn answers(data: &Data<'_>, interest: &Interest<'_>) -> bool {
    let digests = usize::from(interest.name.implicit_digest().is_some());
    let asked = interest.name.without_last(digests);
    data.name == asked || interest.can_be_prefix && asked.is_prefix_of(&data.name)
}

/// Answer to an Interest.
pub(crate) enum Reply {
    /// Octets of a Data packet, and its MIRCC fields.
    Data(Vec<u8>, Mircc),
    /// The Interest was refused. The Nack has these MIRCC fields.
    Nack(NackReason, Mircc),
}

pub(crate) fn reason_of(reason: NackReason) -> &'static str {
    match reason {
        NackReason::Congestion => "congestion",
        NackReason::Duplicate => "an Interest with its nonce was there before",
        NackReason::NoRoute => "no route leads to it",
        NackReason::InvalidLabel => "its path leads nowhere",
        NackReason::None => "no reason was given",
    }
}
