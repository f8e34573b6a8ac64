//! The network, the traffic and the changes of a run.

use super::record::{PACKET, Record};
use super::subject::Subject;
use narrows_units::{Span, Time};
use std::fmt::Write;

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
    link: String,
    back: String,
    flow: String,
    transport: String,
    changes: String,
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
            link: String::new(),
            back: String::new(),
            flow: String::new(),
            transport: String::new(),
            changes: String::new(),
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

    /// Adds a line to the table of the forward link.
    pub fn link(mut self, line: &str) -> Plan {
        self.link += &format!("{line}\n");
        self
    }

    /// Adds a line to the table of the return link.
    pub fn back(mut self, line: &str) -> Plan {
        self.back += &format!("{line}\n");
        self
    }

    /// Adds a line to the table of the transport.
    pub fn transport(mut self, line: &str) -> Plan {
        self.transport += &format!("{line}\n");
        self
    }

    /// Limits the application to this rate in Mbit/s of payload.
    pub fn offered(mut self, mbit: u32) -> Plan {
        self.flow = format!("workload = {{ rate = \"{mbit} Mbit/s\" }}\n");
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
    pub fn change(self, at: Time, line: &str) -> Plan {
        self.change_of("link", at, line)
    }

    /// Adds a change of the return link at `at`.
    pub fn change_back(self, at: Time, line: &str) -> Plan {
        self.change_of("link.back", at, line)
    }

    fn change_of(mut self, link: &str, at: Time, line: &str) -> Plan {
        self.changes +=
            &format!("[[change]]\nlink = \"{link}\"\nat = \"{} ns\"\n{line}\n", at.as_nanos());
        self
    }

    /// Drops a share of the packets, in percent, from `at` for the time `lasting`.
    pub fn loss(self, at: Time, lasting: Span, percent: u32) -> Plan {
        self.change(at, &format!("loss = \"{percent} %\"")).change(at + lasting, "loss = \"0 %\"")
    }

    /// Returns the text of the scenario file.
    pub fn text(&self) -> String {
        let mut text = format!(
            "name = \"bbr-draft\"\nduration = \"{} ns\"\nsend_overhead = false\n",
            self.duration.as_nanos()
        );
        let _ = write!(
            text,
            "[[link]]\nname = \"link\"\nbetween = [\"sender\", \"receiver\"]\nrate = \"{} bit/s\"\ndelay = \"{} ns\"\nbuffer = \"{}\"\n{}",
            self.rate,
            self.delay.as_nanos(),
            self.buffer,
            self.link
        );
        if !self.back.is_empty() {
            let _ = write!(text, "[link.back]\n{}", self.back);
        }
        let _ = write!(
            text,
            "[[flow]]\nname = \"flow\"\nfrom = \"sender\"\nto = \"receiver\"\ncontroller = \"{}\"\n{}",
            self.controller, self.flow
        );
        if !self.pauses.is_empty() {
            text += "pauses = [";
            for (from, to) in &self.pauses {
                let _ = write!(text, "[\"{} ns\", \"{} ns\"],", from.as_nanos(), to.as_nanos());
            }
            text += "]\n";
        }
        if !self.transport.is_empty() {
            let _ = write!(text, "[flow.transport]\n{}", self.transport);
        }
        text + &self.changes
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
