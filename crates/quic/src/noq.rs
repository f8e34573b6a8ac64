//! Controllers in noq.

use crate::accepted::{Refused, Stack};
use crate::driver::Driver;
use crate::recipe::Recipe;
use narrows_control::Congestion;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use noq_proto::{AckFrequencyConfig, RttEstimator, TransportConfig, VarInt};
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// Makes controllers for connections of noq.
#[derive(Debug)]
pub struct Factory(Recipe);

impl Factory {
    /// Makes controllers of this name, with parameters as in `copa?delta=0.5`. They draw from seeds
    /// that differ in each process; see [`seed`](Factory::seed).
    ///
    /// # Errors
    ///
    /// There is no such controller, or noq does not give the signals that it needs.
    pub fn new(controller: &str) -> Result<Factory, Refused> {
        Recipe::new(controller, Stack::Noq).map(Factory)
    }

    /// The same controllers, with draws that repeat: the first connection draws from `seed`, each
    /// other one from the number after it.
    #[must_use]
    pub fn seed(self, seed: u64) -> Factory {
        Factory(self.0.seed(seed))
    }

    /// True if the controllers want each packet acknowledged by itself, as [`prepare`] asks for.
    pub fn wants_every_ack(&self) -> bool {
        self.0.wants_every_ack()
    }
}

/// Lets connections have controllers of `factory`, and acknowledgements as these want them: for
/// PCC of user space and SCReAM, of each packet, by the ACK frequency extension of QUIC. A peer
/// without the extension acknowledges every second packet, which misleads these controllers.
pub fn prepare(config: &mut TransportConfig, factory: Factory) {
    if factory.wants_every_ack() {
        let mut acks = AckFrequencyConfig::default();
        acks.ack_eliciting_threshold(VarInt::from_u32(0));
        config.ack_frequency_config(Some(acks));
    }
    config.congestion_controller_factory(Arc::new(factory));
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        let driver = Driver::new(&self.0, now, mtu);
        Box::new(Adapted { driver, factory: self, now, mtu })
    }
}

/// A controller of Narrows as one of noq.
#[derive(Debug)]
struct Adapted {
    driver: Driver,
    factory: Arc<Factory>,
    /// The latest time told.
    now: Instant,
    mtu: u16,
}

impl Controller for Adapted {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, packet: u64) {
        self.now = now;
        self.driver.on_sent(now, packet, bytes.into());
    }

    fn on_cwnd_limited(&mut self) {
        self.driver.on_window_limited();
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        _: u64,
        packet: u64,
        app_limited: bool,
        _: &RttEstimator,
    ) {
        self.driver.on_ack(now, sent, Some(packet), app_limited);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, _: bool, _: Option<u64>) {
        self.now = now;
        self.driver.on_end_acks(now, in_flight);
    }

    fn on_packet_lost(&mut self, _: u16, packet: u64, _: Instant) {
        self.driver.on_lost(packet);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        persistent: bool,
        ecn: bool,
        _: u64,
        _: u64,
    ) {
        let reason = if ecn { Congestion::Mark } else { Congestion::Loss };
        self.driver.on_congestion(now, sent, persistent, reason);
    }

    fn on_spurious_congestion_event(&mut self) {
        self.driver.on_spurious();
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.driver.set_mtu(mtu);
    }

    fn window(&self) -> u64 {
        self.driver.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.driver.window();
        metrics.pacing_rate = self.driver.pacing();
        metrics.send_quantum = metrics.pacing_rate.map(|_| self.driver.quantum());
        metrics
    }

    /// A controller for a path to which the connection migrates. It is a new one: nothing is known
    /// of that path (RFC 9000 section 9.4).
    fn clone_box(&self) -> Box<dyn Controller> {
        Arc::clone(&self.factory).build(self.now, self.mtu)
    }

    fn initial_window(&self) -> u64 {
        self.driver.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
