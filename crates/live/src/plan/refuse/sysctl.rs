//! Settings of hosts, which all flows of a host share.

use super::flow::Request;
use crate::error::LiveError;
use std::collections::BTreeMap;

/// Least, initial and greatest receive buffer of a host (`tcp_rmem`), unless a flow limits its
/// window.
pub const RECEIVE_BUFFERS: &str = "4096 131072 268435456";

/// A setting that a flow needs.
pub struct Sysctl {
    /// Key of the flow, such as `transport.sack`.
    pub key: &'static str,
    /// Path below `/proc/sys/net`.
    pub path: &'static str,
    /// Needed value.
    pub value: String,
    /// Default of the kernel.
    pub default: &'static str,
    /// True if the sender's host needs it as well as the receiver's.
    pub both: bool,
}

/// The settings of all hosts.
pub struct Sysctls<'a>(Vec<BTreeMap<&'static str, Asked<'a>>>);

/// The value of a setting, with the first flow that needs it.
struct Asked<'a> {
    value: String,
    default: &'static str,
    flow: &'a str,
}

impl<'a> Sysctls<'a> {
    /// Makes empty settings for `hosts` hosts.
    pub fn new(hosts: usize) -> Sysctls<'a> {
        Sysctls((0..hosts).map(|_| BTreeMap::new()).collect())
    }

    /// Adds the settings that a flow needs of its sender's and receiver's hosts.
    ///
    /// # Errors
    ///
    /// Another flow needs another value at one of these hosts.
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

    /// Returns the settings of each host that differ from the kernel's defaults.
    pub fn changed(self) -> Vec<BTreeMap<&'static str, String>> {
        let changed = |(path, asked): (&'static str, Asked<'_>)| {
            (asked.value != asked.default).then_some((path, asked.value))
        };
        self.0.into_iter().map(|host| host.into_iter().filter_map(changed).collect()).collect()
    }
}
