//! Settings of hosts, which all flows of a host share.

use super::flow::Request;
use crate::error::LiveError;
use std::collections::BTreeMap;

/// Least, first and greatest receive buffer of a host (`tcp_rmem`), unless a flow limits its window.
pub const RECEIVE_BUFFERS: &str = "4096 131072 268435456";

/// A setting that a flow asks for.
pub struct Sysctl {
    /// The flow's key, `transport.sack`.
    pub key: &'static str,
    /// The path below `/proc/sys/net`.
    pub path: &'static str,
    /// The value asked for.
    pub value: String,
    /// The kernel's own.
    pub default: &'static str,
    /// True if the sender's host needs it as well as the receiver's.
    pub both: bool,
}

/// The settings of all hosts.
pub struct Sysctls<'a>(Vec<BTreeMap<&'static str, Asked<'a>>>);

/// The value of a setting, and the first flow that asked for it.
struct Asked<'a> {
    value: String,
    default: &'static str,
    flow: &'a str,
}

impl<'a> Sysctls<'a> {
    /// Of so many hosts, of which nothing is asked yet.
    pub fn new(hosts: usize) -> Sysctls<'a> {
        Sysctls((0..hosts).map(|_| BTreeMap::new()).collect())
    }

    /// Adds the settings that a flow asks of its sender's and receiver's host.
    ///
    /// # Errors
    ///
    /// Another flow asks one of these hosts for another value.
    pub fn add(
        &mut self,
        request: &Request<'a>,
        (from, to): (usize, usize),
        asked: Vec<Sysctl>,
    ) -> Result<(), LiveError> {
        for Sysctl { key, path, value, default, both } in asked {
            for host in both.then_some(from).into_iter().chain([to]) {
                let asked = || Asked { value: value.clone(), default, flow: &request.flow.name };
                let first = self.0[host].entry(path).or_insert_with(asked);
                if first.value != value {
                    let problem = format!(
                        "this flow and flow \"{}\" end at one host and need different values of its net.{}",
                        first.flow,
                        path.replace('/', ".")
                    );
                    return Err(request.refused(
                        key,
                        problem,
                        "give both flows the same value, or let them end at different nodes",
                    ));
                }
            }
        }
        Ok(())
    }

    /// The settings of each host that differ from the kernel's own.
    pub fn changed(self) -> Vec<BTreeMap<&'static str, String>> {
        let changed = |(path, asked): (&'static str, Asked<'_>)| {
            (asked.value != asked.default).then_some((path, asked.value))
        };
        self.0.into_iter().map(|host| host.into_iter().filter_map(changed).collect()).collect()
    }
}
