//! Control groups and directories of experiments.

use narrows_workbench::Failure;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Returns the directory at which the second version of control groups is mounted.
pub fn mount() -> Result<PathBuf, Failure> {
    narrows_kernel::cgroup_mount().ok_or_else(|| {
        Failure::Other(
            "control groups of version 2 are not mounted, and connections are chosen by them; mount -t cgroup2 none /sys/fs/cgroup"
                .to_owned(),
        )
    })
}

/// Returns the path of a control group, given below the mount.
pub fn group(mount: &Path, own: &str) -> PathBuf {
    mount.join(own.trim_start_matches('/'))
}

/// Opens a control group.
pub fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| {
        let parent = path.parent().unwrap_or(path);
        let mut near: Vec<String> = fs::read_dir(parent)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        near.sort();
        near.truncate(12);
        Failure::Other(format!(
            "the control group {} cannot be opened: {error}; beside it are: {}",
            path.display(),
            if near.is_empty() { "none".to_owned() } else { near.join(", ") }
        ))
    })
}

/// Returns the inode of a control group, which changes when a service makes it again; `None` if it
/// is not there.
pub fn inode(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|own| own.ino())
}
