//! Code from outside that panics ends its run with place and message, and nothing else.

use crate::common::{flow, head, link, tried};
use narrows_control::{
    Basis, Build, Datagram, End, Entry, Guest, GuestCounts, GuestEnd, GuestSample,
};
use narrows_units::Time;

pub static PANICS: Entry = Entry {
    name: "test:panics",
    kernel: None,
    summary: "panics after a second",
    source: "this file",
    basis: Basis::Loss,
    needs: &[],
    numbered: false,
    params: &[],
    build: Build::Guest(|_, _| Ok(Box::new(Panics))),
};

const SECOND: Time = Time::from_nanos(1_000_000_000);

struct Panics;

impl Guest for Panics {
    fn receive(&mut self, _: Time, _: End, _: Datagram) {}
    fn due(&self, end: End) -> Time {
        if end == End::Sender { SECOND } else { Time::NEVER }
    }
    fn act(&mut self, now: Time, _: End, _: &mut dyn FnMut(Datagram)) {
        assert!(now < SECOND, "window of {} packets", -1);
    }
    fn write(&mut self, _: u64) {}
    fn message(&mut self, _: u64, _: bool) -> u64 {
        0
    }
    fn completed(&mut self) -> Option<u64> {
        None
    }
    fn ask(&mut self, _: u64) {}
    fn asked(&mut self) -> bool {
        false
    }
    fn stop(&mut self) {}
    fn delivered(&self) -> u64 {
        0
    }
    fn finished(&self) -> bool {
        false
    }
    fn counts(&self, _: Time) -> GuestCounts {
        GuestCounts::default()
    }
    fn sample(&self) -> GuestSample {
        GuestSample::default()
    }
    fn ended(&self) -> Option<GuestEnd<'_>> {
        None
    }
}

#[test]
fn a_panic_is_an_error_of_the_run() {
    let text = head(5, 1).replace("seed", "send_overhead = false\nseed")
        + &link("")
        + &flow("test:panics", "")
        + &flow("cubic", "");
    let error = tried(&text).unwrap_err().to_string();
    let line = error.split("panics.rs:").nth(1).and_then(|rest| rest.split(':').next()).unwrap();
    insta::assert_snapshot!(error.replace(line, "LINE"), @r#"flow "test:panics": test:panics cannot go on at 1 s: it panicked at crates/guests/tests/it/panics.rs:LINE: window of -1 packets"#);
}
