//! The daemon: a forwarder, its sockets and the clock.

use crate::config::{Config, FaceEntry, Understands};
use crate::device;
use crate::event::Event;
use crate::face::{FaceSetup, LARGEST, UDP_MTU};
use crate::face_uri::FaceUri;
use crate::forwarder::{Forwarder, Opened, Sockets};
use crate::inbox::{About, Inbox, Note, post};
use crate::io::{Attempt, Channel, Found, Io, find};
use crate::link_rates::LinkRates;
use crate::log::Log;
use crate::readers::Readers;
use crate::reconnect::Reconnects;
use crate::sharding::FIRST;
use crate::sockets::poller::{Key, Poller};
use crate::sockets::stream::{Stream, StreamReader, StreamWriter};
use crate::sockets::udp::{UdpChannel, UdpOptions};
use crate::sockets::udp_writer::UdpWriter;
use crate::thread::ForwardingThread;
use crate::wait;
use narrows_icn::FaceId;
use narrows_ndn::management::FacePersistency;
use narrows_units::{Span, Time};
use std::io::{self, Read};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{SystemTime, UNIX_EPOCH};

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
    /// The configuration has a number of threads that its faces do not allow.
    #[error("{0}")]
    Threads(String),
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
    readers: Readers,
    unix: Option<(UnixListener, PathBuf)>,
    tcp: Vec<TcpListener>,
    udp_options: UdpOptions,
    attempts: Receiver<Attempt>,
    reconnects: Reconnects,
    woken: UnixStream,
    stop: UnixStream,
    zero: u64,
    /// The other forwarding threads until they begin, and what waits for each thread. Both are empty if there is one thread.
    others: Vec<ForwardingThread>,
    inboxes: Arc<[Inbox]>,
    /// The thread that gets the next socket.
    next_thread: usize,
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
        config.check_threads().map_err(DaemonError::Threads)?;
        let zero = wait::monotonic();
        let wall_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        let seed = zero ^ u64::from(std::process::id()) << 40 ^ wall_ms;
        let (sender, attempts) = channel();
        let (stop, stopper) = UnixStream::pair()?;
        let (woken, waker) = UnixStream::pair()?;
        woken.set_nonblocking(true)?;
        waker.set_nonblocking(true)?;
        let opened = |path: &PathBuf| Log::open(path).map_err(|source| DaemonError::Log { path: path.display().to_string(), source });
        let log = config.log.file.as_ref().map(opened).transpose()?;
        let attempts_to = crate::io::Attempts::new(sender, waker);
        let (forwarder, others) = Forwarder::sharded(config, Time::ZERO, wall_ms, seed);
        let threads = if others.is_empty() { 0 } else { 1 + others.len() };
        let inboxes: Arc<[Inbox]> = (0..threads).map(|_| Inbox::new()).collect::<io::Result<_>>()?;
        let others = others.into_iter().zip(1..).map(|(forwarder, number)| {
            let io = Io::new(Poller::new()?, attempts_to.clone(), None);
            Ok(ForwardingThread::new(number, forwarder, io, inboxes.clone(), zero))
        });
        let others = others.collect::<io::Result<_>>()?;
        let mut daemon = Daemon {
            forwarder,
            io: Io::new(Poller::new()?, attempts_to, log),
            readers: Readers::new(),
            unix: None,
            tcp: Vec::new(),
            udp_options: UdpOptions { offload: config.listen.offload, ecn: config.listen.ecn },
            attempts,
            reconnects: Reconnects::default(),
            woken,
            stop,
            zero,
            others,
            inboxes,
            next_thread: FIRST,
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
        self.readers.listening = self.io.udp.len();
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
        if let Some(inbox) = self.inboxes.first() {
            self.io.poller.watch(inbox, Key::Inbox)?;
        }
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
        self.io.udp.iter().take(self.readers.listening).flatten().map(|channel| channel.local()).collect()
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
        let (mut threads, mut ended) = (Vec::new(), Ok(()));
        for (number, other) in (1..).zip(self.others.drain(..)) {
            match std::thread::Builder::new().name(format!("forward {number}")).spawn(move || other.run()) {
                Ok(thread) => threads.push(thread),
                Err(error) => ended = Err(error.into()),
            }
        }
        if ended.is_ok() {
            ended = self.forward(watcher);
        }
        self.inboxes.iter().for_each(Inbox::stop);
        let mut results = vec![ended];
        for thread in threads {
            results.push(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).map_err(DaemonError::Io));
        }
        results.into_iter().collect()
    }

    /// Forwards on this thread.
    fn forward(&mut self, watcher: &mut impl Watcher) -> Result<(), DaemonError> {
        let inboxes = self.inboxes.clone();
        let (mut ready, mut handovers) = (Vec::new(), Vec::new());
        loop {
            let now = self.now();
            let due = self.forwarder.due().min(watcher.due());
            let due = if inboxes.first().is_some_and(Inbox::sleep) { now } else { due };
            self.io.poller.wait(if due <= now { Span::ZERO } else { due.since(now).min(wait::LONGEST) }, &mut ready)?;
            let now = self.now();
            if let Some(inbox) = inboxes.first() {
                inbox.awake(ready.iter().any(|(key, ..)| *key == Key::Inbox));
                if inbox.is_stopped() {
                    // Another thread has ended, and its end tells why.
                    return Ok(());
                }
            }
            watcher.woken(now, &self.forwarder);
            // Laws tick before packets of the same moment are counted.
            if self.forwarder.due() <= now {
                self.forwarder.poll(now, &mut self.io);
            }
            if let Some(inbox) = inboxes.first() {
                let is_there = |note: &Note| self.forwarder.number_of(note.slot) == Some(note.id);
                self.io.ended.extend(inbox.notes().iter().filter(|note| is_there(note)).map(|note| note.slot));
                inbox.take(&mut handovers);
                handovers.drain(..).for_each(|handover| self.forwarder.take(now, handover, &mut self.io));
            }
            for (key, readable, writable) in ready.drain(..) {
                // A face that is gone may have given its place to another one.
                self.forget_closed();
                match key {
                    Key::Udp(number) => {
                        if writable {
                            self.io.udp_writable(number as usize);
                        }
                        if readable {
                            self.readers.read_udp(now, number as usize, &mut self.forwarder, &mut self.io);
                        }
                    }
                    Key::Stream(face) => {
                        if writable {
                            self.io.writable(FaceId(face));
                        }
                        if readable {
                            self.readers.read_stream(now, FaceId(face), &mut self.forwarder, &mut self.io);
                        }
                    }
                    Key::Unix => self.accept_unix(now),
                    Key::Tcp(number) => self.accept_tcp(now, number as usize),
                    Key::Opened => self.finish_opening(now),
                    Key::Inbox => {}
                    Key::Stop => {
                        self.io.tell(&Event::Stopped);
                        return Ok(());
                    }
                }
            }
            self.io.flush();
            self.clean_up(now);
            post(&mut self.forwarder, &inboxes);
        }
    }

    /// The thread that gets the next socket: all in turn.
    fn next_thread(&mut self) -> usize {
        let thread = self.next_thread;
        self.next_thread = (thread + 1) % self.inboxes.len().max(1);
        thread
    }

    fn now(&self) -> Time {
        wait::time_since(self.zero)
    }

    fn accept_unix(&mut self, now: Time) {
        while let Some((listener, path)) = &self.unix
            && let Ok((stream, _)) = listener.accept()
        {
            let number = stream.as_raw_fd() as u64;
            let setup = FaceSetup::on_demand(FaceUri::Fd(number), FaceUri::Unix(path.clone()), true, LARGEST);
            if let Ok(stream) = Stream::unix(stream) {
                let thread = self.next_thread();
                self.add_stream(now, setup, stream, thread);
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
                let thread = self.next_thread();
                self.add_stream(now, setup, stream, thread);
            }
        }
    }

    /// Makes a face of a stream, which `thread` reads and writes.
    fn add_stream(&mut self, now: Time, setup: FaceSetup, stream: Stream, thread: usize) -> Option<FaceId> {
        let face = self.forwarder.add_face_at(now, setup, thread, &mut self.io).ok()?;
        if thread != FIRST {
            self.give(face, thread, About::Stream(stream));
            return Some(face);
        }
        self.io.attach(face, Channel::Stream(StreamWriter::new(stream.clone()), false));
        if self.io.watch_stream(&stream, face).is_err() {
            self.forwarder.remove_face(now, face, &mut self.io);
            return None;
        }
        self.readers.streams.insert(face.0, StreamReader::new(stream));
        Some(face)
    }

    /// Gives the socket of a new face to its thread.
    fn give(&self, slot: FaceId, thread: usize, about: About) {
        if let Some(id) = self.forwarder.number_of(slot) {
            self.inboxes[thread].note(Note { slot, id, about });
        }
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
                let ordinary = if is_local { LARGEST } else { UDP_MTU };
                let socket = match self.io.listening_socket_for(self.readers.listening, peer) {
                    Some(socket) => socket,
                    None => {
                        let channel = UdpChannel::connect(peer, self.udp_options).map_err(|error| told(&error))?;
                        let thread = self.next_thread();
                        if thread != FIRST {
                            let setup = setup(FaceUri::Udp(channel.local()), ordinary);
                            let face = self.forwarder.add_face_at(now, setup, thread, &mut self.io).map_err(|error| told(&error))?;
                            self.give(face, thread, About::Udp(channel, peer));
                            return Ok(Opened::New(face));
                        }
                        self.io.add_udp(channel).map_err(|error| told(&error))?
                    }
                };
                let local = self.io.udp[socket].as_ref().map_or(peer, |channel| channel.local());
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
                self.add_stream(now, setup, stream, FIRST).map(Opened::New).ok_or_else(|| told(&"the face could not be made"))
            }
        }
    }

    /// Removes faces whose streams have ended, and what is left of closed ones.
    fn clean_up(&mut self, now: Time) {
        while let Some(face) = self.io.ended.pop() {
            if let Some(peer) = self.forwarder.reconnects(face) {
                self.io.detach(face);
                self.readers.streams.remove(&face.0);
                if self.reconnects.add(now, face, peer) {
                    self.forwarder.set_broken(now, face, true, &mut self.io);
                }
                continue;
            }
            self.forwarder.remove_face(now, face, &mut self.io);
            self.io.flush();
        }
        self.forget_closed();
        while let Some((ticket, peer)) = self.reconnects.attempt(now) {
            self.io.connect_again(ticket, peer);
        }
    }

    /// Reads closed faces no longer. Other threads close the sockets of those that are theirs.
    fn forget_closed(&mut self) {
        if !self.io.closed.is_empty() {
            self.inboxes.iter().skip(1).for_each(Inbox::wake);
        }
        for face in self.io.closed.drain(..) {
            self.readers.streams.remove(&face.0);
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
        self.readers.streams.insert(face.0, StreamReader::new(stream));
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
