//! The right to create network namespaces, from root or from a user namespace.

use crate::error::LiveError;
use rustix::process::{getegid, geteuid};
use rustix::thread::{CapabilitySet, UnshareFlags, capabilities, unshare_unsafe};
use std::fs;
use std::io;

/// Remedy for missing rights.
pub(crate) const REMEDY: &str = "run it as root (sudo), or let users make namespaces: sysctl user.max_user_namespaces above 0, and 0 for kernel.apparmor_restrict_unprivileged_userns where there is one";

/// Ensures that this process may create network namespaces, with devices in them. A process without
/// the rights moves into its own user namespace, where it has them; its user id and files stay
/// unchanged. This needs a process with a single thread, so call it before starting threads.
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

/// True if this process is not in the first user namespace, which maps every user id to itself.
pub(crate) fn in_user_namespace() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.split_whitespace().ne(["0", "0", "4294967295"])
}

fn own_user_namespace() -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    // SAFETY: the flag separates neither file descriptors nor file system state. The kernel refuses
    // it for a process with several threads.
    unsafe { unshare_unsafe(UnshareFlags::NEWUSER) }?;
    // Map each user to itself. Groups can be mapped only after setgroups is denied
    // (user_namespaces(7)).
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}
