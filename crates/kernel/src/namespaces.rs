//! Network namespaces of this host, and their default controllers.

use crate::names::{Elsewhere, default};
use rustix::fs::{Mode, OFlags, open, stat};
use rustix::io::Errno;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::thread;

/// A path to a network namespace, and its owner.
type Trail = (PathBuf, String);

/// Returns every network namespace except this process's own: mounted ones, namespaces of
/// processes, and namespaces that processes hold open. Other namespaces cannot be used.
pub fn elsewhere() -> Vec<Elsewhere> {
    let mut seen: BTreeSet<u64> =
        stat("/proc/self/ns/net").map(|own| own.st_ino).into_iter().collect();
    let mut found = Vec::new();
    for (path, whose) in mounted().into_iter().chain(processes()) {
        let number = stat(&path).map(|file| file.st_ino);
        if number.is_ok_and(|number| seen.contains(&number)) {
            continue;
        }
        let default = number.map_err(io::Error::from).and_then(|number| {
            let default = enter(&path, default)?;
            seen.insert(number);
            Ok(default)
        });
        // The process or thread may have ended.
        let gone = |error: &io::Error| {
            [Some(Errno::NOENT), Some(Errno::SRCH)].contains(&Errno::from_io_error(error))
        };
        let told = |last: &Elsewhere| last.default.is_err() && last.whose == whose;
        if default.is_ok() || !default.as_ref().is_err_and(gone) && !found.last().is_some_and(told)
        {
            found.push(Elsewhere { path, whose, default });
        }
    }
    found
}

/// Does `work` in this process's network namespace, and in each other that it may enter.
pub(crate) fn in_each<T: Send>(work: impl Fn() -> T + Sync) -> Vec<T> {
    let mut seen: BTreeSet<u64> =
        stat("/proc/self/ns/net").map(|own| own.st_ino).into_iter().collect();
    let mut done = vec![work()];
    for (path, _) in mounted().into_iter().chain(processes()) {
        let Ok(number) = stat(&path).map(|file| file.st_ino) else { continue };
        if !seen.contains(&number)
            && let Ok(result) = enter(&path, &work)
        {
            seen.insert(number);
            done.push(result);
        }
    }
    done
}

/// Does `work` in a network namespace, in a thread that enters it and ends.
fn enter<T: Send>(path: &Path, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    let namespace = open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let there = || {
        move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
        Ok(work())
    };
    thread::scope(|scope| {
        scope.spawn(there).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Returns mounted namespaces, as `ip netns` makes them.
fn mounted() -> Vec<Trail> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let place = |line: &str| {
        let mut fields = line.split(' ').skip(3);
        let (root, path) = (fields.next()?, fields.next()?.replace("\\040", " "));
        root.starts_with("net:[").then(|| (PathBuf::from(&path), path))
    };
    mounts.lines().filter_map(place).collect()
}

/// Yields namespaces of threads, and namespaces that processes hold open.
fn processes() -> impl Iterator<Item = Trail> {
    let numbered = |path: &PathBuf| {
        path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.parse::<u32>().is_ok())
    };
    entries(Path::new("/proc")).into_iter().filter(numbered).flat_map(|process| {
        let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
        let number = process.file_name().unwrap_or_default().to_string_lossy();
        let whose = format!("process {number} ({})", name.trim());
        let own = std::iter::once(process.join("ns/net"));
        let threads =
            entries(&process.join("task")).into_iter().map(|thread| thread.join("ns/net"));
        let opened = entries(&process.join("fd")).into_iter().filter(|file| {
            fs::read_link(file)
                .is_ok_and(|target| target.as_os_str().as_encoded_bytes().starts_with(b"net:["))
        });
        own.chain(threads).chain(opened).map(|path| (path, whose.clone())).collect::<Vec<Trail>>()
    })
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}
