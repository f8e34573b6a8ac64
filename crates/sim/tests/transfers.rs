//! Transfers: when they are complete, and how long they would take alone.

mod common;

use common::{one_link, run};
use narrows_units::{Bytes, Span, Time};

const LINK: &str = "rate = \"8 Mbit/s\"\ndelay = \"10 ms\"";

#[test]
fn a_file_is_one_transfer_and_its_times_are_those_of_its_packets() {
    // Three segments of the initial window, back to back: 1500, 1500 and 52 + 104 bytes at 1 byte per microsecond.
    let text = one_link("newreno", 1, 0, LINK, "workload = { size = \"3000 B\" }\nstart = \"100 ms\"");
    let record = run(&format!("send_overhead = false\n{text}"));
    let transfers = record.flows[0].transfers.as_ref().unwrap();
    assert_eq!((transfers.begun, transfers.completed(), transfers.list.len()), (1, 1, 1));
    let done = transfers.list[0];
    assert_eq!((done.start, done.size), (Time::ZERO + Span::from_millis(100), Bytes::new(3000)));
    assert_eq!((done.took, done.ideal), (Span::from_micros(13_156), Span::from_micros(13_156)));
}

#[test]
fn transfers_of_the_warm_up_are_listed_and_not_counted() {
    let record = run(&one_link("cubic", 2, 1, LINK, "workload = { size = \"30 kB\" }\ncount = 2\nstagger = \"1 s\""));
    let of = |flow: usize| record.flows[flow].transfers.as_ref().unwrap();
    assert_eq!((of(0).begun, of(0).completed(), of(0).list.len()), (0, 0, 1));
    assert_eq!((of(1).begun, of(1).completed(), of(1).list.len()), (1, 1, 1));
}

#[test]
fn nothing_is_faster_than_alone() {
    let link = "rate = \"20 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"20 packets\"\nloss = \"1 %\"";
    let record = run(&one_link("cubic", 20, 0, link, "workload = { size = \"200 kB\" }\ncount = 40\nstagger = \"200 ms\""));
    let all: Vec<_> = record.flows.iter().flat_map(|flow| &flow.transfers.as_ref().unwrap().list).collect();
    assert_eq!(all.len(), 40);
    assert!(all.iter().all(|transfer| transfer.slowdown() >= 1.0));
}
