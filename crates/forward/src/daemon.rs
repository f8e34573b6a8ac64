//! The daemon: a forwarder, its sockets and the clock.

use crate::config::{Config, FaceEntry, Understands};
use crate::device;
use crate::event::Event;
use crate::face::FaceSetup;
use crate::face_uri::FaceUri;
use crate::forwarder::{Forwarder, Opened, Sockets};
use crate::io::{Attempt, Channel, Found, Io, find};
use crate::link_rates::LinkRates;
use crate::log::Log;
use crate::reconnect::Reconnects;
use crate::sockets::poller::{Key, Poller};
use crate::sockets::stream::{End, Stream, StreamReader, StreamWriter};
use crate::sockets::udp::{UdpChannel, UdpOptions, UdpRoom};
use crate::sockets::udp_writer::UdpWriter;
use narrows_icn::FaceId;
use narrows_ndn::management::FacePersistency;
use narrows_units::{Span, Time};
use narrows_wire::Ecn;
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{SystemTime, UNIX_EPOCH};

/// MTUs of faces: on UDP that of an Ethernet with some tunnel, elsewhere the largest packet.
const UDP_MTU: usize = 1400;
const LARGEST: usize = narrows_ndn::tlv::MAX_PACKET;
/// The longest wait, so that a change of the clock is noticed.
const LONGEST_WAIT: Span = Span::from_millis(500);
/// Reads of one socket before the others have their turn.
const READS: usize = 4;

/// Why a daemon does not start, or ends.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// An address is taken or not allowed.
    #[error("cannot listen on {at}: {source}{}", remedy(source))]
    Listen {
        /// The address or path.
        at: String,
        /// The kernel's reason.
        source: io::Error,
    },
    /// A face of the configuration cannot be made.
    #[error("face {remote}: {problem}")]
    Face {
        /// Its URI.
        remote: String,
        /// The problem.
        problem: String,
    },
    /// The log cannot be opened.
    #[error("the log {path} cannot be opened: {source}; choose another file in [log]")]
    Log {
        /// Its path.
        path: String,
        /// The kernel's reason.
        source: io::Error,
    },
    /// The kernel refuses something else.
    #[error("the daemon cannot go on: {0}")]
    Io(#[from] io::Error),
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => " (another forwarder runs here: stop it, or give other addresses in [listen])",
        io::ErrorKind::PermissionDenied => " (choose a path that you may write, such as one below $XDG_RUNTIME_DIR, in [listen] unix)",
        _ => "",
    }
}

/// A running forwarder.
pub struct Daemon {
    forwarder: Forwarder,
    io: Io,
    room: UdpRoom,
    readers: BTreeMap<u32, StreamReader>,
    unix: Option<(UnixListener, PathBuf)>,
    tcp: Vec<TcpListener>,
    /// UDP sockets that take packets of unknown peers: the first ones.
    listening: usize,
    udp_options: UdpOptions,
    attempts: Receiver<Attempt>,
    reconnects: Reconnects,
    woken: UnixStream,
    stop: UnixStream,
    zero: u64,
}

/// Looks on while a daemon forwards. `()` sees nothing.
pub trait Watcher {
    /// When the daemon is to wake for it, by the daemon's clock.
    fn due(&self) -> Time;

    /// The daemon has woken, and handles at `now` what is due.
    fn woken(&mut self, now: Time, forwarder: &Forwarder);
}

impl Watcher for () {
    fn due(&self) -> Time {
        Time::NEVER
    }

    fn woken(&mut self, _: Time, _: &Forwarder) {}
}

/// Ends a daemon from another thread or a signal handler.
#[derive(Debug)]
pub struct Stopper(UnixStream);

impl Stopper {
    /// The daemon ends after the packets at hand.
    pub fn stop(&self) {
        use std::io::Write;
        // A daemon that has ended needs no more.
        let _ = (&self.0).write(&[0]);
    }

    /// A socket to which any octet ends the daemon, for signal handlers.
    pub fn into_socket(self) -> UnixStream {
        self.0
    }
}

impl Daemon {
    /// Listens, and makes the faces of the configuration.
    ///
    /// # Errors
    /// An address cannot be listened on, or a face cannot be made.
    pub fn start(config: &Config) -> Result<(Daemon, Stopper), DaemonError> {
        let zero = monotonic();
        let wall_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        let seed = zero ^ u64::from(std::process::id()) << 40 ^ wall_ms;
        let (sender, attempts) = channel();
        let (stop, stopper) = UnixStream::pair()?;
        let (woken, waker) = UnixStream::pair()?;
        woken.set_nonblocking(true)?;
        waker.set_nonblocking(true)?;
        let opened = |path: &PathBuf| Log::open(path).map_err(|source| DaemonError::Log { path: path.display().to_string(), source });
        let log = config.log.file.as_ref().map(opened).transpose()?;
        let io = Io::new(Poller::new()?, crate::io::Attempts::new(sender, waker), log);
        let mut daemon = Daemon {
            forwarder: Forwarder::new(config, Time::ZERO, wall_ms, seed),
            io,
            room: UdpRoom::new(),
            readers: BTreeMap::new(),
            unix: None,
            tcp: Vec::new(),
            listening: 0,
            udp_options: UdpOptions { offload: config.listen.offload, ecn: config.listen.ecn },
            attempts,
            reconnects: Reconnects::default(),
            woken,
            stop,
            zero,
        };
        daemon.listen(config)?;
        for face in &config.face {
            daemon.make(face)?;
        }
        daemon.io.tell(&Event::Started { version: env!("CARGO_PKG_VERSION"), listening: daemon.forwarder.channels() });
        Ok((daemon, Stopper(stopper)))
    }

    fn listen(&mut self, config: &Config) -> Result<(), DaemonError> {
        let failed = |at: &dyn std::fmt::Display| {
            let at = at.to_string();
            move |source| DaemonError::Listen { at, source }
        };
        let mut channels = Vec::new();
        for address in &config.listen.udp {
            let channel = UdpChannel::bind(*address, self.udp_options).map_err(failed(&format!("UDP {address}")))?;
            channels.push(FaceUri::Udp(channel.local()).to_string());
            self.io.add_udp(channel)?;
        }
        self.listening = self.io.udp.len();
        for address in &config.listen.tcp {
            let at = format!("TCP {address}");
            let listener = TcpListener::bind(address).map_err(failed(&at))?;
            listener.set_nonblocking(true)?;
            channels.push(FaceUri::Tcp(listener.local_addr()?).to_string());
            self.io.poller.watch(&listener, Key::Tcp(self.tcp.len() as u32))?;
            self.tcp.push(listener);
        }
        if let Some(path) = &config.listen.unix {
            let listener = unix_listener(path).map_err(failed(&path.display()))?;
            listener.set_nonblocking(true)?;
            channels.push(FaceUri::Unix(path.clone()).to_string());
            self.io.poller.watch(&listener, Key::Unix)?;
            self.unix = Some((listener, path.clone()));
        }
        self.io.poller.watch(&self.woken, Key::Opened)?;
        self.io.poller.watch(&self.stop, Key::Stop)?;
        self.forwarder.set_channels(channels);
        Ok(())
    }

    /// Makes a face of the configuration, with its routes.
    fn make(&mut self, entry: &FaceEntry) -> Result<(), DaemonError> {
        let remote = &entry.remote.0;
        let failed = |problem: String| DaemonError::Face { remote: format!("{}:{}", remote.host, remote.port), problem };
        let found = find(remote).map_err(failed)?;
        let gross = entry.link_rate.is_some();
        let device = || device::rate_towards(found.peer().ip());
        let written = entry.link_rate.or(entry.rate);
        let rates = written.and_then(|rates| rates.of_link(device, gross));
        if written.is_some() && rates.is_none() {
            self.io.tell(&Event::RateUnknown { remote: &found.peer().to_string() });
        }
        let persistency = if entry.permanent { FacePersistency::Permanent } else { FacePersistency::Persistent };
        let wanted = Wanted {
            persistency,
            rates,
            headers: entry.headers,
            understands: entry.mircc,
            nacks: entry.nacks,
            police: entry.police,
            mtu: entry.mtu.map(usize::from),
        };
        let face = self.connect(found, &wanted).map_err(failed)?;
        let (Opened::New(face) | Opened::Found(face)) = face;
        for route in &entry.routes {
            let prefix = route.parse().map_err(|error| failed(format!("the route \"{route}\": {error}")))?;
            self.forwarder.add_route(&prefix, face, entry.cost);
        }
        Ok(())
    }

    /// The addresses at which faces come in.
    pub fn udp_addresses(&self) -> Vec<SocketAddr> {
        self.io.udp.iter().take(self.listening).flatten().map(|channel| channel.local()).collect()
    }

    /// Forwards until it is stopped.
    ///
    /// # Errors
    /// The kernel refuses to wait for sockets.
    pub fn run(self) -> Result<(), DaemonError> {
        self.run_watched(&mut ())
    }

    /// The same, while `watcher` looks on.
    ///
    /// # Errors
    /// As [`run`](Daemon::run) has them.
    pub fn run_watched(mut self, watcher: &mut impl Watcher) -> Result<(), DaemonError> {
        let mut ready = Vec::new();
        loop {
            let now = self.now();
            let due = self.forwarder.due().min(watcher.due());
            self.io.poller.wait(if due <= now { Span::ZERO } else { due.since(now).min(LONGEST_WAIT) }, &mut ready)?;
            let now = self.now();
            watcher.woken(now, &self.forwarder);
            // Laws tick before packets of the same moment are counted.
            if self.forwarder.due() <= now {
                self.forwarder.poll(now, &mut self.io);
            }
            for (key, readable, writable) in ready.drain(..) {
                match key {
                    Key::Udp(number) => {
                        if writable {
                            self.io.udp_writable(number as usize);
                        }
                        if readable {
                            self.read_udp(now, number as usize);
                        }
                    }
                    Key::Stream(face) => {
                        if writable {
                            self.io.writable(FaceId(face));
                        }
                        if readable {
                            self.read_stream(now, FaceId(face));
                        }
                    }
                    Key::Unix => self.accept_unix(now),
                    Key::Tcp(number) => self.accept_tcp(now, number as usize),
                    Key::Opened => self.finish_opening(now),
                    Key::Stop => {
                        self.io.tell(&Event::Stopped);
                        return Ok(());
                    }
                }
            }
            self.io.flush();
            self.clean_up(now);
        }
    }

    fn now(&self) -> Time {
        Time::from_nanos(monotonic() - self.zero)
    }

    fn read_udp(&mut self, now: Time, number: usize) {
        let Some(channel) = self.io.udp.get(number).cloned().flatten() else { return };
        for _ in 0..READS {
            let (forwarder, io, listening) = (&mut self.forwarder, &mut self.io, self.listening);
            let read = self.room.receive(&channel, |peer, ecn, datagram| {
                let face = io.peers.get(&(number, peer)).copied().or_else(|| {
                    // Only a whole packet makes a face, and only where peers may come from anywhere.
                    let whole = narrows_ndn::tlv::Element::only(datagram).is_ok();
                    (number < listening && whole).then(|| on_demand(forwarder, io, now, number, peer, channel.local())).flatten()
                });
                if let Some(face) = face {
                    forwarder.receive(now, face, ecn, datagram, io);
                }
            });
            // An error here is one of a packet sent before: that its peer does not listen.
            if !matches!(read, Ok(true)) {
                return;
            }
        }
    }

    fn read_stream(&mut self, now: Time, face: FaceId) {
        let Some(reader) = self.readers.get_mut(&face.0) else { return };
        for _ in 0..READS {
            let (forwarder, io) = (&mut self.forwarder, &mut self.io);
            match reader.receive(|packet| forwarder.receive(now, face, Ecn::NotEct, packet, io)) {
                Ok(true) => {}
                Ok(false) => return,
                Err(End::Closed | End::Malformed) => return self.io.ended.push(face),
            }
        }
    }

    fn accept_unix(&mut self, now: Time) {
        while let Some((listener, path)) = &self.unix
            && let Ok((stream, _)) = listener.accept()
        {
            let number = stream.as_raw_fd() as u64;
            let setup = FaceSetup::on_demand(FaceUri::Fd(number), FaceUri::Unix(path.clone()), true, LARGEST);
            if let Ok(stream) = Stream::unix(stream) {
                self.add_stream(now, setup, stream);
            }
        }
    }

    /// Its forwarder.
    pub fn forwarder(&self) -> &Forwarder {
        &self.forwarder
    }

    /// When its time began, in nanoseconds of the monotonic clock.
    pub fn zero(&self) -> u64 {
        self.zero
    }

    fn accept_tcp(&mut self, now: Time, number: usize) {
        while let Ok((stream, peer)) = self.tcp[number].accept() {
            let Ok(local) = stream.local_addr() else { continue };
            let setup = FaceSetup::on_demand(FaceUri::Tcp(peer), FaceUri::Tcp(local), peer.ip().is_loopback(), LARGEST);
            if let Ok(stream) = Stream::tcp(stream) {
                self.add_stream(now, setup, stream);
            }
        }
    }

    fn add_stream(&mut self, now: Time, setup: FaceSetup, stream: Stream) -> Option<FaceId> {
        let face = self.forwarder.add_face(now, setup, &mut self.io).ok()?;
        self.io.attach(face, Channel::Stream(StreamWriter::new(stream.clone()), false));
        if self.io.watch_stream(&stream, face).is_err() {
            self.forwarder.remove_face(now, face, &mut self.io);
            return None;
        }
        self.readers.insert(face.0, StreamReader::new(stream));
        Some(face)
    }

    /// Takes faces that threads have opened.
    fn finish_opening(&mut self, now: Time) {
        // The octets only wake.
        while matches!(self.woken.read(&mut [0; 64]), Ok(64)) {}
        while let Ok(Attempt { ticket, rates, found }) = self.attempts.try_recv() {
            if let Some((face, peer)) = self.reconnects.face(ticket) {
                self.connected_again(now, face, peer, found);
                continue;
            }
            let wanted = Wanted {
                persistency: FacePersistency::Persistent,
                rates,
                headers: None,
                understands: Understands::Auto,
                nacks: false,
                police: false,
                mtu: None,
            };
            let face = found.and_then(|found| self.connect(found, &wanted));
            self.forwarder.opened(now, ticket, face, &mut self.io);
        }
    }

    /// Makes a face to a neighbour that has been found.
    fn connect(&mut self, found: Found, wanted: &Wanted) -> Result<Opened, String> {
        let now = self.now();
        let peer = found.peer();
        let remote = match &found {
            Found::Udp(_) => FaceUri::Udp(peer),
            Found::Tcp(..) => FaceUri::Tcp(peer),
        };
        if let Some(face) = self.forwarder.face_to(&remote) {
            return Ok(Opened::Found(face));
        }
        let is_local = peer.ip().is_loopback();
        let Wanted { persistency, rates, headers, understands, nacks, police, mtu } = *wanted;
        let setup = |local: FaceUri, ordinary: usize| FaceSetup {
            remote: remote.clone(),
            local,
            persistency,
            is_local,
            mtu: mtu.unwrap_or(ordinary),
            ends_idle: true,
            rates,
            headers,
            understands,
            nacks,
            police,
        };
        let told = |error: &dyn std::fmt::Display| format!("{peer}: {error}");
        match found {
            Found::Udp(_) => {
                let socket = match self.io.listening_socket_for(self.listening, peer) {
                    Some(socket) => socket,
                    None => {
                        let channel = UdpChannel::connect(peer, self.udp_options).map_err(|error| told(&error))?;
                        self.io.add_udp(channel).map_err(|error| told(&error))?
                    }
                };
                let local = self.io.udp[socket].as_ref().map_or(peer, |channel| channel.local());
                let ordinary = if is_local { LARGEST } else { UDP_MTU };
                let setup = setup(FaceUri::Udp(local), ordinary);
                let (out, mtu) = (setup.rates.and_then(|rates| rates.out), setup.mtu);
                let face = self.forwarder.add_face(now, setup, &mut self.io).map_err(|error| told(&error))?;
                self.io.attach(face, Channel::Udp { socket, peer, writer: UdpWriter::default() });
                if let Some(out) = out {
                    self.io.shorten(face, out, mtu);
                }
                Ok(Opened::New(face))
            }
            Found::Tcp(stream, _) => {
                let local = stream.local_addr().map_err(|error| told(&error))?;
                let stream = Stream::tcp(stream).map_err(|error| told(&error))?;
                let setup = setup(FaceUri::Tcp(local), LARGEST);
                self.add_stream(now, setup, stream).map(Opened::New).ok_or_else(|| told(&"the face could not be made"))
            }
        }
    }

    /// Removes faces whose streams have ended, and what is left of closed ones.
    fn clean_up(&mut self, now: Time) {
        while let Some(face) = self.io.ended.pop() {
            if let Some(peer) = self.forwarder.reconnects(face) {
                self.io.detach(face);
                self.readers.remove(&face.0);
                if self.reconnects.add(now, face, peer) {
                    self.forwarder.set_broken(now, face, true, &mut self.io);
                }
                continue;
            }
            self.forwarder.remove_face(now, face, &mut self.io);
            self.io.flush();
        }
        for face in self.io.closed.drain(..) {
            self.readers.remove(&face.0);
        }
        while let Some((ticket, peer)) = self.reconnects.attempt(now) {
            self.io.connect_again(ticket, peer);
        }
    }

    /// An attempt to connect a face again has ended.
    fn connected_again(&mut self, now: Time, face: FaceId, peer: SocketAddr, found: Result<Found, String>) {
        if self.forwarder.reconnects(face) != Some(peer) {
            return self.reconnects.remove(face);
        }
        let Ok(Found::Tcp(stream, _)) = found else { return self.reconnects.again(now, face) };
        let Ok(stream) = Stream::tcp(stream) else { return self.reconnects.again(now, face) };
        if self.io.watch_stream(&stream, face).is_err() {
            return self.reconnects.again(now, face);
        }
        self.io.attach(face, Channel::Stream(StreamWriter::new(stream.clone()), false));
        self.readers.insert(face.0, StreamReader::new(stream));
        self.reconnects.remove(face);
        self.forwarder.set_broken(now, face, false, &mut self.io);
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if let Some((_, path)) = &self.unix {
            // A path that somebody else has removed needs no more.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// How a face is to be made.
struct Wanted {
    persistency: FacePersistency,
    rates: Option<LinkRates>,
    headers: Option<u16>,
    understands: Understands,
    nacks: bool,
    police: bool,
    mtu: Option<usize>,
}

/// Makes a face for a peer from whom the first packet has come.
fn on_demand(forwarder: &mut Forwarder, io: &mut Io, now: Time, socket: usize, peer: SocketAddr, local: SocketAddr) -> Option<FaceId> {
    let is_local = peer.ip().is_loopback();
    let mtu = if is_local { LARGEST } else { UDP_MTU };
    let setup = FaceSetup::on_demand(FaceUri::Udp(peer), FaceUri::Udp(local), is_local, mtu);
    let face = forwarder.add_face(now, setup, io).ok()?;
    io.attach(face, Channel::Udp { socket, peer, writer: UdpWriter::default() });
    Some(face)
}

/// Listens on a path. A socket that nobody answers is that of a daemon that is gone.
fn unix_listener(path: &Path) -> io::Result<UnixListener> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    if path.exists() {
        if UnixStream::connect(path).is_ok() {
            return Err(io::ErrorKind::AddrInUse.into());
        }
        std::fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    // Any user of this host may connect, as to other forwarders.
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777))?;
    Ok(listener)
}

/// Nanoseconds of the monotonic clock.
fn monotonic() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
