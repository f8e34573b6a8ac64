//! Requests on new connections: the client opens a connection for each.

use crate::common::{one_link, run};
use narrows_measure::{Record, Transfer};
use narrows_units::{Bytes, Span, Time};

const LINK: &str = "rate = \"8 Mbit/s\"\ndelay = \"10 ms\"";

fn us(us: u64) -> Span {
    Span::from_micros(us)
}

fn list(record: &Record) -> &[Transfer] {
    &record.flows[0].transfers.as_ref().expect("transfers").list
}

fn asked(seconds: u32, link: &str, workload: &str) -> Record {
    let text = one_link("newreno", seconds, 0, link, &format!("workload = {{ {workload} }}"));
    run(&format!("send_overhead = false\n{text}"))
}

/// At 1 byte per microsecond and 10 ms: SYN and answer of 60 B, 52 B that acknowledge it, and right
/// behind them the request of 352 B. Then 1500, 1500 and 52 + 104 B of the response.
#[test]
fn a_response_takes_the_handshake_the_request_and_its_own_way() {
    let record = asked(3, LINK, "response = \"3000 B\", think = \"500 ms\", connections = \"new\"");
    let (took, think) = (us(20_120 + 52 + 10_352 + 13_156), us(500_000));
    assert_eq!(list(&record).len(), 6);
    for (number, own) in (0_u64..).zip(list(&record)) {
        assert_eq!(own.start, Time::ZERO + (took + think) * number);
        // The acknowledgement could be lost, and so is not part of the ideal.
        assert_eq!((own.took, own.ideal), (took, took - us(52)));
        assert_eq!(own.size, Bytes::new(3000));
    }
    let total = &record.flows[0].total;
    assert_eq!((total.goodput, total.syns, total.dropped_handshakes), (Bytes::new(18_000), 6, 0));
    // SYN, acknowledgement of its answer, request, two acknowledgements or more of the response.
    assert!(record.links[1].total.offered >= 5 * 6, "{:?}", record.links[1].total);
}

/// At 10 bytes per microsecond and 50 ms, a response of 20 segments of 150 us takes two rounds:
/// the first acknowledgement of the initial window of 10 arrives 100.1552 ms after the first
/// segment, and each of the first five acknowledgements lets two more segments out, so that the
/// link is busy until all have left. A connection that stays open has a wider window by then.
#[test]
fn each_response_starts_slowly_on_a_new_connection() {
    let link = "rate = \"80 Mbit/s\"\ndelay = \"50 ms\"";
    let response = "response = \"28960 B\", think = \"200 ms\"";
    let anew = asked(4, link, &format!("{response}, connections = \"new\""));
    let nanos = 100_012_000 + 5_200 + 50_035_200 + 100_155_200 + 1_500_000 + 50_000_000;
    assert_eq!(list(&anew).len(), 8);
    assert!(list(&anew).iter().all(|own| own.took == Span::from_nanos(nanos)), "{anew:?}");
    let kept = asked(4, link, response);
    let handshake = Span::from_nanos(100_012_000 + 5_200);
    assert_eq!(list(&kept)[0].took, Span::from_nanos(nanos) - handshake);
    // Request, 20 segments, and propagation.
    assert_eq!(list(&kept)[1].took, Span::from_nanos(50_035_200 + 3_000_000 + 50_000_000));
}

#[test]
fn without_handshakes_a_new_connection_differs_in_its_window_only() {
    let text = one_link(
        "newreno",
        3,
        0,
        LINK,
        "workload = { response = \"3000 B\", think = \"500 ms\", connections = \"new\" }",
    );
    let record = run(&format!("send_overhead = false\n{text}transport = {{ handshake = false }}"));
    assert!(list(&record).len() > 5);
    assert!(list(&record).iter().all(|own| own.took == us(10_352 + 13_156)), "{record:?}");
    assert_eq!(record.flows[0].total.syns, 0);
}

/// Sent 30.524 ms after the start, lost, and sent again after a timeout that needs a measured round
/// trip: the initial timeout would be 1 s.
#[test]
fn a_server_that_accepts_a_connection_knows_its_round_trip() {
    let text = one_link(
        "newreno",
        3,
        0,
        LINK,
        "workload = { response = \"1000 B\", think = \"10 s\", connections = \"new\" }",
    );
    let change = |at: u64, loss: u64| {
        format!("[[change]]\nat = \"{at} ms\"\nlink = \"bottleneck\"\nloss = \"{loss} %\"\n")
    };
    let record =
        run(&format!("send_overhead = false\n{text}{}{}", change(25, 100), change(100, 0)));
    let [own] = list(&record) else { panic!("{record:?}") };
    assert!(own.took > us(200_000) && own.took < us(600_000), "{own:?}");
    assert_eq!(record.links[0].total.lost, 1);
}

/// A request that left before the stop gets its response, and no request follows.
#[test]
fn a_request_that_left_before_the_stop_is_answered() {
    let text = one_link(
        "newreno",
        3,
        0,
        LINK,
        "stop = \"5 ms\"\nworkload = { response = \"3000 B\", connections = \"new\" }",
    );
    let record = run(&format!("send_overhead = false\n{text}"));
    let [own] = list(&record) else { panic!("{record:?}") };
    assert_eq!(own.took, us(20_120 + 52 + 10_352 + 13_156));
    assert_eq!(record.flows[0].end, Some(Time::ZERO + us(5_000)));
}

/// Any packet may be lost: SYNs, answers, requests of three packets, data, acknowledgements. Each
/// response comes, none sooner than alone, and the next request waits for it.
#[test]
fn each_request_is_answered_whatever_is_lost() {
    for (seed, back) in [(1, "10 %"), (2, "10 %"), (3, "30 %")] {
        let text = format!(
            "seed = {seed}\nduration = \"200 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\n{LINK}\nloss = \"5 %\"\n\
             [link.back]\nloss = \"{back}\"\n[[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n\
             workload = {{ request = \"4 kB\", response = \"20 kB\", think = \"30 ms\", connections = \"new\" }}\n"
        );
        let record = run(&text);
        let all = list(&record);
        assert!(all.len() > 40, "{}", all.len());
        assert!(all.iter().all(|own| own.slowdown() >= 1.0));
        for pair in all.windows(2) {
            assert_eq!(pair[1].start, pair[0].start + pair[0].took + us(30_000));
        }
        let total = &record.flows[0].total;
        assert!(total.syns > all.len() as u64 && total.dropped_handshakes > 0, "{total:?}");
        // A second run draws the same losses.
        assert_eq!(list(&run(&text)), all);
        // No connection is left over but the one at work.
        let most = record.flows[0].samples.iter().map(|sample| sample.connections).max();
        assert!(most.is_some_and(|most| (1..=3).contains(&most)), "{most:?}");
    }
}
