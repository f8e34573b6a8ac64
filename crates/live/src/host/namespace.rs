//! Network namespaces without names: nothing to remove, whatever ends the process.

use rustix::fs::{Mode, OFlags, open};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::thread;

/// A network namespace that exists as long as this value, a socket or a process in it does. It is bound to no path, so that not even a
/// killed process leaves one.
#[derive(Debug)]
pub struct Namespace(OwnedFd);

impl Namespace {
    /// A new one, with a loopback device that is down. Needs `CAP_SYS_ADMIN`.
    pub fn new() -> io::Result<Namespace> {
        // Only this thread leaves the old namespace, and it ends with the closure.
        in_thread(|| {
            // SAFETY: the new thread shares no file descriptor table or file system state that the flag would separate: it is NEWNET alone.
            unsafe { unshare_unsafe(UnshareFlags::NEWNET) }?;
            Ok(Namespace(open(
                "/proc/thread-self/ns/net",
                OFlags::RDONLY | OFlags::CLOEXEC,
                Mode::empty(),
            )?))
        })
    }

    /// The same one, which exists as long as either.
    #[cfg(test)]
    pub fn of(other: &Namespace) -> io::Result<Namespace> {
        Ok(Namespace(other.0.try_clone()?))
    }

    /// Its number in the kernel: the inode of its file.
    pub fn inode(&self) -> io::Result<u32> {
        Ok(rustix::fs::fstat(&self.0)?.st_ino as u32)
    }

    /// Moves the calling thread into it: sockets that it opens from now on are there. For threads that open sockets in many.
    pub fn move_into(&self) -> io::Result<()> {
        Ok(move_into_link_name_space(self.0.as_fd(), Some(LinkNameSpaceType::Network))?)
    }

    /// Does `work` on a thread in this namespace: sockets that it opens stay in it.
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
