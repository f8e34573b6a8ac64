//! Pings over paths and traces of paths, through four daemons with two paths from the first to the
//! last.

use super::bench::name;
use super::daemon::Running;
use narrows_forward::{Consumer, FoundPath, PathPingOutcome, Place, Producer};
use narrows_units::{Rate, Span};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const PATIENCE: Span = Span::from_secs(10);

fn face(to: &Running, rate: &str) -> String {
    format!(
        "[[face]]\nremote = \"udp4://{}\"\nroutes = [\"/p\"]\nrate = \"{rate}\"\nmircc = \"on\"\n",
        to.udp()
    )
}

#[test]
fn paths_are_found_pinged_and_traced_hop_by_hop() {
    let last = Running::start("paths-last", "");
    let upper = Running::start("paths-upper", &face(&last, "20 Mbit/s"));
    let lower = Running::start("paths-lower", &face(&last, "5 Mbit/s"));
    let first =
        Running::start("paths-first", &(face(&upper, "50 Mbit/s") + &face(&lower, "50 Mbit/s")));
    let mut producer = Producer::connect(&Place::Unix(last.socket())).expect("a forwarder");
    producer.answer_pings(&name("/p")).expect("registered");
    let going = Arc::new(AtomicBool::new(true));
    let seen = going.clone();
    let serving = std::thread::spawn(move || {
        producer.run(&mut || seen.load(Ordering::Relaxed)).expect("connected")
    });

    let mut consumer = Consumer::connect(&Place::Unix(first.socket())).expect("a forwarder");
    let mut paths = consumer.find_paths(&name("/p"), 1, 64, PATIENCE).expect("connected");
    let primary = |path: &FoundPath| path.rates.expect("links tell rates").0;
    paths.sort_by_key(primary);
    let rates: Vec<Rate> = paths.iter().map(primary).collect();
    assert_eq!(paths.len(), 2, "{paths:?}");
    assert!(
        rates[0] <= Rate::from_mbps(5)
            && rates[1] > Rate::from_mbps(5)
            && rates[1] <= Rate::from_mbps(20),
        "{rates:?}"
    );
    assert!(
        paths[0].limit.is_some() && paths[0].limit != paths[1].limit,
        "the links beyond the neighbours limit them: {paths:?}"
    );
    assert!(paths.iter().all(|path| path.labels.hops() == 2), "{paths:?}");
    let mut number = 1000;
    for path in &paths {
        for _ in 0..8 {
            number += 1;
            let pong =
                consumer.ping_path(&name("/p"), number, Some(path), PATIENCE).expect("connected");
            assert!(
                matches!(&pong, PathPingOutcome::Answered(_, by) if by.id == path.id),
                "{pong:?}"
            );
        }
        // Hops: this host's forwarder, the neighbour, whose Nack has crossed the link of 50 Mbit/s,
        // and the producer.
        let hops: Vec<PathPingOutcome> = (1..=3)
            .map(|hop| {
                number += 1;
                consumer.trace(&name("/p"), number, path, hop, PATIENCE).expect("connected")
            })
            .collect();
        assert!(matches!(hops[0], PathPingOutcome::Refused(_, None)), "{hops:?}");
        let up_to_50 =
            |rates: &(Rate, Rate)| rates.0 > Rate::from_mbps(20) && rates.0 <= Rate::from_mbps(50);
        assert!(
            matches!(&hops[1], PathPingOutcome::Refused(_, Some(rates)) if up_to_50(rates)),
            "{hops:?}"
        );
        assert!(
            matches!(&hops[2], PathPingOutcome::Answered(_, by) if by.id == path.id),
            "{hops:?}"
        );
    }
    going.store(false, Ordering::Relaxed);
    serving.join().expect("a producer");
}
