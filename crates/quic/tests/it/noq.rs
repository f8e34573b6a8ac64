//! Controllers by noq's own traits.

use narrows_quic::Factory;
use noq_proto::TransportConfig;
use noq_proto::congestion::{Controller, ControllerFactory};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn controller(name: &str) -> (Box<dyn Controller>, Instant) {
    let now = Instant::now();
    (Arc::new(Factory::new(name).unwrap().seed(1)).build(now, 1200), now)
}

/// A path to which the connection migrates begins anew.
#[test]
fn another_path_begins_with_the_initial_window() {
    let (mut cubic, now) = controller("cubic");
    cubic.on_packet_sent(now, 1200, 0);
    let later = now + Duration::from_millis(30);
    cubic.on_packet_lost(1200, 0, later);
    cubic.on_congestion_event(later, now, true, false, 1200, 0);
    assert_eq!(cubic.window(), 2_400);
    assert_eq!(cubic.clone_box().window(), 12_000);
}

#[test]
fn a_controller_that_needs_every_acknowledgement_asks_for_them() {
    let asks = |name: &str| {
        let mut config = TransportConfig::default();
        narrows_quic::prepare(&mut config, Factory::new(name).unwrap());
        !format!("{config:?}").contains("ack_frequency_config: None")
    };
    assert!(asks("vivace") && !asks("cubic"));
}
