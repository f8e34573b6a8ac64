//! The daemon: a forwarder with its sockets and its clock.

mod acceptance;
mod connections;
mod descriptors;
mod error;
mod unix_socket;
mod wanted;

pub use descriptors::raise_descriptor_limit;
pub use error::DaemonError;

use self::acceptance::Acceptance;
use crate::config::{Config, FaceEntry};
use crate::device;
use crate::event::Event;
use crate::face_uri::FaceUri;
use crate::forwarder::{Forwarder, Opened, Sockets};
use crate::inbox::{FaceNotice, Inbox, post};
use crate::io::{Io, OpenAttempt, find};
use crate::log::Log;
use crate::readers::Readers;
use crate::reconnect::Reconnects;
use crate::sharding::FIRST;
use crate::sockets::bound;
use crate::sockets::poller::{Key, Poller};
use crate::sockets::udp::{UdpChannel, UdpOptions};
use crate::thread::ForwardingThread;
use crate::wait;
use narrows_icn::FaceId;
use narrows_ndn::management::FacePersistency;
use narrows_units::{Span, Time};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{SystemTime, UNIX_EPOCH};
use unix_socket::UnixSocket;
use wanted::FaceRequest;

/// A running forwarder with its sockets.
pub struct Daemon {
    forwarder: Forwarder,
    io: Io,
    readers: Readers,
    unix: Option<UnixSocket>,
    tcp: Vec<TcpListener>,
    udp_options: UdpOptions,
    attempts: Receiver<OpenAttempt>,
    reconnects: Reconnects,
    woken: UnixStream,
    stop: UnixStream,
    zero: u64,
    /// The other forwarding threads until they start, and the inbox of each thread. Both are empty
    /// if there is one thread.
    others: Vec<ForwardingThread>,
    inboxes: Arc<[Inbox]>,
    /// Thread of the next socket.
    next_thread: usize,
    acceptance: Acceptance,
}

/// Observer of a running daemon. `()` observes nothing.
pub trait Watcher {
    /// Time at which the daemon must wake for the watcher, by the daemon's clock.
    fn due(&self) -> Time;

    /// The daemon has woken at `now`, and handles next what is due.
    fn woken(&mut self, now: Time, forwarder: &Forwarder);
}

impl Watcher for () {
    fn due(&self) -> Time {
        Time::NEVER
    }

    fn woken(&mut self, _: Time, _: &Forwarder) {}
}

/// Stops a daemon from another thread or a signal handler.
#[derive(Debug)]
pub struct Stopper(UnixStream);

impl Stopper {
    /// Stops the daemon once it has handled the packets it has read.
    pub fn stop(&self) {
        use std::io::Write;
        // A daemon that has ended needs no signal.
        let _ = (&self.0).write(&[0]);
    }

    /// A socket that stops the daemon when any octet is written to it, for signal handlers.
    pub fn into_socket(self) -> UnixStream {
        self.0
    }
}

impl Daemon {
    /// Listens on the configured addresses and makes the configured faces.
    ///
    /// # Errors
    /// The daemon cannot listen on an address, or a face cannot be made.
    pub fn start(config: &Config) -> Result<(Daemon, Stopper), DaemonError> {
        config.check_threads().map_err(DaemonError::Threads)?;
        let zero = wait::monotonic();
        let wall_ms = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis() as u64);
        let seed = zero ^ u64::from(std::process::id()) << 40 ^ wall_ms;
        let (sender, attempts) = channel();
        let (stop, stopper) = UnixStream::pair()?;
        let (woken, waker) = UnixStream::pair()?;
        woken.set_nonblocking(true)?;
        waker.set_nonblocking(true)?;
        let opened = |path: &PathBuf| {
            Log::open(path)
                .map_err(|source| DaemonError::Log { path: path.display().to_string(), source })
        };
        let log = config.log.file.as_ref().map(opened).transpose()?;
        let queues = config.tables.part(&config.tables.queues_size).get() / 2;
        let attempts_to = crate::io::OpenAttempts::new(sender, waker);
        let (forwarder, others) = Forwarder::sharded(config, Time::ZERO, wall_ms, seed);
        let threads = if others.is_empty() { 0 } else { 1 + others.len() };
        let inboxes: Arc<[Inbox]> =
            (0..threads).map(|_| Inbox::new()).collect::<io::Result<_>>()?;
        let others = others.into_iter().zip(1..).map(|(forwarder, number)| {
            let io = Io::new(Poller::new()?, attempts_to.clone(), queues, None);
            Ok(ForwardingThread::new(number, forwarder, io, inboxes.clone(), zero))
        });
        let others = others.collect::<io::Result<_>>()?;
        let mut daemon = Daemon {
            forwarder,
            io: Io::new(Poller::new()?, attempts_to, queues, log),
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
            acceptance: Acceptance::new(),
        };
        daemon.listen(config)?;
        for face in &config.face {
            daemon.make(face)?;
        }
        daemon.io.tell(&Event::Started {
            version: env!("CARGO_PKG_VERSION"),
            listening: daemon.forwarder.channels(),
        });
        Ok((daemon, Stopper(stopper)))
    }

    fn listen(&mut self, config: &Config) -> Result<(), DaemonError> {
        let failed = |at: &dyn std::fmt::Display| {
            let at = at.to_string();
            move |source| DaemonError::Listen { at, source }
        };
        let mut channels = Vec::new();
        for address in &config.listen.udp {
            let only_v6 = bound::leaves_v4(*address, &config.listen.udp);
            let channel = UdpChannel::bind(*address, only_v6, self.udp_options)
                .map_err(failed(&format!("UDP {address}")))?;
            channels.push(FaceUri::Udp(channel.local()).to_string());
            self.io.add_udp(channel)?;
        }
        self.readers.listening = self.io.udp.len();
        self.readers.mtu = config.listen.mtu.map(usize::from);
        for address in &config.listen.tcp {
            let at = format!("TCP {address}");
            let listener = bound::tcp(*address, bound::leaves_v4(*address, &config.listen.tcp))
                .map_err(failed(&at))?;
            channels.push(FaceUri::Tcp(listener.local_addr()?).to_string());
            self.io.poller.watch(&listener, Key::Tcp(self.tcp.len() as u32))?;
            self.tcp.push(listener);
        }
        if let Some(path) = &config.listen.unix {
            let socket = UnixSocket::bind(path)?;
            channels.push(FaceUri::Unix(path.clone()).to_string());
            self.io.poller.watch(socket.listener(), Key::Unix)?;
            self.unix = Some(socket);
        }
        self.io.poller.watch(&self.woken, Key::Opened)?;
        self.io.poller.watch(&self.stop, Key::Stop)?;
        if let Some(inbox) = self.inboxes.first() {
            self.io.poller.watch(inbox, Key::Inbox)?;
        }
        self.forwarder.set_channels(channels);
        Ok(())
    }

    /// Makes a face of the configuration and its routes.
    fn make(&mut self, entry: &FaceEntry) -> Result<(), DaemonError> {
        let remote = &entry.remote.0;
        let failed = |problem: String| DaemonError::Face {
            remote: format!("{}:{}", remote.host, remote.port),
            problem,
        };
        let found = find(remote).map_err(failed)?;
        let gross = entry.link_rate.is_some();
        let device = || device::rate_towards(found.peer().ip());
        let written = entry.link_rate.or(entry.rate);
        let rates = written.and_then(|rates| rates.of_link(device, gross));
        if written.is_some() && rates.is_none() {
            self.io.tell(&Event::RateUnknown { remote: &found.peer().to_string() });
        }
        let persistency =
            if entry.permanent { FacePersistency::Permanent } else { FacePersistency::Persistent };
        let wanted = FaceRequest {
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
            let prefix =
                route.parse().map_err(|error| failed(format!("the route \"{route}\": {error}")))?;
            self.forwarder.add_route(&prefix, face, entry.cost);
        }
        Ok(())
    }

    /// Local addresses of the listening UDP sockets.
    pub fn udp_addresses(&self) -> Vec<SocketAddr> {
        self.io
            .udp
            .iter()
            .take(self.readers.listening)
            .flatten()
            .map(|channel| channel.local())
            .collect()
    }

    /// Forwards until the daemon is stopped.
    ///
    /// # Errors
    /// The kernel refuses to wait for sockets.
    pub fn run(self) -> Result<(), DaemonError> {
        self.run_watched(&mut ())
    }

    /// Forwards until the daemon is stopped, and calls `watcher` each time the daemon wakes.
    ///
    /// # Errors
    /// The kernel refuses to wait for sockets.
    pub fn run_watched(mut self, watcher: &mut impl Watcher) -> Result<(), DaemonError> {
        let (mut threads, mut ended) = (Vec::new(), Ok(()));
        for (number, other) in (1..).zip(self.others.drain(..)) {
            match std::thread::Builder::new()
                .name(format!("forward {number}"))
                .spawn(move || other.run())
            {
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
            results.push(
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                    .map_err(DaemonError::Io),
            );
        }
        results.into_iter().collect()
    }

    /// Forwards on this thread.
    fn forward(&mut self, watcher: &mut impl Watcher) -> Result<(), DaemonError> {
        let inboxes = self.inboxes.clone();
        let (mut ready, mut handovers) = (Vec::new(), Vec::new());
        loop {
            let now = self.now();
            let due = self.forwarder.due().min(watcher.due()).min(self.acceptance.due());
            let due = if inboxes.first().is_some_and(Inbox::sleep) { now } else { due };
            self.io.poller.wait(
                if due <= now { Span::ZERO } else { due.since(now).min(wait::LONGEST) },
                &mut ready,
            )?;
            let now = self.now();
            if let Some(inbox) = inboxes.first() {
                inbox.awake(ready.iter().any(|(key, ..)| *key == Key::Inbox));
                if inbox.is_stopped() {
                    // Another thread has ended. Its result contains the reason.
                    return Ok(());
                }
            }
            watcher.woken(now, &self.forwarder);
            self.accept_again(now);
            // Laws tick before packets of the same moment are counted.
            if self.forwarder.due() <= now {
                self.forwarder.poll(now, &mut self.io);
            }
            if let Some(inbox) = inboxes.first() {
                let is_there =
                    |note: &FaceNotice| self.forwarder.number_of(note.slot) == Some(note.id);
                self.io.ended.extend(
                    inbox.notes().iter().filter(|note| is_there(note)).map(|note| note.slot),
                );
                inbox.take(&mut handovers);
                handovers
                    .drain(..)
                    .for_each(|handover| self.forwarder.take(now, handover, &mut self.io));
            }
            for (key, readable, writable) in ready.drain(..) {
                // A removed face may have given its slot to a new face.
                self.forget_closed();
                match key {
                    Key::Udp(number) => {
                        if writable {
                            self.io.udp_writable(number as usize);
                        }
                        if readable {
                            self.readers.read_udp(
                                now,
                                number as usize,
                                &mut self.forwarder,
                                &mut self.io,
                            );
                        }
                    }
                    Key::Stream(face) => {
                        if writable {
                            self.io.writable(FaceId(face));
                        }
                        if readable {
                            self.readers.read_stream(
                                now,
                                FaceId(face),
                                &mut self.forwarder,
                                &mut self.io,
                            );
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

    fn now(&self) -> Time {
        wait::time_since(self.zero)
    }

    /// The forwarder.
    pub fn forwarder(&self) -> &Forwarder {
        &self.forwarder
    }

    /// Origin of the daemon's clock, in nanoseconds of the monotonic clock.
    pub fn zero(&self) -> u64 {
        self.zero
    }
}
