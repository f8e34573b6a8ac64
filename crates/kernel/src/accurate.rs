//! Accurate ECN (RFC 9768) for controllers that count bytes per code point: checks the running
//! kernel, and configures `bpf/accurate_ecn.h`.

use crate::cgroups::cgroup_mount;
use crate::error::KernelError;
use crate::fitness::counts_code_points;
use libbpf_rs::{Link, Object, OpenObject, ProgramType};
use narrows_control::cores::Twin;
use narrows_params::Need;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;

/// `TCP_ECN_MODE_ACCECN` of include/net/tcp.h, unchanged since the counters exist.
const MODE: u32 = 1 << 4;
/// The first release in which `net.ipv4.tcp_ecn` may be 3.
const NEGOTIATES: (u32, u32) = (7, 0);

/// Checks that this kernel has accurate ECN, if the controller needs it.
pub fn fit(twin: &Twin) -> Result<(), KernelError> {
    if !twin.entry.needs.contains(&Need::EcnCounts) {
        return Ok(());
    }
    if !counts_code_points() {
        return Err(KernelError::Unfit {
            reason: format!(
                "{} needs counts of bytes per ECN code point, which this kernel's TCP does not have",
                twin.kernel
            ),
            remedy: "take Linux 6.18 or later, or simulate it".to_owned(),
        });
    }
    cgroup().map(drop).map_err(|error| KernelError::Unfit {
        reason: format!("no place was found where programs are attached to sockets ({error})"),
        remedy: "mount one: mount -t cgroup2 none /sys/fs/cgroup".to_owned(),
    })
}

/// Tells an object with accurate ECN which ECN mode it must set on its connections; 0 if TCP
/// negotiates it.
pub fn tell(open: &mut OpenObject) -> libbpf_rs::Result<()> {
    let Some(mut map) = open.maps_mut().find(|map| map.name() == ".rodata.accurate_mode") else {
        return Ok(());
    };
    let text = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    map.set_initial_value(&mode_of(release(&text)).to_ne_bytes())
}

/// Attaches the object's program for sockets, if it has one, to all sockets.
pub fn attach(object: &mut Object) -> libbpf_rs::Result<Option<Link>> {
    let program = object.progs_mut().find(|program| program.prog_type() == ProgramType::SockOps);
    program.map(|program| program.attach_cgroup(cgroup()?.as_raw_fd())).transpose()
}

fn mode_of(release: Option<(u32, u32)>) -> u32 {
    if release.is_some_and(|release| release < NEGOTIATES) { MODE } else { 0 }
}

fn release(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Opens the root cgroup, as seen by this process. Programs for sockets are attached there.
fn cgroup() -> io::Result<File> {
    File::open(cgroup_mount().ok_or_else(|| io::Error::other("cgroup2 is not mounted"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_negotiate_are_left_alone() {
        assert_eq!(
            ["6.18.44-fc-v509\n", "6.19.1", "7.0.0-rc1", "7.1", "?"]
                .map(|text| mode_of(release(text))),
            [16, 16, 0, 0, 0]
        );
    }
}
