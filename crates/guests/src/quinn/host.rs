//! One end of a connection of quinn.

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
use quinn_proto::congestion::ControllerFactory;
use quinn_proto::{
    Connection, ConnectionError, ConnectionHandle, DatagramEvent, EcnCodepoint, Endpoint, Event,
    StreamEvent, TransportConfig,
};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

/// Datagrams that leave in one batch: what quinn's own driver gives to segmentation offload.
const BATCH: usize = 10;

/// An endpoint with at most one connection.
pub(super) struct QuinnHost {
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

impl QuinnHost {
    pub(super) fn new(
        end: End,
        settings: &Settings,
        factory: Arc<dyn ControllerFactory + Send + Sync>,
        watch: Option<Arc<Watch>>,
    ) -> QuinnHost {
        let seeds = Seeds::new(settings.seed, end);
        let transport = config::transport(settings, factory);
        QuinnHost {
            end,
            seeds,
            transport,
            endpoint: Endpoint::new(config::endpoint(seeds), None, true, Some(seeds.endpoint())),
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
                        self.lost = Some(format!("quinn lost the connection: {reason:?}"));
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
    /// has something to send, and once more for its pacer if the window allows it.
    fn why_held(&self) -> Held {
        match &self.watch {
            Some(watch) if self.connected && self.lost.is_none() && !self.idle => {
                match watch.asked() {
                    0 => Held::Application,
                    1 => Held::Window,
                    _ => Held::Pacer,
                }
            }
            _ => Held::Closed,
        }
    }
}

/// Frames that a connection has sent in packets that a probe may be.
fn eliciting_frames(connection: &Connection) -> u64 {
    let frames = connection.stats().frame_tx;
    frames.stream + frames.crypto + frames.ping + u64::from(frames.handshake_done)
}

impl Host for QuinnHost {
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
        let content = BytesMut::from(&content[..]);
        let event =
            self.endpoint.handle(now, peer(self.end), None, marked(ecn), content, &mut self.buffer);
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
                        self.lost =
                            Some(format!("quinn refused the connection: {:?}", error.cause));
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
        // Frames sent before a timer that may be of a probe timeout. The pacer's timer is not.
        let mut timed = None;
        if let Some((_, connection)) = &mut self.connection
            && connection.poll_timeout().is_some_and(|due| due <= now)
        {
            let watched = self.watch.is_some() && self.held != Held::Pacer;
            timed = watched.then(|| eliciting_frames(connection));
            connection.handle_timeout(now);
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
            if let (Some(watch), Some(before)) = (&self.watch, timed.take()) {
                // A datagram needs two questions, unless it is a probe of loss or of the MTU.
                let datagrams = transmit.size.div_ceil(segment) as u64;
                let free = watch.asked() < 2 * datagrams;
                let of_mtu = segment > usize::from(connection.current_mtu());
                if free && !of_mtu && eliciting_frames(connection) > before {
                    watch.probe();
                }
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
        let controller = connection.congestion_state();
        State {
            window: controller.window(),
            ssthresh: controller.metrics().ssthresh,
            // Computed for qlog, and obeyed by nobody: the pacer knows the window alone.
            pacing: None,
            mtu: connection.current_mtu().into(),
        }
    }

    fn lost_packets(&self) -> Option<u64> {
        self.connection.as_ref().map(|(_, connection)| connection.stats().path.lost_packets)
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
