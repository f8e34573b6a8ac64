//! Controllers in quinn: those that decide a window alone.

use crate::accepted::{Refused, Stack};
use crate::driver::Driver;
use crate::recipe::Recipe;
use narrows_control::Congestion;
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory};
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// Makes controllers for connections of quinn.
#[derive(Debug)]
pub struct Factory(Recipe);

impl Factory {
    /// Makes controllers of this name, with parameters as in `cubic?profile=rfc9438`. They draw from
    /// seeds that differ in each process; see [`seed`](Factory::seed).
    ///
    /// # Errors
    ///
    /// There is no such controller, or quinn does not give the signals that it needs.
    pub fn new(controller: &str) -> Result<Factory, Refused> {
        Recipe::new(controller, Stack::Quinn).map(Factory)
    }

    /// The same controllers, with draws that repeat: the first connection draws from `seed`, each
    /// other one from the number after it.
    #[must_use]
    pub fn seed(self, seed: u64) -> Factory {
        Factory(self.0.seed(seed))
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        let driver = Driver::new(&self.0, now, mtu);
        Box::new(Adapted { driver, factory: self, now, mtu, sent: 0 })
    }
}

/// A controller of Narrows as one of quinn.
struct Adapted {
    driver: Driver,
    factory: Arc<Factory>,
    /// The latest time told.
    now: Instant,
    mtu: u16,
    /// Packets sent: quinn tells no numbers.
    sent: u64,
}

impl Controller for Adapted {
    fn on_sent(&mut self, now: Instant, bytes: u64, _: u64) {
        self.now = now;
        let full = u64::from(self.mtu.max(1));
        for begin in (0..bytes).step_by(full as usize) {
            self.driver.on_sent(now, self.sent, full.min(bytes - begin));
            self.sent += 1;
        }
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, _: u64, app_limited: bool, _: &RttEstimator) {
        self.driver.on_ack(now, sent, None, app_limited);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, _: bool, _: Option<u64>) {
        self.now = now;
        self.driver.on_end_acks(now, in_flight);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, lost: u64) {
        self.driver.on_lost_bytes(sent, lost);
        // A mark has no bytes.
        let reason = if lost == 0 { Congestion::Mark } else { Congestion::Loss };
        self.driver.on_congestion(now, sent, persistent, reason);
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.driver.set_mtu(mtu);
    }

    fn window(&self) -> u64 {
        self.driver.window()
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
