//! The network, the traffic and the changes of a run.

use super::record::{PACKET, Record};
use super::subject::Subject;
use narrows_scenario::{Draft, Keys};
use narrows_units::{Span, Time};

/// A run of one flow over one link in each direction. It becomes a scenario file.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    controller: String,
    /// Rate in wire bits per second.
    pub rate: u64,
    /// One-way delay.
    delay: Span,
    buffer: String,
    duration: Span,
    link: Keys,
    back: Keys,
    workload: Option<u32>,
    transport: Keys,
    changes: Vec<Keys>,
    pauses: Vec<(Time, Time)>,
}

/// The result of running a plan.
pub(super) struct Run {
    pub record: Record,
}

impl Plan {
    /// Returns path R: 50 Mbit/s, 40 ms, a buffer of 2 BDP (500 kB), and one bulk flow.
    pub fn r(subject: &Subject) -> Plan {
        Plan::path(subject, 50_000_000, Span::from_millis(40), "500 kB")
    }

    /// Returns a path of `rate` bit/s with a round trip of `rtt`.
    pub fn path(subject: &Subject, rate: u64, rtt: Span, buffer: &str) -> Plan {
        Plan {
            controller: subject.controller.clone(),
            rate,
            delay: rtt / 2,
            buffer: buffer.to_owned(),
            duration: Span::from_secs(5),
            link: Keys::new(),
            back: Keys::new(),
            workload: None,
            transport: Keys::new(),
            changes: Vec::new(),
            pauses: Vec::new(),
        }
    }

    /// Returns the capacity of the link in packets per second.
    pub fn capacity(&self) -> f64 {
        self.rate as f64 / (8 * PACKET) as f64
    }

    /// Returns the number of packets that fill the path without a queue.
    pub fn bdp(&self) -> f64 {
        self.capacity() * 2.0 * self.delay.as_secs_f64()
    }

    /// Returns the round trip without a queue.
    pub fn rtt(&self) -> Span {
        self.delay * 2
    }

    pub fn lasting(mut self, duration: Span) -> Plan {
        self.duration = duration;
        self
    }

    pub fn until(self, end: Time) -> Plan {
        self.lasting(end.since(Time::ZERO))
    }

    pub fn buffer(mut self, buffer: &str) -> Plan {
        buffer.clone_into(&mut self.buffer);
        self
    }

    /// Adds keys to the table of the forward link.
    pub fn link(mut self, keys: Keys) -> Plan {
        self.link = self.link.and(keys);
        self
    }

    /// Adds keys to the table of the return link.
    pub fn back(mut self, keys: Keys) -> Plan {
        self.back = self.back.and(keys);
        self
    }

    /// Adds keys to the table of the transport.
    pub fn transport(mut self, keys: Keys) -> Plan {
        self.transport = self.transport.and(keys);
        self
    }

    /// Limits the application to this rate in Mbit/s of payload.
    pub fn offered(mut self, mbit: u32) -> Plan {
        self.workload = Some(mbit);
        self
    }

    /// Pauses the application from one time to another.
    pub fn pause(mut self, from: Time, to: Time) -> Plan {
        self.pauses.push((from, to));
        self
    }

    /// From `from` to `to`, lets the application send only for `on` at the end of each `period`.
    pub fn at_times(mut self, from: Time, to: Time, on: Span, period: Span) -> Plan {
        let mut at = from;
        while at < to {
            self.pauses.push((at, (at + (period - on)).min(to)));
            at += period;
        }
        self
    }

    /// Adds a change of the forward link at `at`.
    pub fn change(self, at: Time, keys: Keys) -> Plan {
        self.change_of("link", at, keys)
    }

    /// Adds a change of the return link at `at`.
    pub fn change_back(self, at: Time, keys: Keys) -> Plan {
        self.change_of("link.back", at, keys)
    }

    fn change_of(mut self, link: &str, at: Time, keys: Keys) -> Plan {
        self.changes.push(text("link", link).text("at", nanoseconds(at)).and(keys));
        self
    }

    /// Drops a share of the packets, in percent, from `at` for the time `lasting`.
    pub fn loss(self, at: Time, lasting: Span, percent: u32) -> Plan {
        let loss = |percent| text("loss", format!("{percent} %"));
        self.change(at, loss(percent)).change(at + lasting, loss(0))
    }

    /// Returns the text of the scenario file.
    pub fn text(&self) -> String {
        let link = text("name", "link")
            .texts("between", ["sender", "receiver"])
            .text("rate", format!("{} bit/s", self.rate))
            .text("delay", format!("{} ns", self.delay.as_nanos()))
            .text("buffer", &self.buffer)
            .and(self.link.clone())
            .when(!self.back.is_empty(), |keys| keys.section("back", self.back.clone()));
        let mut flow = text("name", "flow")
            .text("from", "sender")
            .text("to", "receiver")
            .text("controller", &self.controller);
        if let Some(mbit) = self.workload {
            flow = flow.table("workload", text("rate", format!("{mbit} Mbit/s")));
        }
        let pauses = self.pauses.iter().map(|(from, to)| [*from, *to].map(nanoseconds));
        let flow = flow
            .when(!self.pauses.is_empty(), |keys| keys.pairs("pauses", pauses))
            .when(!self.transport.is_empty(), |keys| {
                keys.section("transport", self.transport.clone())
            });
        let keys = text("name", "bbr-draft")
            .text("duration", format!("{} ns", self.duration.as_nanos()))
            .flag("send_overhead", false);
        let draft = Draft::new(keys).with("link", [link]).with("flow", [flow]);
        draft.with("change", self.changes.iter().cloned()).to_string()
    }

    /// Runs the plan.
    pub fn run(&self) -> Result<Run, String> {
        let text = self.text();
        let nothing = |path: &std::path::Path| {
            Err(std::io::Error::other(format!("{} is not read", path.display())))
        };
        let scenario = narrows_scenario::parse(&text, "bbr-draft.toml", &nothing)
            .map_err(|error| error.short())?;
        let mut record = Record::default();
        narrows_sim::run_observed(
            &scenario,
            narrows_sim::Progress::heard_by(&mut |_| true),
            &mut record,
        )
        .map_err(|error| error.to_string())?;
        match record.missing() {
            Some(name) => Err(format!("{} does not show {name}", self.controller)),
            None => Ok(Run { record }),
        }
    }
}

/// Returns a table with one key.
pub(super) fn text(key: &str, value: impl std::fmt::Display) -> Keys {
    Keys::new().text(key, value)
}

fn nanoseconds(at: Time) -> String {
    format!("{} ns", at.as_nanos())
}
