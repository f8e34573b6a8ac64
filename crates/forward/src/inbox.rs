//! Inbox of a forwarding thread, for handovers and notes from other threads.

use crate::forwarder::Forwarder;
use crate::handover::{Handover, Handovers};
use crate::sockets::stream::Stream;
use crate::sockets::udp::UdpChannel;
use narrows_icn::FaceId;
use rustix::event::{EventfdFlags, eventfd};
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// News about the socket of a face.
pub(crate) enum SocketNews {
    /// The receiving thread is to read and write this stream.
    Stream(Stream),
    /// The receiving thread is to read and write this UDP socket, which is connected to this peer.
    Udp(UdpChannel, SocketAddr),
    /// The stream has ended.
    Ended,
}

/// News about a face. The number identifies the face, because the slot may have gone to another
/// face.
pub(crate) struct FaceNotice {
    pub(crate) slot: FaceId,
    pub(crate) id: u64,
    pub(crate) about: SocketNews,
}

/// Inbox of one thread. Its descriptor becomes readable when the thread is to wake.
pub(crate) struct Inbox {
    handovers: Mutex<Handovers>,
    notes: Mutex<Vec<FaceNotice>>,
    asleep: AtomicBool,
    stopped: AtomicBool,
    waker: OwnedFd,
}

impl Inbox {
    pub(crate) fn new() -> io::Result<Inbox> {
        Ok(Inbox {
            handovers: Mutex::default(),
            notes: Mutex::default(),
            asleep: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            waker: eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?,
        })
    }

    /// Adds handovers. Returns the number of dropped packets.
    fn hand_over(&self, more: &mut Vec<Handover>) -> u64 {
        if more.is_empty() {
            return 0;
        }
        let dropped = locked(&self.handovers).append(more);
        if self.asleep.swap(false, Ordering::SeqCst) {
            self.wake();
        }
        dropped
    }

    /// Adds a note.
    pub(crate) fn note(&self, note: FaceNotice) {
        locked(&self.notes).push(note);
        self.wake();
    }

    /// Tells the thread to end.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.wake();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Wakes the thread.
    pub(crate) fn wake(&self) {
        // If the counter is full, the thread wakes anyway.
        let _ = rustix::io::write(&self.waker, &1u64.to_ne_bytes());
    }

    /// Notes that the thread is about to wait. True if handovers wait already, so that it must not.
    pub(crate) fn sleep(&self) -> bool {
        self.asleep.store(true, Ordering::SeqCst);
        !locked(&self.handovers).is_empty()
    }

    /// Notes that the thread has stopped waiting. `called` is true if the inbox woke it.
    pub(crate) fn awake(&self, called: bool) {
        self.asleep.store(false, Ordering::SeqCst);
        if called {
            let _ = rustix::io::read(&self.waker, &mut [0u8; 8]);
        }
    }

    /// Moves all handovers to `out`, which must be empty.
    pub(crate) fn take(&self, out: &mut Vec<Handover>) {
        locked(&self.handovers).take(out);
    }

    pub(crate) fn notes(&self) -> Vec<FaceNotice> {
        std::mem::take(&mut *locked(&self.notes))
    }
}

impl AsFd for Inbox {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.waker.as_fd()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes the handovers of a forwarder to the inboxes of their threads.
pub(crate) fn post(forwarder: &mut Forwarder, inboxes: &[Inbox]) {
    let outboxes = forwarder.handed_over().iter_mut();
    let lost = outboxes.zip(inboxes).map(|(outbox, inbox)| inbox.hand_over(outbox)).sum();
    forwarder.count_lost(lost);
}
