//! Captures and logs, written while the scenario runs.

use crate::cli::WatchArgs;
use crate::compare::quote;
use crate::error::Failure;
use narrows_flow::{Observer, Seen, Sender};
use narrows_measure::AckSample;
use narrows_report::{AckLog, Capture, CapturePoint, SenderLog, write_acks};
use narrows_scenario::{LinkId, Scenario, ScenarioError};
use narrows_units::Time;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What watches a run. Its files grow beside the result directory, into which they move in the end; what is left of them is removed.
pub struct Watch {
    captures: Vec<Capture<BufWriter<File>>>,
    logs: Vec<SenderLog<BufWriter<File>>>,
    acks: Option<AckLog>,
    names: Vec<String>,
    files: Files,
}

/// The files of a run that was watched; removed again unless the result directory takes them.
pub struct Files {
    directory: PathBuf,
    /// The directory above it, if that was made for it too.
    parent: Option<PathBuf>,
    names: Vec<String>,
}

impl Watch {
    /// What `args` asks to watch of `scenario`, whose results go to `directory`.
    pub fn begin(args: &WatchArgs, scenario: &Scenario, directory: &Path) -> Result<Watch, Failure> {
        let names = scenario.flows.iter().map(|flow| flow.name.clone()).collect();
        let mut watch = Watch { captures: vec![], logs: vec![], acks: None, names, files: Files::beside(directory) };
        if args.is_empty() {
            return Ok(watch);
        }
        let heard = args.acks.iter().map(|name| flows(scenario, name)).collect::<Result<Vec<_>, _>>()?.concat();
        watch.acks = (!heard.is_empty()).then(|| AckLog::new(heard));
        let captured = args.pcap.iter().map(|name| flows(scenario, name)).collect::<Result<Vec<_>, _>>()?.concat();
        let logged = args.qlog.iter().map(|name| flows(scenario, name)).collect::<Result<Vec<_>, _>>()?.concat();
        let points = args.at.iter().map(|name| point(scenario, name)).collect::<Result<Vec<_>, _>>()?;
        watch.files.make()?;
        for point in points.into_iter().filter(|_| !captured.is_empty()) {
            let out = watch.files.create(capture_name(scenario, point))?;
            watch.captures.push(Capture::new(out, scenario, &captured, point, args.snaplen).map_err(Failure::from_watch)?);
        }
        for flow in logged {
            let out = watch.files.create(format!("{}.sqlog", plain(&scenario.flows[flow].name)))?;
            watch.logs.push(SenderLog::new(out, scenario, flow).map_err(Failure::from_watch)?);
        }
        Ok(watch)
    }

    /// The run is over: ends every file.
    pub fn finish(mut self) -> Result<Files, Failure> {
        if let Some(acks) = self.acks.take() {
            self.files.write_acks(&self.names, &acks.into_samples())?;
        }
        let failed = |error: io::Error| cannot_write(&self.files.directory, &error);
        self.captures.into_iter().try_for_each(|capture| capture.finish().map(drop)).map_err(failed)?;
        self.logs.into_iter().try_for_each(|log| log.finish().map(drop)).map_err(failed)?;
        Ok(self.files)
    }
}

/// Refuses to watch what has no segments.
pub fn watchable(args: &WatchArgs, scenario: &Scenario, file: &Path) -> Result<(), Failure> {
    if scenario.icn.is_none() || args.is_empty() {
        return Ok(());
    }
    let flag = match (args.pcap.is_empty(), args.qlog.is_empty()) {
        (false, _) => "--pcap",
        (_, false) => "--qlog",
        _ => "--acks",
    };
    let message = format!("{flag} writes down the segments of flows, and an information-centric network has none");
    let remedy = format!("leave {flag} out; the result's tables say what consumers, paths and links did");
    Err(Failure::Scenario(ScenarioError::unsupported(file, &["icn".to_owned()], message, remedy)))
}

impl Observer for Watch {
    fn on_packet(&mut self, seen: &Seen<'_>) {
        self.captures.iter_mut().for_each(|capture| capture.on_packet(seen));
        self.logs.iter_mut().for_each(|log| log.on_packet(seen));
        self.acks.iter_mut().for_each(|log| log.on_packet(seen));
    }

    fn on_sender(&mut self, at: Time, flow: usize, sender: &Sender) {
        self.captures.iter_mut().for_each(|capture| capture.on_sender(at, flow, sender));
        self.logs.iter_mut().for_each(|log| log.on_sender(at, flow, sender));
        self.acks.iter_mut().for_each(|log| log.on_sender(at, flow, sender));
    }
}

impl Files {
    /// None yet; they grow beside the result directory.
    pub fn beside(directory: &Path) -> Files {
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        let own = directory.with_file_name(format!(".{name}.watched-{}", std::process::id()));
        let parent = own.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.exists()).map(Path::to_owned);
        Files { directory: own, parent, names: vec![] }
    }

    fn make(&self) -> Result<(), Failure> {
        fs::create_dir_all(&self.directory).map_err(|error| cannot_write(&self.directory, &error))
    }

    /// Writes samples at acknowledgements; `names` are those of the scenario's flows.
    pub fn write_acks(&mut self, names: &[String], samples: &[AckSample]) -> Result<(), Failure> {
        self.make()?;
        let out = self.create("acks.parquet".to_owned())?;
        let written = write_acks(out, names, samples).and_then(|mut out| out.flush());
        written.map_err(|error| cannot_write(&self.directory, &error))
    }

    /// Where they are.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.names.iter().map(|name| self.directory.join(name)).collect()
    }

    fn create(&mut self, name: String) -> Result<BufWriter<File>, Failure> {
        if self.names.contains(&name) {
            return Err(Failure::Other(format!("{name} would be written twice; name each flow and point once")));
        }
        let path = self.directory.join(&name);
        let file = File::create_new(&path).map_err(|error| cannot_write(&path, &error))?;
        self.names.push(name);
        Ok(BufWriter::new(file))
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // Nobody is left to tell if this fails, and nothing there if nothing was watched.
        let _ = fs::remove_dir_all(&self.directory);
        if let Some(parent) = &self.parent {
            // Only if it is empty.
            let _ = fs::remove_dir(parent);
        }
    }
}

impl WatchArgs {
    /// True if nothing is watched.
    pub fn is_empty(&self) -> bool {
        self.pcap.is_empty() && self.qlog.is_empty() && self.acks.is_empty()
    }

    /// These arguments on a command line, each after a space.
    pub fn words(&self) -> String {
        let each = |flag: &str, values: &[String]| values.iter().map(|value| format!(" {flag} {}", quote(value))).collect::<String>();
        let mut words = each("--pcap", &self.pcap);
        if !self.pcap.is_empty() {
            words += &each("--at", &self.at);
            words += &format!(" --snaplen {}", self.snaplen);
        }
        words + &each("--qlog", &self.qlog) + &each("--acks", &self.acks)
    }
}

/// The flows that a name means: one, or all.
pub fn flows(scenario: &Scenario, name: &str) -> Result<Vec<usize>, Failure> {
    if name == "all" {
        return Ok((0..scenario.flows.len()).collect());
    }
    let found = scenario.flows.iter().position(|flow| flow.name == name);
    found.map(|flow| vec![flow]).ok_or_else(|| {
        let known: Vec<&str> = scenario.flows.iter().take(20).map(|flow| flow.name.as_str()).collect();
        Failure::Other(format!("there is no flow \"{name}\"; give all, or one of: {}", known.join(", ")))
    })
}

fn point(scenario: &Scenario, name: &str) -> Result<CapturePoint, Failure> {
    let link = || scenario.links.iter().position(|link| link.name == name);
    match name {
        "sender" => Ok(CapturePoint::Sender),
        "receiver" => Ok(CapturePoint::Receiver),
        "dropped" => Ok(CapturePoint::Dropped),
        _ => link().map(|index| CapturePoint::Link(LinkId(index))).ok_or_else(|| {
            let known: Vec<&str> = scenario.links.iter().take(20).map(|link| link.name.as_str()).collect();
            Failure::Other(format!("there is no link \"{name}\"; give sender, receiver, dropped, or one of: {}", known.join(", ")))
        }),
    }
}

fn capture_name(scenario: &Scenario, point: CapturePoint) -> String {
    match point {
        CapturePoint::Sender => "sender.pcapng".to_owned(),
        CapturePoint::Receiver => "receiver.pcapng".to_owned(),
        CapturePoint::Dropped => "dropped.pcapng".to_owned(),
        CapturePoint::Link(id) => format!("link-{}.pcapng", plain(&scenario.links[id.0].name)),
    }
}

/// A name as part of a file's.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect()
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::Other(format!("cannot write {}: {error}; choose another place with --out, or watch less", path.display()))
}
