//! Poller: waits for sockets and for a timeout at once.

use narrows_units::Span;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::Timespec;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

/// Meaning of a readiness event from [`Poller::wait`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// The UDP socket with this number is ready.
    Udp(u32),
    /// The stream of the face in this slot is ready.
    Stream(u32),
    /// The listening UNIX socket has a connection.
    Unix,
    /// The listening TCP socket with this number has a connection.
    Tcp(u32),
    /// A thread has ended an attempt to open a face.
    Opened,
    /// The daemon is to end.
    Stop,
    /// The inbox has entries from another forwarding thread.
    Inbox,
}

impl Key {
    fn encode(self) -> u64 {
        let (kind, number) = match self {
            Key::Udp(number) => (0, number),
            Key::Stream(number) => (1, number),
            Key::Unix => (2, 0),
            Key::Tcp(number) => (3, number),
            Key::Opened => (4, 0),
            Key::Stop => (5, 0),
            Key::Inbox => (6, 0),
        };
        kind << 32 | u64::from(number)
    }

    fn decode(key: u64) -> Key {
        let number = key as u32;
        match key >> 32 {
            0 => Key::Udp(number),
            1 => Key::Stream(number),
            2 => Key::Unix,
            3 => Key::Tcp(number),
            4 => Key::Opened,
            5 => Key::Stop,
            _ => Key::Inbox,
        }
    }
}

/// Most sockets that one wait returns.
const AT_ONCE: usize = 64;

pub(crate) struct Poller {
    epoll: OwnedFd,
}

/// A ready socket: its key, whether it is readable, and whether it is writable.
pub(crate) type Ready = (Key, bool, bool);

impl Poller {
    pub(crate) fn new() -> io::Result<Poller> {
        Ok(Poller { epoll: epoll::create(CreateFlags::CLOEXEC)? })
    }

    /// Watches a socket for reading from now on, under `key`. The kernel forgets closed sockets.
    pub(crate) fn watch(&self, socket: impl AsFd, key: Key) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, socket, EventData::new_u64(key.encode()), EventFlags::IN)?)
    }

    /// Starts or stops watching the socket for writing too.
    pub(crate) fn watch_writing(
        &self,
        socket: impl AsFd,
        key: Key,
        writing: bool,
    ) -> io::Result<()> {
        let flags = if writing { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
        Ok(epoll::modify(&self.epoll, socket, EventData::new_u64(key.encode()), flags)?)
    }

    /// Starts or stops watching the socket for reading.
    pub(crate) fn watch_reading(
        &self,
        socket: impl AsFd,
        key: Key,
        reading: bool,
    ) -> io::Result<()> {
        let flags = if reading { EventFlags::IN } else { EventFlags::empty() };
        Ok(epoll::modify(&self.epoll, socket, EventData::new_u64(key.encode()), flags)?)
    }

    /// Waits for at most `span`, with the precision of the kernel's timers (`epoll_pwait2`).
    /// Appends the ready sockets to `ready`.
    pub(crate) fn wait(&self, span: Span, ready: &mut Vec<Ready>) -> io::Result<()> {
        let timeout = Timespec {
            tv_sec: (span.as_nanos() / 1_000_000_000) as i64,
            tv_nsec: (span.as_nanos() % 1_000_000_000) as i64,
        };
        let mut room = [const { MaybeUninit::<Event>::uninit() }; AT_ONCE];
        let events = match epoll::wait(&self.epoll, &mut room, Some(&timeout)) {
            Ok((events, _)) => events,
            Err(Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        for event in events {
            let (data, flags) = (event.data, event.flags);
            ready.push((
                Key::decode(data.u64()),
                flags.intersects(!EventFlags::OUT),
                flags.contains(EventFlags::OUT),
            ));
        }
        Ok(())
    }
}
