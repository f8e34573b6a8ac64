//! The mount of control groups.

use std::fs;
use std::path::PathBuf;

/// Returns the directory at which the second version of control groups is mounted, as seen by this
/// process; `None` if it is not mounted. Programs for sockets are attached to its groups.
pub fn cgroup_mount() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    mounts.lines().find_map(mounted).map(PathBuf::from)
}

fn mounted(line: &str) -> Option<&str> {
    let mut fields = line.split(' ').skip(1);
    let place = fields.next()?;
    (fields.next()? == "cgroup2").then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_second_version_of_cgroups_takes_programs() {
        assert_eq!(mounted("cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu 0 0"), None);
        assert_eq!(
            mounted("cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0"),
            Some("/sys/fs/cgroup/unified")
        );
    }
}
