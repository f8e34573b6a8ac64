//! Packet captures and logs, written while the scenario runs.

use crate::error::Failure;
use crate::request;
use narrows_capture::{AckLog, Capture, CapturePoint, OwnLog, Remembered, SenderLog, write_acks};
use narrows_control::LogSink;
use narrows_measure::AckSample;
use narrows_report::{ReportError, Reserved};
use narrows_scenario::{LinkId, Scenario, ScenarioError};
use narrows_transport::{Observer, Seen, Sender};
use narrows_units::Time;
use std::fs::File;
use std::io;
use std::path::Path;

/// The captures and logs of a run. Their files grow in the result directory before it is complete.
pub struct Captures {
    captures: Vec<Capture>,
    logs: Vec<SenderLog>,
    /// Logs that transports of other implementations write by themselves, by the flow's number.
    own_logs: Vec<(usize, OwnLog)>,
    acks: Option<AckLog>,
    names: Vec<String>,
}

impl Captures {
    /// Starts the captures and logs that `args` select. Their files go to the result directory
    /// `reserved`.
    pub fn begin(
        args: &request::Capture,
        scenario: &Scenario,
        reserved: &Reserved,
    ) -> Result<Captures, Failure> {
        let names = scenario.flows.iter().map(|flow| flow.name.clone()).collect();
        let mut all =
            Captures { captures: vec![], logs: vec![], own_logs: vec![], acks: None, names };
        if args.is_empty() {
            return Ok(all);
        }
        let heard = args
            .acks
            .iter()
            .map(|name| flows(scenario, name))
            .collect::<Result<Vec<_>, _>>()?
            .concat();
        all.acks = (!heard.is_empty()).then(|| AckLog::new(heard));
        let captured = args
            .pcap
            .iter()
            .map(|name| flows(scenario, name))
            .collect::<Result<Vec<_>, _>>()?
            .concat();
        let logged = args
            .qlog
            .iter()
            .map(|name| flows(scenario, name))
            .collect::<Result<Vec<_>, _>>()?
            .concat();
        let points =
            args.at.iter().map(|name| point(scenario, name)).collect::<Result<Vec<_>, _>>()?;
        for point in points.into_iter().filter(|_| !captured.is_empty()) {
            let out = create(reserved, &capture_name(scenario, point))?;
            all.captures.push(
                Capture::new(out, scenario, &captured, point, args.snaplen)
                    .map_err(Failure::from_capture)?,
            );
        }
        for flow in logged {
            let out = create(
                reserved,
                &format!(
                    "{}.sqlog",
                    file_name(scenario.flows.iter().map(|flow| flow.name.as_str()), flow)
                ),
            )?;
            let controller = scenario.flows[flow].controller.as_ref();
            if controller.is_some_and(|choice| choice.entry().is_guest()) {
                let log = OwnLog::new(out, scenario, flow).map_err(Failure::from_capture)?;
                all.own_logs.push((flow, log));
            } else {
                all.logs.push(SenderLog::new(out, scenario, flow).map_err(Failure::from_capture)?);
            }
        }
        Ok(all)
    }

    /// Completes every file after the run.
    pub fn finish(mut self, reserved: &Reserved) -> Result<(), Failure> {
        if let Some(acks) = self.acks.take() {
            let (samples, traced) = acks.into_samples();
            keep_acks(reserved, &self.names, &samples, &traced)?;
        }
        let failed = |error: io::Error| cannot_write(reserved, &error);
        self.captures.into_iter().try_for_each(|capture| capture.finish()).map_err(failed)?;
        self.logs.into_iter().try_for_each(|log| log.finish()).map_err(failed)?;
        self.own_logs.into_iter().try_for_each(|(_, log)| log.finish()).map_err(failed)
    }
}

/// Refuses captures and logs of segments for a scenario that has no segments.
pub fn capturable(
    args: &request::Capture,
    scenario: &Scenario,
    file: &Path,
) -> Result<(), Failure> {
    let flags = [("--pcap", &args.pcap), ("--qlog", &args.qlog), ("--acks", &args.acks)];
    flags
        .into_iter()
        .filter(|(_, given)| !given.is_empty())
        .try_for_each(|(flag, _)| has_segments(flag, scenario, file))
}

/// Refuses `flag`, which records segments, for a scenario that has no segments.
pub fn has_segments(flag: &str, scenario: &Scenario, file: &Path) -> Result<(), Failure> {
    if scenario.icn.is_none() {
        return Ok(());
    }
    let message = format!(
        "{flag} records segments of flows, which an information-centric network does not have"
    );
    let remedy = format!("leave {flag} out; the result's tables cover consumers, paths and links");
    Err(Failure::Scenario(ScenarioError::unsupported(file, &["icn".to_owned()], message, remedy)))
}

impl Observer for Captures {
    fn on_packet(&mut self, seen: &Seen) {
        self.captures.iter_mut().for_each(|capture| capture.on_packet(seen));
        self.logs.iter_mut().for_each(|log| log.on_packet(seen));
        self.acks.iter_mut().for_each(|log| log.on_packet(seen));
    }

    fn on_sender(&mut self, at: Time, flow: usize, sender: &Sender) {
        self.captures.iter_mut().for_each(|capture| capture.on_sender(at, flow, sender));
        self.logs.iter_mut().for_each(|log| log.on_sender(at, flow, sender));
        self.acks.iter_mut().for_each(|log| log.on_sender(at, flow, sender));
    }

    fn own_log(&mut self, flow: usize) -> Option<LogSink> {
        let (_, log) = self.own_logs.iter().find(|(of, _)| *of == flow)?;
        let log = log.clone();
        Some(Box::new(move |bytes| log.write(bytes)))
    }
}

/// Writes the samples at acknowledgements to the result directory. `names` are the names of the
/// scenario's flows.
pub fn keep_acks(
    reserved: &Reserved,
    names: &[String],
    samples: &[AckSample],
    traced: &Remembered,
) -> Result<(), Failure> {
    let out = reserved.create("acks.parquet")?;
    write_acks(out, names, samples, traced).map_err(|error| cannot_write(reserved, &error))
}

/// Creates a file in the result directory.
fn create(reserved: &Reserved, name: &str) -> Result<File, Failure> {
    match reserved.create(name) {
        Err(ReportError::Write { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
            Err(Failure::Other(format!(
                "{name} would be written twice; give each flow and capture point once"
            )))
        }
        other => Ok(other?),
    }
}

impl request::Capture {
    /// True if nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.pcap.is_empty() && self.qlog.is_empty() && self.acks.is_empty()
    }
}

/// Returns the indexes of the flows that a name selects: one flow, or all flows for "all".
pub fn flows(scenario: &Scenario, name: &str) -> Result<Vec<usize>, Failure> {
    if name == "all" {
        return Ok((0..scenario.flows.len()).collect());
    }
    let found = scenario.flows.iter().position(|flow| flow.name == name);
    found.map(|flow| vec![flow]).ok_or_else(|| {
        let known: Vec<&str> =
            scenario.flows.iter().take(20).map(|flow| flow.name.as_str()).collect();
        Failure::Other(format!(
            "there is no flow \"{name}\"; give all, or one of: {}",
            known.join(", ")
        ))
    })
}

fn point(scenario: &Scenario, name: &str) -> Result<CapturePoint, Failure> {
    let link = || scenario.links.iter().position(|link| link.name == name);
    match name {
        "sender" => Ok(CapturePoint::Sender),
        "receiver" => Ok(CapturePoint::Receiver),
        "dropped" => Ok(CapturePoint::Dropped),
        _ => link().map(|index| CapturePoint::Link(LinkId(index))).ok_or_else(|| {
            let known: Vec<&str> =
                scenario.links.iter().take(20).map(|link| link.name.as_str()).collect();
            Failure::Other(format!(
                "there is no link \"{name}\"; give sender, receiver, dropped, or one of: {}",
                known.join(", ")
            ))
        }),
    }
}

fn capture_name(scenario: &Scenario, point: CapturePoint) -> String {
    match point {
        CapturePoint::Sender => "sender.pcapng".to_owned(),
        CapturePoint::Receiver => "receiver.pcapng".to_owned(),
        CapturePoint::Dropped => "dropped.pcapng".to_owned(),
        CapturePoint::Link(id) => format!(
            "link-{}.pcapng",
            file_name(scenario.links.iter().map(|link| link.name.as_str()), id.0)
        ),
    }
}

/// Returns the name at `place` as part of a file name. The result differs for all names: if two
/// names look alike, the later one gets a number.
fn file_name<'a>(names: impl Iterator<Item = &'a str>, place: usize) -> String {
    let own: Vec<(&str, String)> = names.map(|name| (name, plain(name))).collect();
    let (name, plain) = &own[place];
    let alike = own[..place].iter().filter(|(_, other)| other == plain).count();
    // A name that needs no change always keeps its form.
    if name == plain || (alike == 0 && own.iter().all(|(other, _)| other != plain)) {
        return plain.clone();
    }
    let numbered = (alike as u64 + 2..).map(|number| format!("{plain}-{number}"));
    numbered.into_iter().find(|text| own.iter().all(|(_, other)| other != text)).unwrap_or_default()
}

/// Replaces characters that are not suitable for file names.
fn plain(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
        .collect()
}

fn cannot_write(reserved: &Reserved, error: &io::Error) -> Failure {
    let directory = reserved.directory().display();
    Failure::Other(format!(
        "a capture or log for {directory} cannot be written: {error}; choose another place with --out, or record less"
    ))
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn names_that_look_alike_in_files_are_numbered() {
        let names = ["a/b", "a-b", "a b", "c/d", "a-b-2", "c d"];
        let files = [0, 1, 2, 3, 4, 5].map(|place| file_name(names.into_iter(), place));
        assert_eq!(files, ["a-b-3", "a-b", "a-b-4", "c-d", "a-b-2", "c-d-3"]);
    }
}
