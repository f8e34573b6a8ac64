//! Connections open by packets that cross the network.

use crate::common::{flow, head, link, run};
use narrows_units::Span;

fn completions(text: &str) -> Vec<Span> {
    let record = run(text);
    let transfers = record.flows[0].transfers.as_ref().expect("transfers");
    transfers.list.iter().map(|transfer| transfer.took).collect()
}

/// When a kilobyte has arrived, in milliseconds.
fn first_kilobyte(controller: &str) -> f64 {
    let text = head(3, 1) + &link("") + &flow(controller, "workload = { size = \"1 kB\" }");
    completions(&text)[0].as_millis_f64()
}

/// A kilobyte leaves after one round trip, with the client's last flight, and arrives half a round
/// trip later.
#[test]
fn payload_of_quinn_leaves_one_round_trip_after_the_start() {
    // Three ways of 15 ms, and fractions of a millisecond for the bits.
    let took = first_kilobyte("quinn:cubic");
    assert!((45.0..46.5).contains(&took), "{took:.2} ms");
}

/// The pacer of noq 1.4.0 (pacing.rs, `rate_capacity`) lets 10 ms of the rate leave at once, and at
/// least one packet. Until the first round trip is known, it takes 333 ms for it, so the rate is
/// 45 kB/s: the second packet of the server's flight of 1.6 kB waits for 26.6 ms.
///
/// If this fails because noq is faster, change docs/how-to/quic.md too.
#[test]
fn the_pacer_of_noq_1_4_0_holds_up_the_flight_of_the_server() {
    let took = first_kilobyte("noq:cubic");
    assert!((71.6..75.0).contains(&took), "{took:.2} ms");
}

fn complete_at_5_percent_loss(seeds: u64) {
    for controller in ["noq:cubic", "quinn:cubic"] {
        for seed in 1..=seeds {
            let text = head(29, seed)
                + &link("loss = \"5 %\"")
                + &flow(controller, "workload = { size = \"20 kB\" }");
            assert_eq!(completions(&text).len(), 1, "{controller}, seed {seed}");
        }
    }
}

#[test]
fn transfers_complete_at_5_percent_loss() {
    complete_at_5_percent_loss(50);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: make long"]
    fn a_thousand_transfers_complete_at_5_percent_loss() {
        complete_at_5_percent_loss(1_000);
    }
}
