//! One end of a connection of noq.

use super::config;
use super::streams::StackStreams;
use crate::application::Applications;
use crate::connection::{Host, State};
use crate::held::Held;
use crate::seeds::Seeds;
use crate::settings::Settings;
use crate::watch::Watch;
use bytes::BytesMut;
use narrows_control::{Datagram, End, GuestEnd, LogSink};
use narrows_wire::Ecn;
use noq_proto::congestion::ControllerFactory;
use noq_proto::{
    Connection, ConnectionError, ConnectionHandle, DatagramEvent, EcnCodepoint, Endpoint, Event,
    FourTuple, PathId, StreamEvent, TransportConfig,
};
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

/// Datagrams that leave in one batch: what noq's own driver gives to segmentation offload.
const BATCH: NonZeroUsize = NonZeroUsize::new(10).unwrap();

/// An endpoint with at most one connection.
pub(super) struct NoqHost {
    end: End,
    seeds: Seeds,
    transport: Arc<TransportConfig>,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    connected: bool,
    /// Streams acknowledged up to their end.
    acknowledged: u64,
    /// The connection has timed out.
    idle: bool,
    lost: Option<String>,
    /// Of the controller of the end that sends data.
    watch: Option<Arc<Watch>>,
    held: Held,
    buffer: Vec<u8>,
}

/// The peer of an end. Addresses mean nothing to the network: they only have to differ.
fn peer(end: End) -> SocketAddr {
    match end {
        End::Sender => (Ipv4Addr::new(10, 0, 0, 2), 443).into(),
        End::Receiver => (Ipv4Addr::new(10, 0, 0, 1), 50_000).into(),
    }
}

impl NoqHost {
    pub(super) fn new(
        end: End,
        settings: &Settings,
        factory: Arc<dyn ControllerFactory + Send + Sync>,
        watch: Option<Arc<Watch>>,
    ) -> NoqHost {
        let seeds = Seeds::new(settings.seed, end);
        let transport = config::transport(settings, factory);
        NoqHost {
            end,
            seeds,
            transport,
            endpoint: Endpoint::new(config::endpoint(seeds), None, true),
            connection: None,
            connected: false,
            acknowledged: 0,
            idle: false,
            lost: None,
            watch,
            held: Held::Closed,
            buffer: Vec::new(),
        }
    }

    /// Carries events between connection and endpoint, until neither has any.
    fn exchange_events(&mut self) {
        let Some((handle, connection)) = &mut self.connection else { return };
        loop {
            let mut any = false;
            while let Some(event) = connection.poll_endpoint_events() {
                any = true;
                if let Some(back) = self.endpoint.handle_event(*handle, event) {
                    connection.handle_event(back);
                }
            }
            while let Some(event) = connection.poll() {
                any = true;
                match event {
                    Event::Connected => self.connected = true,
                    Event::ConnectionLost { reason: ConnectionError::TimedOut } => {
                        self.idle = true;
                    }
                    Event::ConnectionLost { reason } => {
                        self.lost = Some(format!("noq lost the connection: {reason:?}"));
                    }
                    Event::Stream(StreamEvent::Finished { .. }) => self.acknowledged += 1,
                    _ => {}
                }
            }
            if !any {
                return;
            }
        }
    }

    fn use_streams(&mut self, applications: &mut Applications) {
        if let Some((_, connection)) = &mut self.connection {
            applications.act(self.end, self.connected, &mut StackStreams(connection));
        }
    }

    /// The reason why the stack, offered to send, has sent nothing: it asks for the window if it
    /// has something to send, then its pacer.
    fn why_held(&self) -> Held {
        match &self.watch {
            Some(watch) if self.connected && self.lost.is_none() && !self.idle => {
                match (watch.is_limited(), watch.asked()) {
                    (true, _) => Held::Window,
                    (false, 0) => Held::Application,
                    (false, _) => Held::Pacer,
                }
            }
            _ => Held::Closed,
        }
    }

    /// Counts a probe timeout if the datagrams sent at first after a timer were allowed without
    /// regard to the window. Probes of the MTU are, too, and are larger.
    fn count_probe(watch: &Watch, segment: usize, mtu: usize) {
        if watch.has_not_asked() && segment <= mtu {
            watch.probe();
        }
    }
}

impl Host for NoqHost {
    #[cfg(feature = "qlog")]
    fn log(&mut self, out: LogSink) -> Result<(), String> {
        let transport = Arc::get_mut(&mut self.transport).ok_or("the connection is open")?;
        config::log(transport, Box::new(crate::qlog::Lines(out)));
        Ok(())
    }

    #[cfg(not(feature = "qlog"))]
    fn log(&mut self, _: LogSink) -> Result<(), String> {
        Err(crate::qlog::refused())
    }

    fn receive(&mut self, now: Instant, datagram: Datagram, answer: &mut dyn FnMut(Datagram)) {
        let Datagram { content, ecn } = datagram;
        self.buffer.clear();
        let path = FourTuple::from_remote(peer(self.end));
        let content = BytesMut::from(&content[..]);
        let event = self.endpoint.handle(now, path, marked(ecn), content, &mut self.buffer);
        match event {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                self.buffer.clear();
                match self.endpoint.accept(incoming, now, &mut self.buffer, None) {
                    Ok(connection) => self.connection = Some(connection),
                    Err(error) => {
                        self.lost = Some(format!("noq refused the connection: {:?}", error.cause));
                    }
                }
            }
            Some(DatagramEvent::Response(transmit)) => answer(Datagram {
                content: self.buffer[..transmit.size].into(),
                ecn: transmit.ecn.map_or(Ecn::NotEct, mark),
            }),
            None => {}
        }
    }

    fn listen(&mut self) {
        let server = config::server(Arc::clone(&self.transport));
        self.endpoint.set_server_config(Some(server));
    }

    fn open(&mut self, now: Instant) {
        let client = config::client(self.seeds, Arc::clone(&self.transport));
        match self.endpoint.connect(now, client, peer(self.end), "narrows") {
            Ok(connection) => self.connection = Some(connection),
            Err(error) => self.lost = Some(format!("it cannot connect: {error}")),
        }
    }

    fn act(
        &mut self,
        now: Instant,
        applications: &mut Applications,
        send: &mut dyn FnMut(Datagram),
    ) {
        let mut timed = false;
        if let Some((_, connection)) = &mut self.connection
            && connection.poll_timeout().is_some_and(|due| due <= now)
        {
            connection.handle_timeout(now);
            timed = true;
        }
        loop {
            self.exchange_events();
            self.use_streams(applications);
            let Some((_, connection)) = &mut self.connection else { return };
            self.buffer.clear();
            if let Some(watch) = &self.watch {
                watch.offer();
            }
            let Some(transmit) = connection.poll_transmit(now, BATCH, &mut self.buffer) else {
                break;
            };
            let ecn = transmit.ecn.map_or(Ecn::NotEct, mark);
            let segment = transmit.segment_size.unwrap_or(transmit.size);
            if let Some(watch) = self.watch.as_ref().filter(|_| std::mem::take(&mut timed)) {
                NoqHost::count_probe(watch, segment, connection.current_mtu().into());
            }
            for part in self.buffer[..transmit.size].chunks(segment) {
                send(Datagram { content: part.into(), ecn });
            }
        }
        self.held = self.why_held();
        self.exchange_events();
    }

    fn held(&self) -> Held {
        self.held
    }

    fn due(&mut self) -> Option<Instant> {
        self.connection.as_mut().and_then(|(_, connection)| connection.poll_timeout())
    }

    fn state(&self) -> State {
        let Some((_, connection)) = &self.connection else { return State::default() };
        let Some(controller) = connection.congestion_state(PathId::ZERO) else {
            return State::default();
        };
        let metrics = controller.metrics();
        State {
            window: controller.window(),
            ssthresh: metrics.ssthresh,
            pacing: metrics.pacing_rate,
            mtu: connection.current_mtu().into(),
        }
    }

    fn ended(&self) -> Option<GuestEnd<'_>> {
        let idle = self.idle.then_some(GuestEnd::Idle);
        self.lost.as_deref().map(GuestEnd::Failed).or(idle)
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged
    }
}

fn marked(ecn: Ecn) -> Option<EcnCodepoint> {
    match ecn {
        Ecn::NotEct => None,
        Ecn::Ect0 => Some(EcnCodepoint::Ect0),
        Ecn::Ect1 => Some(EcnCodepoint::Ect1),
        Ecn::Ce => Some(EcnCodepoint::Ce),
    }
}

fn mark(code: EcnCodepoint) -> Ecn {
    match code {
        EcnCodepoint::Ect0 => Ecn::Ect0,
        EcnCodepoint::Ect1 => Ecn::Ect1,
        EcnCodepoint::Ce => Ecn::Ce,
    }
}
