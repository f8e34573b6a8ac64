//! The right to make network namespaces: root's, or that of a user namespace of one's own.

use crate::error::LiveError;
use rustix::process::{getegid, geteuid};
use rustix::thread::{CapabilitySet, UnshareFlags, capabilities, unshare_unsafe};
use std::fs;
use std::io;

/// How someone who may not do it can come to do it.
pub(crate) const REMEDY: &str = "run it as root (sudo), or let users make namespaces: sysctl user.max_user_namespaces above 0, and 0 for kernel.apparmor_restrict_unprivileged_userns where there is one";

/// Makes sure that this process may make network namespaces and devices in them. A process that may not moves into a user namespace of its
/// own, in which it may; its user and files stay what they are. That needs a process with a single thread, so it comes before all others
/// are started.
///
/// # Errors
///
/// The kernel does not allow it.
pub fn acquire() -> Result<(), LiveError> {
    let needed = CapabilitySet::SYS_ADMIN | CapabilitySet::NET_ADMIN;
    if capabilities(None).is_ok_and(|own| own.effective.contains(needed)) {
        return Ok(());
    }
    own_user_namespace()
        .map_err(LiveError::system("this user may not make network namespaces", REMEDY))
}

/// True if this process is not in the first user namespace, which maps every user to itself.
pub(crate) fn in_user_namespace() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.split_whitespace().ne(["0", "0", "4294967295"])
}

fn own_user_namespace() -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    // SAFETY: the flag separates neither file descriptors nor file system state; the kernel refuses it to a process with more than one
    // thread.
    unsafe { unshare_unsafe(UnshareFlags::NEWUSER) }?;
    // Everybody is who they were. Groups can be mapped only once they can no longer be changed (user_namespaces(7)).
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}
