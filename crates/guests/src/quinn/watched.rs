//! A controller of quinn with counts beside it. It changes no call and no answer.

use crate::watch::Watch;
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// Makes watched controllers.
pub(super) struct WatchedFactory {
    pub(super) inner: Arc<dyn ControllerFactory + Send + Sync>,
    pub(super) watch: Arc<Watch>,
}

impl ControllerFactory for WatchedFactory {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        let inner = Arc::clone(&self.inner).build(now, mtu);
        Box::new(Watched { inner, watch: Arc::clone(&self.watch), recovery: None })
    }
}

struct Watched {
    inner: Box<dyn Controller>,
    watch: Arc<Watch>,
    /// When the latest recovery began.
    recovery: Option<Instant>,
}

impl Controller for Watched {
    fn on_sent(&mut self, now: Instant, bytes: u64, last: u64) {
        self.watch.sent(bytes);
        self.inner.on_sent(now, bytes, last);
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        largest: Option<u64>,
    ) {
        self.watch.acknowledged(in_flight);
        self.inner.on_end_acks(now, in_flight, app_limited, largest);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        persistent: bool,
        lost_bytes: u64,
    ) {
        self.watch.congestion(&mut self.recovery, (now, sent), persistent, lost_bytes);
        self.inner.on_congestion_event(now, sent, persistent, lost_bytes);
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.inner.on_mtu_update(mtu);
    }

    fn window(&self) -> u64 {
        self.watch.ask();
        self.inner.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.inner.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        let (inner, watch) = (self.inner.clone_box(), Arc::clone(&self.watch));
        Box::new(Watched { inner, watch, recovery: self.recovery })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.inner.into_any()
    }
}
