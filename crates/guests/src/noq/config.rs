//! Configurations of noq: its defaults, but for chance, time, and the settings that scenarios
//! choose.

use super::crypto::Null;
use crate::seeds::{ID_LENGTH, Ids, Seeds};
use crate::settings::Settings;
use noq_proto::congestion::ControllerFactory;
use noq_proto::{
    AckFrequencyConfig, ClientConfig, ConnectionId, ConnectionIdGenerator, EndpointConfig,
    NoneTokenStore, ServerConfig, TimeSource, TransportConfig, ValidationTokenConfig, VarInt,
};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
#[cfg(feature = "qlog")]
use {
    narrows_units::Time,
    noq_proto::{QlogConfig, QlogFactory, Side},
    std::io::Write,
    std::net::SocketAddr,
    std::sync::Mutex,
    std::time::Instant,
};

pub(super) fn endpoint(seeds: Seeds) -> Arc<EndpointConfig> {
    let mut config = EndpointConfig::new(Arc::new(Null));
    config.cid_generator(Arc::new(move || Box::new(IdGenerator(seeds.ids()))));
    config.rng_seed(Some(seeds.endpoint()));
    Arc::new(config)
}

pub(super) fn client(seeds: Seeds, transport: Arc<TransportConfig>) -> ClientConfig {
    let mut config = ClientConfig::new(Arc::new(Null));
    let id = ConnectionId::new(&seeds.first_id());
    config.initial_dst_cid_provider(Arc::new(move || id));
    config.token_store(Arc::new(NoneTokenStore));
    config.transport_config(transport);
    config
}

pub(super) fn server(transport: Arc<TransportConfig>) -> Arc<ServerConfig> {
    let mut config = ServerConfig::new(Arc::new(Null), Arc::new(Null));
    let mut tokens = ValidationTokenConfig::default();
    tokens.sent(0);
    config.validation_token_config(tokens);
    config.time_source(Arc::new(NoTime));
    config.transport_config(transport);
    Arc::new(config)
}

pub(super) fn transport(
    settings: &Settings,
    factory: Arc<dyn ControllerFactory + Send + Sync>,
) -> Arc<TransportConfig> {
    let mut config = TransportConfig::default();
    config.congestion_controller_factory(factory);
    config.stream_receive_window(VarInt::from_u64(settings.receive_window).unwrap_or(VarInt::MAX));
    config.send_window(settings.send_window);
    if let Some(mtu) = settings.mtu {
        config.initial_mtu(mtu);
        config.mtu_discovery_config(None);
    }
    if let Some(threshold) = settings.ack_threshold {
        let mut acks = AckFrequencyConfig::default();
        acks.ack_eliciting_threshold(VarInt::from_u32(threshold));
        config.ack_frequency_config(Some(acks));
    }
    Arc::new(config)
}

/// Writes noq's own qlog of the connection to `out`. Times count from virtual time 0.
#[cfg(feature = "qlog")]
pub(super) fn log(transport: &mut TransportConfig, out: Box<dyn Write + Send + Sync>) {
    transport.qlog_factory(Arc::new(OneLog(Mutex::new(Some(out)))));
}

/// Gives the first connection the log.
#[cfg(feature = "qlog")]
struct OneLog(Mutex<Option<Box<dyn Write + Send + Sync>>>);

#[cfg(feature = "qlog")]
impl QlogFactory for OneLog {
    fn for_connection(
        &self,
        _: Side,
        _: SocketAddr,
        _: ConnectionId,
        _: Instant,
    ) -> Option<QlogConfig> {
        let out = self.0.lock().ok()?.take()?;
        let mut config = QlogConfig::new(out);
        config.start_time(crate::clock::instant(Time::ZERO));
        Some(config)
    }
}

struct IdGenerator(Ids);

impl ConnectionIdGenerator for IdGenerator {
    fn generate_cid(&mut self) -> ConnectionId {
        ConnectionId::new(&self.0.next())
    }
    fn cid_len(&self) -> usize {
        ID_LENGTH
    }
    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// The time of tokens, which nobody gets.
struct NoTime;

impl TimeSource for NoTime {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }
}
