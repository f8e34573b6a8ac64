//! Arguments that replace the network or the workload, the same in every command that simulates.

use super::parse::{parse_path, parse_queue};
use super::words::{paths, texts};
use crate::error::Failure;
use clap::Args;
use narrows_scenario::{NamedWorkload, Overrides};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Another network or workload, the same in every request that simulates.
#[derive(Args, Clone, Serialize)]
pub struct Network {
    /// Use a named path, for example leo (see `narrows list paths`). Several (lte,leo) are the
    /// networks of `compare` and `matrix`, and an axis of `sweep`
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = parse_path)]
    pub path: Vec<String>,
    /// Capacity trace of the bottleneck towards the receiver: mahimahi format, or lines of
    /// seconds,Mbit/s. Several are several networks, as for --path
    #[arg(long, value_name = "TRACE", value_delimiter = ',')]
    #[serde(serialize_with = "paths")]
    pub trace: Vec<PathBuf>,
    /// Queue discipline of the bottleneck, with parameters after "?": fq-codel, "codel?target=5"
    /// (see `narrows list disciplines`). Several are an axis of a sweep or a matrix
    #[arg(long, value_name = "DISCIPLINE", value_delimiter = ',', value_parser = parse_queue)]
    pub queue: Vec<String>,
    /// Workload of every flow: bulk, web, call (see `narrows list traffic`), or as in a scenario:
    /// '{ size = "1 MB" }'. Several are an axis of a sweep or a matrix
    #[arg(long, value_name = "WORKLOAD")]
    #[serde(serialize_with = "texts")]
    workload: Vec<Workloads>,
}

/// Workloads separated by commas. Workloads written as tables may contain commas too.
#[derive(Clone)]
struct Workloads(Vec<NamedWorkload>);

impl fmt::Display for Workloads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|own| own.name.as_str()).collect();
        f.write_str(&names.join(","))
    }
}

impl FromStr for Workloads {
    type Err = String;

    fn from_str(text: &str) -> Result<Workloads, String> {
        let one = |text: &str| text.parse().map(|own| Workloads(vec![own]));
        if text.trim().starts_with(['{', '"']) {
            one(text)
        } else {
            text.split(',').map(str::parse).collect::<Result<_, _>>().map(Workloads)
        }
    }
}

impl Network {
    /// Returns the workloads.
    pub fn workloads(&self) -> Vec<NamedWorkload> {
        self.workload.iter().flat_map(|own| own.0.iter().cloned()).collect()
    }

    /// Returns all replacements for a scenario file. Traces are relative to the working directory.
    pub fn overrides(&self) -> Overrides {
        let whole = |trace: &PathBuf| {
            std::path::absolute(trace).unwrap_or_else(|_| trace.clone()).display().to_string()
        };
        Overrides {
            path: self.path.clone(),
            trace: self.trace.iter().map(whole).collect(),
            ..self.at_bottleneck()
        }
    }

    /// Returns only the replacements of queue and workload.
    pub fn at_bottleneck(&self) -> Overrides {
        Overrides { queue: self.queue.clone(), workload: self.workloads(), ..Overrides::default() }
    }

    /// Refuses a path together with a trace if both would be the network.
    pub fn refuse_two_networks(&self) -> Result<(), Failure> {
        match self.path.is_empty() || self.trace.is_empty() {
            true => Ok(()),
            false => Err(Failure::Other(
                "--path and --trace are two networks; leave one of them out".to_owned(),
            )),
        }
    }

    /// Refuses several values of a flag if `command` takes only one.
    pub fn refuse_several(&self, command: &str, networks_too: bool) -> Result<(), Failure> {
        let networks = [("--path", self.path.len()), ("--trace", self.trace.len())]
            .into_iter()
            .filter(|_| networks_too);
        let mut all =
            networks.chain([("--queue", self.queue.len()), ("--workload", self.workloads().len())]);
        match all.find(|(_, count)| *count > 1) {
            None => Ok(()),
            Some((flag, count)) => Err(Failure::Other(format!(
                "narrows {command} takes one {flag}, not {count}; give one, or use narrows sweep or narrows matrix, where several are an axis"
            ))),
        }
    }
}
