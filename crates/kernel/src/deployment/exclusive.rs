//! Programs that let no other program of their kind into a control group. The only unsafe code is
//! the call of a libbpf function that libbpf-rs lacks.
#![allow(unsafe_code)]

use crate::cgroups::cgroup_mount;
use crate::error::KernelError;
use libbpf_rs::libbpf_sys;
use libbpf_rs::query::ProgInfoIter;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::Path;

/// `BPF_F_ALLOW_MULTI` of include/uapi/linux/bpf.h: other programs may be attached, too.
const ALLOW_MULTI: u32 = 1 << 1;
/// Most programs of a control group (`BPF_CGROUP_MAX_PROGS`).
const MOST: u32 = 64;

/// Returns the error that names the program because of which nothing can be attached to a control
/// group: one that is attached there without `BPF_F_ALLOW_MULTI`, or above it without any flag.
pub(super) fn above(cgroup: &File) -> Option<KernelError> {
    let own = fs::read_link(format!("/proc/self/fd/{}", cgroup.as_raw_fd())).ok()?;
    let mount = cgroup_mount()?;
    let within = own.ancestors().take_while(|path| path.starts_with(&mount));
    within.enumerate().find_map(|(above, path)| {
        let (flags, programs) = attached(path)?;
        let excludes = if above == 0 { flags & ALLOW_MULTI == 0 } else { flags == 0 };
        let id = *programs.first().filter(|_| excludes)?;
        let info = ProgInfoIter::default().find(|own| own.id == id);
        Some(KernelError::Exclusive {
            cgroup: path.to_owned(),
            program: info.map_or_else(String::new, |own| own.name.to_string_lossy().into_owned()),
            id,
        })
    })
}

/// Returns the flags and the numbers of the sockops programs that are attached to a control group
/// itself.
fn attached(cgroup: &Path) -> Option<(u32, Vec<u32>)> {
    let group = File::open(cgroup).ok()?;
    let (mut flags, mut count, mut programs) = (0, MOST, vec![0; MOST as usize]);
    // SAFETY: the pointers are valid for the call, and `programs` has room for `count` numbers.
    let failed = unsafe {
        libbpf_sys::bpf_prog_query(
            group.as_raw_fd(),
            libbpf_sys::BPF_CGROUP_SOCK_OPS,
            0,
            &mut flags,
            programs.as_mut_ptr(),
            &mut count,
        )
    };
    programs.truncate(count as usize);
    (failed == 0).then_some((flags, programs))
}
