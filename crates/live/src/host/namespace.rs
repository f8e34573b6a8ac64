//! Network namespaces without names, which leave nothing behind however the process ends.

use rustix::fs::{Mode, OFlags, open};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::thread;

/// A network namespace that exists as long as this value, or a socket or process in it. No path
/// refers to it, so even a killed process leaves nothing behind.
#[derive(Debug)]
pub struct Namespace(OwnedFd);

impl Namespace {
    /// Creates a namespace, whose loopback device is down. Needs `CAP_SYS_ADMIN`.
    pub fn new() -> io::Result<Namespace> {
        // Only the new thread leaves the old namespace, and it ends with the closure.
        in_thread(|| {
            // SAFETY: the flag is NEWNET alone, so it separates neither the file descriptor table
            // nor the file system state of the new thread.
            unsafe { unshare_unsafe(UnshareFlags::NEWNET) }?;
            Ok(Namespace(open(
                "/proc/thread-self/ns/net",
                OFlags::RDONLY | OFlags::CLOEXEC,
                Mode::empty(),
            )?))
        })
    }

    /// Makes another handle of a namespace.
    #[cfg(test)]
    pub fn of(other: &Namespace) -> io::Result<Namespace> {
        Ok(Namespace(other.0.try_clone()?))
    }

    /// Returns the namespace's id in the kernel: the inode of its file.
    pub fn inode(&self) -> io::Result<u32> {
        Ok(rustix::fs::fstat(&self.0)?.st_ino as u32)
    }

    /// Moves the calling thread into the namespace, where its new sockets will be. For threads with
    /// sockets in many namespaces.
    pub fn move_into(&self) -> io::Result<()> {
        Ok(move_into_link_name_space(self.0.as_fd(), Some(LinkNameSpaceType::Network))?)
    }

    /// Runs `work` on a thread in this namespace. Sockets that it opens stay there.
    pub fn enter<T: Send>(&self, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        in_thread(|| {
            self.move_into()?;
            work()
        })
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn in_thread<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| {
        thread::Builder::new()
            .spawn_scoped(scope, work)?
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
