//! A controller that fails at a chosen event, for tests of what runs do then: those of the command
//! line include this file, too.

use narrows_control::{
    Basis, Build, Built, Controller, Decision, Entry, Fault, Feedback, Open, Role, Sent, Tag,
    Timeout,
};
use narrows_params::Param;
use narrows_units::{Bytes, Time};
use narrows_wire::Ecn;

/// A window of ten segments, until a fault at an event.
struct Faulty {
    at: Event,
    left: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum Event {
    Open,
    Sent,
    Feedback,
    Timeout,
    Close,
}

const AT: Param<Event> = Param::choice(
    "at",
    "feedback",
    &[
        ("open", Event::Open),
        ("sent", Event::Sent),
        ("feedback", Event::Feedback),
        ("timeout", Event::Timeout),
        ("close", Event::Close),
    ],
    "the event at which it fails",
);
const NUMBER: Param<u32> = Param::whole("number", 1, (1, 1000), "", "which of these events");

/// Its line in the registry: `faulty`, at its first acknowledgement if nothing else is chosen.
pub static ENTRY: Entry = Entry {
    name: "faulty",
    kernel: None,
    summary: "fails",
    source: "this file",
    basis: Basis::Loss,
    needs: &[],
    numbered: false,
    params: &[AT.spec, NUMBER.spec],
    build: Build::Function(|_, params| {
        Ok(Built::new(Faulty { at: params.get(&AT), left: params.get(&NUMBER) }))
    }),
};

impl Faulty {
    fn note(&mut self, event: Event) {
        assert!(
            self.left > 0 || event != Event::Sent,
            "a controller with a fault sends nothing more"
        );
        self.left = self.left.saturating_sub(u32::from(self.at == event));
    }
}

impl Controller for Faulty {
    fn on_open(&mut self, open: &Open) {
        assert_eq!(
            (open.role, open.ecn),
            (Role::Active, false),
            "the sender asks for the connection"
        );
        self.note(Event::Open);
    }

    fn on_close(&mut self, _: Time) {
        self.note(Event::Close);
    }

    fn on_sent(&mut self, _: &Sent) -> Tag {
        self.note(Event::Sent);
        Tag::default()
    }

    fn on_feedback(&mut self, _: &Feedback<'_>) {
        self.note(Event::Feedback);
    }

    fn on_timeout(&mut self, _: &Timeout) {
        self.note(Event::Timeout);
    }

    fn on_undo(&mut self, _: Time) {}

    fn fault(&self) -> Option<Fault> {
        (self.left == 0).then(|| Fault::new("line 3: a window of 0; return at least 1"))
    }

    fn decision(&self) -> Decision {
        Decision::clocked(10.0, Bytes::new(1500), Ecn::NotEct)
    }

    fn inspect(&self, _: &mut dyn FnMut(&'static str, f64)) {}
}
